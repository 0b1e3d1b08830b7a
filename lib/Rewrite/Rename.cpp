#include "Rewrite/Rename.h"

#include <clang/AST/RecursiveASTVisitor.h>

#include "Frontend/TorchTypes.h"
#include "Rewrite/NameTable.h"

namespace vescale::rewrite {
namespace {

using frontend::Locations;
using frontend::qualified_name;
using frontend::Span;

// One component of a name as spelled, "torch" of torch::nn::Linear.
struct Component {
  std::string text;
  clang::SourceLocation location;
};

std::vector<std::string> split(const std::string& name) {
  std::vector<std::string> result;
  for (std::size_t begin = 0;;) {
    const std::size_t end = name.find("::", begin);
    result.push_back(name.substr(begin, end - begin));
    if (end == std::string::npos) return result;
    begin = end + 2;
  }
}

class Renamer : public clang::RecursiveASTVisitor<Renamer> {
 public:
  Renamer(const Locations& locations, const HostSide& host, EditSet& edits)
      : locations_(locations), host_(host), edits_(edits) {}

  bool TraverseDecl(clang::Decl* decl) {
    if (!decl) return true;
    if (!llvm::isa<clang::TranslationUnitDecl>(decl)) {
      if (decl->isImplicit() || host_.contains(decl)) return true;
      const clang::SourceLocation location = locations_.sources().getExpansionLoc(decl->getLocation());
      if (location.isValid() && !locations_.in_root(location)) return true;
    }
    return RecursiveASTVisitor::TraverseDecl(decl);
  }

  bool VisitElaboratedTypeLoc(clang::ElaboratedTypeLoc type) {
    rename_type(type.getQualifierLoc(), type.getNamedTypeLoc());
    return true;
  }

  bool TraverseNestedNameSpecifierLoc(clang::NestedNameSpecifierLoc qualifier) {
    for (clang::NestedNameSpecifierLoc part = qualifier; part; part = part.getPrefix()) {
      if (part.getTypeLoc()) rename_type(part.getPrefix(), part.getTypeLoc());
    }
    return RecursiveASTVisitor::TraverseNestedNameSpecifierLoc(qualifier);
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* use) {
    if (use->getNameInfo().getName().isIdentifier()) {
      rename(use->getQualifierLoc(), use->getLocation(), *use->getDecl(), NameKind::Function);
    }
    return true;
  }

  bool VisitUnresolvedLookupExpr(clang::UnresolvedLookupExpr* use) {
    if (!use->getName().isIdentifier()) return true;
    for (const clang::NamedDecl* decl : use->decls()) {
      if (rename(use->getQualifierLoc(), use->getNameLoc(), *decl, NameKind::Function)) return true;
    }
    return true;
  }

  bool VisitUsingDecl(clang::UsingDecl* use) {
    for (const clang::UsingShadowDecl* shadow : use->shadows()) {
      const clang::NamedDecl* target = shadow->getTargetDecl();
      const auto kind = llvm::isa<clang::TypeDecl>(target) || llvm::isa<clang::ClassTemplateDecl>(target)
                            ? NameKind::Type
                            : NameKind::Function;
      if (rename(use->getQualifierLoc(), use->getLocation(), *target, kind)) return true;
    }
    return true;
  }

  bool VisitUsingDirectiveDecl(clang::UsingDirectiveDecl* use) {
    rename(use->getQualifierLoc(), use->getIdentLocation(), *use->getNominatedNamespace(),
           NameKind::Namespace);
    return true;
  }

  bool VisitNamespaceAliasDecl(clang::NamespaceAliasDecl* alias) {
    rename(alias->getQualifierLoc(), alias->getTargetNameLoc(), *alias->getNamespace(), NameKind::Namespace);
    return true;
  }

 private:
  void rename_type(clang::NestedNameSpecifierLoc qualifier, clang::TypeLoc type) {
    type = type.getUnqualifiedLoc();
    const clang::NamedDecl* decl = nullptr;
    clang::SourceLocation location = type.getBeginLoc();
    if (auto tag = type.getAs<clang::TagTypeLoc>()) decl = tag.getDecl();
    if (auto alias = type.getAs<clang::TypedefTypeLoc>()) decl = alias.getTypedefNameDecl();
    if (auto use = type.getAs<clang::UsingTypeLoc>()) decl = use.getFoundDecl()->getTargetDecl();
    if (auto instance = type.getAs<clang::TemplateSpecializationTypeLoc>()) {
      decl = instance.getTypePtr()->getTemplateName().getAsTemplateDecl();
      location = instance.getTemplateNameLoc();
    }
    if (auto deduced = type.getAs<clang::DeducedTemplateSpecializationTypeLoc>()) {
      decl = deduced.getTypePtr()->getTemplateName().getAsTemplateDecl();
      location = deduced.getTemplateNameLoc();
    }
    if (decl) rename(qualifier, location, *decl, NameKind::Type);
  }

