// The table as a whole: its page, its names, what it says of ops without a line.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "Sharding/Notation.h"
#include "Sharding/Rules/Schema.h"
#include "Sharding/Rules/Table.h"
#include "ops_page.h"

namespace vescale::sharding::test {
namespace {

constexpr std::string_view schema_names[] = {
#define VESCALE_SCHEMA(name, arguments, results) name,
#include "Sharding/Rules/AtenSchemas.def"
#undef VESCALE_SCHEMA
};

TEST(Table, PageIsUpToDate) {
  std::ifstream file(OPS_FILE);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), ops_page()) << "run ops_page > docs/ops.md";
  EXPECT_EQ(ops_page().find("No section"), std::string::npos);
}

TEST(Table, NamesAreOpsOfLibTorch) {
  std::set<std::string_view> bases;
  std::set<std::string_view> full(std::begin(schema_names), std::end(schema_names));
  for (std::string_view name : schema_names) bases.insert(name.substr(0, name.find('.')));
  for (const rules::Entry* entry : rules::all_entries()) {
    const std::string in_place = std::string(entry->name) + "_";
    const bool known = bases.count(entry->name) || bases.count(in_place) || full.count(entry->name);
    EXPECT_TRUE(known) << entry->name;
  }
}

TEST(Table, WrittenRulesCompile) {
  for (const rules::Entry* entry : rules::all_entries()) {
    if (!entry->family) EXPECT_NO_THROW(Notation::compile(entry->notation)) << entry->name;
  }
}

TEST(Table, TellsWhichOpsHaveRules) {
  for (const char* name :
       {"add", "add_", "relu_", "mm", "view", "softmax", "zeros", "arange", "max", "where"}) {
    EXPECT_TRUE(has_rule(name)) << name;
  }
  for (const char* name : {"nonzero", "unique_dim", "masked_select", "not_an_op", "_", ""}) {
    EXPECT_FALSE(has_rule(name)) << name;
  }
  EXPECT_TRUE(has_rule("where", "self"));
  EXPECT_FALSE(has_rule("where", "")) << "where(condition) is nonzero";
  EXPECT_FALSE(find_rule({"nonzero", "", {TensorFacts{{}, {4}}}, {}}));
}

TEST(Table, SchemasNameArguments) {
  const rules::Schema schema = rules::schema_of({"slice", "Tensor", {}, {}});
  EXPECT_EQ(schema.find("start"), 2);
  EXPECT_EQ(schema.find("other"), -1);
  // Out arguments don't count; unknown overloads are told by the kinds of arguments.
  EXPECT_EQ(rules::schema_of({"mm", "out", {}, {}}).arguments().size(), 2U);
  EXPECT_EQ(rules::schema_of({"add", "", {TensorFacts{{}, {4}}, std::int64_t{1}}, {}}).overload(), "Scalar");
  EXPECT_EQ(
      rules::schema_of({"sum", "", {TensorFacts{{}, {4}}, std::vector<std::int64_t>{0}}, {}}).overload(),
      "dim_IntList");
  EXPECT_TRUE(rules::schema_of({"not_an_op", "", {}, {}}).arguments().empty());
}

}  // namespace
}  // namespace vescale::sharding::test
