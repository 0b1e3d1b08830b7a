// Decided communication as text: calls around expressions, nested ones, comments, what can't be written.
#include "Rewrite/ApplyDecisions.h"

#include <gtest/gtest.h>

namespace vescale::rewrite {
namespace {

const std::string source = "return dropout(down(h), p);\n";

facts::SourceRange range_of(const std::string& text) {
  const auto begin = static_cast<unsigned>(source.find(text));
  facts::SourceRange range;
  range.file = 0;
  range.begin = begin;
  range.end = begin + static_cast<unsigned>(text.size());
  range.line = 1;
  range.column = begin + 1;
  return range;
}

comm::InsertedConversion conversion(const std::string& text, const char* axis, const char* from,
                                    const char* to) {
  comm::InsertedConversion result;
  result.range = range_of(text);
  result.axis = axis;
  result.from = Placement::parse(from);
  result.to = Placement::parse(to);
  return result;
}

std::string applied(const comm::Decisions& decisions, Messages& messages) {
  facts::Program program;
  program.files.push_back({"/a.cpp", true, true});
  EditSet edits;
  apply_decisions(
      decisions, program, [](const std::string&) -> const std::string& { return source; }, edits, messages);
  EXPECT_FALSE(edits.conflict());
  return edits.apply("/a.cpp", source);
}

TEST(ApplyDecisions, EveryConversionHasItsCall) {
  const auto call = [](const char* from, const char* to) {
    const ConversionCall text = conversion_call(conversion("h", "tp", from, to));
    return text.open + "x" + text.close;
  };
  EXPECT_EQ(call("P", "R"), "vs::all_reduce(x, \"tp\")");
  EXPECT_EQ(call("P", "S(1)"), "vs::reduce_scatter(x, \"tp\", 1)");
  EXPECT_EQ(call("S(0)", "R"), "vs::all_gather(x, \"tp\")");
  EXPECT_EQ(call("S(0)", "R+"), "vs::all_gather(x, \"tp\", vs::Gradient::Partial)");
  EXPECT_EQ(call("S(0)", "S(2)"), "vs::all_to_all(x, \"tp\", 2)");
  EXPECT_EQ(call("R", "S(0)"), "vs::shard(x, \"tp\", 0)");
  EXPECT_EQ(call("R", "R+"), "vs::replicate(x, \"tp\")");
  EXPECT_EQ(call("R", "P"), "vs::partial(x, \"tp\")");
  EXPECT_EQ(call("S(0)", "S(0,2)"), "vs::redistribute(x, \"tp=S(0,2)\")");
}

TEST(ApplyDecisions, NestedAndOfSeveralAxes) {
  comm::Decisions decisions;
  decisions.conversions = {conversion("h", "dp", "S(0)", "R"), conversion("down(h)", "tp", "P", "R"),
                           conversion("down(h)", "dp", "S(0)", "R"), conversion("down(h)", "tp", "P", "R")};
  Messages messages;
  const std::string text = applied(decisions, messages);
  EXPECT_EQ(
      text.substr(0, text.find("  //")),
      "return dropout(vs::all_gather(vs::all_reduce(down(vs::all_gather(h, \"dp\")), \"tp\"), \"dp\"), p);");
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(messages.count(Message::Level::Remark), 3u);
}

TEST(ApplyDecisions, InstantiationsThatDisagreeAreAnError) {
  comm::Decisions decisions;
  decisions.conversions = {conversion("h", "tp", "P", "R"), conversion("h", "tp", "S(0)", "R")};
  Messages messages;
  applied(decisions, messages);
  ASSERT_EQ(messages.count(Message::Level::Error), 1u);
  EXPECT_EQ(messages.all().begin()->id, "VS1005");
}

TEST(EditSet, SameEditsAreOneAndOverlapsAreFound) {
  EditSet edits;
  edits.add("/a", {0, 6, "co_return"});
  edits.add("/a", {0, 6, "co_return"});
  EXPECT_FALSE(edits.conflict());
  EXPECT_EQ(edits.apply("/a", source), "co_return dropout(down(h), p);\n");
  edits.add("/a", {3, 5, "x"});
  ASSERT_TRUE(edits.conflict());
  EXPECT_EQ(edits.conflict()->second.text, "x");
}

}  // namespace
}  // namespace vescale::rewrite
