// A SwitchServer that has lost its ledger, and managers of a later epoch, which know its hops from
// the hops beside them alone.
#include "claims_fixture.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RebuiltClaims : public ClaimsTest {
 protected:
  // A page that is the last of its round, while the manager may know more later.
  static HopClaims round(std::vector<LedgerHop> hops) {
    HopClaims claims{std::move(hops), {{"mia", Epoch{1}, "ann", "bob"}}, {}, true};
    claims.all = false;
    return claims;
  }
  static HopClaims everything() { return {{}, {}, {}, true}; }
  // The middle hop of a connection, as the manager derives it from both hops beside it.
  static LedgerHop rebuilt(std::uint64_t connection, const CrossConnect& at) {
    LedgerHop hop;
    hop.key = {ConnectionId{connection}, Generation{9}, 0, 1};
    hop.hop_count = 3;
    hop.cross_connect = at;
    hop.demand = {100, 10};
    hop.settled = true;
    hop.owner = 0;
    hop.request = RequestId{connection};
    hop.rebuilt = true;
    return hop;
  }
  static LedgerHop from_input(std::uint64_t connection, PortId port, Label label) {
    return rebuilt(connection, {port, label, PortId{}, Label{}});
  }
  static LedgerHop from_output(std::uint64_t connection, PortId port, Label label) {
    return rebuilt(connection, {PortId{}, Label{}, port, label});
  }
  static CrossConnect entry(std::uint32_t input, PortId output_port, std::uint32_t output) {
    return {kTrunk, atm_label(0, input), output_port, atm_label(0, output)};
  }
  bool awaited(const std::string& manager = "a", Epoch epoch = Epoch{9}) {
    const auto attachment = next().attach(manager, epoch);
    EXPECT_TRUE(attachment.has_value());
    return attachment && attachment->claims_awaited;
  }
  // "7: not connected 0"
  std::vector<std::string> refusals(const ClaimsTaken& taken) {
    std::vector<std::string> words;
    for (const HopResult& one : taken.refused) {
      words.push_back(
          fmt::format("{}: {} {}", one.key.connection, to_string(one.cause), one.asked));
    }
    return words;
  }
  std::vector<CrossConnect> held() {
    std::vector<CrossConnect> all;
    for (const LedgerHop& hop : next().held_hops("a", 0, 100, now).hops) {
      all.push_back(hop.cross_connect);
    }
    return all;
  }
  using Words = std::vector<std::string>;
};

// ----- how long claims are awaited -------------------------------------------------------------

TEST_F(RebuiltClaims, ANameIsAwaitedUntilItHasClaimedAll) {
  restart();
  EXPECT_TRUE(awaited());
  claim(round({}));
  EXPECT_TRUE(next().settling().pending()) << "it may know more when it has read other ledgers";
  EXPECT_TRUE(awaited());
  now = next().wake_at();
  next().on_time(now);
  EXPECT_FALSE(next().settling().pending());
  EXPECT_TRUE(awaited()) << "hops are lost whether or not anybody waits";
  claim(everything());
  EXPECT_FALSE(awaited());
}

// recovery: a manager of a new epoch is killed between its attach and its claims.
TEST_F(RebuiltClaims, AManagerThatEndsBeforeItsClaimsEndsNothing) {
  const HopClaims claims = claims_of();
  restart();
  attach("a", Epoch{2});
  next().detach("a");
  EXPECT_TRUE(next().settling().pending());
  EXPECT_TRUE(awaited("a", Epoch{3}));
  EXPECT_THAT(claim(claims).refused, IsEmpty());
  EXPECT_EQ(books().hops().size(), 1U);
  EXPECT_FALSE(awaited("a", Epoch{3}));
}

TEST_F(RebuiltClaims, OnlyManagersInTheFileAreAwaited) {
  restart();
  EXPECT_FALSE(awaited("b"));
  EXPECT_TRUE(awaited("a"));
  restart(std::vector<KnownManager>{});
  EXPECT_FALSE(awaited("a")) << "a first start";
  restart({{{"a", Epoch{1}}}});
  EXPECT_TRUE(next().forget("a").has_value());
  EXPECT_FALSE(awaited("a"));
}

