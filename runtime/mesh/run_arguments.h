#pragma once
/// What vescale::run takes from the command line and the environment.
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <vescale/sharding/mesh_shape.h>

namespace vescale {

struct RunArguments {
  MeshShape shape;
  std::chrono::duration<double> timeout{0};
  std::optional<std::string> backend;  ///< "threads" or "gloo", if one was asked for
  std::vector<std::string> rest;       ///< the program's own arguments, its name first
};

/// `axes`: the axes that the program knows, in mesh order; none: whatever is given. Throws Error.
RunArguments parse_run_arguments(const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& axes,
                                 std::optional<std::string> mesh_environment,
                                 std::optional<std::string> timeout_environment,
                                 std::optional<std::string> backend_environment = std::nullopt);

/// Seconds of a "--timeout" or VESCALE_TIMEOUT. Throws Error.
std::chrono::duration<double> parse_timeout(std::string_view text, std::string_view origin);

/// VESCALE_TIMEOUT, or half an hour.
std::chrono::duration<double> default_timeout();

std::optional<std::string> environment(const char* name);

}  // namespace vescale
