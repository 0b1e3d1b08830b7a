#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>

#include "Frontend/Lowering.h"
#include "Frontend/TorchTypes.h"
#include "Frontend/Types.h"

namespace vescale::frontend {
namespace {

using facts::Function;
using facts::FunctionId;
using facts::VarId;

// Functions with a body under the root that stand for themselves: no patterns of templates.
class Definitions : public clang::RecursiveASTVisitor<Definitions> {
 public:
  Definitions(const Locations& locations, Lowering& lowering) : locations_(locations), lowering_(lowering) {}

  bool TraverseDecl(clang::Decl* decl) {
    if (decl && !llvm::isa<clang::TranslationUnitDecl>(decl) && decl->getLocation().isValid() &&
        !locations_.in_root(locations_.sources().getExpansionLoc(decl->getLocation()))) {
      return true;
    }
    return RecursiveASTVisitor::TraverseDecl(decl);
  }

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
    if (method && method->getParent()->isLambda()) return true;
    if (function->doesThisDeclarationHaveABody() && !function->isDependentContext() &&
        !function->isImplicit()) {
      lowering_.function(*function);
    }
    return true;
  }

 private:
  const Locations& locations_;
  Lowering& lowering_;
};

// What tells overloads and instantiations apart.
std::string key_of(const clang::FunctionDecl& decl, const std::string& name) {
  std::string key = name + " " + decl.getType().getCanonicalType().getAsString();
  if (const auto* arguments = decl.getTemplateSpecializationArgs()) {
    for (const auto& argument : arguments->asArray()) {
      if (argument.getKind() == clang::TemplateArgument::Type)
        key += " <" + argument.getAsType().getAsString() + ">";
    }
  }
  return key;
}

}  // namespace

void Lowering::run() {
  for (facts::Class& one : lower_classes(context_, locations_, files_)) {
    const auto same = [&](const facts::Class& known) {
      return known.name == one.name && known.range.file == one.range.file &&
             known.range.begin == one.range.begin;
    };
    if (std::none_of(program_.classes.begin(), program_.classes.end(), same)) program_.classes.push_back(one);
  }
  Definitions(locations_, *this).TraverseDecl(context_.getTranslationUnitDecl());
  lower_pending();
  set_initializers();
}

FunctionId Lowering::function(const clang::FunctionDecl& decl) {
  const clang::FunctionDecl* canonical = decl.getCanonicalDecl();
  const auto found = functions_.find(canonical);
  if (found != functions_.end()) return found->second;
  const std::string name = qualified_name(decl);
  const std::string key = key_of(decl, name);
  const auto known = builder_.functions.find(key);
  const clang::FunctionDecl* definition = nullptr;
  decl.isDefined(definition);
  if (known != builder_.functions.end()) {
    functions_[canonical] = known->second;
    if (program_.functions[static_cast<std::size_t>(known->second)].has_body || !definition)
      return known->second;
    pending_.emplace_back(known->second, definition);
    return known->second;
  }
  const FunctionId id = new_function(definition ? *definition : decl, name);
  functions_[canonical] = id;
  builder_.functions[key] = id;
  if (definition) pending_.emplace_back(id, definition);
  return id;
}

FunctionId Lowering::new_function(const clang::FunctionDecl& decl, std::string name) {
  Function lowered;
  lowered.name = std::move(name);
  lowered.return_type = lower_type(decl.getReturnType());
  lowered.range = range(decl.getSourceRange());
  lowered.name_range = range(decl.getLocation());
  lowered.annotations = lower_annotations(decl, locations_, files_);
  lowered.is_constructor = llvm::isa<clang::CXXConstructorDecl>(decl);
  if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&decl)) {
    if (!method->getParent()->isLambda()) lowered.class_name = qualified_name(*method->getParent());
  }
  const clang::FunctionDecl* pattern = decl.getTemplateInstantiationPattern();
  for (const clang::Decl* one :
       {static_cast<const clang::Decl*>(&decl), static_cast<const clang::Decl*>(pattern)}) {
    if (one && host_.count(one->getCanonicalDecl())) lowered.host = true;
  }
  if (decl.isMain()) program_.main = static_cast<FunctionId>(program_.functions.size());
  program_.functions.push_back(std::move(lowered));
  return static_cast<FunctionId>(program_.functions.size()) - 1;
}

void Lowering::lower_pending() {
  while (!pending_.empty()) {
    const auto [id, decl] = pending_.front();
    pending_.pop_front();
    lower_body(id, *decl);
  }
}

