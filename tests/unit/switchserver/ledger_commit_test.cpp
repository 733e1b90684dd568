// Commits of earlier reservations, with changes at their ports in between.
#include "ledger_fixture.hpp"

namespace xbind {
namespace {

class LedgerCommitTest : public LedgerTest {
 protected:
  // Reserves the middle hop of connection 1 with a label of a's cache; returns its commit.
  HopSetup reserved(const TrafficContract& contract = {}) {
    HopSetup commit = middle(1, kInput, cache_one(a));
    commit.contract = contract;
    HopSetup first = reserve(commit);
    first.output_label = commit.output_label;
    EXPECT_TRUE(ledger.set_up(a, first).admitted());
    return commit;
  }
};

TEST_F(LedgerCommitTest, IsOfTheSameRequestAsTheReservation) {
  HopSetup commit = reserved();
  commit.request = RequestId{99};
  expect_refused(ledger.set_up(a, commit), Cause::kInvalidRequest, {}, 1);
  EXPECT_EQ(ledger.hops().size(), 0U) << "a refused commit leaves nothing";
}

TEST_F(LedgerCommitTest, IsOfAPathOfTheSameLengthAsTheReservation) {
  HopSetup commit = reserved();
  commit.hop_count = 4;
  expect_refused(ledger.set_up(a, commit), Cause::kInvalidRequest, {}, 1);
}

TEST_F(LedgerCommitTest, IsRefusedWhenItsOutputPortHasGone) {
  const HopSetup commit = reserved();
  std::vector<SwitchPort> left = ports(1000);
  left.pop_back();
  ledger.set_ports(left);
  expect_refused(ledger.set_up(a, commit), Cause::kUnknownPort, kOut, kOut.value());
  EXPECT_EQ(ledger.hops().size(), 0U);
}

// A modify before the commit and one after it. A repeated commit may carry its own contract or the
// present one, but not the contract of the reservation.
TEST_F(LedgerCommitTest, MayBeSaidAgainInItsOwnWordsAfterAModify) {
  constexpr TrafficContract kFirst{ServiceCategory::kCbr, 100, 250};
  constexpr TrafficContract kSecond{ServiceCategory::kCbr, 200, 250};
  constexpr TrafficContract kThird{ServiceCategory::kCbr, 300, 250};
  HopSetup commit = reserved(kFirst);
  EXPECT_TRUE(ledger.modify(a, {commit.key, 1, commit.demand, kSecond}).admitted());
  commit.contract = kSecond;
  const Admission admitted = ledger.set_up(a, commit);
  ASSERT_TRUE(admitted.admitted());
  ledger.step(admitted.hop, HopFsm::Event::kAdded);
  EXPECT_TRUE(ledger.modify(a, {commit.key, 2, commit.demand, kThird}).admitted());
  EXPECT_TRUE(ledger.set_up(a, commit).repeated);
  commit.contract = kFirst;
  EXPECT_EQ(ledger.set_up(a, commit).cause, Cause::kInvalidRequest);
}

// ===== ports that change =====

TEST_F(LedgerCommitTest, ALabelRangeStaysAsLongAsALabelOfTheInputIsInUse) {
  const HopRef hop = committed(a, middle(1, kInput, cache_one(a)));
  const LabelRanges others{atm_range(0, 0, 100, 109)};
  const LabelRanges first = ledger.ports().present().at(2).labels;
  ledger.set_ports(ports(1000, others));
  EXPECT_EQ(ledger.ports().present().at(2).port, kTrunk);
  EXPECT_EQ(ledger.ports().present().at(2).labels, first) << "0/35 comes in there";
  EXPECT_EQ(input_holder(kInput), LabelHolder::kConnection);
  remove(hop);
  ledger.set_ports(ports(1000, others));
  EXPECT_EQ(ledger.ports().present().at(2).labels, others);
}

// ===== quotas =====

TEST_F(LedgerCommitTest, AQuotaThatCoversHopsBeyondTheOldOneCostsNothingForEitherResource) {
  EXPECT_EQ(ledger.grants().grant_quota(a, kOut, {100, 10}), (Resources{100, 10}));
  committed(a, middle(1, kInput, cache_one(a), {150, 300}));
  // 850 cells/s and 200 cells of buffer are free; the hop takes 50 and 290 beyond the quota.
  EXPECT_EQ(ledger.grants().grant_quota(a, kOut, {2'000, 2'000}), (Resources{900, 490}));
}

}  // namespace
}  // namespace xbind
