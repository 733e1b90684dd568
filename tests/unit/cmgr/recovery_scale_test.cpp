// The work of a recovery is in proportion to what it reads. Counted, not timed.
#include <fmt/format.h>

#include "recovery_fixture.hpp"

namespace xbind::cmgr {
namespace {

constexpr std::size_t kSwitches = 200;
constexpr std::size_t kCalls = 20'000;
constexpr std::size_t kHops = 3;
constexpr std::size_t kPlaces = kSwitches - kHops + 1;  // of a call's first hop

// Switches in a row; each call passes three of them.
class RecoveryScaleTest : public RecoveryTest {
 protected:
  RecoveryScaleTest() {
    switches_.clear();
    links_.clear();
    for (std::size_t i = 0; i < kSwitches; ++i) {
      switches_.push_back(fmt::format("s{}", i));
      if (i == 0) continue;
      links_.push_back({switches_[i - 1], PortId{2}, switches_[i], PortId{1}});
    }
    for (std::size_t call = 0; call < kCalls; ++call) {
      const std::size_t first = call % kPlaces;
      const auto label = static_cast<std::uint32_t>(40 + 3 * (call / kPlaces));
      for (std::uint16_t hop = 0; hop < kHops; ++hop) {
        holds(switches_[first + hop], earlier(call + 1), hop, hop == 0 ? 3 : 1,
              hop == 0 ? 1'000 + label : label + hop, hop + 1 == kHops ? 3 : 2, label + hop + 1);
      }
    }
  }

  void come_back_in_one_page(const std::string& name) {
    attach(name, resting_[name]);
    HeldHops page;
    page.owners = {client_};
    page.hops = held_[name];
    manager().switch_holds(name, page, now);
  }
};

TEST_F(RecoveryScaleTest, ItLooksAtACallWhenOneOfItsHopsOrLinksIsNew) {
  start(false);
  manager().set_network(switches_, links_, now);
  manager().serve_with_switches_missing(now);
  // Neighbours are far apart in time.
  for (std::size_t i = 0; i < kSwitches; ++i) come_back_in_one_page(switches_[i * 77 % kSwitches]);
  finish();
  EXPECT_EQ(manager().recovery().counters().restored, kCalls);
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_LE(manager().recovery().looks(), 5 * kCalls) << "three hops, two links";
}

TEST_F(RecoveryScaleTest, TheAlarmOfALinkLooksAtOneConnection) {
  start(false);
  manager().set_network(switches_, {}, now);
  for (const std::string& name : switches_) come_back_in_one_page(name);
  finish();
  ASSERT_EQ(manager().recovery().counters().restored, kCalls);
  EXPECT_THAT(alarms(), SizeIs(kSwitches - 1));
  EXPECT_THAT(alarms(), SizeIs(kSwitches - 1));
  EXPECT_LE(manager().recovery().other_links().looks(), 2 * (kSwitches - 1));
}

TEST_F(RecoveryScaleTest, TheReleaseOfACallLooksAtTheLabelsThatItsHopsMayUse) {
  // The other switches are not in the topology. Labels rest at ports that it does not have, either.
  constexpr std::size_t kKnown = 50;
  switches_.resize(kKnown);
  links_.resize(kKnown - 1);
  start(false);
  manager().set_network(switches_, links_, now);
  std::size_t labels = 0;
  for (const std::string& name : switches_) {
    std::vector<Label> resting;
    for (std::uint32_t i = 0; i < 100; ++i) resting.push_back(vci(41 + 3 * i));
    labels += resting.size();
    resting_[name] = {{PortId{7}, resting}};
    come_back_in_one_page(name);
  }
  finish();
  const Recovery& recovery = manager().recovery();
  const std::size_t waiting = recovery.waiting();
  ASSERT_GT(waiting, 100U);
  const std::uint64_t before = recovery.labels().looks();
  for (std::size_t call = 0; call < kCalls; ++call) {
    const std::size_t first = call % kPlaces;
    if (first >= kKnown || first + kHops <= kKnown) continue;
    manager().release_local(RequestId{call + 1}, earlier(call + 1), now);
  }
  EXPECT_EQ(recovery.waiting(), 0U);
  const std::uint64_t looks = recovery.labels().looks() - before;
  EXPECT_LE(looks, waiting * kHops * kKnown) << "those of equal name, one at each switch";
  EXPECT_LT(looks, waiting * labels / 10);
}

}  // namespace
}  // namespace xbind::cmgr