  // Whether the name was one to rename.
  bool rename(clang::NestedNameSpecifierLoc qualifier, clang::SourceLocation name,
              const clang::NamedDecl& used, NameKind kind) {
    const clang::NamedDecl* decl = &used;
    while (const auto* shadow = llvm::dyn_cast<clang::UsingShadowDecl>(decl)) decl = shadow->getTargetDecl();
    // Members are named through their class, and what the project declares is the project's.
    if (decl->getDeclContext()->isRecord() || locations_.in_root(decl->getLocation())) return false;
    std::string declared = qualified_name(*decl);
    if (declared == "exit" && kind == NameKind::Function) declared = "std::exit";
    if (!is_torch_name(declared) && declared != "std::exit") return false;
    const auto target = vs_name(declared, kind, frontend::takes_tensors(*decl));
    if (!target) return false;
    std::vector<Component> spelled = components(qualifier);
    if (!spelled.empty() && spelled.front().text == "<type>") return false;
    if (already_renamed(qualifier, spelled, decl->getName().str(), *target)) return true;
    spelled.push_back({decl->getName().str(), name});
    replace(spelled, split(*target));
    return true;
  }

  // The namespaces before a name; a type among them stands for all before it.
  std::vector<Component> components(clang::NestedNameSpecifierLoc qualifier) const {
    std::vector<Component> result;
    for (; qualifier; qualifier = qualifier.getPrefix()) {
      const clang::NestedNameSpecifier* part = qualifier.getNestedNameSpecifier();
      std::string text;
      if (const auto* space = part->getAsNamespace()) text = space->getName().str();
      if (const auto* alias = part->getAsNamespaceAlias()) text = alias->getName().str();
      if (part->getAsType()) text = "<type>";
      if (!text.empty()) result.insert(result.begin(), {text, qualifier.getLocalBeginLoc()});
    }
    return result;
  }

  // Through an alias of the project that is renamed where it is declared.
  bool already_renamed(clang::NestedNameSpecifierLoc qualifier, const std::vector<Component>& spelled,
                       const std::string& name, const std::string& target) const {
    if (spelled.empty()) return false;
    while (qualifier.getPrefix() && !qualifier.getPrefix().getNestedNameSpecifier()->getAsType() &&
           qualifier.getPrefix().getNestedNameSpecifier()->getKind() != clang::NestedNameSpecifier::Global) {
      qualifier = qualifier.getPrefix();
    }
    const auto* alias = qualifier.getNestedNameSpecifier()->getAsNamespaceAlias();
    if (!alias || !locations_.in_root(alias->getLocation())) return false;
    auto full = vs_name(qualified_name(*alias->getNamespace()), NameKind::Namespace);
    if (!full) return false;
    for (std::size_t i = 1; i < spelled.size(); ++i) *full += "::" + spelled[i].text;
    return *full + "::" + name == target;
  }

  void replace(const std::vector<Component>& spelled, const std::vector<std::string>& target) {
    if (spelled.size() > target.size()) {
      const auto span = locations_.tokens({spelled.front().location, spelled.back().location});
      if (span) edit(*span, join(target, 0));
      return;
    }
    const std::size_t missing = target.size() - spelled.size();
    for (std::size_t i = 0; i < spelled.size(); ++i) {
      std::string text = target[i + missing];
      if (i == 0) text = join(std::vector(target.begin(), target.begin() + missing + 1), 0);
      const auto span = locations_.token(spelled[i].location);
      if (span && text != spelled[i].text) edit(*span, text, spelled[i].text);
    }
  }

  static std::string join(const std::vector<std::string>& parts, std::size_t from) {
    std::string result;
    for (std::size_t i = from; i < parts.size(); ++i) result += (i > from ? "::" : "") + parts[i];
    return result;
  }

  void edit(const Span& span, const std::string& text, const std::string& expected = {}) {
    if (!expected.empty() && locations_.text(span) != expected) return;  // a token made by pasting
    edits_.add(span.path, {span.begin, span.end - span.begin, text});
  }

  const Locations& locations_;
  const HostSide& host_;
  EditSet& edits_;
};

}  // namespace

void rename_torch(clang::ASTContext& context, const Locations& locations, const HostSide& host,
                  EditSet& edits) {
  Renamer(locations, host, edits).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace vescale::rewrite
