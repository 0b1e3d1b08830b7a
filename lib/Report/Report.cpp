#include "Report/Report.h"

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace vescale::report {
namespace {

using Json = nlohmann::ordered_json;

bool is_collective(sharding::Movement movement) {
  return movement == sharding::Movement::AllReduce || movement == sharding::Movement::AllGather ||
         movement == sharding::Movement::ReduceScatter || movement == sharding::Movement::AllToAll;
}

struct Collective {
  std::string kind;
  bool backward = false;
  double bytes = 0;
};

std::vector<Collective> collectives(const comm::InsertedConversion& conversion) {
  std::vector<Collective> result;
  const auto add = [&](sharding::Movement movement, bool backward, double bytes) {
    if (is_collective(movement)) result.push_back({std::string(to_string(movement)), backward, bytes});
  };
  add(conversion.movement.forward, false, conversion.bytes_forward);
  add(conversion.movement.backward, true, conversion.bytes_backward);
  return result;
}

struct Line {
  Json placements = Json::array();
  Json communication = Json::array();
};

std::string whole(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", bytes);
  return text;
}

}  // namespace

std::string json(const comm::Decisions& decisions, const facts::Program& program) {
  std::map<std::pair<std::string, unsigned>, Line> lines;
  const auto line_of = [&](const facts::SourceRange& range) -> Line& {
    return lines[{program.files.at(static_cast<std::size_t>(range.file)).path, range.line}];
  };
  Json totals = Json::object();
  for (const std::string& axis : decisions.axes)
    totals[axis] = {{"bytes_forward", 0.0}, {"bytes_backward", 0.0}};
  for (const comm::PlacementComment& comment : decisions.comments)
    line_of(comment.range).placements.push_back(comment.text);
  for (const comm::InsertedConversion& one : decisions.conversions) {
    for (const Collective& collective : collectives(one)) {
      line_of(one.range).communication.push_back({{"collective", collective.kind},
                                                  {"axis", one.axis},
                                                  {"pass", collective.backward ? "backward" : "forward"},
                                                  {"bytes", collective.bytes},
                                                  {"reason", one.reason}});
      Json& total = totals[one.axis][collective.backward ? "bytes_backward" : "bytes_forward"];
      total = total.get<double>() + collective.bytes;
    }
  }
  Json report = {{"axes", decisions.axes}, {"lines", Json::array()}, {"parameters", Json::array()}};
  for (auto& [place, line] : lines) {
    report["lines"].push_back({{"file", place.first},
                               {"line", place.second},
                               {"placements", std::move(line.placements)},
                               {"communication", std::move(line.communication)}});
  }
  for (const comm::ParameterMemory& one : decisions.parameters) {
    report["parameters"].push_back({{"fqn", one.fqn},
                                    {"placements", one.placements},
                                    {"bytes", one.bytes},
                                    {"bytes_per_rank", one.bytes_per_rank}});
  }
  report["totals"] = std::move(totals);
  return report.dump(2) + "\n";
}

std::string summary(const comm::Decisions& decisions) {
  std::map<std::string, std::pair<int, double>> counts;
  for (const comm::InsertedConversion& one : decisions.conversions) {
    for (const Collective& collective : collectives(one)) {
      auto& [count, bytes] =
          counts[collective.kind + " over " + one.axis + (collective.backward ? ", backward" : ", forward")];
      ++count;
      bytes += collective.bytes;
    }
  }
  std::string text;
  for (const auto& [what, count] : counts) {
    text += what + ": " + std::to_string(count.first) + (count.first == 1 ? " place" : " places");
    text += count.second > 0 ? ", " + whole(count.second) + " bytes a rank\n" : "\n";
  }
  double bytes = 0, on_rank = 0;
  for (const comm::ParameterMemory& one : decisions.parameters) {
    bytes += one.bytes;
    on_rank += one.bytes_per_rank;
  }
  if (bytes > 0) text += "parameters: " + whole(bytes) + " bytes, " + whole(on_rank) + " on a rank\n";
  return text;
}

}  // namespace vescale::report
