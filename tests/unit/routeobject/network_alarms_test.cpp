#include "routeobject/network_alarms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/alarms/alarm_kinds.hpp"
#include "random_network.hpp"

namespace xbind {
namespace {

//   a:2 --1000-- 1:x:2 --500-- 2:b
class NetworkAlarms : public testing::Test {
 protected:
  NetworkAlarms() {
    const auto a = net_.node("a"), b = net_.node("b"), x = net_.node("x", false);
    net_.link(a, x, 1000);
    net_.link(x, b, 500);
    router_.emplace(std::make_shared<const Topology>(net_.topology), 7);
  }

  // "switch-drained x", in the order of the words
  std::vector<std::string> alarms() {
    std::vector<std::string> words;
    for (const AlarmCondition& one :
         conditions_of(net_.topology, *router_->condition(), router_->unknown_switches(now_))) {
      words.push_back(fmt::format("{} {}", row_of(one.kind).name, one.object));
    }
    std::ranges::sort(words);
    return words;
  }
  // What happens while `change` is done: "link-down x port 2", in the order of the words.
  template <class Change>
  std::vector<std::string> events(Change change) {
    const auto before = router_->condition();
    change();
    std::vector<std::string> words;
    for (const Event& one : events_between(net_.topology, *before, *router_->condition())) {
      words.push_back(fmt::format("{} {}", to_string(one.kind), one.object));
    }
    std::ranges::sort(words);
    return words;
  }
  void report(const char* at, const std::vector<PortReport>& ports) {
    ASSERT_TRUE(router_->report(at, Epoch{1}, ++number_, ports, now_));
  }
  void drain(const char* at, std::uint32_t port, bool drained = true) {
    ASSERT_TRUE(router_->drain({at, PortId{port}}, drained));
  }

  using Words = std::vector<std::string>;
  DrawnNetwork net_;
  std::optional<Router> router_;
  std::uint64_t number_ = 0;
  TimePoint now_ = TimePoint{} + std::chrono::hours{7};
};

TEST_F(NetworkAlarms, ALinkThatGoesDownIsOneAlarmAndOneEvent) {
  EXPECT_EQ(alarms(), Words{});
  EXPECT_EQ(events([&] { report("x", {{PortId{2}, false, 0, 0}}); }), Words{"link-down x port 2"});
  EXPECT_EQ(alarms(), Words{"line-down x port 2"});
  // The other end says the same: nothing new.
  EXPECT_EQ(events([&] { report("b", {{PortId{2}, false, 0, 0}}); }), Words{});
  EXPECT_EQ(alarms(), Words{"line-down x port 2"});
  EXPECT_EQ(events([&] {
              report("x", {{PortId{2}, true, 500, 500}});
              report("b", {{PortId{2}, true, 500, 500}});
            }),
            Words{"link-up x port 2"});
  EXPECT_EQ(alarms(), Words{});
}

TEST_F(NetworkAlarms, AnAccessLineIsNamedByItsPort) {
  EXPECT_EQ(events([&] { report("a", {{PortId{1}, false, 0, 0}}); }), Words{"link-down a port 1"});
  EXPECT_EQ(alarms(), Words{"line-down a port 1"});
}

TEST_F(NetworkAlarms, ADrainedSwitchStandsForItsLinks) {
  EXPECT_EQ(events([&] { drain("x", 0); }), Words{"switch-drained x"});
  EXPECT_EQ(alarms(), Words{"switch-drained x"});
  EXPECT_EQ(events([&] { drain("x", 0, false); }), Words{"switch-undrained x"});
  EXPECT_EQ(events([&] { drain("b", 2); }), Words{"link-drained x port 2"});
  EXPECT_EQ(alarms(), Words{"line-drained x port 2"});
  EXPECT_EQ(events([&] { drain("x", 2, false); }), Words{"link-undrained x port 2"});
}

TEST_F(NetworkAlarms, AnUnknownSwitchStandsForItsLines) {
  report("x", {{PortId{2}, true, 500, 500}});
  report("x", {});  // its SwitchServer has lost it
  EXPECT_EQ(events([&] {
              now_ += SwitchTrustOptions{}.lost;
              router_->tick(now_ - kTrustTick);
              router_->tick(now_);
            }),
            Words{"switch-down x"});
  EXPECT_EQ(alarms(), Words{"switch-unknown x"});
}

}  // namespace
}  // namespace xbind
