#include "Rewrite/ApplyDecisions.h"

#include <algorithm>
#include <map>

namespace vescale::rewrite {
namespace {

using comm::Decisions;
using comm::InsertedConversion;
using facts::SourceRange;
using Kind = Placement::Kind;

// Opening texts of longer expressions first, closing texts of shorter ones first.
void wrap(const std::string& path, const SourceRange& range, const ConversionCall& call, EditSet& edits) {
  const int priority = opening_priority(range.end - range.begin);
  edits.add(path, {range.begin, 0, call.open, priority});
  edits.add(path, {range.end, 0, call.close, -priority});
}

Message message(const facts::Program& program, const SourceRange& range, Message::Level level, std::string id,
                std::string text) {
  const std::string path =
      range.valid() ? program.files[static_cast<std::size_t>(range.file)].path : std::string();
  return {path, range.line, range.column, level, std::move(id), std::move(text)};
}

bool same_place(const SourceRange& a, const SourceRange& b) {
  return a.file == b.file && a.begin == b.begin && a.end == b.end;
}

// A pattern's instantiations decide the same thing several times. What they decide differently can't be
// written.
std::vector<InsertedConversion> distinct(const std::vector<InsertedConversion>& conversions,
                                         const facts::Program& program, Messages& messages) {
  std::vector<InsertedConversion> result;
  for (const InsertedConversion& one : conversions) {
    const auto known = std::find_if(result.begin(), result.end(), [&](const InsertedConversion& other) {
      return same_place(other.range, one.range) && other.axis == one.axis;
    });
    if (known == result.end()) {
      if (one.range.valid()) result.push_back(one);
    } else if (!(known->from == one.from && known->to == one.to)) {
      messages.add(message(program, one.range, Message::Level::Error, "VS1005",
                           "instantiations of this code need different communication on axis " + one.axis +
                               ": " + known->from.to_string() + " -> " + known->to.to_string() + " and " +
                               one.from.to_string() + " -> " + one.to.to_string()));
    }
  }
  return result;
}

std::vector<std::pair<SourceRange, ConversionCall>> wrapped(
    const std::vector<InsertedConversion>& conversions) {
  std::vector<std::pair<SourceRange, ConversionCall>> result;
  for (const InsertedConversion& conversion : conversions) {
    const auto same = std::find_if(result.begin(), result.end(),
                                   [&](const auto& one) { return same_place(one.first, conversion.range); });
    const ConversionCall call = conversion_call(conversion);
    if (same == result.end()) {
      result.emplace_back(conversion.range, call);
    } else {
      // A later axis of the same expression is around the earlier.
      same->second = {call.open + same->second.open, same->second.close + call.close};
    }
  }
  return result;
}

// Comments of one line, in the order of what they are about, each text once.
class LineComments {
 public:
  void add(const SourceRange& range, const std::string& text) {
    auto& texts = lines_[{range.file, range.line}];
    texts.first = std::max(texts.first, range.begin);
    if (std::find(texts.second.begin(), texts.second.end(), text) == texts.second.end())
      texts.second.push_back(text);
  }

  void write(const facts::Program& program, const std::function<const std::string&(const std::string&)>& read,
             EditSet& edits) const {
    for (const auto& [line, texts] : lines_) {
      const std::string& path = program.files[static_cast<std::size_t>(line.first)].path;
      const std::string& source = read(path);
      const std::size_t end = std::min(source.find('\n', texts.first), source.size());
      const std::size_t begin = source.rfind('\n', texts.first == 0 ? 0 : texts.first - 1) + 1;
      const std::string_view written(source.data() + begin, end - begin);
      if (!written.empty() && written.back() == '\\') continue;  // inside a macro
      std::string text;
      for (const std::string& one : texts.second) text += (text.empty() ? "" : "; ") + one;
      const bool commented = written.find("//") != std::string_view::npos;
      edits.add(path, {static_cast<unsigned>(end), 0, (commented ? " | " : "  // ") + text, 50});
    }
  }

 private:
  std::map<std::pair<int, unsigned>, std::pair<unsigned, std::vector<std::string>>> lines_;
};

void report(const comm::Diagnostic& diagnostic, const facts::Program& program, Messages& messages) {
  static constexpr Message::Level levels[] = {Message::Level::Note, Message::Level::Warning,
                                              Message::Level::Error};
  std::string text = diagnostic.message;
  if (!diagnostic.fixit.empty()) text += "; write: " + diagnostic.fixit;
  messages.add(
      message(program, diagnostic.range, levels[static_cast<int>(diagnostic.level)], diagnostic.id, text));
  for (const comm::Diagnostic& note : diagnostic.notes) report(note, program, messages);
}

}  // namespace

ConversionCall conversion_call(const InsertedConversion& conversion) {
  const std::string axis = ", \"" + conversion.axis + "\"";
  const auto call = [&](const char* name, const std::string& rest = {}) {
    return ConversionCall{std::string("vs::") + name + "(", axis + rest + ")"};
  };
  const std::string dim = ", " + std::to_string(conversion.to.dim);
  const Kind from = conversion.from.kind, to = conversion.to.kind;
  const bool plain_shard = to == Kind::Shard, from_shard = from == Kind::Shard || from == Kind::Interleaved;
  if (from == Kind::Partial && to == Kind::Invariant) return call("all_reduce");
  if (from == Kind::Partial && plain_shard) return call("reduce_scatter", dim);
  if (from_shard && to == Kind::Invariant) return call("all_gather");
  if (from_shard && to == Kind::Replicate) return call("all_gather", ", vs::Gradient::Partial");
  if (from_shard && plain_shard) return call("all_to_all", dim);
  if (from == Kind::Invariant && plain_shard) return call("shard", dim);
  if (from == Kind::Invariant && to == Kind::Replicate) return call("replicate");
  if (from == Kind::Invariant && to == Kind::Partial && conversion.to.reduce == ReduceOp::Sum)
    return call("partial");
  return {"vs::redistribute(", ", \"" + conversion.axis + "=" + conversion.to.to_string() + "\")"};
}

void apply_decisions(const Decisions& decisions, const facts::Program& program,
                     const std::function<const std::string&(const std::string&)>& read, EditSet& edits,
                     Messages& messages) {
  const auto conversions = distinct(decisions.conversions, program, messages);
  for (const auto& [range, call] : wrapped(conversions)) {
    wrap(program.files[static_cast<std::size_t>(range.file)].path, range, call, edits);
  }
  LineComments comments;
  for (const comm::PlacementComment& comment : decisions.comments) {
    if (comment.range.valid()) comments.add(comment.range, comment.text);
  }
  for (const InsertedConversion& one : conversions) {
    const std::string what = one.axis + ": " + one.from.to_string() + " -> " + one.to.to_string();
    const std::string text = one.reason.empty() ? what : what + ", " + one.reason;
    comments.add(one.range, text);
    messages.add(message(program, one.range, Message::Level::Remark, "VS2001", text));
  }
  comments.write(program, read, edits);
  for (const comm::Remark& remark : decisions.remarks) {
    messages.add(message(program, remark.range, Message::Level::Remark, remark.id, remark.text));
  }
  for (const comm::Diagnostic& diagnostic : decisions.diagnostics) report(diagnostic, program, messages);
}

}  // namespace vescale::rewrite
