// A hop that goes without the switch, whatever is open for it.
#include <deque>
#include <map>
#include <vector>

#include "ledger_fixture.hpp"

namespace xbind {
namespace {

using ::testing::IsEmpty;

class LedgerForgottenTest : public LedgerTest {
 protected:
  static constexpr PortId kSide{2};
};

// The shortest way of events to each state, from a commit on.
std::map<HopFsm::State, std::vector<HopFsm::Event>> ways_to_states() {
  std::map<HopFsm::State, std::vector<HopFsm::Event>> ways{{HopFsm::State::kAdding, {}}};
  std::deque<HopFsm::State> next{HopFsm::State::kAdding};
  for (; !next.empty(); next.pop_front()) {
    for (std::size_t e = 0; e < HopFsm::kEvents; ++e) {
      const auto event = static_cast<HopFsm::Event>(e);
      const auto step = HopFsm::step(next.front(), event);
      if (!step || step->next == HopFsm::State::kGone || ways.contains(step->next)) continue;
      ways[step->next] = ways[next.front()];
      ways[step->next].push_back(event);
      next.push_back(step->next);
    }
  }
  return ways;
}

// A manager that claims a later generation while a request for this hop is open does no harm.
TEST_F(LedgerForgottenTest, AHopIsForgottenInEveryStateOnceALaterGenerationIsClaimed) {
  const auto ways = ways_to_states();
  EXPECT_EQ(ways.size(), HopFsm::kStates - 2) << "all but reserved and gone";
  std::uint64_t connection = 10;
  for (const auto& [state, way] : ways) {
    SCOPED_TRACE(HopFsm::name(state));
    HopSetup setup = middle(++connection, atm_label(0, 36), cache_one(a));
    const HopRef earlier = ledger.set_up(a, setup).hop;
    for (const HopFsm::Event event : way) ledger.step(earlier, event);
    ASSERT_EQ(ledger.hops().hop(earlier).state(), state);
    LedgerHop later;
    later.key = setup.key;
    later.key.generation = Generation{2};
    later.cross_connect = {setup.input_port, setup.input_label, kSide, cache_one(a, kSide)};
    later.demand = setup.demand;
    later.contract = setup.contract;
    later.stage = HopStage::kCommitted;
    later.settled = true;
    later.hop_count = setup.hop_count;
    const Admission claimed = ledger.claim(a, later);
    ASSERT_TRUE(claimed.admitted());
    EXPECT_TRUE(ledger.stacks().superseded(earlier));
    const std::uint64_t before = ledger.hops().occurrences().at(state, HopFsm::Event::kForgotten);
    EXPECT_TRUE(ledger.begin_removal(earlier)) << "gone without the switch";
    EXPECT_EQ(ledger.hops().occurrences().at(state, HopFsm::Event::kForgotten), before + 1);
    EXPECT_TRUE(ledger.grants().return_label(a, kOut, setup.output_label));
    EXPECT_THAT(ledger.self_check("sw"), IsEmpty());
    remove(claimed.hop);
    EXPECT_TRUE(ledger.grants().return_label(a, kSide, later.cross_connect.output_label));
  }
}

}  // namespace
}  // namespace xbind
