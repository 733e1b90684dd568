#include "console/query.hpp"

#include <gmock/gmock.h>

namespace xbind::console {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Parameters parameters_of(const std::string& query) {
  return Parameters{parse_target("/?" + query)->parameters};
}

TEST(Target, HasStepsAndParameters) {
  const auto target = parse_target("/api/v1/calls/default/29849?limit=20&from=host-a");
  ASSERT_TRUE(target);
  EXPECT_THAT(target->steps, ElementsAre("api", "v1", "calls", "default", "29849"));
  EXPECT_EQ(target->parameters.at("limit"), "20");
  EXPECT_EQ(target->parameters.at("from"), "host-a");
  EXPECT_THAT(parse_target("/")->steps, IsEmpty());
  EXPECT_THAT(parse_target("/?")->parameters, IsEmpty());
}

TEST(Target, IsDecoded) {
  const auto target = parse_target("/calls/a%2Fb?name=x%20y+z&%66=1");
  ASSERT_TRUE(target);
  EXPECT_THAT(target->steps, ElementsAre("calls", "a/b"));
  EXPECT_EQ(target->parameters.at("name"), "x y z");
  EXPECT_EQ(target->parameters.at("f"), "1");
}

TEST(Target, IsRefusedWithTheWholeOfIt) {
  for (const char* bad : {"", "api", "*", "http://host/", "/a//b", "/%", "/%4", "/%zz", "/?a=%",
                          "/?=1", "/?a=1&a=2"}) {
    const auto target = parse_target(bad);
    ASSERT_FALSE(target) << bad;
    EXPECT_EQ(target.error().name, "bad-target");
    EXPECT_EQ(target.error().status, 400);
    EXPECT_EQ(target.error().value, bad);
  }
}

TEST(Target, HasABoundOnParameters) {
  std::string query = "/?a=1";
  for (std::size_t i = 1; i < kParametersMax; ++i) query += "&b" + std::to_string(i) + "=1";
  EXPECT_TRUE(parse_target(query));
  EXPECT_FALSE(parse_target(query + "&c=1"));
}

TEST(Parameters, GiveValuesOrDefaults) {
  Parameters parameters = parameters_of("from=a&limit=20&reverse=true&sort=cells");
  EXPECT_EQ(parameters.text("from"), "a");
  EXPECT_EQ(parameters.text("manager", "default"), "default");
  EXPECT_EQ(parameters.number("limit", 50, 500), 20U);
  EXPECT_EQ(parameters.number("after", 7, 500), 7U);
  EXPECT_TRUE(parameters.flag("reverse"));
  EXPECT_FALSE(parameters.flag("other"));
  EXPECT_EQ(parameters.choice("sort", {"id", "cells"}), 1U);
  EXPECT_FALSE(parameters.problem());
}

TEST(Parameters, RefuseWhatIsOutOfRangeWithItsName) {
  for (const char* bad : {"501", "-1", "+1", "1e3", "0x1", "", " 1", "99999999999999999999999"}) {
    Parameters parameters{{{"limit", bad}}};
    parameters.number("limit", 50, 500);
    const auto problem = parameters.problem();
    ASSERT_TRUE(problem) << bad;
    EXPECT_EQ(problem->name, "bad-parameter");
    EXPECT_EQ(problem->value, bad);
    EXPECT_THAT(problem->detail, HasSubstr("limit"));
    EXPECT_THAT(problem->detail, HasSubstr("500"));
  }
}

TEST(Parameters, RefuseAnUnknownWordAndNameTheKnownOnes) {
  Parameters parameters = parameters_of("sort=size");
  parameters.choice("sort", {"id", "cells"});
  ASSERT_TRUE(parameters.problem());
  EXPECT_THAT(parameters.problem()->detail, HasSubstr("id, cells"));
}

TEST(Parameters, RefuseWhatNobodyTook) {
  Parameters parameters = parameters_of("limit=1&limmit=2");
  parameters.number("limit", 50, 500);
  ASSERT_TRUE(parameters.problem());
  EXPECT_EQ(parameters.problem()->name, "unknown-parameter");
  EXPECT_EQ(parameters.problem()->value, "limmit=2");
}

TEST(Parameters, TellTheFirstFaultOfSeveral) {
  Parameters parameters = parameters_of("limit=x&reverse=maybe");
  parameters.flag("reverse");
  parameters.number("limit", 50, 500);
  EXPECT_THAT(parameters.problem()->detail, HasSubstr("reverse"));
}

}  // namespace
}  // namespace xbind::console
