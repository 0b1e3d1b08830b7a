#pragma once
/// Names and sizes of a mesh's axes, and the numbering of its ranks. Row-major: the last axis runs fastest.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <vescale/error.h>

namespace vescale {

struct MeshShape {
  /// More ranks than this is taken for a typing error.
  static constexpr std::int64_t max_ranks = std::int64_t{1} << 24;

  std::vector<std::string> names;
  std::vector<std::int64_t> sizes;  ///< one per name, each at least 1

  std::int64_t num_axes() const { return static_cast<std::int64_t>(sizes.size()); }

  /// 1 for a mesh without axes.
  std::int64_t num_ranks() const {
    std::int64_t ranks = 1;
    for (std::int64_t size : sizes) ranks *= size;
    return ranks;
  }

  std::optional<std::int64_t> find_axis(std::string_view name) const {
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
      if (names[axis] == name) return static_cast<std::int64_t>(axis);
    }
    return std::nullopt;
  }

  /// Index of the axis called `name`; throws Error that lists the axes if there is none.
  std::int64_t axis(std::string_view name) const {
    if (std::optional<std::int64_t> found = find_axis(name)) return *found;
    throw Error("the mesh has no axis '" + std::string(name) + "'; " + describe_axes());
  }

  /// The size of axis `axis`, or of the axis called `name`.
  std::int64_t size(std::int64_t axis) const { return sizes.at(static_cast<std::size_t>(axis)); }
  std::int64_t size(std::string_view name) const { return size(axis(name)); }

  /// The coordinate of `rank` on each axis.
  std::vector<std::int64_t> coordinate(std::int64_t rank) const {
    if (rank < 0 || rank >= num_ranks()) {
      throw Error("rank " + std::to_string(rank) + " is not in the mesh " + to_string() + " of " +
                  std::to_string(num_ranks()) + " ranks");
    }
    std::vector<std::int64_t> result(sizes.size());
    for (std::size_t axis = sizes.size(); axis-- > 0;) {
      result[axis] = rank % sizes[axis];
      rank /= sizes[axis];
    }
    return result;
  }

  /// The rank at `coordinate`, which has one entry per axis.
  std::int64_t rank(const std::vector<std::int64_t>& coordinate) const {
    if (coordinate.size() != sizes.size()) {
      throw Error("a coordinate of the mesh " + to_string() + " has " + std::to_string(sizes.size()) +
                  " entries, not " + std::to_string(coordinate.size()));
    }
    std::int64_t result = 0;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      if (coordinate[axis] < 0 || coordinate[axis] >= sizes[axis]) {
        throw Error("coordinate " + std::to_string(coordinate[axis]) + " is outside axis '" + names[axis] +
                    "' of size " + std::to_string(sizes[axis]));
      }
      result = result * sizes[axis] + coordinate[axis];
    }
    return result;
  }

  /// "dp=2,tp=4"; "" for a mesh without axes. What parse reads.
  std::string to_string() const {
    std::string text;
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
      text += (axis == 0 ? "" : ",") + names[axis] + "=" + std::to_string(sizes[axis]);
    }
    return text;
  }

  /// "its axes are dp, tp" or "it has no axes", for messages.
  std::string describe_axes() const {
    if (names.empty()) return "it has no axes";
    std::string text = names.size() == 1 ? "its only axis is " : "its axes are ";
    for (std::size_t axis = 0; axis < names.size(); ++axis) text += (axis == 0 ? "" : ", ") + names[axis];
    return text;
  }

  /// Throws Error unless there is one size per name, names are distinct identifiers and sizes are at least 1.
  void validate() const {
    if (names.size() != sizes.size()) {
      throw Error("a mesh needs one size per axis, but has " + std::to_string(names.size()) + " names and " +
                  std::to_string(sizes.size()) + " sizes");
    }
    std::int64_t ranks = 1;
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
      if (!is_axis_name(names[axis])) {
        throw Error("'" + names[axis] +
                    "' cannot name a mesh axis: letters, digits and _ are allowed, no digit first");
      }
      if (find_axis(names[axis]) != static_cast<std::int64_t>(axis)) {
        throw Error("mesh axis '" + names[axis] + "' is given twice");
      }
      if (sizes[axis] < 1) {
        throw Error("mesh axis '" + names[axis] + "' has size " + std::to_string(sizes[axis]) +
                    "; a size is at least 1");
      }
      if (sizes[axis] > max_ranks / ranks) {
        throw Error("the mesh has more than " + std::to_string(max_ranks) + " ranks");
      }
      ranks *= sizes[axis];
    }
  }

  /// Reads "dp=2,tp=4". Throws Error that quotes `text` and says what is wrong with it.
  static MeshShape parse(std::string_view text) {
    try {
      if (text.empty()) throw Error("it is empty");
      MeshShape shape;
      for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        shape.add_parsed_axis(text.substr(begin, end - begin));
        begin = end + 1;
      }
      shape.validate();
      return shape;
    } catch (const Error& error) {
      throw Error("mesh \"" + std::string(text) + "\": " + error.what() + " (expected e.g. dp=2,tp=4)");
    }
  }

  friend bool operator==(const MeshShape& a, const MeshShape& b) {
    return a.names == b.names && a.sizes == b.sizes;
  }
  friend bool operator!=(const MeshShape& a, const MeshShape& b) { return !(a == b); }

 private:
  static bool is_axis_name(std::string_view name) {
    auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (name.empty() || !is_letter(name.front())) return false;
    for (char c : name) {
      if (!is_letter(c) && !is_digit(c)) return false;
    }
    return true;
  }

  void add_parsed_axis(std::string_view item) {
    if (item.empty()) throw Error("an axis is missing between commas or at an end");
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) throw Error("'" + std::string(item) + "' has no size");
    const std::string_view digits = item.substr(equals + 1);
    std::int64_t size = 0;
    const auto [stop, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (failure != std::errc() || stop != digits.data() + digits.size()) {
      throw Error("'" + std::string(digits) + "' is not a size, in '" + std::string(item) + "'");
    }
    names.emplace_back(item.substr(0, equals));
    sizes.push_back(size);
  }
};

}  // namespace vescale