TEST_F(RebuiltClaims, WithoutAFileEveryNameIsAwaitedWhileSomethingMayBeLost) {
  restart(std::nullopt);
  EXPECT_TRUE(awaited("a"));
  EXPECT_TRUE(awaited("b"));
  claim(everything(), "b");
  EXPECT_FALSE(awaited("b"));
  EXPECT_TRUE(awaited("a"));
  EXPECT_THAT(refusals(claim(round({rebuilt(1, cross(old))}))), IsEmpty());
  EXPECT_FALSE(awaited("a")) << "whatever the switch has kept is claimed";
}

TEST_F(RebuiltClaims, WithoutAFileHopsOfASwitchThatHasRestartedAreLostToo) {
  restart(std::nullopt, false);
  EXPECT_THAT(fake.table, IsEmpty());
  EXPECT_TRUE(awaited());
  claim(everything());
  EXPECT_FALSE(awaited());
}

TEST_F(RebuiltClaims, TheAttachmentSaysWhetherTheSwitchHasKeptItsTable) {
  const auto kept = [&] { return next().attach("a", Epoch{1})->table_kept; };
  SwitchControllerOptions options{.name = "sw"};
  next_.emplace(options, fake);
  EXPECT_FALSE(kept());
  next().on_driver(driver::Up{ports(), true}, now);
  EXPECT_FALSE(kept()) << "the table has not been read";
  answers();
  EXPECT_TRUE(kept());
  next().on_driver(driver::Down{"cut"}, now);
  next().on_driver(driver::Up{ports(), true}, now);
  answers();
  EXPECT_TRUE(kept());
  fake.table.clear();
  next().on_driver(driver::Up{ports(), false}, now);
  answers();
  EXPECT_FALSE(kept());
  next().on_driver(driver::Up{ports(), true}, now);
  answers();
  EXPECT_FALSE(kept()) << "what it had at first is lost all the same";
}

// SwitchServer --> file: "a" had not claimed when the switch lost its table; ends; the next one
// finds the switch as the last one has left it.
TEST_F(RebuiltClaims, TheFileRemembersThatTheSwitchHasLostItsTable) {
  const auto known = [&] { return next().known_managers(); };
  restart();
  fake.table.clear();
  next().on_driver(driver::Up{ports(), false}, now);
  answers();
  ASSERT_THAT(known(), ElementsAre(KnownManager{"a", Epoch{1}, 0, true}));
  restart(known());
  EXPECT_FALSE(next().attach("a", Epoch{1})->table_kept);
  EXPECT_TRUE(next().attach("b", Epoch{1})->table_kept) << "it had nothing here";
  claim(everything());
  EXPECT_THAT(known(), testing::Contains(KnownManager{"a", Epoch{1}, 0, false}));
}

TEST_F(RebuiltClaims, EachRoundIsComparedWithTheSwitch) {
  HopClaims claims = claims_of();
  claims.hops.at(0).stage = HopStage::kRemoving;
  claims.all = false;
  restart();
  attach();
  claim(claims);
  EXPECT_FALSE(fake.table.contains(cross(old)));
  EXPECT_TRUE(awaited());
}

TEST_F(RebuiltClaims, WhatASessionHasClaimedBeforeItEndedIsComparedWithTheNext) {
  HopClaims claims = claims_of();
  claims.hops.at(0).stage = HopStage::kRemoving;
  claims.last = false;
  restart();
  attach();
  claim(claims);
  attach("a", Epoch{2});
  claim(round({}));
  EXPECT_FALSE(fake.table.contains(cross(old)));
  EXPECT_EQ(books().hops().size(), 0U);
}

TEST_F(RebuiltClaims, RemovalsThatWaitForOtherManagersAreBounded) {
  const LedgerHop hop = claims_of().hops.at(0);
  SwitchControllerOptions options{.name = "sw", .ledger = {.hops_max = 2}};
  options.known = {{"a", Epoch{1}}, {"b", Epoch{1}}};
  next_.emplace(options, fake);
  next().on_driver(driver::Up{ports(), true}, now);
  answers();
  attach();
  HopClaims claims = round({hop, hop, hop});
  for (std::size_t i = 0; i < claims.hops.size(); ++i) {
    claims.hops[i].key.connection = ConnectionId{i + 1};
    claims.hops[i].stage = HopStage::kRemoving;
    claims.hops[i].settled = false;
  }
  EXPECT_EQ(refusals(claim(claims)), Words{"3: busy 3"});
}

// ----- hops that are taken ---------------------------------------------------------------------

