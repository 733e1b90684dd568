// Claims after a restart of hops that share a label, or of labels without a hop.
#include <algorithm>
#include <set>

#include "claims_fixture.hpp"

namespace xbind {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// ----- paths of one call ------------------------------------------------------------------------

TEST_F(ClaimsTest, ThreePathsStandInTheirOrderInWhateverOrderTheyAreClaimed) {
  commits(later);
  const HopSetup third = take_over(later, kOut, cache_on(kOut));
  commits(third);
  HopClaims claims = claims_of();
  std::ranges::sort(claims.hops, {}, &LedgerHop::key);
  ASSERT_THAT(claims.hops, SizeIs(3));
  do {
    SCOPED_TRACE(testing::Message() << "generations " << claims.hops[0].key.generation.value()
                                    << ", " << claims.hops[1].key.generation.value() << ", "
                                    << claims.hops[2].key.generation.value());
    fake.table = {cross(third)};
    restart();
    attach();
    EXPECT_THAT(claim(claims).refused, IsEmpty());
    EXPECT_THAT(look(), IsEmpty());
    EXPECT_EQ(remove(third.key).cause, Cause::kNone);
    EXPECT_EQ(fake.table, std::set{cross(later)}) << "back to the path before";
    EXPECT_THAT(look(), IsEmpty());
    EXPECT_EQ(remove(later.key).cause, Cause::kNone);
    EXPECT_EQ(fake.table, std::set{cross(old)});
    EXPECT_THAT(look(), IsEmpty());
  } while (std::ranges::next_permutation(claims.hops, {}, &LedgerHop::key).found);
}

// The one in the middle may be claimed for removal: it was superseded, so the switch keeps what it
// has.
TEST_F(ClaimsTest, OfThreePathsTheMiddleOneGoesWithoutARequest) {
  commits(later);
  const HopSetup third = take_over(later, kOut, cache_on(kOut));
  commits(third);
  const HopClaims claims = claims_of();
  restart();
  attach();
  claim(claims);
  const int removes = fake.removes;
  const int moves = fake.moves;
  EXPECT_EQ(remove(later.key), removed(later.key, later.output_label));
  EXPECT_EQ(remove(old.key), removed(old.key, old.output_label));
  EXPECT_EQ(fake.removes, removes);
  EXPECT_EQ(fake.moves, moves);
  EXPECT_EQ(fake.table, std::set{cross(third)});
  EXPECT_THAT(look(), IsEmpty());
  EXPECT_EQ(remove(third.key).cause, Cause::kNone);
  EXPECT_THAT(fake.table, IsEmpty());
}

// The switch lacks it, so it is put back. It is removed before the last page, and the switch
// answers the delete before the add.
TEST_F(ClaimsTest, AHopThatIsRemovedWhileClaimsComeEndsWithTheAnswerToItsAdd) {
  HopClaims claims = claims_of();
  ASSERT_THAT(claims.hops, SizeIs(1));
  fake.table.clear();
  restart();
  attach();
  claims.last = false;
  claim(claims);
  const int removes = fake.removes;
  next().on_driver(driver::Ports{ports(), {old.input_port}}, now);
  ASSERT_TRUE(next().apply("a", removal(old), 6, now).has_value());
  ASSERT_THAT(fake.answers, SizeIs(2));
  std::swap(fake.answers[0], fake.answers[1]);
  next().on_driver(fake.answers[0].event, now);
  fake.answers.pop_front();
  EXPECT_TRUE(next().claim("a", HopClaims{{}, {}, {}, true}, now).has_value());
  EXPECT_EQ(fake.removes, removes + 1) << "once";
  EXPECT_THAT(next().take_outputs().results, IsEmpty()) << "the add is open";
  answers();
  EXPECT_EQ(next().take_outputs().results.at(0).batch.results.at(0),
            removed(old.key, old.output_label));
  EXPECT_EQ(books().hops().size(), 0U);
}

// ----- branches ---------------------------------------------------------------------------------

class BranchClaimsTest : public ClaimsTest {
 protected:
  void SetUp() override {
    ClaimsTest::SetUp();
    fake.may_branch = [](const CrossConnect&, const CrossConnect&) { return true; };
    root_ = whole_path(7);
    commits(root_);
    root_.input_label = both(0, 0).hops.at(0).cross_connect.input_label;
    leaf_ = root_;
    leaf_.key.leg = 2;
    leaf_.branch = true;
    leaf_.output_port = kTrunk;
    commits(leaf_);
    for (const LedgerHop& hop : both(0, 0).hops) entries_.insert(hop.cross_connect);
  }
  // Root and leaf, as `enters` and with these demands.
  HopClaims both(std::uint64_t of_root, std::uint64_t of_leaf) {
    HopClaims claims = claims_of();
    std::erase_if(claims.hops,
                  [&](const LedgerHop& hop) { return hop.key.connection != root_.key.connection; });
    for (LedgerHop& hop : claims.hops) {
      hop.enters = true;
      hop.demand.cells_per_s = hop.branch ? of_leaf : of_root;
    }
    return claims;
  }
  std::uint64_t entering() { return books().usage(kIn)->ingress_cells_per_s; }

