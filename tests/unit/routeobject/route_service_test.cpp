#include "routeobject/route_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "random_network.hpp"
#include "routeobject/alternates.hpp"

namespace xbind {
namespace {

constexpr Epoch kLife{1};
constexpr TimePoint kThen = TimePoint{} + std::chrono::hours{7};

// a:2 -- 2:b, at `rate`
Topology pair_of_hosts(std::uint64_t rate) {
  Topology topology("pair");
  const SwitchIndex a = topology.add_switch("a", true).value();
  const SwitchIndex b = topology.add_switch("b", true).value();
  EXPECT_TRUE(topology.add_link({a, PortId{2}}, {b, PortId{2}}, rate).has_value());
  return topology;
}

//      2  1000  1    2  1000  2
//    a ----------- x ----------- b        the short way: 2 links, 30 us
//     \  3   800  1    2   800  /  3
//      ------------ y ---------           the long one through y and z: 3 links, 9 us
//                    \_ z _/
class RouteServiceTest : public ::testing::Test {
 protected:
  RouteServiceTest() {
    const auto a = net_.node("a"), b = net_.node("b"), x = net_.node("x", false),
               y = net_.node("y", false), z = net_.node("z", false);
    net_.node("c");  // has no link
    net_.link(a, x, 1000, 10);
    net_.link(x, b, 1000, 20);
    net_.link(a, y, 800, 3);
    net_.link(y, z, 800, 3);
    net_.link(z, b, 800, 3);
    service.emplace(net_.topology, kRouteValidityMsDefault);
  }

  RouteAnswer ask(const PathQuery& query) const {
    return service->answer(std::vector{query}).value().answers.at(0);
  }
  std::string path(const PathQuery& query) const {
    const RouteAnswer answer = ask(query);
    return answer ? hops_text(answer->path) : answer.error().text;
  }
  RouteRefusal refusal(const PathQuery& query) const {
    const RouteAnswer answer = ask(query);
    EXPECT_FALSE(answer.has_value()) << hops_text(answer->path);
    return answer ? RouteRefusal{} : answer.error();
  }
  bool report(const char* at, const std::vector<PortReport>& ports) {
    return service->report(at, kLife, ++number_, ports, kThen).value();
  }
  // Sets the free rate of a's ports 2 (to x) and 3 (to y).
  void free_at_a(std::uint64_t to_x, std::uint64_t to_y) {
    EXPECT_FALSE(report("a", {{PortId{2}, true, 1000, to_x}, {PortId{3}, true, 800, to_y}}));
  }