TEST_F(RebuiltClaims, AHopIsTakenAsTheSwitchHasIt) {
  const CrossConnect at = cross(old);
  const int adds = fake.adds;
  for (const LedgerHop& hop :
       {rebuilt(1, at), from_input(1, at.input_port, at.input_label),
        from_output(1, at.output_port, at.output_label),
        rebuilt(1, {at.input_port, Label{}, at.output_port, at.output_label}),
        rebuilt(1, {at.input_port, at.input_label, at.output_port, Label{}})}) {
    SCOPED_TRACE(to_string(hop.cross_connect));
    restart();
    attach("a", Epoch{2});
    EXPECT_THAT(refusals(claim(round({hop}))), IsEmpty());
    EXPECT_THAT(held(), ElementsAre(at));
    const HeldHops page = next().held_hops("a", 0, 100, now);
    EXPECT_EQ(page.hops.at(0).key, hop.key);
    EXPECT_EQ(page.owners.at(page.hops.at(0).owner), (HopOwner{"mia", Epoch{1}, "ann", "bob"}));
    EXPECT_EQ(books().usage(kOut)->hops, controller.ledger().usage(kOut)->hops);
    EXPECT_EQ(fake.table, std::set{at});
    EXPECT_EQ(fake.adds, adds) << "the switch is left alone";
    EXPECT_EQ(holder_of(at.output_label), LabelHolder::kConnection);
    claim(everything());
    EXPECT_THAT(look(), IsEmpty());
  }
}

TEST_F(RebuiltClaims, WhatTheSwitchDoesNotHaveIsNotPutBack) {
  const int adds = fake.adds;
  restart();
  attach("a", Epoch{2});
  const CrossConnect gone = entry(50, kOut, 51);
  CrossConnect elsewhere = cross(old);
  elsewhere.output_label = atm_label(0, 51);
  EXPECT_EQ(refusals(claim(round({rebuilt(1, gone), rebuilt(2, elsewhere),
                                  from_input(3, gone.input_port, gone.input_label),
                                  from_output(4, gone.output_port, gone.output_label)}))),
            (Words{"1: not connected 0", "2: not connected 0", "3: not connected 0",
                   "4: not connected 0"}));
  EXPECT_EQ(fake.adds, adds);
  EXPECT_EQ(fake.table, std::set{cross(old)});
  EXPECT_EQ(books().hops().size(), 0U);
  EXPECT_EQ(next().counters().claims_refused, 4U);
}

TEST_F(RebuiltClaims, AmongSeveralEntriesNoneIsGuessed) {
  fake.table = {entry(40, kOut, 41), entry(40, kEnd, 42), entry(43, kEnd, 42)};
  restart();
  attach("a", Epoch{2});
  EXPECT_EQ(refusals(claim(round({from_input(1, kTrunk, atm_label(0, 40)),
                                  from_output(2, kEnd, atm_label(0, 42))}))),
            (Words{"1: incomplete 2", "2: incomplete 2"}));
  EXPECT_EQ(books().hops().size(), 0U);
  EXPECT_EQ(holder_of(atm_label(0, 41)), LabelHolder::kUnclaimed) << "its cells stay as they are";
}

TEST_F(RebuiltClaims, AnEntryOfAHopThatIsKnownWhollyIsNoAlternative) {
  fake.table = {entry(40, kOut, 41), entry(40, kEnd, 42)};
  LedgerHop branch = rebuilt(1, entry(40, kEnd, 42));
  branch.key.leg = 2;
  branch.key.hop = 0;
  branch.branch = true;
  for (const bool in_one_page : {true, false}) {
    SCOPED_TRACE(in_one_page);
    restart();
    attach("a", Epoch{2});
    const LedgerHop unsure = from_input(1, kTrunk, atm_label(0, 40));
    if (in_one_page) {
      EXPECT_THAT(refusals(claim(round({unsure, branch}))), IsEmpty());
    } else {
      EXPECT_THAT(refusals(claim(round({branch}))), IsEmpty());
      EXPECT_THAT(refusals(claim(round({unsure}))), IsEmpty());
    }
    EXPECT_THAT(held(), testing::UnorderedElementsAre(entry(40, kOut, 41), entry(40, kEnd, 42)));
  }
}

