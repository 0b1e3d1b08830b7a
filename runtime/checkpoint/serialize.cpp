#include <vescale/serialize.h>

#include <vescale/mesh.h>
#include <vescale/rank_context.h>
#include <vescale/redistribute.h>

namespace vescale::detail {
namespace {

/// Full, with the memory order of the global tensor, as the plain program would write it.
const at::Tensor& whole(const DTensor& tensor, Written& written) {
  const at::NoGradGuard no_grad;
  written.push_back(tensor.full().detach());
  return written.back();
}

void take(const DTensor& target, const at::Tensor& whole, const std::string& name) {
  if (whole.sizes() != target.sizes()) {
    throw Error("load: '" + name + "' has sizes " + c10::str(whole.sizes()) + " in the file, but " +
                c10::str(target.sizes()) + " in the module");
  }
  const at::NoGradGuard no_grad;
  target.set_data(redistribute(DTensor(whole), target.placements()));
}

void read_tensor(torch::serialize::InputArchive& archive, const std::string& name, const DTensor& target,
                 bool is_buffer) {
  at::Tensor stored;
  archive.read(name, stored, is_buffer);
  take(target, stored, name);
}

}  // namespace

void write(torch::serialize::OutputArchive& archive, const DTensor& tensor, Written& written) {
  archive.write("0", whole(tensor, written));
}

void write(torch::serialize::OutputArchive& archive, const std::vector<DTensor>& tensors, Written& written) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    archive.write(std::to_string(i), whole(tensors[i], written));
}

void write(torch::serialize::OutputArchive& archive, const nn::Module& module, Written& written) {
  for (const auto& parameter : module.named_parameters(/*recurse=*/false)) {
    const at::Tensor& full = whole(parameter.value(), written);
    full.set_requires_grad(parameter.value().requires_grad());
    archive.write(parameter.key(), full);
  }
  for (const auto& buffer : module.named_buffers(/*recurse=*/false)) {
    archive.write(buffer.key(), whole(buffer.value(), written), /*is_buffer=*/true);
  }
  for (const auto& child : module.named_children()) {
    if (!child.value()->is_serializable()) continue;
    torch::serialize::OutputArchive child_archive(archive.compilation_unit());
    write(child_archive, *child.value(), written);
    archive.write(child.key(), child_archive);
  }
}

void read(torch::serialize::InputArchive& archive, DTensor& tensor) {
  at::Tensor stored;
  archive.read("0", stored);
  if (tensor.defined()) {
    take(tensor, stored, "tensor");
  } else {
    tensor = stored;
  }
}

void read(torch::serialize::InputArchive& archive, std::vector<DTensor>& tensors) {
  // As LibTorch: elements until there is no next one.
  for (std::size_t i = 0;; ++i) {
    at::Tensor stored;
    if (!archive.try_read(std::to_string(i), stored)) return;
    tensors.emplace_back(stored);
  }
}

void read(torch::serialize::InputArchive& archive, nn::Module& module) {
  for (const auto& parameter : module.named_parameters(/*recurse=*/false)) {
    read_tensor(archive, parameter.key(), parameter.value(), /*is_buffer=*/false);
  }
  for (const auto& buffer : module.named_buffers(/*recurse=*/false)) {
    read_tensor(archive, buffer.key(), buffer.value(), /*is_buffer=*/true);
  }
  for (const auto& child : module.named_children()) {
    if (!child.value()->is_serializable()) continue;
    torch::serialize::InputArchive child_archive;
    archive.read(child.key(), child_archive);
    read(child_archive, *child.value());
  }
}

void save_to_file(torch::serialize::OutputArchive& archive, const std::string& path) {
  Mesh& mesh = RankContext::current().mesh();
  if (mesh.rank() == 0) archive.save_to(path);
  mesh.world().barrier();
}

void save_to_stream(torch::serialize::OutputArchive& archive, std::ostream& stream) {
  const bool in_memory = dynamic_cast<std::ostringstream*>(&stream) != nullptr ||
                         dynamic_cast<std::stringstream*>(&stream) != nullptr;
  if (in_memory || RankContext::current().rank() == 0) archive.save_to(stream);
}

}  // namespace vescale::detail