  DrawnNetwork net_;
  std::optional<RouteService> service;
  std::uint64_t number_ = 0;
};

constexpr const char* kShort = "1>a>2 1>x>2 2>b>1";
constexpr const char* kLong = "1>a>3 1>y>2 1>z>2 3>b>1";

TEST_F(RouteServiceTest, EachQueryOfABatchHasItsAnswer) {
  const RouteService pair(pair_of_hosts(100), kRouteValidityMsDefault, 40);
  // a -> b at 100, a -> c, b -> a at 101
  const std::vector<PathQuery> queries{{"a", "b", 100}, {"a", "c", 1}, {"b", "a", 101}};
  const auto answers = pair.answer(queries);
  ASSERT_TRUE(answers.has_value());
  EXPECT_EQ(answers->topology_version, 40u);
  EXPECT_EQ(answers->validity_ms, 5000u);
  ASSERT_EQ(answers->answers.size(), 3u);
  EXPECT_EQ(answers->answers[0],
            (FoundRoute{{{{"a", PortId{1}, PortId{2}}, {"b", PortId{2}, PortId{1}}}, 100}, 0}));
  EXPECT_EQ(answers->answers[1].error().cause, Cause::kUnknownEndpoint);
  EXPECT_EQ(answers->answers[2].error().cause, Cause::kNoBandwidth);
  EXPECT_EQ(answers->answers[2].error().asked, 101u);
  EXPECT_EQ(answers->answers[2].error().free, 100u);
}

TEST_F(RouteServiceTest, ABatchIsBounded) {
  std::vector<PathQuery> queries(kRouteQueriesMax, PathQuery{"a", "b", 1});
  EXPECT_TRUE(service->answer(queries).has_value());
  queries.push_back({"a", "b", 1});
  EXPECT_EQ(service->answer(queries).error(),
            (Error{ErrorCode::kBadInput, "4097 queries in one batch, the most is 4096"}));
  EXPECT_TRUE(service->answer({}).value().answers.empty());
}

TEST_F(RouteServiceTest, EveryListOfAQueryIsBounded) {
  const auto error = [&](const PathQuery& query) {
    const auto answers = service->answer(std::vector{PathQuery{"a", "b", 1}, query});
    EXPECT_EQ(answers.has_value(), service->alternates(query, 1).has_value());
    return answers ? std::string{} : answers.error().text;
  };
  PathQuery query{"a", "b", 1};
  query.avoid.assign(kRouteAvoidMax, {"q", PortId{1}});
  query.require.assign(kPathRequiredMax, {"y", PortId{}});
  query.disjoint_from.assign(kRouteDisjointHopsMax, {"q", PortId{1}, PortId{2}});
  EXPECT_EQ(error(query), "");
  query.disjoint_from.emplace_back();
  EXPECT_EQ(error(query), "257 hops to be disjoint from from 'a' to 'b', the most is 256");
  query.require.push_back({"z", PortId{}});
  EXPECT_EQ(error(query), "9 elements to require from 'a' to 'b', the most is 8");
  query.avoid.push_back({"q", PortId{2}});
  EXPECT_EQ(error(query), "4097 elements to avoid from 'a' to 'b', the most is 4096");
}

TEST_F(RouteServiceTest, EachMetricHasItsBest) {
  PathQuery query{"a", "b", 100};
  EXPECT_EQ(path(query), kShort);
  EXPECT_EQ(ask(query)->delay_us, 30u);
  query.metric = PathMetric::kDelay;
  EXPECT_EQ(path(query), kLong);
  EXPECT_EQ(ask(query)->delay_us, 9u);
  query.metric = PathMetric::kLoad;
  EXPECT_EQ(path(query), kShort);
  free_at_a(150, 800);  // the short path fills up, and still has room
  EXPECT_EQ(path(query), kLong);
  query.metric = PathMetric::kHops;
  EXPECT_EQ(path(query), kShort);
}

TEST_F(RouteServiceTest, BoundsAreKeptAndTheFirstThatNoneMeetsIsNamed) {
  PathQuery query{"a", "b", 1};
  query.delay_us_max = 29;
  EXPECT_EQ(path(query), kLong);
  query.delay_us_max = 8;
  EXPECT_EQ(refusal(query),
            (RouteRefusal{Cause::kPathBound,
                          "asked at most 8 us from 'a' to 'b', the fastest path takes 9", 8, 9,
                          "delay_us"}));
  query.delay_us_max = 9;
  query.links_max = 2;
  EXPECT_EQ(refusal(query),
            (RouteRefusal{Cause::kPathBound,
                          "no loopless path from 'a' to 'b' has all of: 1 cells/s, at most 2 "
                          "links, at most 9 us",
                          0, 0, "all bounds together"}));
  query.delay_us_max.reset();
  EXPECT_EQ(path(query), kShort);
  query.links_max = 1;
  const RouteRefusal links = refusal(query);
  EXPECT_EQ(links.cause, Cause::kPathBound);
  EXPECT_EQ(links.element, "links");
  EXPECT_EQ(links.asked, 1u);
  EXPECT_EQ(links.free, 2u);
}

TEST_F(RouteServiceTest, WhatIsAvoidedRequiredOrDisjointIsHeld) {
  PathQuery query{"a", "b", 1};
  query.avoid = {{"x", PortId{2}}};
  EXPECT_EQ(path(query), kLong);
  query.avoid = {};
  query.require = {{"z", PortId{}}};
  EXPECT_EQ(path(query), kLong);
  query.require = {};
  query.disjoint = Disjoint::kLinks;
  query.disjoint_from = ask({"a", "b", 1})->path.hops;
  EXPECT_EQ(path(query), kLong);
  query.disjoint = Disjoint::kSwitches;
  EXPECT_EQ(path(query), kLong);
  query.avoid = {{"y", PortId{}}};
  EXPECT_EQ(refusal(query),
            (RouteRefusal{Cause::kNoRoute,
                          "no path joins 'a' and 'b' that avoids y and shares no switch with the "
                          "path of 3 switches",
                          0, 0, "a -> b"}));
}

TEST_F(RouteServiceTest, WhatContradictsItselfIsAnInvalidRequest) {
  PathQuery query{"a", "b", 1};
  query.require = {{"q", PortId{}}};
  EXPECT_EQ(refusal(query).cause, Cause::kInvalidRequest);
  EXPECT_EQ(refusal(query).element, "q");
  query.require = {{"x", PortId{}}};
  query.avoid = {{"x", PortId{}}};
  EXPECT_EQ(refusal(query).cause, Cause::kInvalidRequest);
  query = {"a", "b", 1};
  query.disjoint = Disjoint::kLinks;
  EXPECT_EQ(refusal(query).cause, Cause::kInvalidRequest);
  EXPECT_EQ(refusal({"a", "a", 1}).cause, Cause::kInvalidRequest);
}

TEST_F(RouteServiceTest, APathWithRoomGoesBeforeAShorterOneWithout) {
  free_at_a(99, 800);
  EXPECT_EQ(path({"a", "b", 99}), kShort);
  EXPECT_EQ(path({"a", "b", 100}), kLong);
  EXPECT_EQ(path({"b", "a", 100}), "1>b>2 2>x>1 2>a>1");  // the other direction is free
  EXPECT_EQ(service->version(), 1u);
}

TEST_F(RouteServiceTest, WithRoomNowhereTheBestLineIsAnsweredAllTheSame) {
  free_at_a(99, 50);
  const RouteAnswer answer = ask({"a", "b", 100});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(hops_text(answer->path), kShort);
  EXPECT_EQ(answer->path.free_cells_per_s, 1000u);  // the capacity of its links
  // A bound may exclude the path with room: then the other one serves again.
  free_at_a(99, 800);
  PathQuery query{"a", "b", 100};
  query.links_max = 2;
  EXPECT_EQ(path(query), kShort);
  // Only a demand above every link's capacity is refused.
  EXPECT_EQ(refusal({"a", "b", 1001}),
            (RouteRefusal{Cause::kNoBandwidth,
                          "asked 1001 cells/s from 'a' to 'b', the widest path has 1000", 1001,
                          1000, "a -> b"}));
}

TEST_F(RouteServiceTest, WhatPortsPromiseCountsInsteadOfTheFile) {
  // Overbooked by 2 on the short path; the long path at half its rate.
  report("a", {{PortId{2}, true, 2000, 2000}, {PortId{3}, true, 400, 400}});
  report("x", {{PortId{1}, true, 2000, 2000}, {PortId{2}, true, 2000, 2000}});
  EXPECT_EQ(path({"a", "b", 1500}), kShort);
  PathQuery query{"a", "b", 401};
  query.avoid = {{"x", PortId{}}};
  EXPECT_EQ(refusal(query).free, 400u);
}

TEST_F(RouteServiceTest, ALinkThatIsDownOrDrainedIsOnNoPath) {
  EXPECT_TRUE(report("x", {{PortId{2}, false, 0, 0}}));
  EXPECT_EQ(service->version(), 2u);
  EXPECT_EQ(path({"a", "b", 0}), kLong);
  EXPECT_EQ(path({"b", "a", 1000}), "asked 1000 cells/s from 'b' to 'a', the widest path has 800");
  EXPECT_TRUE(service->drain({"y", PortId{2}}, true).value());
  EXPECT_EQ(refusal({"a", "b", 0}),
            (RouteRefusal{Cause::kNoRoute, "no path joins 'a' and 'b'; drained: y port 2", 0, 0,
                          "drained y port 2"}));
  EXPECT_TRUE(report("x", {{PortId{9}, true, 1, 1}}));
  EXPECT_EQ(path({"a", "b", 0}), kShort);
  EXPECT_EQ(service->version(), 4u);
}

TEST_F(RouteServiceTest, AnEndWhoseOwnLineIsDownIsNamed) {
  EXPECT_TRUE(report("b", {{PortId{1}, false, 0, 0}}));
  const RouteRefusal expected{Cause::kLinkDown, "the line of 'b' at its port 1 is down", 0, 0,
                              "b port 1"};
  EXPECT_EQ(refusal({"a", "b", 1}), expected);
  EXPECT_EQ(refusal({"b", "a", 1}), expected);
  EXPECT_EQ(service->alternates({"b", "a", 1}, 3)->answers.at(0).error(), expected);
  EXPECT_EQ(refusal({"q", "b", 1}).cause, Cause::kUnknownEndpoint);
  EXPECT_EQ(refusal({"b", "b", 1}).cause, Cause::kInvalidRequest);
  report("b", {{PortId{9}, true, 1, 1}});
  EXPECT_TRUE(service->drain({"a", PortId{1}}, true).value());
  EXPECT_EQ(refusal({"a", "b", 1}),
            (RouteRefusal{Cause::kNoRoute, "the line of 'a' at its port 1 is drained", 0, 0,
                          "drained a port 1"}));
}

TEST_F(RouteServiceTest, ADrainedSwitchIsGoneRoundAndNamedAsAnEnd) {
  EXPECT_TRUE(service->drain({"x", PortId{}}, true).value());
  EXPECT_EQ(path({"a", "b", 1}), kLong);
  EXPECT_TRUE(service->drain({"b", PortId{}}, true).value());
  EXPECT_EQ(refusal({"a", "b", 1}),
            (RouteRefusal{Cause::kNoRoute, "no path joins 'a' and 'b'; drained: x, b", 0, 0,
                          "drained x, b"}));
  EXPECT_FALSE(service->drain({"b", PortId{}}, true).value());
  EXPECT_EQ(service->drain({"x", PortId{9}}, true).error().code, ErrorCode::kNotFound);
}

TEST_F(RouteServiceTest, WhatIsDrainedOnTheWayIsNamed) {
  EXPECT_TRUE(service->drain({"x", PortId{}}, true).value());
  EXPECT_TRUE(service->drain({"z", PortId{2}}, true).value());
  RouteRefusal refused = refusal({"a", "b", 1});
  EXPECT_EQ(refused.cause, Cause::kNoRoute);
  EXPECT_EQ(refused.element, "drained x") << "the short way would be open without";
  EXPECT_EQ(service->alternates({"a", "b", 1}, 3)->answers.at(0).error(), refused);
  // A link that is down as well is not reported as drained.
  report("x", {{PortId{1}, false, 0, 0}});
  refused = refusal({"a", "b", 1});
  EXPECT_EQ(refused.element, "drained z port 2");
  EXPECT_EQ(refused.text, "no path joins 'a' and 'b'; drained: z port 2");
  // Without any drain there would be no path either.
  EXPECT_EQ(refusal({"a", "c", 1}).text, "no path joins 'a' and 'c'");
  EXPECT_EQ(refusal({"a", "c", 1}).element, "a -> c");
}

TEST_F(RouteServiceTest, ABoundThatOnlyADrainedPathWouldMeetNamesItToo) {
  EXPECT_TRUE(service->drain({"x", PortId{2}}, true).value());
  const RouteRefusal refused = refusal({"a", "b", 900});
  EXPECT_EQ(refused.cause, Cause::kNoBandwidth);
  EXPECT_EQ(refused.element, "a -> b");
  EXPECT_THAT(refused.text, ::testing::EndsWith("; drained: x port 2"));
}

TEST_F(RouteServiceTest, DrainsAreListedAsTheyWereOrdered) {
  const auto drains = [&] { return service->drains(); };
  EXPECT_THAT(drains(), ::testing::IsEmpty());
  for (const PathElement& element :
       {PathElement{"x", PortId{}}, PathElement{"b", PortId{3}}, PathElement{"a", PortId{1}}}) {
    EXPECT_TRUE(service->drain(element, true).value());
  }
  EXPECT_THAT(drains(), ::testing::UnorderedElementsAre(PathElement{"x", PortId{}},
                                                        PathElement{"z", PortId{2}},
                                                        PathElement{"a", PortId{1}}))
      << "a link by its first end";
  EXPECT_TRUE(service->drain({"z", PortId{2}}, false).value());
  EXPECT_EQ(drains().size(), 2U);
}

TEST_F(RouteServiceTest, ReportsHaveAnAge) {
  using std::chrono::seconds;
  const TimePoint start{seconds{100}};
  EXPECT_TRUE(service->report_ages(start).empty());
  const std::vector<xbind::PortReport> ports{{PortId{9}, true, 1, 1}};
  ASSERT_TRUE(service->report("x", kLife, 5, ports, start));
  ASSERT_TRUE(service->report("b", kLife, 5, ports, start + seconds{2}));
  ASSERT_TRUE(service->report("x", kLife, 4, ports, start + seconds{9}));  // overtaken
  ASSERT_TRUE(service->report("x", kLife, 6, {}, start + seconds{9}));     // without ports
  const auto ages = service->report_ages(start + seconds{10});
  ASSERT_EQ(ages.size(), 2U);
  std::map<std::string, Duration> by_name;
  for (const auto& it : ages) by_name[it.switch_name] = it.age;
  EXPECT_EQ(by_name["x"], Duration{seconds{10}});
  EXPECT_EQ(by_name["b"], Duration{seconds{8}});
}

TEST_F(RouteServiceTest, AlternatesWithRoomComeFirst) {
  const auto texts = [&](const PathQuery& query, std::size_t count) {
    std::vector<std::string> paths;
    const RouteAnswers found = service->alternates(query, count).value();
    for (const RouteAnswer& answer : found.answers) {
      paths.push_back(answer ? hops_text(answer->path) : answer.error().text);
    }
    return paths;
  };
  EXPECT_THAT(texts({"a", "b", 100}, 64), testing::ElementsAre(kShort, kLong));
  EXPECT_THAT(texts({"a", "b", 100}, 1), testing::ElementsAre(kShort));
  free_at_a(99, 800);
  EXPECT_THAT(texts({"a", "b", 100}, 64), testing::ElementsAre(kLong, kShort));
  EXPECT_THAT(texts({"a", "b", 100}, 1), testing::ElementsAre(kLong));
  free_at_a(99, 99);
  EXPECT_THAT(texts({"a", "b", 100}, 64), testing::ElementsAre(kShort, kLong));
  EXPECT_THAT(texts({"a", "b", 1001}, 64),
              testing::ElementsAre("asked 1001 cells/s from 'a' to 'b', the widest path has 1000"));
  PathQuery bounded{"a", "b", 0};
  bounded.delay_us_max = 1;
  EXPECT_EQ(service->alternates(bounded, 2)->answers.at(0).error().element, "delay_us");
  for (const std::size_t count : {std::size_t{0}, kAlternatesMax + 1}) {
    EXPECT_EQ(service->alternates({"a", "b", 0}, count).error(),
              (Error{ErrorCode::kBadInput,
                     fmt::format("{} alternates from 'a' to 'b' are not in 1 to 64", count)}));
  }
}

TEST(RouteServiceAlternatesTest, AreNoMoreThanAskedForAndNoneIsThereTwice) {
  DrawnNetwork net;
  const auto a = net.node("a"), b = net.node("b");
  for (int link = 0; link < 3; ++link) net.link(a, b, 10);
  RouteService service(net.topology, 5000);
  const std::vector<PortReport> second_has_room{
      {PortId{2}, true, 10, 0}, {PortId{3}, true, 10, 10}, {PortId{4}, true, 10, 0}};
  EXPECT_FALSE(service.report("a", kLife, 1, second_has_room, kThen).value());
  const auto texts = [&](std::size_t count) {
    std::vector<std::string> paths;
    const RouteAnswers found = service.alternates({"a", "b", 10}, count).value();
    for (const RouteAnswer& answer : found.answers) paths.push_back(hops_text(answer->path));
    return paths;
  };
  EXPECT_THAT(texts(2), testing::ElementsAre("1>a>3 3>b>1", "1>a>2 2>b>1"));
  EXPECT_THAT(texts(64), testing::ElementsAre("1>a>3 3>b>1", "1>a>2 2>b>1", "1>a>4 4>b>1"));
}

TEST_F(RouteServiceTest, LinksAreShownInTheirOrderPageByPage) {
  free_at_a(99, 50);
  report("x", {{PortId{1}, true, 1000, 7}, {PortId{2}, false, 0, 0}});
  service->drain({"b", PortId{2}}, true).value();
  const auto links = service->links(0, 10'000).value();
  ASSERT_EQ(links.size(), 5u);
  const PathElement a2{"a", PortId{2}}, x1{"x", PortId{1}}, x2{"x", PortId{2}}, b2{"b", PortId{2}};
  const LineCondition up{true, false}, down{false, true};
  EXPECT_EQ(links[0], (LinkReport{a2, x1, up, 1000, 1000, 1000, 99, 7, 10}));
  EXPECT_EQ(links[1], (LinkReport{x2, b2, down, 1000, 0, 1000, 0, 1000, 20}));
  EXPECT_EQ(service->links(3, 1).value(), std::vector{links[3]});
  EXPECT_EQ(service->links(4, 9)->size(), 1u);
  EXPECT_TRUE(service->links(5, 9)->empty());
  EXPECT_EQ(service->links(0, 0).error(),
            (Error{ErrorCode::kBadInput, "0 links at a time are not in 1 to 10000"}));
  EXPECT_FALSE(service->links(0, 10'001).has_value());
  const RouteService::Counters counters = service->counters();
  EXPECT_EQ(counters.reports, 2u);
  EXPECT_EQ(counters.stale_reports, 0u);
  EXPECT_EQ(counters.links_down, 1u);
  EXPECT_EQ(counters.links_drained, 1u);
}

TEST_F(RouteServiceTest, ARefusedReportChangesNothing) {
  EXPECT_EQ(service->report("q", kLife, 1, {}, kThen).error().code, ErrorCode::kNotFound);
  const std::vector<PortReport> twice{{PortId{2}, false, 0, 0}, {PortId{2}, false, 0, 0}};
  EXPECT_EQ(service->report("a", kLife, 1, twice, kThen).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(service->version(), 1u);
  EXPECT_EQ(path({"a", "b", 0}), kShort);
}

// Above kRouteTableSwitchesMax there is no table of all pairs: every answer is searched for.
TEST(RouteServiceSizeTest, AnswersAreTheSameInANetworkTooLargeForATable) {
  DrawnNetwork net;
  const auto a = net.node("a"), b = net.node("b"), x = net.node("x", false),
             y = net.node("y", false);
  net.link(a, x, 1000);
  net.link(x, b, 1000);
  net.link(a, y, 800);
  net.link(y, b, 800);
  for (std::size_t at = 4; at <= kRouteTableSwitchesMax; ++at) net.node(fmt::format("n{}", at));
  RouteService service(net.topology, 5000);
  const auto path = [&](std::uint64_t rate) {
    const auto answers = service.answer(std::vector{PathQuery{"a", "b", rate}}).value();
    const RouteAnswer& answer = answers.answers.at(0);
    return answer ? hops_text(answer->path) : answer.error().text;
  };
  const char* const over_x = "1>a>2 1>x>2 2>b>1";
  const char* const over_y = "1>a>3 1>y>2 3>b>1";
  EXPECT_EQ(path(800), over_x);
  const std::vector<PortReport> full{{PortId{2}, true, 1000, 0}};
  EXPECT_FALSE(service.report("a", kLife, 1, full, kThen).value());
  EXPECT_EQ(path(800), over_y);
  EXPECT_EQ(path(900), over_x);
  EXPECT_TRUE(service.drain({"x", PortId{}}, true).value());
  EXPECT_EQ(path(900), "asked 900 cells/s from 'a' to 'b', the widest path has 800; drained: x");
}

// 26 fully meshed switches with equal links: required elements make that hard.
TEST(RouteServiceBudgetTest, HardQueriesOfABatchShareWhatTheyMayCost) {
  DrawnNetwork net;
  std::vector<SwitchIndex> nodes;
  for (int at = 0; at < 26; ++at) nodes.push_back(net.node(fmt::format("n{}", at)));
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    for (std::size_t b = a + 1; b < nodes.size(); ++b) net.link(nodes[a], nodes[b], 10, 1);
  }
  const RouteService service(net.topology, 5000);
  PathQuery hard{"n0", "n25", 1};
  hard.labels_max = 20'000;
  for (const char* at : {"n3", "n5", "n7", "n9", "n11", "n13", "n15", "n17"}) {
    hard.require.push_back({at, PortId{}});
  }
  SearchBudget budget{30'000};
  NetworkView view;
  view.condition = service.condition();
  view.room = view.lines =
      std::make_shared<const RouteGraph>(std::make_shared<const Topology>(net.topology));
  const RouteAnswer first = find_route(view, hard, budget);
  ASSERT_FALSE(first.has_value());
  EXPECT_EQ(first.error().cause, Cause::kTooHard);
  EXPECT_EQ(first.error().asked, 20'000u);
  EXPECT_LE(budget.labels, 10'000u);
  const std::size_t left = budget.labels;
  const RouteAnswer second = find_route(view, hard, budget);
  EXPECT_EQ(second.error().cause, Cause::kTooHard);
  EXPECT_EQ(second.error().asked, left);
  // A query that needs no such search is still answered.
  budget.labels = 0;
  EXPECT_TRUE(find_route(view, {"n0", "n25", 1}, budget).has_value());
}

TEST(RouteServiceThreadsTest, AnswersAreOfOneVersionWhileTheNetworkChanges) {
  // The link of the pair goes down and up: in odd versions there is a path.
  RouteService service(pair_of_hosts(10), 5000);
  constexpr std::uint64_t kLast = 201;
  std::atomic<bool> done{false};
  std::thread reporting([&service, &done] {
    for (std::uint64_t version = 2; version <= kLast; ++version) {
      const std::vector<PortReport> port{{PortId{2}, version % 2 == 1, 10, 10}};
      EXPECT_TRUE(service.report("a", kLife, version, port, kThen).value());
    }
    done = true;
  });
  const std::vector<PathQuery> queries(8, PathQuery{"a", "b", 1});
  std::uint64_t last = 0;
  for (bool over = false; !over;) {
    over = done;  // one more round after the last change
    const auto answers = service.answer(queries).value();
    EXPECT_GE(answers.topology_version, last);
    last = answers.topology_version;
    for (const RouteAnswer& answer : answers.answers) {
      if (answer.has_value() != (last % 2 == 1)) ADD_FAILURE() << "version " << last;
    }
  }
  reporting.join();
  EXPECT_EQ(last, kLast);
}

TEST(RouteServiceDeathTest, ValidityIsBounded) {
  EXPECT_DEATH(RouteService(pair_of_hosts(1), 0), "validity_ms");
  EXPECT_DEATH(RouteService(pair_of_hosts(1), kRouteValidityMsMax + 1), "validity_ms");
}

}  // namespace
}  // namespace xbind
