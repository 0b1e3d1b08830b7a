#include "Frontend/TorchTypes.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <llvm/Support/raw_ostream.h>

namespace vescale::frontend {

std::string qualified_name(const clang::NamedDecl& decl) {
  std::string name;
  llvm::raw_string_ostream stream(name);
  clang::PrintingPolicy policy(decl.getASTContext().getLangOpts());
  policy.SuppressInlineNamespace = true;
  policy.SuppressUnwrittenScope = true;
  decl.printQualifiedName(stream, policy);
  return name;
}

const clang::CXXRecordDecl* class_of(clang::QualType type) {
  if (type.isNull()) return nullptr;
  type = type.getNonReferenceType().getCanonicalType();
  if (type->isPointerType()) type = type->getPointeeType();
  return type->getAsCXXRecordDecl();
}

bool holds_tensor(clang::QualType type) {
  if (type.isNull()) return false;
  type = type.getNonReferenceType().getCanonicalType();
  if (type->isPointerType() || type->isArrayType())
    type = clang::QualType(type->getPointeeOrArrayElementType(), 0);
  if (const auto* written = type->getAs<clang::TemplateSpecializationType>()) {
    for (const auto& argument : written->template_arguments()) {
      if (argument.getKind() == clang::TemplateArgument::Type && holds_tensor(argument.getAsType()))
        return true;
    }
    return false;
  }
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (!record) return false;
  if (const auto* instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record)) {
    for (const auto& argument : instance->getTemplateArgs().asArray()) {
      if (argument.getKind() == clang::TemplateArgument::Type && holds_tensor(argument.getAsType()))
        return true;
      if (argument.getKind() != clang::TemplateArgument::Pack) continue;
      for (const auto& element : argument.pack_elements()) {
        if (element.getKind() == clang::TemplateArgument::Type && holds_tensor(element.getAsType()))
          return true;
      }
    }
    return false;
  }
  const std::string name = qualified_name(*record);
  return name == "at::Tensor" || name == "at::ITensorListRef" || name == "c10::IListRef" ||
         name == "at::TensorBase";
}

bool takes_tensors(const clang::NamedDecl& decl) {
  const clang::NamedDecl* target = &decl;
  if (const auto* shadow = llvm::dyn_cast<clang::UsingShadowDecl>(target)) target = shadow->getTargetDecl();
  if (const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(target))
    target = pattern->getTemplatedDecl();
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(target);
  if (!function) return false;
  if (holds_tensor(function->getReturnType())) return true;
  for (const clang::ParmVarDecl* parameter : function->parameters()) {
    if (holds_tensor(parameter->getType())) return true;
  }
  return false;
}

bool derives_from(const clang::CXXRecordDecl& decl, llvm::StringRef prefix) {
  const std::string name = qualified_name(decl);
  if (prefix.ends_with("::") ? llvm::StringRef(name).starts_with(prefix) : name == prefix) return true;
  if (!decl.hasDefinition()) return false;
  for (const clang::CXXBaseSpecifier& base : decl.getDefinition()->bases()) {
    if (const clang::CXXRecordDecl* record = base.getType()->getAsCXXRecordDecl()) {
      if (derives_from(*record, prefix)) return true;
    } else if (const auto* written = base.getType()->getAs<clang::TemplateSpecializationType>()) {
      const clang::TemplateDecl* pattern = written->getTemplateName().getAsTemplateDecl();
      const auto* record =
          pattern ? llvm::dyn_cast_or_null<clang::CXXRecordDecl>(pattern->getTemplatedDecl()) : nullptr;
      if (record && derives_from(*record, prefix)) return true;
    }
  }
  return false;
}

std::optional<std::string> annotation(const clang::Decl& decl, llvm::StringRef kind) {
  for (const auto* attribute : decl.specific_attrs<clang::AnnotateAttr>()) {
    llvm::StringRef text = attribute->getAnnotation();
    if (!text.consume_front("vescale:") || !text.consume_front(kind)) continue;
    if (text.empty()) return std::string();
    if (text.consume_front(":")) return text.str();
  }
  return std::nullopt;
}

const clang::CXXRecordDecl* custom_function(const clang::FunctionDecl& function) {
  if (!function.getIdentifier() || function.getName() != "apply") return nullptr;
  const auto* base = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(function.getDeclContext());
  if (!base || qualified_name(*base) != "torch::autograd::Function") return nullptr;
  const auto& argument = base->getTemplateArgs()[0];
  return argument.getKind() == clang::TemplateArgument::Type ? argument.getAsType()->getAsCXXRecordDecl()
                                                             : nullptr;
}

}  // namespace vescale::frontend
