#include "Frontend/Classes.h"

#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>

#include "Frontend/TorchTypes.h"
#include "Frontend/Types.h"

namespace vescale::frontend {
namespace {

using facts::Annotation;
using facts::Class;
using facts::Field;

// The text of a string literal argument.
std::string string_of(const clang::Expr* expr) {
  struct Finder : clang::RecursiveASTVisitor<Finder> {
    bool VisitStringLiteral(clang::StringLiteral* literal) {
      return text = literal->getString().str(), false;
    }
    std::string text;
  } finder;
  finder.TraverseStmt(const_cast<clang::Expr*>(expr));
  return finder.text;
}

const clang::FieldDecl* field_of(const clang::Expr* expr) {
  expr = expr->IgnoreUnlessSpelledInSource();
  if (const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(expr)) return field_of(call->getArg(0));
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(expr);
  return member ? llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
}

// What constructors say of fields: registered names, and what is put into lists.
class Registrations : public clang::RecursiveASTVisitor<Registrations> {
 public:
  explicit Registrations(Class& result, const clang::CXXRecordDecl& record)
      : result_(result), record_(record) {}

  void run() {
    for (const clang::CXXConstructorDecl* constructor : record_.ctors()) {
      for (const clang::CXXCtorInitializer* initializer : constructor->inits()) {
        if (initializer->isMemberInitializer()) assigned(initializer->getMember(), initializer->getInit());
      }
    }
    for (const clang::CXXMethodDecl* method : record_.methods()) {
      if (method->doesThisDeclarationHaveABody()) TraverseStmt(method->getBody());
    }
    for (const clang::FieldDecl* field : record_.fields()) {
      if (field->hasInClassInitializer() && field->getInClassInitializer()) {
        assigned(field, field->getInClassInitializer());
      }
    }
  }

  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) {
    if (call->getOperator() == clang::OO_Equal) {
      if (const clang::FieldDecl* field = field_of(call->getArg(0))) assigned(field, call->getArg(1));
    }
    return true;
  }

  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) {
    const clang::CXXMethodDecl* method = call->getMethodDecl();
    if (!method || !method->getIdentifier() || call->getNumArgs() == 0) return true;
    if (method->getName() == "push_back" || method->getName() == "emplace_back") {
      const clang::FieldDecl* field = field_of(call->getImplicitObjectArgument());
      if (field) add_element(field, *call);
    }
    // register_module("name", field) with the field itself.
    if (is_registration(*method) && call->getNumArgs() > 1) {
      if (const clang::FieldDecl* field = field_of(call->getArg(1))) {
        registered(field, method->getName(), string_of(call->getArg(0)));
      }
    }
    return true;
  }

 private:
  static bool is_registration(const clang::CXXMethodDecl& method) {
    return method.getIdentifier() &&
           (method.getName() == "register_module" || method.getName() == "register_parameter" ||
            method.getName() == "register_buffer");
  }

  Field* find(const clang::FieldDecl* field) {
    const auto found =
        std::find_if(result_.fields.begin(), result_.fields.end(),
                     [&](const Field& candidate) { return candidate.name == field->getName(); });
    return field->getParent()->getCanonicalDecl() == record_.getCanonicalDecl() &&
                   found != result_.fields.end()
               ? &*found
               : nullptr;
  }

  void registered(const clang::FieldDecl* field, llvm::StringRef function, const std::string& name) {
    Field* to = find(field);
    if (!to) return;
    to->registered_name = name;
    to->role = function == "register_module"      ? Field::Role::Module
               : function == "register_parameter" ? Field::Role::Parameter
                                                  : Field::Role::Buffer;
  }

  // field = register_module("name", value)
  void assigned(const clang::FieldDecl* field, const clang::Expr* value) {
    struct Finder : clang::RecursiveASTVisitor<Finder> {
      bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) {
        const clang::CXXMethodDecl* method = call->getMethodDecl();
        if (method && is_registration(*method)) return found = call, false;
        return true;
      }
      bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) {
        const clang::CXXRecordDecl* module = module_class(made->getType());
        if (module) constructed.push_back(made);
        return true;
      }
      clang::CXXMemberCallExpr* found = nullptr;
      std::vector<clang::CXXConstructExpr*> constructed;
    } finder;
    finder.TraverseStmt(const_cast<clang::Expr*>(value));
    Field* to = find(field);
    if (!to) return;
    if (finder.found) {
      registered(field, finder.found->getMethodDecl()->getName(), string_of(finder.found->getArg(0)));
    }
    // Sequential(A(...), B(...)): the elements are the modules made on the way, but not the container.
    if (to->type.name != "torch::nn::Sequential" && to->type.kind != facts::Type::Kind::ModuleList) return;
    for (const clang::CXXConstructExpr* made : finder.constructed) {
      const std::string name = module_name(*module_class(made->getType()));
      if (name != to->type.name && !llvm::StringRef(name).starts_with("torch::")) add_element(*to, name);
    }
  }

  void add_element(const clang::FieldDecl* field, const clang::CXXMemberCallExpr& call) {
    Field* to = find(field);
    const clang::CXXRecordDecl* element = module_class(call.getArg(0)->IgnoreImplicit()->getType());
    if (to && element) add_element(*to, module_name(*element));
  }

  static void add_element(Field& to, const std::string& name) {
    for (const facts::Type& known : to.type.elements) {
      if (known.name == name) return;
    }
    to.type.elements.push_back({facts::Type::Kind::Module, name, {}});
  }

  Class& result_;
  const clang::CXXRecordDecl& record_;
};

