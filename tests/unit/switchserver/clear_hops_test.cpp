// The hops of managers that do not return, removed by the operator.
#include "paths_fixture.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

class ClearHopsTest : public ControllerPathsTest {
 protected:
  std::uint64_t clear(ConnectionId connection = {}) {
    const auto left = controller.clear_hops("a", connection, now);
    EXPECT_TRUE(left.has_value());
    return left.value_or(99);
  }
};

TEST_F(ClearHopsTest, OneConnectionGoesFromLedgerAndSwitchAndItsLabelRests) {
  const HopSetup other = committed(2, 41);
  const HopSetup gone = committed(3, 42);
  controller.detach("a");
  EXPECT_EQ(clear(gone.key.connection), 1U) << "the switch has not confirmed it";
  answer();
  EXPECT_EQ(clear(gone.key.connection), 0U);
  EXPECT_FALSE(fake.table.contains(cross(gone)));
  EXPECT_TRUE(fake.table.contains(cross(other)));
  EXPECT_EQ(holder(gone.output_label), LabelHolder::kQuarantine);
}

TEST_F(ClearHopsTest, AllOfAManagerGoPathsOverPathsIncluded) {
  ASSERT_EQ(run({{later}, {}, {}}).results.at(0).cause, Cause::kNone);
  controller.detach("a");
  EXPECT_EQ(clear(), 2U);
  answer();
  EXPECT_EQ(clear(), 1U) << "the earlier path follows the later one";
  answer();
  EXPECT_EQ(clear(), 0U);
  EXPECT_TRUE(fake.table.empty());
  EXPECT_EQ(controller.ledger().hops().size(), 0U);
  EXPECT_EQ(controller.forget("a"), 0U);
}

TEST_F(ClearHopsTest, WhileTheSwitchIsAwayTheyStayAndAreRemovedWhenItIsBack) {
  const HopSetup gone = committed(3, 42);
  controller.detach("a");
  controller.on_driver(driver::Down{"test"}, now);
  EXPECT_EQ(clear(gone.key.connection), 1U);
  EXPECT_EQ(clear(gone.key.connection), 1U);
  controller.on_driver(driver::Up{ports(), true}, now);
  answer();
  answer();
  EXPECT_EQ(clear(gone.key.connection), 0U);
  EXPECT_FALSE(fake.table.contains(cross(gone)));
}

TEST_F(ClearHopsTest, ACallEndsOnceWhereItsFirstHopIs) {
  const HopSetup first = whole_path(7);
  ASSERT_EQ(run({{first}, {}, {}}).results.at(0).cause, Cause::kNone);
  const HopSetup middle_hop = committed(3, 42);
  controller.detach("a");
  std::vector<SwitchController::ClearedCall> calls;
  ASSERT_TRUE(controller.clear_hops("a", middle_hop.key.connection, now, &calls).has_value());
  EXPECT_TRUE(calls.empty()) << "it ends at the SwitchServer of its first hop";
  // Asked again while the switch has not confirmed it: nothing more ends.
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(controller.clear_hops("a", {}, now, &calls).value(), 3U);
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0].connection, first.key.connection);
  }
}

TEST_F(ClearHopsTest, AnAttachedManagerKeepsItsHops) {
  const auto refused = controller.clear_hops("a", {}, now);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(refused.error().text, "manager a is attached");
  EXPECT_EQ(controller.clear_hops("nobody", {}, now), 0U);
}

TEST_F(ClearHopsTest, EveryManagerIsListedWithWhatItHas) {
  committed(3, 42);
  const std::uint64_t hops = controller.ledger().hops().size();
  controller.detach("a");
  const auto all = controller.holdings();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].manager, (KnownManager{"a", Epoch{1}}));
  EXPECT_FALSE(all[0].attached);
  EXPECT_FALSE(all[0].forgotten);
  EXPECT_EQ(all[0].hops, hops);
  EXPECT_EQ(controller.forget("a"), hops);
  EXPECT_TRUE(controller.holdings().at(0).forgotten);
}

}  // namespace
}  // namespace xbind
