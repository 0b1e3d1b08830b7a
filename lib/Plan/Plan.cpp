#include "Plan/Plan.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include <vescale/error.h>
#include "Sharding/Notation.h"

namespace vescale::plan {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* known_keys[] = {"mesh", "parameters", "values", "rules", "stages"};

std::string position(const std::string& text, std::size_t byte) {
  const std::size_t end = std::min(byte, text.size());
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  const std::size_t begin = text.rfind('\n', end == 0 ? 0 : end - 1);
  const std::size_t column = begin == std::string::npos || begin >= end ? end : end - begin - 1;
  return std::to_string(line) + ":" + std::to_string(std::max<std::size_t>(column, 1));
}

/// Refuses a key that an object has twice: JSON readers would silently take the last.
class DuplicateKeys {
 public:
  bool operator()(int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open_.emplace_back();
    if (event == Json::parse_event_t::object_end) open_.pop_back();
    if (event == Json::parse_event_t::key && !open_.back().insert(parsed.get<std::string>()).second) {
      throw Error("the key \"" + parsed.get<std::string>() + "\" is given twice");
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> open_;
};

Json parse_json(const std::string& text, const std::string& path) {
  try {
    return Json::parse(text, DuplicateKeys());
  } catch (const Json::parse_error& error) {
    const std::string what = error.what();
    throw Error(path + ":" + position(text, error.byte) + ": not JSON: " + what.substr(what.rfind(": ") + 2));
  } catch (const Error& error) {
    throw Error(path + ": " + error.what());
  }
}

[[noreturn]] void fail(const std::string& path, const std::string& key, const std::string& problem) {
  throw Error(path + ": at " + key + ": " + problem);
}

void check_keys(const Json& json, const std::string& path) {
  for (const auto& [key, value] : json.items()) {
    if (std::find(std::begin(known_keys), std::end(known_keys), key) != std::end(known_keys)) continue;
    const auto* nearest =
        std::min_element(std::begin(known_keys), std::end(known_keys),
                         [&](auto* a, auto* b) { return edit_distance(key, a) < edit_distance(key, b); });
    fail(path, "\"" + key + "\"",
         "unknown key; did you mean \"" + std::string(*nearest) +
             "\"? A plan has mesh, parameters, values, rules");
  }
}

std::vector<std::string> read_axes(const Json& json, const std::string& path,
                                   const std::vector<std::string>& axes) {
  if (!json.contains("mesh")) return axes;
  const Json& mesh = json["mesh"];
  if (!mesh.is_array()) fail(path, "\"mesh\"", "expected a list of axis names, as [\"dp\", \"tp\"]");
  std::vector<std::string> own;
  for (const Json& name : mesh) {
    if (!name.is_string()) fail(path, "\"mesh\"", "an axis name is a string");
    own.push_back(name.get<std::string>());
  }
  try {
    MeshShape{own, std::vector<std::int64_t>(own.size(), 1)}.validate();
  } catch (const Error& error) {
    fail(path, "\"mesh\"", error.what());
  }
  if (!axes.empty() && own != axes) fail(path, "\"mesh\"", "differs from the source's VESCALE_MESH");
  return own;
}

/// A section of texts by name; `expected` says what a text is, with an example.
template <class Add>
void read_texts(const Json& json, const char* section, const char* expected, const std::string& path,
                const Add& add) {
  if (!json.contains(section)) return;
  if (!json[section].is_object()) {
    fail(path, "\"" + std::string(section) + "\"",
         "expected an object of names, each with " + std::string(expected));
  }
  for (const auto& [name, value] : json[section].items()) {
    const std::string key = std::string(section) + ".\"" + name + "\"";
    if (name.empty()) fail(path, key, "the name is empty");
    if (!value.is_string()) fail(path, key, "expected " + std::string(expected));
    try {
      add(name, value.get<std::string>());
    } catch (const Error& error) {
      fail(path, key, error.what());
    }
  }
}

template <class Add>
void read_placements(const Json& json, const char* section, const std::string& path,
                     const std::vector<std::string>& axes, const Add& add) {
  read_texts(json, section, "placements as a string, e.g. \"tp=S(0)\"", path,
             [&](const std::string& name, const std::string& text) {
               const std::string placements = canonical_placements(text, axes);
               if (placements.empty()) throw Error("the placements are empty; write e.g. \"tp=S(0)\"");
               add(name, placements);
             });
}

}  // namespace

Plan parse_plan(const std::string& text, const std::string& path, const std::vector<std::string>& axes) {
  const Json json = parse_json(text, path);
  if (!json.is_object())
    throw Error(path + ": a plan is a JSON object, {\"mesh\": [...], \"parameters\": {...}}");
  check_keys(json, path);
  if (json.contains("stages")) fail(path, "\"stages\"", "not supported yet; remove it");
  Plan plan;
  plan.text = text;
  plan.axes = read_axes(json, path, axes);
  read_placements(json, "parameters", path, plan.axes,
                  [&](auto& name, auto& placements) { plan.parameters.push_back({name, placements}); });
  read_placements(json, "values", path, plan.axes, [&](auto& name, auto& placements) {
    if (name.find('.') == std::string::npos) {
      throw Error("a value is named Class::function.variable, or function.variable");
    }
    plan.values.emplace_back(name, placements);
  });
  read_texts(json, "rules", "a sharding rule as a string, e.g. \"(n d, m d) -> n m\"", path,
             [&](const std::string& name, const std::string& rule) {
               sharding::Notation::compile(rule);
               plan.rules.emplace_back(name, rule);
             });
  return plan;
}

const std::string* Plan::rule_of(std::string_view name) const {
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const auto& rule) { return rule.first == name; });
  return found == rules.end() ? nullptr : &found->second;
}

Plan read_plan(const std::string& path, const std::vector<std::string>& axes) {
  std::ifstream file(path);
  if (!file) throw Error(path + ": cannot be read");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return parse_plan(text, path, axes);
}

}  // namespace vescale::plan
