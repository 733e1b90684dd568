#include "routeobject/route_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace xbind {
namespace {

// a:2 -- 2:b, at `rate`
Topology pair_of_hosts(std::uint64_t rate) {
  Topology topology("pair");
  const SwitchIndex a = topology.add_switch("a", true).value();
  const SwitchIndex b = topology.add_switch("b", true).value();
  EXPECT_TRUE(topology.add_link({a, PortId{2}}, {b, PortId{2}}, rate).has_value());
  return topology;
}

TEST(RouteServiceTest, EachQueryOfABatchHasItsAnswer) {
  const RouteService service(pair_of_hosts(100), kRouteValidityMsDefault);
  // a -> b at 100, a -> c, b -> a at 101
  const std::vector<RouteQuery> queries{{"a", "b", 100}, {"a", "c", 1}, {"b", "a", 101}};
  const auto answers = service.answer(queries);
  ASSERT_TRUE(answers.has_value());
  EXPECT_EQ(answers->topology_version, 1u);
  EXPECT_EQ(answers->validity_ms, 5000u);
  ASSERT_EQ(answers->answers.size(), 3u);
  EXPECT_EQ(answers->answers[0],
            (Path{{{"a", PortId{1}, PortId{2}}, {"b", PortId{2}, PortId{1}}}, 100}));
  EXPECT_EQ(answers->answers[1].error().cause, Cause::kUnknownEndpoint);
  EXPECT_EQ(answers->answers[2].error().cause, Cause::kNoBandwidth);
  EXPECT_EQ(answers->answers[2].error().free, 100u);
}

TEST(RouteServiceTest, AnotherTopologyAnswersUnderTheNextVersion) {
  RouteService service(pair_of_hosts(100), 10);
  const auto old = service.topology();
  EXPECT_EQ(service.replace(pair_of_hosts(200)), 2u);
  EXPECT_EQ(service.version(), 2u);
  const std::vector<RouteQuery> queries{{"a", "b", 200}};
  const auto answers = service.answer(queries);
  ASSERT_TRUE(answers.has_value());
  EXPECT_EQ(answers->topology_version, 2u);
  EXPECT_EQ(answers->validity_ms, 10u);
  EXPECT_TRUE(answers->answers[0].has_value());
  EXPECT_EQ(*old, pair_of_hosts(100));  // who holds the old one keeps it
  EXPECT_EQ(*service.topology(), pair_of_hosts(200));
}

TEST(RouteServiceTest, ABatchIsBounded) {
  const RouteService service(pair_of_hosts(100), 5000);
  std::vector<RouteQuery> queries(kRouteQueriesMax, RouteQuery{"a", "b", 1});
  EXPECT_TRUE(service.answer(queries).has_value());
  queries.push_back({"a", "b", 1});
  const auto answers = service.answer(queries);
  ASSERT_FALSE(answers.has_value());
  EXPECT_EQ(answers.error(),
            (Error{ErrorCode::kBadInput, "4097 queries in one batch, the most is 4096"}));
  EXPECT_TRUE(service.answer({}).value().answers.empty());
}

TEST(RouteServiceTest, WhatIsToBeAvoidedIsAvoidedAndBounded) {
  const RouteService service(pair_of_hosts(100), 5000);
  const std::vector<RouteQuery> one{{"a", "b", 1, {{"a", PortId{2}}}}, {"a", "b", 1, {}}};
  const auto answers = service.answer(one);
  ASSERT_TRUE(answers.has_value());
  EXPECT_EQ(answers->answers[0].error().text, "no path joins 'a' and 'b' that avoids a port 2");
  EXPECT_TRUE(answers->answers[1].has_value());  // the next query of the batch avoids nothing

  const std::vector<PathElement> sixteen(kRouteAvoidMax, PathElement{"q", PortId{1}});
  std::vector<RouteQuery> many{{"a", "b", 1, {}}, {"a", "b", 1, sixteen}};
  EXPECT_TRUE(service.answer(many).value().answers[1].has_value());
  many[1].avoid.push_back({"q", PortId{2}});
  EXPECT_EQ(service.answer(many).error(),
            (Error{ErrorCode::kBadInput, "17 elements to avoid from 'a' to 'b', the most is 16"}));
}

TEST(RouteServiceTest, AnswersAreOfOneVersionWhileTopologiesChange) {
  RouteService service(pair_of_hosts(1), 5000);
  // Version v carries v cells/s; a batch must never see two of them.
  std::thread replacing([&service] {
    for (std::uint64_t rate = 2; rate <= 200; ++rate) service.replace(pair_of_hosts(rate));
  });
  const std::vector<RouteQuery> queries(8, RouteQuery{"a", "b", 1});
  std::uint64_t last = 0;
  while (last < 200) {
    const auto answers = service.answer(queries).value();
    EXPECT_GE(answers.topology_version, last);
    last = answers.topology_version;
    for (const RouteAnswer& answer : answers.answers) {
      if (answer->free_cells_per_s != last)
        ADD_FAILURE() << answer->free_cells_per_s << " " << last;
    }
  }
  replacing.join();
}

TEST(RouteServiceDeathTest, ValidityIsBounded) {
  EXPECT_DEATH(RouteService(pair_of_hosts(1), 0), "validity_ms");
  EXPECT_DEATH(RouteService(pair_of_hosts(1), kRouteValidityMsMax + 1), "validity_ms");
}

}  // namespace
}  // namespace xbind
