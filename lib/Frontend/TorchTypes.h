#pragma once
/// Questions about declarations and types that decide what a name is to us.
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Type.h>

#include <optional>
#include <string>

namespace vescale::frontend {

/// "at::Tensor", without inline namespaces.
std::string qualified_name(const clang::NamedDecl& decl);

/// The class of a value, behind references, pointers and aliases.
const clang::CXXRecordDecl* class_of(clang::QualType type);

/// at::Tensor, or a container, optional, tuple or list reference of it.
bool holds_tensor(clang::QualType type);

/// Takes or returns tensors.
bool takes_tensors(const clang::NamedDecl& function);

/// `decl` or one of its bases, dependent ones included, has this name, or is inside the namespace
/// "torch::data::".
bool derives_from(const clang::CXXRecordDecl& decl, llvm::StringRef name);

/// The text behind "vescale:KIND:" of an annotation; an empty text for kinds that have none.
std::optional<std::string> annotation(const clang::Decl& decl, llvm::StringRef kind);

/// The custom autograd Function that `function` is the `apply` of; null if it is none.
const clang::CXXRecordDecl* custom_function(const clang::FunctionDecl& function);

}  // namespace vescale::frontend