class Collector : public clang::RecursiveASTVisitor<Collector> {
 public:
  Collector(const Locations& locations, FileTable& files) : locations_(locations), files_(files) {}

  bool TraverseDecl(clang::Decl* decl) {
    if (decl && !llvm::isa<clang::TranslationUnitDecl>(decl) && decl->getLocation().isValid() &&
        !locations_.in_root(locations_.sources().getExpansionLoc(decl->getLocation()))) {
      return true;
    }
    return RecursiveASTVisitor::TraverseDecl(decl);
  }

  bool VisitCXXRecordDecl(clang::CXXRecordDecl* record) {
    if (!record->isThisDeclarationADefinition() || record->isLambda() || record->isImplicit()) return true;
    Class lowered;
    lowered.name = qualified_name(*record);
    lowered.is_module = derives_from(*record, "torch::nn::Module");
    lowered.host = derives_from(*record, "torch::data::") || annotation(*record, "host").has_value();
    lowered.range = lower_range(record->getSourceRange(), locations_, files_);
    lowered.annotations = lower_annotations(*record, locations_, files_);
    for (const auto& base : record->bases()) {
      if (const auto* parent = base.getType()->getAsCXXRecordDecl())
        lowered.bases.push_back(qualified_name(*parent));
    }
    for (const clang::FieldDecl* field : record->fields()) {
      Field to;
      to.name = field->getNameAsString();
      to.type = lower_type(field->getType());
      to.range = lower_range(field->getLocation(), locations_, files_);
      to.annotations = lower_annotations(*field, locations_, files_);
      lowered.fields.push_back(std::move(to));
    }
    Registrations(lowered, *record).run();
    classes.push_back(std::move(lowered));
    return true;
  }

  std::vector<Class> classes;

 private:
  const Locations& locations_;
  FileTable& files_;
};

}  // namespace

int FileTable::index_of(const std::string& path, bool in_root) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].path == path) return static_cast<int>(i);
  }
  files_.push_back({path, in_root, false});
  return static_cast<int>(files_.size()) - 1;
}

facts::SourceRange lower_range(clang::SourceRange range, const Locations& locations, FileTable& files) {
  facts::SourceRange result;
  const auto span = locations.tokens(range);
  if (!span) return result;
  const auto& sources = locations.sources();
  const clang::SourceLocation begin = sources.getSpellingLoc(range.getBegin());
  result.file = files.index_of(span->path, true);
  result.begin = span->begin;
  result.end = span->end;
  result.line = sources.getLineNumber(sources.getFileID(begin), span->begin);
  result.column = sources.getColumnNumber(sources.getFileID(begin), span->begin);
  result.in_macro_body = span->in_macro_body;
  return result;
}

std::vector<Annotation> lower_annotations(const clang::Decl& decl, const Locations& locations,
                                          FileTable& files) {
  static constexpr std::pair<const char*, Annotation::Kind> kinds[] = {
      {"place", Annotation::Kind::Place},
      {"rule", Annotation::Kind::Rule},
      {"host", Annotation::Kind::Host},
      {"stage", Annotation::Kind::Stage},
      {"checkpoint", Annotation::Kind::Checkpoint}};
  std::vector<Annotation> result;
  for (const auto& [name, kind] : kinds) {
    if (const auto text = annotation(decl, name)) {
      result.push_back({kind, *text, lower_range(decl.getLocation(), locations, files)});
    }
  }
  return result;
}

std::vector<Class> lower_classes(clang::ASTContext& context, const Locations& locations, FileTable& files) {
  Collector collector(locations, files);
  collector.TraverseDecl(context.getTranslationUnitDecl());
  return std::move(collector.classes);
}

}  // namespace vescale::frontend