TEST_F(RebuiltClaims, WhatOneHopOfAPageTakesMakesAnotherCertain) {
  fake.table = {entry(40, kOut, 41), entry(40, kEnd, 42)};
  restart();
  attach("a", Epoch{2});
  LedgerHop branch = from_output(1, kEnd, atm_label(0, 42));
  branch.key.leg = 2;
  branch.key.hop = 0;
  branch.branch = true;
  EXPECT_THAT(refusals(claim(round({from_input(1, kTrunk, atm_label(0, 40)), branch}))), IsEmpty());
  EXPECT_THAT(held(), SizeIs(2));
}

// The hop before and the hop behind show one hop of the trunk; the other entry is a leaf's. As two
// hops of one leg they would count as taken over from one another, and one entry would stay.
TEST_F(RebuiltClaims, OneLegHasOneEntryOnAnInput) {
  fake.table = {entry(40, kOut, 41), entry(40, kEnd, 42)};
  restart();
  attach("a", Epoch{2});
  LedgerHop again = from_input(1, kTrunk, atm_label(0, 40));
  again.key.generation = Generation{10};
  EXPECT_EQ(refusals(claim(round({from_output(1, kOut, atm_label(0, 41)), again}))),
            (Words{"1: incomplete 2"}));
  EXPECT_EQ(refusals(claim(round({again}))), (Words{"1: incomplete 2"})) << "later, too";
  EXPECT_THAT(held(), ElementsAre(entry(40, kOut, 41)));
  EXPECT_EQ(holder_of(atm_label(0, 42), kEnd), LabelHolder::kUnclaimed);
}

TEST_F(RebuiltClaims, AnEntryThatTwoHopsMayHaveIsGivenToNeither) {
  restart();
  attach("a", Epoch{2});
  const CrossConnect at = cross(old);
  EXPECT_EQ(refusals(claim(round({from_input(1, at.input_port, at.input_label),
                                  from_output(2, at.output_port, at.output_label)}))),
            (Words{"1: incomplete 1", "2: incomplete 1"}));
}

TEST_F(RebuiltClaims, AnEntryThatAHopHasIsNotTakenAgain) {
  const HopClaims claims = claims_of();
  restart({{{"a", Epoch{1}}, {"b", Epoch{1}}}});
  attach("b");
  EXPECT_THAT(claim(claims, "b").refused, IsEmpty());
  attach("a", Epoch{2});
  EXPECT_EQ(refusals(claim(round({rebuilt(7, cross(old))}))), Words{"7: not connected 0"});
}

TEST_F(RebuiltClaims, ARepetitionInALaterRoundChangesNothing) {
  restart();
  attach("a", Epoch{2});
  const LedgerHop hop = from_input(1, old.input_port, old.input_label);
  EXPECT_THAT(refusals(claim(round({hop}))), IsEmpty());
  attach("a", Epoch{2});
  EXPECT_THAT(refusals(claim(round({hop}))), IsEmpty());
  EXPECT_EQ(books().hops().size(), 1U);
  EXPECT_EQ(next().counters().claims, 1U);
}

TEST_F(RebuiltClaims, AHopOfWhichNoEndIsKnownIsInvalid) {
  restart();
  attach("a", Epoch{2});
  LedgerHop removing = rebuilt(3, cross(old));
  removing.stage = HopStage::kRemoving;
  EXPECT_EQ(refusals(claim(
                round({rebuilt(1, {}), rebuilt(2, {kTrunk, Label{}, kOut, Label{}}), removing}))),
            (Words{"1: invalid request 0", "2: invalid request 0", "3: invalid request 0"}));
  EXPECT_TRUE(fake.table.contains(cross(old)));
}

// A first hop counts the cells that enter; a last one has the egress label.
TEST_F(RebuiltClaims, ACallThatBeginsAndEndsHereIsWholeAgain) {
  const HopSetup whole = whole_path(7);
  commits(whole);
  LedgerHop hop = claims_of().hops.back();
  ASSERT_EQ(hop.key, whole.key);
  hop.rebuilt = true;
  hop.key.generation = Generation{5};
  hop.cross_connect.input_label = {};
  restart();
  attach("a", Epoch{2});
  EXPECT_THAT(refusals(claim(round({hop}))), IsEmpty());
  EXPECT_EQ(books().usage(kIn)->ingress_cells_per_s,
            controller.ledger().usage(kIn)->ingress_cells_per_s);
  EXPECT_EQ(remove(hop.key).cause, Cause::kNone);
  EXPECT_EQ(fake.table, std::set{cross(old)});
}

