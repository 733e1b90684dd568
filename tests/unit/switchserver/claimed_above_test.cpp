// A manager that claims a later generation of a hop while a request for the hop is open.
#include <map>
#include <optional>

#include "claims_fixture.hpp"

namespace xbind {
namespace {

class ClaimedAboveTest : public ClaimsTest {
 protected:
  static constexpr TrafficContract kFast{ServiceCategory::kCbr, 100, 1'000, 0, 0, 0};
  static constexpr TrafficContract kSlow{ServiceCategory::kCbr, 50, 1'000, 0, 0, 0};

  void SetUp() override {
    ClaimsTest::SetUp();
    HopSetup fast = middle(2, 41, cache_one());
    fast.contract = kFast;
    commits(fast);
    const HopClaims all = claims_of();
    for (const LedgerHop& hop : all.hops) {
      if (hop.key == fast.key) hop_ = hop;
    }
    const Label above = cache_on(kEnd);
    restart();
    attach();
    above_ = hop_;
    above_.key.generation = Generation{2};
    above_.cross_connect.output_port = kEnd;
    above_.cross_connect.output_label = above;
    above_.owner = hop_.owner = kNoOwner;
  }
  // A page of claims; the switch does not answer.
  void claims(const LedgerHop& hop) {
    ASSERT_TRUE(next().claim("a", HopClaims{{hop}, {}, {}, false}, now).has_value());
  }
  void asks(const HopBatch& batch, SwitchController::Token token) {
    ASSERT_TRUE(next().apply("a", batch, token, now).has_value());
  }
  HopBatch change_to(const TrafficContract& contract, std::uint32_t revision) const {
    HopBatch batch;
    batch.modifies = {{hop_.key, revision, hop_.demand, contract}};
    return batch;
  }
  // The cause of the only result of that batch; nullopt: it waits.
  std::optional<Cause> cause_of(SwitchController::Token token) {
    for (const auto& each : next().take_outputs().results) {
      causes_[each.token] = each.batch.results.at(0).cause;
    }
    const auto found = causes_.find(token);
    return found == causes_.end() ? std::nullopt : std::optional{found->second};
  }

  LedgerHop hop_;
  LedgerHop above_;
  std::map<SwitchController::Token, Cause> causes_;
};

TEST_F(ClaimedAboveTest, AHopThatIsForgottenEndsItsChangeAndTheOneBehindIt) {
  claims(hop_);
  asks(change_to(kSlow, 1), 11);  // --> Add Branch; no answer yet
  asks(change_to(kFast, 2), 12);
  claims(above_);
  asks({{}, {{hop_.key, 0}}, {}}, 13);
  EXPECT_EQ(cause_of(13), Cause::kNone)
      << "it is below the later generation: gone without the switch";
  EXPECT_EQ(cause_of(11), Cause::kBeingReleased);
  EXPECT_EQ(cause_of(12), Cause::kBeingReleased);
  answers();

  // The next hop gets the record. Its own change is refused by the switch, and nothing else.
  claim({{}, {}, {}, true});
  const HopSetup fresh = [&] {
    HopSetup setup = middle(3, 42, next().grant("a", kOut, 1, {}, now)->labels.at(0));
    setup.contract = kSlow;
    return setup;
  }();
  asks(setup(fresh), 15);
  ASSERT_EQ(fake.answers.size(), 1U);
  driver::Event refused = fake.answers.front().event;
  fake.answers.pop_front();
  std::get<driver::Done>(refused).cause = Cause::kSwitchRefused;
  next().on_driver(refused, now);
  EXPECT_EQ(cause_of(15), Cause::kSwitchRefused);
}

}  // namespace
}  // namespace xbind
