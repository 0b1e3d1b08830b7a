#pragma once
/// What C++ types mean to inference.
#include <clang/AST/Type.h>

#include "Frontend/Facts.h"

namespace vescale::frontend {

facts::Type lower_type(clang::QualType type);

/// The module class behind a holder: MlpImpl of Mlp, torch::nn::LinearImpl of torch::nn::Linear; the class
/// itself if it is a module; null for anything else.
const clang::CXXRecordDecl* module_class(clang::QualType type);

/// The name that facts use for a module class: "torch::nn::Linear" for LibTorch's, "MlpImpl" for the
/// project's.
std::string module_name(const clang::CXXRecordDecl& module);

}  // namespace vescale::frontend
