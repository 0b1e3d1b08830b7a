#include "mesh/run_arguments.h"

#include <charconv>
#include <cstdlib>

namespace vescale {
namespace {

constexpr double half_an_hour = 1800;
constexpr double longest_timeout = 1e9;  // seconds; far from the range of the clock

// Takes "--name value" or "--name=value" at `position`, which moves to the option's last word.
std::optional<std::string> take_option(const std::vector<std::string>& arguments, std::size_t& position,
                                       const std::string& name) {
  const std::string& word = arguments[position];
  if (word.compare(0, name.size() + 1, name + "=") == 0) return word.substr(name.size() + 1);
  if (word != name) return std::nullopt;
  if (position + 1 >= arguments.size()) throw Error(name + " needs a value");
  return arguments[++position];
}

// The declared axes in their order, with the given sizes.
MeshShape arrange(const MeshShape& given, const std::vector<std::string>& axes) {
  if (axes.empty()) return given;
  const MeshShape declared{axes, std::vector<std::int64_t>(axes.size(), 1)};
  declared.validate();
  MeshShape shape = declared;
  for (std::size_t axis = 0; axis < given.names.size(); ++axis) {
    const std::optional<std::int64_t> found = declared.find_axis(given.names[axis]);
    if (!found) {
      throw Error("mesh \"" + given.to_string() + "\": the program has no axis '" + given.names[axis] +
                  "'; " + declared.describe_axes());
    }
    shape.sizes[static_cast<std::size_t>(*found)] = given.sizes[axis];
  }
  shape.validate();
  return shape;
}

MeshShape parse_mesh(const std::string& text, const std::string& origin) {
  try {
    return MeshShape::parse(text);
  } catch (const Error& error) {
    throw Error(origin + ": " + error.what());
  }
}

std::string check_backend(const std::string& name, const std::string& origin) {
  if (name == "threads" || name == "gloo") return name;
  throw Error(origin + ": '" + name + "' is no backend; there are threads and gloo");
}

}  // namespace

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::chrono::duration<double> parse_timeout(std::string_view text, std::string_view origin) {
  double seconds = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failure != std::errc() || stop != text.data() + text.size() || !(seconds > 0) ||
      seconds > longest_timeout) {
    throw Error(std::string(origin) + ": '" + std::string(text) +
                "' is not a time in seconds between 0 and 1e9");
  }
  return std::chrono::duration<double>(seconds);
}

std::chrono::duration<double> default_timeout() {
  const std::optional<std::string> text = environment("VESCALE_TIMEOUT");
  return text ? parse_timeout(*text, "VESCALE_TIMEOUT") : std::chrono::duration<double>(half_an_hour);
}

RunArguments parse_run_arguments(const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& axes,
                                 std::optional<std::string> mesh_environment,
                                 std::optional<std::string> timeout_environment,
                                 std::optional<std::string> backend_environment) {
  RunArguments result;
  std::optional<std::string> mesh;
  std::optional<std::string> timeout;
  bool options_ended = false;
  for (std::size_t position = 0; position < arguments.size(); ++position) {
    const std::string& word = arguments[position];
    options_ended = options_ended || word == "--";
    if (position > 0 && !options_ended) {
      if (std::optional<std::string> value = take_option(arguments, position, "--mesh")) {
        mesh = std::move(value);
        continue;
      }
      if (std::optional<std::string> value = take_option(arguments, position, "--timeout")) {
        timeout = std::move(value);
        continue;
      }
      if (std::optional<std::string> value = take_option(arguments, position, "--backend")) {
        result.backend = check_backend(*value, "--backend");
        continue;
      }
    }
    result.rest.push_back(word);
  }
  if (!result.backend && backend_environment)
    result.backend = check_backend(*backend_environment, "VESCALE_BACKEND");
  MeshShape given;
  if (mesh) {
    given = parse_mesh(*mesh, "--mesh");
  } else if (mesh_environment) {
    given = parse_mesh(*mesh_environment, "VESCALE_MESH");
  }
  result.shape = arrange(given, axes);
  result.timeout = std::chrono::duration<double>(half_an_hour);
  if (timeout) {
    result.timeout = parse_timeout(*timeout, "--timeout");
  } else if (timeout_environment) {
    result.timeout = parse_timeout(*timeout_environment, "VESCALE_TIMEOUT");
  }
  return result;
}

}  // namespace vescale
