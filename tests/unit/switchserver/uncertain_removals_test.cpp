// Hops to be removed that no answer has ever confirmed: what becomes of them while other managers
// may claim their labels.
#include "claims_fixture.hpp"

namespace xbind {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class UncertainRemovals : public ClaimsTest {
 protected:
  // What the manager had there, as a hop whose commit was never answered.
  HopClaims uncertain() {
    HopClaims claims = claims_of();
    claims.hops.at(0).stage = HopStage::kRemoving;
    claims.hops.at(0).settled = false;
    return claims;
  }
};

// Its label may have lapsed with a session, and have been granted to another manager since.
TEST_F(UncertainRemovals, AHopThatWasNeverConfirmedIsRemovedWhenNobodyElseHasItsLabels) {
  const HopClaims others = claims_of();
  const HopClaims claims = uncertain();
  for (const bool of_another : {true, false}) {
    SCOPED_TRACE(of_another);
    restart({{{"a", Epoch{1}}, {"b", Epoch{1}}}});
    attach();
    attach("b");
    claim(claims);
    EXPECT_EQ(remove(claims.hops[0].key).cause, Cause::kSwitchUnreachable) << "it stays owed";
    claim(of_another ? others : HopClaims{{}, {}, {}, true}, "b");
    EXPECT_EQ(fake.table.contains(cross(old)), of_another);
    EXPECT_EQ(remove(claims.hops[0].key).cause, Cause::kNone);
    EXPECT_EQ(fake.table.contains(cross(old)), of_another);
    EXPECT_THAT(look(), IsEmpty());
  }
}

TEST_F(UncertainRemovals, WhatWaitsToBeRemovedIsNotForgottenWhenTheWaitIsOver) {
  const HopClaims claims = uncertain();
  for (const bool claimed_later : {true, false}) {
    SCOPED_TRACE(claimed_later);
    restart({{{"a", Epoch{1}}, {"b", Epoch{1}}}});
    attach();
    if (!claimed_later) claim(claims);
    now += std::chrono::seconds{15};
    next().on_time(now);
    if (claimed_later) claim(claims);
    EXPECT_TRUE(fake.table.contains(cross(old)));
    EXPECT_EQ(remove(old.key).cause, Cause::kSwitchUnreachable) << "it stays owed";
    attach("b");
    claim(HopClaims{{}, {}, {}, true}, "b");
    EXPECT_FALSE(fake.table.contains(cross(old)));
    EXPECT_EQ(remove(old.key).cause, Cause::kNone);
    fake.table.insert(cross(old));
  }
}

TEST_F(UncertainRemovals, WhatWaitsToBeRemovedIsRemovedWhenTheLastManagerIsForgotten) {
  const HopClaims claims = uncertain();
  for (const bool away : {false, true}) {
    SCOPED_TRACE(away);
    restart({{{"a", Epoch{1}}, {"gone", Epoch{1}}}});
    attach();
    claim(claims);
    EXPECT_EQ(next().removals_waiting(), 1U);
    if (away) next().on_driver(driver::Down{"cut"}, now);
    EXPECT_TRUE(next().forget("gone").has_value());
    if (away) next().on_driver(driver::Up{ports(), true}, now);
    answers();
    EXPECT_EQ(next().removals_waiting(), 0U);
    EXPECT_FALSE(fake.table.contains(cross(old)));
    EXPECT_EQ(remove(old.key).cause, Cause::kNone);
    fake.table.insert(cross(old));
  }
}

TEST_F(UncertainRemovals, NothingWaitsToBeRemovedThatTheSwitchDoesNotHave) {
  const HopClaims claims = uncertain();
  restart({{{"a", Epoch{1}}, {"b", Epoch{1}}}}, false);
  attach();
  claim(claims);
  EXPECT_EQ(next().removals_waiting(), 0U);
  EXPECT_EQ(remove(old.key).cause, Cause::kNone);
}

// It had been claimed as one that stands, before the session ended in which it was to be removed.
TEST_F(UncertainRemovals, WhatTheLedgerHasDoesNotWaitToBeRemoved) {
  const HopClaims standing = claims_of();
  const HopClaims claims = uncertain();
  restart({{{"a", Epoch{1}}, {"b", Epoch{1}}}});
  attach();
  claim(standing);
  claim(claims);
  EXPECT_EQ(next().removals_waiting(), 0U);
  EXPECT_EQ(remove(old.key).cause, Cause::kNone);
  EXPECT_FALSE(fake.table.contains(cross(old)));
}

TEST_F(UncertainRemovals, WhatAnotherManagerHasClaimedDoesNotWaitToBeRemoved) {
  const HopClaims others = claims_of();
  const HopClaims claims = uncertain();
  restart({{{"a", Epoch{1}}, {"b", Epoch{1}}, {"gone", Epoch{1}}}});
  attach();
  attach("b");
  claim(claims);
  EXPECT_EQ(remove(old.key).cause, Cause::kSwitchUnreachable);
  claim(others, "b");
  EXPECT_EQ(remove(old.key).cause, Cause::kNone);
  EXPECT_EQ(next().removals_waiting(), 0U);
  EXPECT_TRUE(fake.table.contains(cross(old)));
}

// Two setups, one after the other, had the same input label, and no answer confirmed either: the
// switch has an entry of one of them at most. Neither claim says where it leads.
TEST_F(UncertainRemovals, OfTwoThatMayHaveOneEntryNoneIsRefused) {
  for (const bool waited : {true, false}) {
    SCOPED_TRACE(waited);
    HopClaims claims = uncertain();
    claims.hops[0].cross_connect.output_label = Label{};
    claims.hops.push_back(claims.hops[0]);
    claims.hops[1].key.connection = ConnectionId{claims.hops[0].key.connection.value() + 1};
    restart({{{"a", Epoch{1}}, {"b", Epoch{1}}}});
    attach();
    attach("b");
    if (waited) claim(claims);
    claim(HopClaims{{}, {}, {}, true}, "b");
    if (!waited) {
      claim(HopClaims{{}, {}, {}, true});
      claim(claims);
    }
    answers();
    EXPECT_EQ(next().counters().claims_refused, 0U);
    EXPECT_FALSE(fake.table.contains(cross(old)));
    for (const LedgerHop& hop : claims.hops) EXPECT_EQ(remove(hop.key).cause, Cause::kNone);
    EXPECT_THAT(look(), IsEmpty());
    fake.table.insert(cross(old));
  }
}

TEST_F(UncertainRemovals, WhoDoesNotKnowTheManagersGivesUpRemovalsWithTheWait) {
  const HopClaims claims = uncertain();
  restart(std::nullopt);
  attach();
  claim(claims);
  EXPECT_EQ(remove(old.key).cause, Cause::kSwitchUnreachable);
  now = next().wake_at();
  next().on_time(now);
  EXPECT_EQ(remove(old.key).cause, Cause::kNone);
  EXPECT_TRUE(fake.table.contains(cross(old))) << "it may be anybody's";
  EXPECT_EQ(next().entries_of_nobody(), 1U);
}

TEST_F(UncertainRemovals, TheNextManagerOfTheNameReadsWhatWaitsToBeRemoved) {
  const HopClaims claims = uncertain();
  restart({{{"a", Epoch{1}}, {"b", Epoch{1}}}});
  attach();
  claim(claims);
  const auto attachment = next().attach("a", Epoch{2});
  ASSERT_TRUE(attachment.has_value());
  EXPECT_EQ(attachment->hops, 1U);
  std::vector<std::uint64_t> places;
  HeldHops page = next().held_hops("a", 0, 10, now, &places);
  EXPECT_THAT(page.hops, IsEmpty());
  ASSERT_NE(page.next, 0U);
  page = next().held_hops("a", page.next, 10, now, &places);
  ASSERT_THAT(page.hops, SizeIs(1));
  EXPECT_EQ(page.hops[0].key, old.key);
  EXPECT_EQ(page.hops[0].stage, HopStage::kRemoving);
  EXPECT_EQ(page.next, 0U);
  EXPECT_THAT(places, SizeIs(1));
  EXPECT_THAT(next().held_hops("a", places[0], 10, now).hops, IsEmpty());
}

}  // namespace
}  // namespace xbind