// ----- a switch of version 1.1 -----------------------------------------------------------------

TEST_F(RebuiltClaims, WhereASwitchReportsNoOutputsAHopIsTakenOnlyIfItIsKnownWhollyToItsManager) {
  const CrossConnect at = cross(old);
  const CrossConnect untold{at.input_port, at.input_label, PortId{}, Label{}};
  fake.table = {untold};
  const int adds = fake.adds;
  restart();
  attach("a", Epoch{2});
  EXPECT_EQ(
      refusals(claim(round({from_input(1, at.input_port, at.input_label),
                            from_output(2, at.output_port, at.output_label),
                            rebuilt(3, {kIn, Label{}, at.output_port, at.output_label}),
                            rebuilt(4, entry(50, kOut, 51))}))),
      (Words{"1: incomplete 0", "2: incomplete 0", "3: not connected 0", "4: not connected 0"}));
  EXPECT_THAT(refusals(claim(round({rebuilt(5, at)}))), IsEmpty());
  EXPECT_THAT(held(), ElementsAre(at));
  EXPECT_EQ(fake.table, std::set{untold});
  EXPECT_EQ(fake.adds, adds) << "an add might make a branch";
  EXPECT_EQ(next().entries_of_nobody(), 0U);
}

// ----- what stays unclaimed --------------------------------------------------------------------

TEST_F(RebuiltClaims, TheAnswerNamesEntriesOnItsInputsThatNobodyClaims) {
  const CrossConnect leaf{old.input_port, old.input_label, kEnd, atm_label(0, 60)};
  const CrossConnect of_nobody = entry(50, kOut, 51);
  fake.table.insert(leaf);
  fake.table.insert(of_nobody);
  restart();
  attach("a", Epoch{2});
  HopClaims page = round({rebuilt(1, cross(old))});
  page.last = false;
  EXPECT_THAT(claim(page).unclaimed, IsEmpty()) << "others may follow";
  EXPECT_THAT(claim(round({})).unclaimed, ElementsAre(leaf));
  EXPECT_THAT(claim(everything()).unclaimed, ElementsAre(leaf));
  EXPECT_TRUE(fake.table.contains(leaf));
}

TEST_F(RebuiltClaims, EntriesOfNobodyAreCountedOnceNobodyIsWaitedFor) {
  restart();
  EXPECT_EQ(next().entries_of_nobody(), kEntriesUnknown) << "it may be claimed yet";
  EXPECT_EQ(next().attach("a", Epoch{2})->unclaimed, kEntriesUnknown);
  attach("a", Epoch{2});
  claim(everything());
  EXPECT_EQ(next().entries_of_nobody(), 1U);
  next().on_driver(driver::Down{"cut"}, now);
  EXPECT_EQ(next().entries_of_nobody(), kEntriesUnknown);
}

TEST_F(RebuiltClaims, EntriesThatMayBeClaimedAreNoneOnlyIfThereAreNone) {
  restart({{{"a", Epoch{1}}, {"b", Epoch{1}}}});
  attach("a", Epoch{2});
  EXPECT_EQ(claim(everything()).unclaimed_entries, kEntriesUnknown) << "b has not claimed";
  now += std::chrono::seconds{15};
  next().on_time(now);
  EXPECT_EQ(claim(everything()).unclaimed_entries, 1U) << "the wait is over";
  restart({{{"a", Epoch{1}}, {"b", Epoch{1}}}}, false);
  attach("a", Epoch{2});
  EXPECT_EQ(claim(everything()).unclaimed_entries, 0U) << "the switch has nothing";
}

TEST_F(RebuiltClaims, AnAuditForgetsEntriesThatHaveGoneFromTheSwitch) {
  restart();
  attach("a", Epoch{2});
  claim(everything());
  EXPECT_THAT(look(), SizeIs(1));
  EXPECT_EQ(next().entries_of_nobody(), 1U);
  fake.table.clear();  // somebody has removed it at the switch
  EXPECT_THAT(look(), IsEmpty());
  EXPECT_EQ(next().entries_of_nobody(), 0U);
  EXPECT_EQ(holder_of(old.output_label), LabelHolder::kFree);
}

}  // namespace
}  // namespace xbind
