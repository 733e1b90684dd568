// A manager of 754 switches, of which 100 are stopped: their kernel accepts connections, and no
// request is ever answered. In virtual time, with the policy and the bounds of the daemon.
#include "cmgr/parts/attach_policy.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace xbind::cmgr {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kSwitches = 754;
constexpr std::size_t kStopped = 100;
constexpr Duration kAnswer = milliseconds{5};  // of a SwitchServer that runs
constexpr Duration kCallTimeout = seconds{5};  // orb/runtime.hpp, for an attempt without patience
constexpr Duration kWanted = seconds{2};

class AttachPolicyTest : public ::testing::Test {
 protected:
  AttachPolicyTest() {
    // Spread over the names: of several peers that are due, the first by name is tried first.
    for (std::size_t i = 0; i < kStopped; ++i) stopped.insert(name_of(i * kSwitches / kStopped));
    for (std::size_t i = 0; i < kSwitches; ++i) attach(name_of(i));
  }
  static std::string name_of(std::size_t number) { return fmt::format("node-{:03}", number); }

  void attach(const std::string& name, AttachTable::Lost lost = AttachTable::Lost::kNothing) {
    ASSERT_TRUE(table.attach(name, now, attach_jitter("default", name), lost).has_value());
    attached.erase(name);
  }
  // Makes attempts and reports their ends until `done`; false: nothing happens any more.
  template <class Done>
  bool run_until(Done done) {
    while (!done()) {
      while (const auto due = table.take(now)) {
        const bool silent = stopped.contains(due->name);
        under_way.emplace(now + (silent ? std::min(due->patience, kCallTimeout) : kAnswer), *due);
      }
      const TimePoint next =
          std::min(table.next_deadline(), under_way.empty() ? kNever : under_way.begin()->first);
      if (next == kNever) return false;
      now = std::max(now, next);
      while (!under_way.empty() && under_way.begin()->first <= now) {
        const AttachTable::Due due = under_way.extract(under_way.begin()).mapped();
        if (stopped.contains(due.name)) {
          EXPECT_TRUE(table.failed(due.name, due.attempt, now));
        } else if (table.attached(due.name, due.attempt, now)) {
          attached.insert(due.name);
        }
      }
    }
    return true;
  }
  bool run_until_all_that_run_are_attached() {
    return run_until([&] { return attached.size() == kSwitches - stopped.size(); });
  }

  AttachTable table{kSwitchAttaching, kSwitchAttachLimits};
  TimePoint now{hours{7}};
  std::set<std::string> stopped;
  std::set<std::string> attached;
  std::multimap<TimePoint, AttachTable::Due> under_way;  // by the time of their end
};

TEST_F(AttachPolicyTest, AtItsStartAManagerFindsAllThatRun) {
  const TimePoint began = now;
  ASSERT_TRUE(run_until_all_that_run_are_attached());
  // Each stopped one is tried once, for a second, sixteen at a time: see startup-patience-ms.
  EXPECT_LE(now - began, seconds{8});
}

TEST_F(AttachPolicyTest, OneThatRestartsIsAttachedSoonWhileAHundredAreSilent) {
  ASSERT_TRUE(run_until_all_that_run_are_attached());
  for (const std::string& restarted : {name_of(1), name_of(376), name_of(753)}) {
    ASSERT_FALSE(stopped.contains(restarted));
    const TimePoint began = now;
    attach(restarted);
    ASSERT_TRUE(run_until([&] { return attached.contains(restarted); }));
    EXPECT_LE(now - began, kWanted);
  }
}

TEST_F(AttachPolicyTest, AndWhenTheHundredFallSilentAtThatMoment) {
  const std::set<std::string> all_at_once = std::exchange(stopped, {});
  ASSERT_TRUE(run_until_all_that_run_are_attached());
  now += hours{1};
  stopped = all_at_once;
  for (const std::string& name : stopped) attach(name, AttachTable::Lost::kBySilence);
  const std::string restarted = name_of(753);
  const TimePoint began = now;
  attach(restarted);
  ASSERT_TRUE(run_until([&] { return attached.contains(restarted); }));
  EXPECT_LE(now - began, kWanted);
}

TEST_F(AttachPolicyTest, AllComeBackWhenTheHundredRunOn) {
  ASSERT_TRUE(run_until_all_that_run_are_attached());
  stopped.clear();
  ASSERT_TRUE(run_until_all_that_run_are_attached());
  EXPECT_EQ(table.next_deadline(), kNever);
}

}  // namespace
}  // namespace xbind::cmgr