  HopSetup root_;
  HopSetup leaf_;
  std::set<CrossConnect> entries_;  // of both
};

// A change of the contract may have reached one of them only: the cells come once, and as many as
// the greater contract allows.
TEST_F(BranchClaimsTest, TheGreaterDemandOfTheBranchesIsCountedWhereTheCellsEnter) {
  for (const auto& [of_root, of_leaf] : {std::pair(10, 5), std::pair(5, 10)}) {
    HopClaims claims =
        both(static_cast<std::uint64_t>(of_root), static_cast<std::uint64_t>(of_leaf));
    ASSERT_THAT(claims.hops, SizeIs(2));
    for (int order = 0; order < 2; ++order) {
      SCOPED_TRACE(testing::Message() << of_root << " and " << of_leaf << ", order " << order);
      fake.table.insert(entries_.begin(), entries_.end());
      restart();
      attach();
      EXPECT_THAT(claim(claims).refused, IsEmpty());
      EXPECT_EQ(entering(), 10U);
      EXPECT_THAT(books().self_check("sw"), IsEmpty());
      EXPECT_EQ(remove(claims.hops[0].key).cause, Cause::kNone);
      EXPECT_NE(entering(), 0U) << "passed to the other branch";
      EXPECT_EQ(remove(claims.hops[1].key).cause, Cause::kNone);
      EXPECT_EQ(entering(), 0U);
      std::ranges::reverse(claims.hops);
    }
  }
}

TEST_F(BranchClaimsTest, OneLegOfAnInputLeavesByAPort) {
  HopClaims claims = both(10, 10);
  LedgerHop& leaf = *std::ranges::find(claims.hops, true, &LedgerHop::branch);
  leaf.cross_connect.output_port = kEnd;  // the root's
  leaf.cross_connect.output_label = atm_label(0, 60);
  for (int order = 0; order < 2; ++order) {
    SCOPED_TRACE(order);
    restart();
    attach();
    const ClaimsTaken taken = claim(claims);
    ASSERT_THAT(taken.refused, SizeIs(1));
    EXPECT_EQ(taken.refused[0].key, claims.hops[1].key);
    EXPECT_EQ(taken.refused[0].cause, Cause::kForeignInputLabel);
    std::ranges::reverse(claims.hops);
  }
}

// ----- an output label of two hops --------------------------------------------------------------

// Paths that have met again are one from there on: both hops are the last one, or neither is.
TEST_F(ClaimsTest, ALastHopDoesNotJoinAPassingOne) {
  HopClaims claims = claims_of();
  LedgerHop joining = claims.hops.at(0);
  joining.key.generation = Generation{2};
  joining.cross_connect.input_port = kIn;
  joining.cross_connect.input_label = atm_label(0, 50);
  claims.hops.push_back(joining);
  fake.table.insert(joining.cross_connect);
  for (const bool last : {false, true}) {
    for (int order = 0; order < 2; ++order) {
      SCOPED_TRACE(testing::Message() << last << order);
      for (LedgerHop& hop : claims.hops) {
        const bool ends = last && hop.key.generation == Generation{2};
        hop.hop_count = ends ? hop.key.hop + 1 : 3;
      }
      restart();
      attach();
      const ClaimsTaken taken = claim(claims);
      ASSERT_THAT(taken.refused, SizeIs(last ? 1 : 0));
      if (last) {
        EXPECT_EQ(taken.refused[0].key, claims.hops[1].key);
        EXPECT_EQ(taken.refused[0].cause, Cause::kLabelNotHeld);
      }
      std::ranges::reverse(claims.hops);
    }
  }
}

// ----- holds ------------------------------------------------------------------------------------

TEST_F(ClaimsTest, TheReserveOfAClaimedHoldIsTheSameRequestAgain) {
  for (const bool named : {false, true}) {
    SCOPED_TRACE(named);
    HopSetup held = reserve(whole_path(named ? 6 : 5));
    held.held = true;
    held.hold_ms = 60'000;
    if (named) held.input_label = atm_label(0, 45);
    EXPECT_EQ(run(setup(held)).results.at(0).cause, Cause::kNone);
    const HopClaims claims = claims_of();
    restart();
    attach();
    EXPECT_THAT(claim(claims).refused, IsEmpty());
    EXPECT_EQ(commit(held).cause, Cause::kNone);
    HopSetup different = held;
    different.input_label = atm_label(0, 46);
    EXPECT_EQ(commit(different).cause, Cause::kInvalidRequest);
  }
}

// ----- bounds -----------------------------------------------------------------------------------

TEST_F(ClaimsTest, HopsAreClaimedUpToTheBoundOfTheLedger) {
  committed(2, 41);
  const HopClaims claims = claims_of();
  ASSERT_THAT(claims.hops, SizeIs(2));
  for (const std::size_t most : {2, 1}) {
    SCOPED_TRACE(most);
    SwitchControllerOptions options{.name = "sw", .ledger = {.hops_max = most}};
    options.known = {{"a", Epoch{1}}};
    next_.emplace(options, fake);
    next().on_driver(driver::Up{ports(), true}, now);
    answers();
    attach();
    const ClaimsTaken taken = claim(claims);
    EXPECT_EQ(books().hops().size(), most);
    ASSERT_THAT(taken.refused, SizeIs(2 - most));
    if (most == 1) {
      EXPECT_EQ(taken.refused[0], refused(claims.hops[1].key, HopAction::kCommit, Cause::kBusy, 2));
    }
    EXPECT_THAT(claim(claims).refused, SizeIs(2 - most)) << "repeated ones need no more room";
  }
}

// ----- labels without a hop ---------------------------------------------------------------------

// A switch of GSMP 1.1 does not say where an entry leads.
TEST_F(ClaimsTest, AHopWhoseEntryNamesNoOutputLeavesItsInputFree) {
  HopClaims page = claims_of();
  page.last = false;
  fake.table = {{old.input_port, old.input_label, PortId{}, Label{}}};
  restart();
  attach();
  claim(page);
  EXPECT_EQ(remove(old.key).cause, Cause::kNone);
  fake.table.clear();
  EXPECT_EQ(books().labels().input_label(old.input_port, old.input_label)->holder,
            LabelHolder::kFree);
  claim({{}, {}, {}, true});
  EXPECT_EQ(next().entries_of_nobody(), 0U);
}

TEST_F(ClaimsTest, ALapsedLabelIsTheManagersOwnOrFree) {
  restart(std::nullopt);
  attach();
  attach("b");
  const Label own = next().grant("a", kEnd, 1, {}, now)->labels.at(0);
  const Label of_b = next().grant("b", kEnd, 1, {}, now)->labels.at(0);
  const Label unused = atm_label(0, 60);
  EXPECT_EQ(holder_of(own, kEnd), LabelHolder::kCached);
  claim({{}, {}, {{kEnd, {own, of_b, unused}}, {kOut, {old.output_label}}}, true});
  EXPECT_EQ(holder_of(own, kEnd), LabelHolder::kQuarantine);
  EXPECT_EQ(holder_of(unused, kEnd), LabelHolder::kQuarantine);
  EXPECT_EQ(holder_of(of_b, kEnd), LabelHolder::kCached);
  EXPECT_EQ(holder_of(old.output_label), LabelHolder::kUnclaimed) << "an entry has it";
  // A session that ends gives none of them back.
  next().detach("a");
  EXPECT_EQ(holder_of(own, kEnd), LabelHolder::kQuarantine);
  attach();
  const auto resting = claim({{}, {}, {{kEnd, {own}}}, true}).quarantined;
  ASSERT_THAT(resting, SizeIs(1));
  EXPECT_EQ(resting[0].port, kEnd);
  EXPECT_THAT(resting[0].labels, UnorderedElementsAre(own, unused));
}

}  // namespace
}  // namespace xbind
