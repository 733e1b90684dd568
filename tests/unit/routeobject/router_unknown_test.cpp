// Switches with lines of unknown state: their SwitchServer lost the switch, or has fallen silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_network.hpp"
#include "routeobject/route_service.hpp"
#include "routeobject/router.hpp"

namespace xbind {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

//   a:2 --1000-- 1:x:2 --500-- 2:b:3 --200-- 2:a's port 3
class UnknownSwitchTest : public ::testing::Test {
 protected:
  UnknownSwitchTest() {
    const auto a = net_.node("a"), b = net_.node("b"), x = net_.node("x", false);
    net_.link(a, x, 1000);
    net_.link(x, b, 500);
    net_.link(b, a, 200);
    router.emplace(std::make_shared<const Topology>(net_.topology), 7);
    router->tick(now);
    for (const char* at : {"a", "b", "x"}) speaks(at);
  }

  RouterChange report(std::string_view at, const std::vector<PortReport>& ports) {
    return router->report(at, Epoch{100}, ++number_, ports, now).value();
  }
  RouterChange speaks(std::string_view at) { return report(at, {{PortId{1}, true, 1000, 900}}); }
  RouterChange loses(std::string_view at) { return report(at, {}); }
  // Advances from tick to tick; switches in `speaking` report every 5 s.
  // Returns the number of changes.
  int wait(Duration during, const std::vector<const char*>& speaking) {
    int changes = 0;
    for (const TimePoint end = now + during; now < end;) {
      now += kTrustTick;
      if ((now - TimePoint{}) % seconds{5} == Duration::zero()) {
        for (const char* at : speaking) changes += speaks(at).condition ? 1 : 0;
      }
      changes += router->tick(now).condition ? 1 : 0;
    }
    return changes;
  }
  std::uint64_t version() const { return router->condition()->state.version; }
  std::string unusable() const {
    std::vector<std::string> words;
    for (const UnusableElement& one : router->condition()->state.unusable) {
      const char* const how = one.why == Unusable::kUnknown   ? "unknown"
                              : one.why == Unusable::kDrained ? "drained"
                                                              : "down";
      words.push_back(
          fmt::format("{}:{} {}", one.element.switch_name, one.element.output_port, how));
    }
    return fmt::format("{}", fmt::join(words, ", "));
  }

