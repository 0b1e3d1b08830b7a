#include "Frontend/Types.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>

#include "Frontend/TorchTypes.h"

namespace vescale::frontend {
namespace {

using facts::Type;
using Kind = facts::Type::Kind;

// Template arguments that are types, packs opened.
std::vector<clang::QualType> type_arguments(const clang::CXXRecordDecl& record) {
  std::vector<clang::QualType> result;
  const auto* instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
  if (!instance) return result;
  for (const auto& argument : instance->getTemplateArgs().asArray()) {
    if (argument.getKind() == clang::TemplateArgument::Type) result.push_back(argument.getAsType());
    if (argument.getKind() != clang::TemplateArgument::Pack) continue;
    for (const auto& element : argument.pack_elements()) {
      if (element.getKind() == clang::TemplateArgument::Type) result.push_back(element.getAsType());
    }
  }
  return result;
}

// The argument of ModuleHolder that `record` is or derives from.
const clang::CXXRecordDecl* held(const clang::CXXRecordDecl& record) {
  const std::string name = qualified_name(record);
  if (name == "torch::nn::ModuleHolder" || name == "std::shared_ptr" || name == "std::unique_ptr") {
    const auto arguments = type_arguments(record);
    return arguments.empty() ? nullptr : arguments.front()->getAsCXXRecordDecl();
  }
  if (!record.hasDefinition()) return nullptr;
  for (const auto& base : record.getDefinition()->bases()) {
    const auto* parent = base.getType()->getAsCXXRecordDecl();
    if (const auto* found = parent ? held(*parent) : nullptr) return found;
  }
  return nullptr;
}

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Type container(const clang::CXXRecordDecl& record, const std::string& name) {
  const auto arguments = type_arguments(record);
  Type result{Kind::Other, name, {}};
  for (const clang::QualType argument : arguments) result.elements.push_back(lower_type(argument));
  if (is_one_of(name, {"std::tuple", "std::pair"})) {
    result.kind = Kind::Tuple;
    return result;
  }
  if (result.elements.empty()) return result;
  const Kind element = result.elements.front().kind;
  if (is_one_of(name, {"std::map", "std::unordered_map", "torch::OrderedDict"}) &&
      result.elements.size() > 1) {
    result.kind = Kind::Map;
    result.elements = {result.elements[1]};
  } else if (is_one_of(name, {"std::optional"})) {
    if (element == Kind::Tensor) result.kind = Kind::OptionalTensor;
  } else if (is_one_of(name, {"std::vector", "std::array", "std::initializer_list", "std::deque", "std::list",
                              "c10::ArrayRef", "c10::List", "c10::SmallVector"})) {
    result.elements.resize(1);
    if (element == Kind::Tensor) result.kind = Kind::TensorList;
    if (element == Kind::Integer) result.kind = Kind::IntList;
    if (element == Kind::Module) result.kind = Kind::ModuleList;
  } else if (name == "std::function") {
    result.kind = Kind::Function;
  }
  return result;
}

}  // namespace

const clang::CXXRecordDecl* module_class(clang::QualType type) {
  const clang::CXXRecordDecl* record = class_of(type);
  if (!record) return nullptr;
  if (const clang::CXXRecordDecl* inner = held(*record)) record = inner;
  return derives_from(*record, "torch::nn::Module") ? record : nullptr;
}

std::string module_name(const clang::CXXRecordDecl& module) {
  std::string name = qualified_name(module);
  const bool ours = !llvm::StringRef(name).starts_with("torch::");
  if (!ours && llvm::StringRef(name).ends_with("Impl")) name.resize(name.size() - 4);
  return name;
}

Type lower_type(clang::QualType type) {
  if (type.isNull()) return {};
  type = type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (type->isBooleanType()) return {Kind::Bool, {}, {}};
  if (type->isIntegralOrEnumerationType() && !type->isEnumeralType()) return {Kind::Integer, {}, {}};
  if (type->isRealFloatingType()) return {Kind::Float, {}, {}};
  const clang::CXXRecordDecl* record = class_of(type);
  if (!record) return {};
  const std::string name = qualified_name(*record);
  if (record->isLambda()) return {Kind::Function, name, {}};
  if (name == "at::Tensor" || name == "at::TensorBase") return {Kind::Tensor, {}, {}};
  if (name == "at::ITensorListRef" || name == "c10::IListRef") return {Kind::TensorList, {}, {}};
  if (const clang::CXXRecordDecl* module = module_class(type)) {
    const std::string called = module_name(*module);
    return {called == "torch::nn::ModuleList" ? Kind::ModuleList : Kind::Module, called, {}};
  }
  if (record->hasDefinition() && derives_from(*record, "torch::optim::")) return {Kind::Optimizer, name, {}};
  Type result = container(*record, name);
  if (result.kind == Kind::Other && !record->isInStdNamespace() &&
      !llvm::StringRef(name).starts_with("torch::") && !llvm::StringRef(name).starts_with("at::") &&
      !llvm::StringRef(name).starts_with("c10::")) {
    result.kind = Kind::Class;
  }
  return result;
}

}  // namespace vescale::frontend