void Lowering::lower_body(FunctionId id, const clang::FunctionDecl& decl) {
  const auto index = static_cast<std::size_t>(id);
  if (program_.functions[index].has_body || program_.functions[index].host) return;
  program_.functions[index].has_body = true;
  const std::string outer = std::exchange(scope_, program_.functions[index].name);
  std::vector<VarId> parameters;
  for (const clang::ParmVarDecl* parameter : decl.parameters()) parameters.push_back(variable(*parameter));
  facts::Stmt body;
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&decl)) {
    for (const clang::CXXCtorInitializer* initializer : constructor->inits()) {
      if (!initializer->isMemberInitializer()) continue;
      facts::Expr self = node(Kind::This, *initializer->getInit());
      self.type = {facts::Type::Kind::Class, program_.functions[index].class_name, {}};
      facts::Expr field = node(Kind::Member, *initializer->getInit());
      field.name = initializer->getMember()->getNameAsString();
      field.type = lower_type(initializer->getMember()->getType());
      field.children = {add(std::move(self))};
      facts::Expr assign = node(Kind::Assign, *initializer->getInit());
      const facts::ExprId target = add(std::move(field));
      assign.children = {target, expression(initializer->getInit())};
      facts::Stmt stmt;
      stmt.kind = facts::Stmt::Kind::Expression;
      stmt.range = assign.range;
      stmt.expr = add(std::move(assign));
      body.body.push_back(std::move(stmt));
    }
  }
  facts::Stmt written = statement(decl.getBody());
  body.range = written.range;
  for (facts::Stmt& stmt : written.body) body.body.push_back(std::move(stmt));
  Function& lowered = program_.functions[index];
  lowered.parameters = std::move(parameters);
  lowered.body = std::move(body);
  scope_ = outer;
}

FunctionId Lowering::lambda(const clang::LambdaExpr& expr) {
  const clang::CXXMethodDecl* call = expr.getCallOperator();
  const auto found = functions_.find(call->getCanonicalDecl());
  if (found != functions_.end()) return found->second;
  const auto line = locations_.sources().getExpansionLineNumber(expr.getBeginLoc());
  const FunctionId id = new_function(*call, scope_ + ".lambda@" + std::to_string(line));
  functions_[call->getCanonicalDecl()] = id;
  std::vector<VarId> captures;
  for (const clang::LambdaCapture& capture : expr.captures()) {
    if (capture.capturesVariable()) captures.push_back(variable(*capture.getCapturedVar()));
  }
  lower_body(id, *call);
  program_.functions[static_cast<std::size_t>(id)].captures = std::move(captures);
  return id;
}

VarId Lowering::variable(const clang::ValueDecl& decl) {
  const auto found = variables_.find(decl.getCanonicalDecl());
  if (found != variables_.end()) return found->second;
  facts::Variable lowered;
  lowered.name = decl.getNameAsString();
  lowered.type = lower_type(decl.getType());
  lowered.range = range(decl.getLocation());
  lowered.annotations = lower_annotations(decl, locations_, files_);
  lowered.by_reference = decl.getType()->isReferenceType();
  lowered.is_parameter = llvm::isa<clang::ParmVarDecl>(decl);
  const auto* var = llvm::dyn_cast<clang::VarDecl>(&decl);
  lowered.is_global = var && var->hasGlobalStorage() && !var->isStaticLocal();
  lowered.qualified_name = lowered.is_global ? qualified_name(decl) : scope_ + "." + lowered.name;
  if (var && var->getTypeSourceInfo()) {
    lowered.type_range = range(var->getTypeSourceInfo()->getTypeLoc().getSourceRange());
  }
  const auto id = static_cast<VarId>(program_.variables.size());
  program_.variables.push_back(std::move(lowered));
  variables_[decl.getCanonicalDecl()] = id;
  return id;
}

// Fields get what the constructors assign to them first.
void Lowering::set_initializers() {
  for (const Function& constructor : program_.functions) {
    if (!constructor.is_constructor) continue;
    const auto owner =
        std::find_if(program_.classes.begin(), program_.classes.end(),
                     [&](const facts::Class& one) { return one.name == constructor.class_name; });
    if (owner == program_.classes.end()) continue;
    for (const facts::Stmt& stmt : constructor.body.body) {
      if (stmt.kind != facts::Stmt::Kind::Expression || stmt.expr == facts::none) continue;
      const facts::Expr& assign = program_.exprs[static_cast<std::size_t>(stmt.expr)];
      if (assign.kind != Kind::Assign || assign.children.size() != 2) continue;
      const facts::Expr& target = program_.exprs[static_cast<std::size_t>(assign.children[0])];
      const facts::Expr& value = program_.exprs[static_cast<std::size_t>(assign.children[1])];
      if (target.kind != Kind::Member) continue;
      for (facts::Field& field : owner->fields) {
        const bool null = value.kind == Kind::Unknown && value.name == "nullptr";
        if (field.name == target.name && field.initializer == facts::none && !null) {
          field.initializer = assign.children[1];
        }
      }
    }
  }
}

void lower_translation_unit(clang::ASTContext& context, const Locations& locations,
                            const std::set<const clang::Decl*>& host, ProgramBuilder& builder) {
  Lowering(context, locations, host, builder).run();
}

}  // namespace vescale::frontend
