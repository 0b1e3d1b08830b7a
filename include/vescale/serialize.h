#pragma once
/// torch::save and torch::load for DTensors, modules and optimizers.
///
/// A file holds full values: plain LibTorch reads it, and files of plain LibTorch are read here. Saving is
/// collective; rank 0 alone writes to a path (a stream in memory is written by every rank, each has its own).
#include <torch/serialize.h>

#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <vescale/dtensor.h>
#include <vescale/nn/module.h>
#include <vescale/optim.h>

namespace vescale {
namespace detail {

/// The full values that were written. LibTorch writes a tensor that only the archive holds in other bytes, so
/// they are kept until the archive is saved, as the plain program keeps its own.
using Written = std::vector<at::Tensor>;

void write(torch::serialize::OutputArchive& archive, const DTensor& tensor, Written& written);
void write(torch::serialize::OutputArchive& archive, const std::vector<DTensor>& tensors, Written& written);
void write(torch::serialize::OutputArchive& archive, const nn::Module& module, Written& written);
inline void write(torch::serialize::OutputArchive& archive, const optim::Optimizer& optimizer, Written&) {
  optimizer.save(archive);
}

void read(torch::serialize::InputArchive& archive, DTensor& tensor);
void read(torch::serialize::InputArchive& archive, std::vector<DTensor>& tensors);
void read(torch::serialize::InputArchive& archive, nn::Module& module);
inline void read(torch::serialize::InputArchive& archive, optim::Optimizer& optimizer) {
  optimizer.load(archive);
}

/// Writes to a path on rank 0, then waits for it on every rank.
void save_to_file(torch::serialize::OutputArchive& archive, const std::string& path);
/// Writes to a stream: on every rank if it is in memory, else on rank 0.
void save_to_stream(torch::serialize::OutputArchive& archive, std::ostream& stream);

template <class Target>
void save_archive(torch::serialize::OutputArchive& archive, Target&& target) {
  if constexpr (std::is_convertible_v<Target, std::string>) {
    save_to_file(archive, target);
  } else if constexpr (std::is_convertible_v<Target, std::ostream&>) {
    save_to_stream(archive, target);
  } else {
    archive.save_to(std::forward<Target>(target));
  }
}

template <class T>
const T& saved_object(const T& value) {
  return value;
}
template <class T>
T& loaded_object(T& value) {
  return value;
}
template <class T>
const T& saved_object(const std::shared_ptr<T>& value) {
  return *value;
}
template <class T>
T& loaded_object(std::shared_ptr<T>& value) {
  return *value;
}
}  // namespace detail

/// `value`: a DTensor, a vector of them, a module (or a holder of one) or an optimizer. `target`: a path, a
/// stream or a function as OutputArchive::save_to takes it. Throws c10::Error where the file cannot be
/// written.
template <class Value, class Target>
void save(const Value& value, Target&& target) {
  torch::serialize::OutputArchive archive(std::make_shared<torch::jit::CompilationUnit>());
  detail::Written written;
  if constexpr (std::is_base_of_v<nn::ModuleHolderIndicator, Value>) {
    detail::write(archive, *value, written);
  } else {
    detail::write(archive, detail::saved_object(value), written);
  }
  detail::save_archive(archive, std::forward<Target>(target));
}

/// The counterpart: placements of `value` stay, its pieces are taken from the full values read.
template <class Value, class... Source>
void load(Value& value, Source&&... source) {
  torch::serialize::InputArchive archive;
  archive.load_from(std::forward<Source>(source)...);
  if constexpr (std::is_base_of_v<nn::ModuleHolderIndicator, Value>) {
    detail::read(archive, *value);
  } else {
    detail::read(archive, detail::loaded_object(value));
  }
}

}  // namespace vescale
