#include <vescale/mesh.h>

#include "comm/backend.h"

namespace vescale {
namespace {

std::string name_of(const MeshShape& shape, AxisMask axes) {
  std::string name;
  for (std::size_t axis = 0; axis < shape.names.size(); ++axis) {
    if (axes >> axis & 1) name += (name.empty() ? "" : ",") + shape.names[axis];
  }
  return name.empty() ? "self" : name;
}

// The ranks that agree with `coordinate` outside `axes`, increasing.
std::vector<std::int64_t> ranks_along(const MeshShape& shape, const std::vector<std::int64_t>& coordinate,
                                      AxisMask axes) {
  std::vector<std::int64_t> ranks{0};
  for (std::size_t axis = 0; axis < shape.sizes.size(); ++axis) {
    const bool member = axes >> axis & 1;
    const std::int64_t first = member ? 0 : coordinate[axis];
    const std::int64_t last = member ? shape.sizes[axis] - 1 : coordinate[axis];
    std::vector<std::int64_t> extended;
    for (std::int64_t rank : ranks) {
      for (std::int64_t c = first; c <= last; ++c) extended.push_back(rank * shape.sizes[axis] + c);
    }
    ranks = std::move(extended);
  }
  return ranks;
}

}  // namespace

Mesh::Mesh(MeshShape shape, std::unique_ptr<Backend> backend)
    : shape_(std::move(shape)),
      backend_(std::move(backend)),
      num_ranks_(shape_.num_ranks()),
      rank_(backend_->rank()) {
  shape_.validate();
  if (num_axes() > max_axes) {
    throw Error("a mesh has at most " + std::to_string(max_axes) + " axes, not " +
                std::to_string(num_axes()));
  }
  if (backend_->num_ranks() != num_ranks_) {
    throw Error("the mesh " + shape_.to_string() + " needs " + std::to_string(num_ranks_) +
                " ranks, but there are " + std::to_string(backend_->num_ranks()));
  }
  coordinate_ = shape_.coordinate(rank_);
  groups_.resize(std::size_t{1} << shape_.num_axes());
}

Mesh::~Mesh() = default;

Group& Mesh::group(std::int64_t axis) {
  if (axis < 0 || axis >= num_axes()) {
    throw Error("the mesh " + shape_.to_string() + " has no axis number " + std::to_string(axis));
  }
  return group_of(AxisMask{1} << axis);
}

Group& Mesh::group_of(AxisMask axes) {
  if (axes >= groups_.size()) {
    throw Error("axis mask " + std::to_string(axes) + " names axes that the mesh " + shape_.to_string() +
                " does not have");
  }
  std::unique_ptr<Group>& group = groups_[axes];
  if (group == nullptr)
    group = backend_->make_group(name_of(shape_, axes), ranks_along(shape_, coordinate_, axes));
  return *group;
}

Group& Mesh::world() { return group_of(static_cast<AxisMask>(groups_.size() - 1)); }

}  // namespace vescale
