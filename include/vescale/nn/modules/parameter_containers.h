#pragma once
/// Parameters by index and by name: LibTorch's names and FQNs.
#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include <vescale/nn/module.h>

namespace vescale {
namespace nn {

/// Parameters by index.
class ParameterListImpl : public Cloneable<ParameterListImpl> {
 public:
  ParameterListImpl() = default;
  template <class... Tensors>
  explicit ParameterListImpl(const Tensors&... tensors) {
    (append(tensors), ...);
  }

  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  void append(const DTensor& parameter) {
    register_parameter(std::to_string(size()), parameter, parameter.requires_grad());
  }
  void append(const OrderedDict<std::string, DTensor>::Item& item) { append(item.value()); }
  template <class Container>
  void extend(const Container& container) {
    for (const auto& parameter : container) append(parameter);
  }
  auto begin() { return parameters_.begin(); }
  auto end() { return parameters_.end(); }
  auto begin() const { return parameters_.begin(); }
  auto end() const { return parameters_.end(); }
  DTensor& at(std::size_t index) { return parameters_[std::to_string(index)]; }
  const DTensor& at(std::size_t index) const { return parameters_[std::to_string(index)]; }
  DTensor& operator[](std::size_t index) { return at(index); }
  const DTensor& operator[](std::size_t index) const { return at(index); }
  std::size_t size() const noexcept { return parameters_.size(); }
  bool is_empty() const noexcept { return parameters_.is_empty(); }
};
VS_MODULE(ParameterList);

/// Parameters by name.
class ParameterDictImpl : public Cloneable<ParameterDictImpl> {
 public:
  ParameterDictImpl() = default;
  explicit ParameterDictImpl(const OrderedDict<std::string, DTensor>& parameters) { update(parameters); }

  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  DTensor& insert(const std::string& key, const DTensor& parameter) {
    return register_parameter(key, parameter, parameter.requires_grad());
  }
  DTensor pop(const std::string& key) {
    DTensor parameter = parameters_[key];
    parameters_.erase(key);
    return parameter;
  }
  template <class Container>
  void update(const Container& container) {
    for (const auto& item : container) {
      if (contains(item.key())) parameters_.erase(item.key());
      insert(item.key(), item.value());
    }
  }
  void clear() { parameters_.clear(); }
  std::vector<std::string> keys() const { return parameters_.keys(); }
  std::vector<DTensor> values() const { return parameters_.values(); }
  auto begin() { return parameters_.begin(); }
  auto end() { return parameters_.end(); }
  auto begin() const { return parameters_.begin(); }
  auto end() const { return parameters_.end(); }
  std::size_t size() const noexcept { return parameters_.size(); }
  bool empty() const noexcept { return parameters_.is_empty(); }
  bool contains(const std::string& key) const noexcept { return parameters_.contains(key); }
  DTensor& get(const std::string& key) { return parameters_[key]; }
  const DTensor& get(const std::string& key) const { return parameters_[key]; }
  DTensor& operator[](const std::string& key) { return parameters_[key]; }
  const DTensor& operator[](const std::string& key) const { return parameters_[key]; }
};
VS_MODULE(ParameterDict);

}  // namespace nn
}  // namespace vescale
