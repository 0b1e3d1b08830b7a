#include "Comm/CheckPlan.h"

#include <algorithm>

#include "Inference/Modules.h"
#include "Plan/Annotation.h"

namespace vescale::comm {
namespace {

using facts::Class;
using facts::Field;

constexpr int deepest = 32;

class Names {
 public:
  explicit Names(const facts::Program& program) : program_(program) {}

  void of_class(const std::string& name, const std::string& prefix, int depth) {
    const auto found = std::find_if(program_.classes.begin(), program_.classes.end(),
                                    [&](const Class& one) { return one.name == name; });
    if (found == program_.classes.end() || depth > deepest) return of_library(name, prefix);
    for (const std::string& base : found->bases) {
      if (base.find("torch::") != 0) of_class(base, prefix, depth + 1);
    }
    for (const Field& field : found->fields) {
      if (field.role == Field::Role::Plain) continue;
      const std::string fqn = prefix + field.registered_name;
      if (field.role != Field::Role::Module) {
        names.push_back(fqn);
      } else if (field.type.name == "torch::nn::Sequential") {
        names.push_back(fqn + ".**");
      } else if (!field.type.elements.empty()) {
        for (const facts::Type& element : field.type.elements) of_class(element.name, fqn + ".*.", depth + 1);
      } else {
        of_class(field.type.name, fqn + ".", depth + 1);
      }
    }
  }

  std::vector<std::string> names;

 private:
  void of_library(const std::string& name, const std::string& prefix) {
    const inference::ModuleOp* known = inference::find_module(name);
    if (!known) return names.push_back(prefix + "**");
    for (const auto& tensor : known->tensors) names.push_back(prefix + std::string(tensor.name));
  }

  const facts::Program& program_;
};

std::string nearest(const std::string& wanted, const std::vector<std::string>& names) {
  std::string best;
  std::size_t least = wanted.size() / 2 + 2;
  for (const std::string& name : names) {
    if (const std::size_t distance = plan::edit_distance(wanted, name); distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

std::string suggestion(const std::string& wanted, const std::vector<std::string>& names) {
  const std::string best = nearest(wanted, names);
  return best.empty() ? std::string() : "; did you mean \"" + best + "\"?";
}

// What a rule of a plan may speak of.
struct Ruled {
  std::string name;
  const std::vector<facts::Annotation>* annotations;
};

std::vector<Ruled> ruled_names(const facts::Program& program) {
  std::vector<Ruled> result;
  for (const facts::Function& function : program.functions) {
    const bool lambda = function.name.find(".lambda@") != std::string::npos;
    if (!lambda && !function.is_constructor) result.push_back({function.name, &function.annotations});
  }
  for (const Class& one : program.classes) {
    const bool custom = std::any_of(one.bases.begin(), one.bases.end(), [](const std::string& base) {
      return base == "torch::autograd::Function";
    });
    if (custom) result.push_back({one.name, &one.annotations});
  }
  return result;
}

void check_rules(const facts::Program& program, const plan::Plan& plan,
                 std::vector<Diagnostic>& diagnostics) {
  const std::vector<Ruled> ruled = ruled_names(program);
  std::vector<std::string> names;
  for (const Ruled& one : ruled) names.push_back(one.name);
  for (const auto& [name, rule] : plan.rules) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      diagnostics.push_back({Diagnostic::Level::Error,
                             "VS2107",
                             {},
                             "plan: at rules.\"" + name +
                                 "\": the program has no such function or custom autograd function" +
                                 suggestion(name, names),
                             "",
                             {}});
    }
    for (const Ruled& one : ruled) {
      if (one.name != name) continue;
      for (const facts::Annotation& annotation : *one.annotations) {
        if (annotation.kind != facts::Annotation::Kind::Rule || annotation.text == rule) continue;
        diagnostics.push_back({Diagnostic::Level::Note,
                               "VS2106",
                               annotation.range,
                               "the plan's rule \"" + rule + "\" for '" + name +
                                   "' takes the place of this annotation's \"" + annotation.text + "\"",
                               "",
                               {}});
      }
    }
  }
}

}  // namespace

std::vector<std::string> parameter_names(const facts::Program& program, const std::string& class_name) {
  Names names(program);
  names.of_class(class_name, "", 0);
  return std::move(names.names);
}

void check_plan(const facts::Program& program, const plan::Plan& plan, std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> parameters, values;
  for (const Class& one : program.classes) {
    if (!one.is_module) continue;
    const auto names = parameter_names(program, one.name);
    parameters.insert(parameters.end(), names.begin(), names.end());
  }
  for (const plan::ParameterPlacement& line : plan.parameters) {
    const bool matches = std::any_of(parameters.begin(), parameters.end(), [&](const std::string& fqn) {
      return plan::matches_fqn(line.pattern, fqn) || plan::matches_fqn(fqn, line.pattern);
    });
    if (!matches) {
      diagnostics.push_back({Diagnostic::Level::Error,
                             "VS2104",
                             {},
                             "plan: at parameters.\"" + line.pattern +
                                 "\": no parameter of any module has such a name" +
                                 suggestion(line.pattern, parameters),
                             "",
                             {}});
    }
  }
  for (const facts::Variable& variable : program.variables) values.push_back(variable.qualified_name);
  for (const auto& [name, placements] : plan.values) {
    const auto found = std::find(values.begin(), values.end(), name);
    if (found == values.end()) {
      diagnostics.push_back(
          {Diagnostic::Level::Error,
           "VS2105",
           {},
           "plan: at values.\"" + name + "\": the program has no such variable" + suggestion(name, values),
           "",
           {}});
      continue;
    }
    const facts::Variable& variable = program.variables[static_cast<std::size_t>(found - values.begin())];
    for (const facts::Annotation& annotation : variable.annotations) {
      if (annotation.kind == facts::Annotation::Kind::Place && annotation.text != placements) {
        diagnostics.push_back({Diagnostic::Level::Note,
                               "VS2106",
                               annotation.range,
                               "the plan's \"" + placements + "\" for '" + variable.name +
                                   "' takes the place of this annotation's \"" + annotation.text + "\"",
                               "",
                               {}});
      }
    }
  }
  check_rules(program, plan, diagnostics);
}

}  // namespace vescale::comm