  DrawnNetwork net_;
  std::optional<Router> router;
  TimePoint now = TimePoint{} + std::chrono::hours{7};
  std::uint64_t number_ = 0;
};

constexpr const char* kXUnknown = "a:2 unknown, x:1 unknown, x:2 unknown, b:2 unknown, x:0 unknown";

TEST_F(UnknownSwitchTest, ALostSwitchTakesItsLinksWithItAndGivesThemBack) {
  wait(seconds{1}, {});
  EXPECT_TRUE(loses("x").empty());
  EXPECT_EQ(wait(milliseconds{2800}, {}), 0);
  EXPECT_EQ(version(), 7u);
  now += kTrustTick;
  const RouterChange change = router->tick(now);
  EXPECT_TRUE(change.condition);
  ASSERT_EQ(change.room.size(), 2u);
  EXPECT_EQ(change.room[0].state, (LinkState{false, 1000, 900}));  // as last reported
  EXPECT_EQ(change.promised[1].state, (LinkState{false, 500, 500}));
  EXPECT_EQ(version(), 8u);
  EXPECT_EQ(unusable(), kXUnknown);
  EXPECT_EQ(router->unknown_switches(now), (std::vector<UnknownSwitch>{{"x", seconds{3}, false}}));
  // It reports again, and is trusted five seconds later.
  EXPECT_FALSE(speaks("x").condition);
  EXPECT_EQ(wait(milliseconds{4800}, {"a", "b"}), 0);
  EXPECT_EQ(unusable(), kXUnknown);
  EXPECT_EQ(wait(milliseconds{200}, {}), 1);
  EXPECT_EQ(unusable(), "");
  EXPECT_EQ(version(), 9u);
  EXPECT_TRUE(router->unknown_switches(now).empty());
}

TEST_F(UnknownSwitchTest, ItsLastWordStandsAndItsNeighboursStillCount) {
  report("x", {{PortId{1}, true, 1000, 900}, {PortId{2}, false, 0, 0}});
  loses("x");
  wait(seconds{4}, {});
  EXPECT_EQ(unusable(), "a:2 unknown, x:1 unknown, x:2 down, b:2 down, x:0 unknown");
  // a --> Router: the line to x is down, so it counts as down.
  report("a", {{PortId{2}, false, 0, 0}});
  EXPECT_EQ(unusable(), "a:2 down, x:1 down, x:2 down, b:2 down, x:0 unknown");
  speaks("a");
  EXPECT_EQ(unusable(), "a:2 unknown, x:1 unknown, x:2 down, b:2 down, x:0 unknown");
}

TEST_F(UnknownSwitchTest, AnUnknownEndpointTakesItsAccessLineWithIt) {
  loses("a");
  wait(seconds{4}, {});
  EXPECT_EQ(unusable(),
            "a:2 unknown, x:1 unknown, b:3 unknown, a:3 unknown, a:1 unknown, a:0 unknown");
  EXPECT_EQ(router->condition()->access_lines[0], (LineCondition{true, false, true}));
}

TEST_F(UnknownSwitchTest, SeveralAtOnceAreOneVersion) {
  loses("a");
  loses("b");
  EXPECT_EQ(wait(seconds{4}, {"x"}), 1);
  EXPECT_EQ(version(), 8u);
  EXPECT_EQ(router->unknown_switches(now).size(), 2u);
}

TEST_F(UnknownSwitchTest, ASilentSwitchServerMakesItsSwitchUnknownWhileOthersSpeak) {
  EXPECT_EQ(wait(milliseconds{14'800}, {"a", "b"}), 0);
  EXPECT_EQ(wait(milliseconds{200}, {"a", "b"}), 1);
  EXPECT_EQ(unusable(), kXUnknown);
  EXPECT_EQ(router->unknown_switches(now), (std::vector<UnknownSwitch>{{"x", seconds{15}, true}}));
}

TEST_F(UnknownSwitchTest, WhenNobodySpeaksItIsTheRouterThatCannotHear) {
  EXPECT_EQ(wait(std::chrono::minutes{2}, {}), 0);
  EXPECT_EQ(unusable(), "");
  // a is heard again and the others are not: now their silence counts.
  EXPECT_EQ(wait(seconds{5}, {"a"}), 1);
  EXPECT_EQ(router->unknown_switches(now).size(), 2u);
}

TEST_F(UnknownSwitchTest, ARouterThatWasStoppedHasHeardNobodyMeanwhile) {
  wait(seconds{1}, {"a", "b", "x"});
  now += std::chrono::minutes{5};
  speaks("a");  // the first report that arrives
  EXPECT_FALSE(router->tick(now).condition);
  EXPECT_EQ(wait(seconds{10}, {"a", "b", "x"}), 0);
  EXPECT_EQ(unusable(), "");
}

TEST_F(UnknownSwitchTest, WhoHasBeenSilentMayComeBackWithAnyIncarnation) {
  wait(seconds{20}, {"a", "b"});
  EXPECT_EQ(unusable(), kXUnknown);
  const std::vector<PortReport> ports{{PortId{1}, true, 1000, 1000}};
  EXPECT_TRUE(router->report("x", Epoch{50}, 1, ports, now).has_value());
  EXPECT_EQ(router->stale_reports(), 0u);
  for (int second = 0; second < 5; ++second) {
    now += seconds{1};
    router->tick(now);
  }
  EXPECT_EQ(unusable(), "");
  // Within an accepted life, an old report is still stale.
  EXPECT_TRUE(router->report("x", Epoch{50}, 1, ports, now)->empty());
  EXPECT_EQ(router->stale_reports(), 1u);
}

TEST_F(UnknownSwitchTest, DrainedAsWellItStaysDrainedWhenItIsBack) {
  router->drain({"x", PortId{}}, true).value();
  const std::string drained = unusable();
  loses("x");
  wait(seconds{4}, {});
  EXPECT_EQ(unusable(), "a:2 drained, x:1 drained, x:2 drained, b:2 drained, x:0 unknown");
  speaks("x");
  wait(seconds{5}, {});
  EXPECT_EQ(unusable(), drained);
}

// x is lost: paths over it leave the table, and a refusal for want of another path names it.
//
//      2  1000  1    2  1000  2
//    a ----------- x ----------- b        c has no link
//     \  3   800  1    2   800  /  3
//      ------------ y ---------
TEST(UnknownSwitchRoutesTest, IsOnNoPathAndIsNamedWhereThereIsNoOther) {
  DrawnNetwork net;
  const auto a = net.node("a"), b = net.node("b"), x = net.node("x", false),
             y = net.node("y", false);
  net.node("c");
  net.link(a, x, 1000);
  net.link(x, b, 1000);
  net.link(a, y, 800);
  net.link(y, b, 800);
  RouteService service(net.topology, 5000);
  const TimePoint then = TimePoint{} + std::chrono::hours{7};
  const auto ask = [&](const PathQuery& query) {
    return service.answer(std::vector{query}).value().answers.at(0);
  };
  const PathQuery narrow{"a", "b", 500};
  const PathQuery wide{"a", "b", 900};  // only x's links could carry it
  PathQuery without_y{"a", "b", 0};
  without_y.avoid = {{"y", PortId{}}};
  std::uint64_t number = 0;
  const auto loses = [&](const char* at) {
    return service.report(at, Epoch{1}, ++number, {}, then).value();
  };
  EXPECT_FALSE(loses("x"));
  EXPECT_FALSE(service.tick(then));
  EXPECT_EQ(ask(narrow)->path.hops[1].switch_name, "x");
  EXPECT_TRUE(service.tick(then + seconds{3}));
  EXPECT_EQ(ask(narrow)->path.hops[1].switch_name, "y");
  EXPECT_EQ(ask(wide).error().cause, Cause::kNoBandwidth);
  const RouteRefusal unknown{
      Cause::kSwitchUnreachable,
      "'x' is unknown: no SwitchServer has it under control, so no new path uses it", 0, 0, "x"};
  EXPECT_EQ(ask(without_y).error(), unknown);
  EXPECT_EQ(service.alternates(narrow, 4)->answers.size(), 1u);
  EXPECT_EQ(service.alternates(without_y, 4)->answers.at(0).error(), unknown);
  EXPECT_EQ(ask({"a", "c", 0}).error().cause, Cause::kNoRoute);
  EXPECT_EQ(service.counters().switches_unknown, 1u);
  EXPECT_EQ(service.counters().links_unknown, 2u);
  EXPECT_EQ(service.links(0, 1).value()[0].condition, (LineCondition{true, false, true}));
  EXPECT_EQ(service.unknown_switches(then + seconds{4}),
            (std::vector<UnknownSwitch>{{"x", seconds{4}, false}}));
  // If x is also drained, the drain is not named as the cause.
  service.drain({"x", PortId{}}, true).value();
  EXPECT_EQ(ask(without_y).error().cause, Cause::kNoRoute);
  service.drain({"x", PortId{}}, false).value();
  // The same for an end's own switch.
  loses("b");
  service.tick(then + seconds{6});
  EXPECT_EQ(ask(narrow).error().cause, Cause::kSwitchUnreachable);
  EXPECT_EQ(ask(narrow).error().element, "b");
}

}  // namespace
}  // namespace xbind
