#include "switchserver/alarm_conditions.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "controller_fixture.hpp"
#include "core/alarms/alarm_kinds.hpp"

namespace xbind {
namespace {

using Words = std::vector<std::string>;

class SwitchAlarms : public SwitchControllerTest {
 protected:
  // "manager-gone manager a: 1 of its hops are at sw and it has no session"
  Words alarms() const { return alarms_of(controller); }
  static Words alarms_of(const SwitchController& at) {
    Words words;
    for (const AlarmCondition& one : conditions_of(at, "sw")) {
      if (one.keeps_only) continue;
      words.push_back(fmt::format("{} {}: {}", row_of(one.kind).name, one.object, one.cause));
    }
    return words;
  }
  static std::vector<SwitchPort> without(PortId down) {
    std::vector<SwitchPort> all = ports();
    for (SwitchPort& port : all) port.up = port.port != down;
    return all;
  }
};

TEST_F(SwitchAlarms, AManagerThatIsGoneWithHopsStanding) {
  committed(2, 41);
  EXPECT_EQ(alarms(), Words{});
  controller.detach("a");
  EXPECT_EQ(alarms(),
            Words{"manager-gone manager a: 1 of its hops are at sw and it has no session"});
  // The operator knows that it will not return.
  ASSERT_TRUE(controller.forget("a"));
  EXPECT_EQ(alarms(), Words{});
}

TEST_F(SwitchAlarms, RemovalsThatWaitForAManagerAreCounted) {
  const CrossConnect there{kTrunk, atm_label(0, 40), kOut, atm_label(0, 41)};
  fake.table = {there};
  SwitchControllerOptions options{.name = "sw"};
  options.known = {{"a", Epoch{1}}};
  SwitchController next(options, fake);
  next.on_driver(driver::Up{ports(), true}, now);
  next.on_driver(fake.answers.front().event, now);
  fake.answers.clear();
  ASSERT_TRUE(next.attach("b", Epoch{1}).has_value());
  HopClaims page;
  LedgerHop& hop = page.hops.emplace_back();
  hop.key = {ConnectionId{7}, Generation{1}, 0, 1};
  hop.cross_connect = there;
  hop.hop_count = 3;
  hop.stage = HopStage::kRemoving;
  hop.owner = kNoOwner;
  ASSERT_TRUE(next.claim("b", page, now).has_value());
  EXPECT_EQ(alarms_of(next), Words{"claims-awaited sw: 1 managers that are known have not claimed; "
                                   "1 removal waits for that"});
  now = next.wake_at();
  next.on_time(now);
  EXPECT_EQ(alarms_of(next),
            Words{"entries-of-nobody sw: 1 cross-connect is in no ledger: its contract is not "
                  "known; manager a has not claimed all; 1 removal waits for that"});
}

TEST_F(SwitchAlarms, EntriesThatNobodyClaims) {
  fake.table = {{kTrunk, atm_label(0, 40), kOut, atm_label(0, 41)},
                {kTrunk, atm_label(0, 42), kOut, atm_label(0, 43)}};
  SwitchControllerOptions options{.name = "sw"};
  options.known = {{"a", Epoch{1}}};
  SwitchController next(options, fake);
  next.on_driver(driver::Up{ports(), true}, now);
  next.on_driver(fake.answers.front().event, now);
  fake.answers.clear();
  EXPECT_EQ(alarms_of(next),
            Words{"claims-awaited sw: 1 managers that are known have not claimed"});
  now = next.wake_at();
  next.on_time(now);
  EXPECT_EQ(alarms_of(next), Words{"entries-of-nobody sw: 2 cross-connects are in no ledger: their "
                                   "contracts are not known; manager a has not claimed all"});
  ASSERT_TRUE(next.forget("a"));
  EXPECT_EQ(alarms_of(next), Words{"entries-of-nobody sw: 2 cross-connects are in no ledger: their "
                                   "contracts are not known"});
  // An operator removes them.
  const auto look = [&] {
    EXPECT_TRUE(next.attach("b", Epoch{1}).has_value());
    EXPECT_TRUE(next.audit("b", 1).has_value());
    next.on_driver(fake.answers.front().event, now);
    fake.answers.clear();
    return next.take_outputs().audits.at(0).report.findings;
  };
  const std::vector<Finding> seen = look();
  EXPECT_EQ(seen.size(), 2U);
  ASSERT_TRUE(next.repair({seen.at(0)}, 2, now).has_value());
  while (!fake.answers.empty()) {
    const driver::Event event = fake.answers.front().event;
    fake.answers.pop_front();
    next.on_driver(event, now);
  }
  next.take_outputs();
  EXPECT_EQ(alarms_of(next),
            Words{"entries-of-nobody sw: 1 cross-connect is in no ledger: its contract is not "
                  "known"});
  fake.table.clear();
  EXPECT_EQ(look().size(), 0U);
  EXPECT_EQ(alarms_of(next), Words{});
}

TEST_F(SwitchAlarms, APortThatIsDown) {
  controller.on_driver(driver::Ports{without(kOut), {}}, now);
  EXPECT_EQ(alarms(), Words{"port-down sw port 4: the switch reports that it is down"});
}

TEST_F(SwitchAlarms, LabelsThatAreNearlyTaken) {
  ASSERT_EQ(controller.grant("a", kOut, 29, {}, now)->labels.size(), 29U);
  EXPECT_EQ(alarms(), Words{});  // 29 of 32: an alarm would be kept, and none is raised
  EXPECT_EQ(conditions_of(controller, "sw").size(), 1U);
  ASSERT_EQ(controller.grant("a", kOut, 2, {}, now)->labels.size(), 2U);
  EXPECT_EQ(alarms(), Words{"labels-short sw port 4: 97 % of 32 labels are taken; most by a; "
                            "a holds more than its calls use"});
}

TEST_F(SwitchAlarms, BandwidthThatIsNearlyPromised) {
  HopSetup setup = whole_path(7);
  setup.demand = {960, 10};
  EXPECT_EQ(run({{setup}, {}, {}}).results.at(0).cause, Cause::kNone);
  EXPECT_EQ(alarms(),
            Words{"bandwidth-short sw port 2: 96 % of 1000 cells/s are taken; most by a"});
}

class PortEvents : public testing::Test {
 protected:
  Words changes(const std::vector<SwitchPort>& ports) {
    Words words;
    for (const Event& event : watch_.changes(ports, "sw")) {
      words.push_back(fmt::format("{} {}", to_string(event.kind), event.object));
    }
    return words;
  }
  static SwitchPort port(std::uint32_t number, bool up) { return {PortId{number}, {}, 1000, up}; }

  PortWatch watch_;
};

TEST_F(PortEvents, AreChangesOfPortsOnly) {
  EXPECT_EQ(changes({port(1, true), port(2, false)}), Words{"link-down sw port 2"});
  EXPECT_EQ(changes({port(1, true), port(2, false)}), Words{});
  EXPECT_EQ(changes({port(1, false), port(2, true)}),
            (Words{"link-down sw port 1", "link-up sw port 2"}));
  EXPECT_EQ(changes({port(1, false)}), Words{"link-down sw port 2"});  // it is gone
}

}  // namespace
}  // namespace xbind
