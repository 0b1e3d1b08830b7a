#include "Report.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

namespace vescale::tool {
namespace {

using rewrite::Message;
using rewrite::Messages;

constexpr const char* levels[] = {"error", "warning", "note", "remark"};

}  // namespace

std::string remarks(const rewrite::Outcome& outcome, const std::string& pattern) {
  const std::regex wanted(pattern);
  std::string result;
  for (const Message& message : outcome.messages.all()) {
    const bool matches = std::regex_search(message.text, wanted) || std::regex_search(message.id, wanted);
    if (message.level == Message::Level::Remark && matches) result += Messages::render(message);
  }
  return result;
}

std::string explain(const rewrite::Outcome& outcome, const std::string& place) {
  const auto colon = place.rfind(':');
  const std::string file = std::filesystem::path(place.substr(0, colon)).filename().string();
  const std::string line = colon == std::string::npos ? "" : place.substr(colon + 1);
  std::string result;
  for (const Message& message : outcome.messages.all()) {
    if (std::filesystem::path(message.path).filename() == file && std::to_string(message.line) == line) {
      result += Messages::render(message);
    }
  }
  return result.empty() ? place + ": no communication and nothing decided here\n" : result;
}

std::string summary(const rewrite::Outcome& outcome) {
  std::string result;
  for (const auto& file : outcome.files) {
    if (file.changed()) result += "rewritten  " + file.path + "\n";
  }
  for (const rewrite::Communication& c : outcome.communication) {
    result += c.path + ":" + std::to_string(c.line) + ": " + c.collective + " over " + c.axis +
              (c.backward ? " backward" : " forward") + "\n";
  }
  for (const auto level : {Message::Level::Error, Message::Level::Warning, Message::Level::Remark}) {
    result += std::string(levels[static_cast<int>(level)]) + "s  " +
              std::to_string(outcome.messages.count(level)) + "\n";
  }
  return result;
}

std::string json(const rewrite::Outcome& outcome) {
  nlohmann::ordered_json report;
  report["version"] = rewrite::tool_version;
  report["complete"] = outcome.status == rewrite::Outcome::Status::Done;
  report["files"] = nlohmann::ordered_json::array();
  for (const auto& file : outcome.files)
    report["files"].push_back({{"path", file.path}, {"changed", file.changed()}});
  report["messages"] = nlohmann::ordered_json::array();
  for (const Message& message : outcome.messages.all()) {
    report["messages"].push_back({{"file", message.path},
                                  {"line", message.line},
                                  {"column", message.column},
                                  {"level", levels[static_cast<int>(message.level)]},
                                  {"id", message.id},
                                  {"text", message.text}});
  }
  report["communication"] = nlohmann::ordered_json::array();
  for (const rewrite::Communication& c : outcome.communication) {
    report["communication"].push_back({{"file", c.path},
                                       {"line", c.line},
                                       {"collective", c.collective},
                                       {"axis", c.axis},
                                       {"pass", c.backward ? "backward" : "forward"},
                                       {"bytes", c.bytes},
                                       {"reason", c.reason}});
  }
  return report.dump(2) + "\n";
}

}  // namespace vescale::tool
