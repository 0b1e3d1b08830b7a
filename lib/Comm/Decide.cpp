#include "Comm/Decide.h"

#include <algorithm>

#include <vescale/error.h>
#include "Comm/CheckPlan.h"
#include "Comm/Settle.h"
#include "Inference/Infer.h"

namespace vescale::comm {
namespace {

using facts::ExprId;
using inference::Applied;
using inference::Finding;
using inference::Need;
using inference::Trace;

class Decider {
 public:
  Decider(const facts::Program& program, const plan::Plan& plan, const Options& options)
      : program_(program), plan_(plan), options_(options) {
    setting_.plan = &plan_;
    setting_.mesh.names = plan.axes.empty() ? options.mesh.names : plan.axes;
    for (const std::string& name : setting_.mesh.names) {
      const auto axis = options.mesh.find_axis(name);
      setting_.mesh.sizes.push_back(axis ? options.mesh.size(*axis) : 2);
      known_sizes_ = known_sizes_ && axis.has_value();
    }
    result_.axes = setting_.mesh.names;
  }

  Decisions run() {
    check_plan(program_, plan_, result_.diagnostics);
    trace_ = settle(program_, setting_).trace;
    for (const auto& [place, applied] : trace_.applied) insert(place.first, place.second, applied.front());
    for (const auto& [key, made] : trace_.made) comment(made.first, made.second);
    for (const Finding& finding : trace_.findings) report(finding);
    for (const Need& need : trace_.needs) left_to_run_time(need);
    for (const auto& [fqn, leaf] : trace_.leaves) measure(fqn, leaf);
    sort();
    return std::move(result_);
  }

 private:
  void insert(ExprId id, std::size_t axis, const Applied& applied) {
    InsertedConversion conversion;
    conversion.range = program_.exprs[static_cast<std::size_t>(id)].range;
    conversion.axis = setting_.mesh.names[axis];
    conversion.from = applied.from;
    conversion.to = applied.to;
    conversion.movement = sharding::conversion(applied.from, applied.to);
    if (!applied.has_gradient) conversion.movement.backward = sharding::Movement::None;
    conversion.reason = applied.reason;
    if (known_sizes_) {
      const std::int64_t ranks = setting_.mesh.sizes[axis];
      conversion.bytes_forward = sharding::movement_bytes(conversion.movement.forward, applied.bytes, ranks);
      conversion.bytes_backward =
          sharding::movement_bytes(conversion.movement.backward, applied.bytes, ranks);
    }
    const auto same = [&](const InsertedConversion& other) {
      return other.range.file == conversion.range.file && other.range.begin == conversion.range.begin &&
             other.range.end == conversion.range.end && other.axis == conversion.axis;
    };
    if (std::any_of(result_.conversions.begin(), result_.conversions.end(), same)) return;
    result_.conversions.push_back(conversion);
    if (options_.strict) refuse(conversion);
  }

  void refuse(const InsertedConversion& conversion) {
    const std::string placement = conversion.axis + "=" + conversion.to.to_string();
    result_.diagnostics.push_back(
        {Diagnostic::Level::Error,
         "VS3008",
         conversion.range,
         "communication that nobody asked for: " + conversion.axis + ": " + conversion.from.to_string() +
             " -> " + conversion.to.to_string() + " (" + std::string(to_string(conversion.movement.forward)) +
             ", backward " + std::string(to_string(conversion.movement.backward)) + "), " + conversion.reason,
         "VESCALE_REDISTRIBUTE(..., \"" + placement + "\") around this expression",
         {}});
  }

  void comment(const facts::SourceRange& range, const std::set<std::string>& layouts) {
    if (layouts.size() != 1) return;  // contexts differ
    const std::string& text = *layouts.begin();
    const bool plain = text == "R" || (text.size() > 2 && text.compare(text.size() - 3, 3, ": R") == 0);
    if (plain || text.find('?') != std::string::npos) return;
    result_.comments.push_back({range, text});
  }

  void report(const Finding& finding) {
    static const std::set<std::string> errors{"VS2101", "VS2102", "VS2103", "VS3001", "VS3003", "VS3007"};
    if (errors.count(finding.id) || finding.id == "VS3004") {
      const bool warning = finding.id == "VS3004" && !options_.strict;
      result_.diagnostics.push_back({warning ? Diagnostic::Level::Warning : Diagnostic::Level::Error,
                                     finding.id,
                                     finding.range,
                                     finding.text,
                                     finding.fixit,
                                     {}});
    } else {
      result_.remarks.push_back({finding.range, finding.id, finding.text});
    }
  }

  void measure(const std::string& fqn, const inference::Tensor& leaf) {
    ParameterMemory memory{fqn, inference::layout_text(leaf.placements, setting_.mesh.names), 0, 0};
    if (leaf.exact && leaf.sizes && known_sizes_) {
      std::vector<std::int64_t> piece = *leaf.sizes;
      memory.bytes = memory.bytes_per_rank = 4;
      for (std::size_t axis = 0; axis < leaf.placements.size(); ++axis) {
        const auto& placement = leaf.placements[axis];
        if (!placement || !placement->is_sharded()) continue;
        const auto dim = static_cast<std::size_t>(placement->dim);
        if (dim < piece.size())
          piece[dim] = (piece[dim] + setting_.mesh.sizes[axis] - 1) / setting_.mesh.sizes[axis];
      }
      for (const std::int64_t size : *leaf.sizes) memory.bytes *= static_cast<double>(size);
      for (const std::int64_t size : piece) memory.bytes_per_rank *= static_cast<double>(size);
    }
    result_.parameters.push_back(std::move(memory));
  }

  void left_to_run_time(const Need& need) {
    if (need.from == need.to || need.use == facts::none) return;
    const Remark remark{
        program_.exprs[static_cast<std::size_t>(need.use)].range, "VS3006",
        setting_.mesh.names[need.axis] + ": " + need.from.to_string() + " -> " + need.to.to_string() +
            " happens at run time, since no call that is right for every caller can be written here"};
    const auto same = [&](const Remark& other) {
      return other.id == remark.id && other.text == remark.text && other.range.begin == remark.range.begin;
    };
    if (std::none_of(result_.remarks.begin(), result_.remarks.end(), same)) result_.remarks.push_back(remark);
  }

  void sort() {
    const auto by_place = [](const auto& text) {
      return [text](const auto& a, const auto& b) {
        return std::make_tuple(a.range.file, a.range.begin, a.range.end, text(a)) <
               std::make_tuple(b.range.file, b.range.begin, b.range.end, text(b));
      };
    };
    const auto axis = [this](const InsertedConversion& one) { return *setting_.mesh.find_axis(one.axis); };
    std::sort(result_.conversions.begin(), result_.conversions.end(), by_place(axis));
    std::sort(result_.comments.begin(), result_.comments.end(),
              by_place([](const auto& one) { return one.text; }));
    std::sort(result_.remarks.begin(), result_.remarks.end(),
              by_place([](const auto& one) { return one.id + one.text; }));
    std::sort(result_.diagnostics.begin(), result_.diagnostics.end(),
              by_place([](const auto& one) { return one.id + one.message; }));
  }

  const facts::Program& program_;
  const plan::Plan& plan_;
  const Options& options_;
  inference::Setting setting_;
  bool known_sizes_ = true;
  Trace trace_;
  Decisions result_;
};

}  // namespace

Decisions decide(const facts::Program& program, const plan::Plan& plan, const Options& options) {
  return Decider(program, plan, options).run();
}

}  // namespace vescale::comm
