// Calls are put together again from the hops that ledgers hold.
//
//     host ─1[sw0]2══1[sw1]2══1[sw2]2─ host        sw0 3══1[sw3]3══3[sw2]        sw1 4─ host
#include "cmgr/parts/found_call.hpp"
#include "cmgr/parts/found_gaps.hpp"

#include <gmock/gmock.h>

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;

constexpr SwitchIndex kSw0{0};
constexpr SwitchIndex kSw1{1};
constexpr SwitchIndex kSw2{2};
constexpr SwitchIndex kSw3{3};

KnownLinks links() {
  LinkMap map;
  map.add({kSw0, PortId{2}}, {kSw1, PortId{1}});
  map.add({kSw1, PortId{2}}, {kSw2, PortId{1}});
  map.add({kSw0, PortId{3}}, {kSw3, PortId{1}});
  map.add({kSw3, PortId{3}}, {kSw2, PortId{3}});
  KnownLinks links;
  links.set_topology(std::move(map));
  return links;
}

Label channel(std::uint32_t value) { return atm_label(0, value); }

struct Position {
  std::uint16_t leg = 0;
  std::uint16_t hop = 0;
  std::uint16_t count = 3;
  std::uint32_t generation = 1;
};

FoundHop hop(SwitchIndex at, Position position, std::uint32_t input_port, std::uint32_t input_vci,
             std::uint32_t output_port, std::uint32_t output_vci) {
  FoundHop found;
  found.at = at;
  found.hop.key = {ConnectionId{7}, Generation{position.generation}, position.leg, position.hop};
  found.hop.hop_count = position.count;
  found.hop.cross_connect = {PortId{input_port}, channel(input_vci), PortId{output_port},
                             channel(output_vci)};
  found.hop.settled = true;
  found.owners = std::make_shared<const std::vector<HopOwner>>(1);
  return found;
}

// The same label on every link: numbers alone would not show the order.
std::vector<FoundHop> three_hops() {
  return {hop(kSw2, {0, 2}, 1, 40, 2, 60), hop(kSw0, {0, 0}, 1, 50, 2, 40),
          hop(kSw1, {0, 1}, 1, 40, 2, 40)};
}

// A path of equal labels, of which each hop has the number of another re-route.
std::vector<FoundHop> moved_at_each_hop(std::uint16_t count) {
  std::vector<FoundHop> hops;
  for (std::uint16_t i = 0; i < count; ++i) {
    hops.push_back(hop(SwitchIndex{i}, {0, i, count, i + 1U}, 1, 40, 2, 40));
  }
  return hops;
}

KnownLinks in_a_row(std::uint16_t switches) {
  LinkMap map;
  for (std::uint16_t i = 0; i + 1 < switches; ++i) {
    map.add({SwitchIndex{i}, PortId{2}},
            {SwitchIndex{static_cast<std::uint16_t>(i + 1)}, PortId{1}});
  }
  KnownLinks links;
  links.set_topology(std::move(map));
  return links;
}

std::vector<std::size_t> hops_of(const FoundTree& tree) {
  std::vector<std::size_t> hops;
  for (const FoundTree::Node& node : tree.nodes) hops.push_back(node.hop);
  return hops;
}

TEST(FoundCall, HopsFollowOneAnotherAlongLinksAndLabels) {
  const auto hops = three_hops();
  const FoundTree tree = tree_of(hops, links());
  EXPECT_THAT(hops_of(tree), ElementsAre(1, 2, 0));
  EXPECT_EQ(tree.nodes[0].upstream, FoundTree::kNone);
  EXPECT_EQ(tree.nodes[1].upstream, 0U);
  EXPECT_EQ(tree.nodes[2].upstream, 1U);
  EXPECT_TRUE(is_whole(tree, hops));
}

TEST(FoundCall, ACallWithoutAMiddleHopIsNotWholeAndNothingOfItIsLeftWhenItIsPruned) {
  auto hops = three_hops();
  hops.pop_back();
  const FoundTree tree = tree_of(hops, links());
  EXPECT_TRUE(tree.broken);
  EXPECT_FALSE(is_whole(tree, hops));
  EXPECT_TRUE(pruned(tree, hops).nodes.empty());
  EXPECT_FALSE(is_whole(pruned(tree, hops), hops));
}

TEST(FoundCall, ACallWithoutItsFirstHopHasNoTree) {
  auto hops = three_hops();
  hops.erase(hops.begin() + 1);
  EXPECT_TRUE(tree_of(hops, links()).nodes.empty());
}

TEST(FoundCall, AHopThatIsStillBeingProgrammedOrRemovedDoesNotCount) {
  for (const HopStage stage : {HopStage::kCommitting, HopStage::kRemoving, HopStage::kReserved}) {
    auto hops = three_hops();
    hops[2].hop.stage = stage;
    EXPECT_FALSE(is_whole(tree_of(hops, links()), hops)) << static_cast<int>(stage);
  }
}

TEST(FoundCall, ABidirectionalCallNeedsBothDirections) {
  auto hops = three_hops();
  for (FoundHop& each : hops) each.hop.bidirectional = true;
  EXPECT_FALSE(is_whole(tree_of(hops, links()), hops));
  hops.push_back(hop(kSw2, {1, 0}, 2, 70, 1, 41));
  hops.push_back(hop(kSw1, {1, 1}, 2, 41, 1, 41));
  EXPECT_FALSE(is_whole(tree_of(hops, links()), hops));
  hops.push_back(hop(kSw0, {1, 2}, 2, 41, 1, 80));
  for (FoundHop& each : hops) each.hop.bidirectional = true;
  const FoundTree tree = tree_of(hops, links());
  EXPECT_TRUE(is_whole(tree, hops));
  EXPECT_THAT(hops_of(tree), ElementsAre(1, 2, 0, 3, 4, 5));
}

TEST(FoundCall, ALeafFollowsTheHopFromWhichItBranches) {
  auto hops = three_hops();
  FoundHop branch = hop(kSw1, {2, 0, 1}, 1, 40, 4, 90);
  branch.hop.branch = true;
  hops.push_back(branch);
  const FoundTree tree = tree_of(hops, links());
  EXPECT_THAT(hops_of(tree), ElementsAre(1, 2, 0, 3));
  EXPECT_EQ(tree.nodes[3].upstream, 0U);
  EXPECT_TRUE(is_whole(tree, hops));
}

TEST(FoundCall, ALeafThatWasBeingAddedIsPrunedAndTheCallStands) {
  auto hops = three_hops();
  FoundHop branch = hop(kSw0, {2, 0, 3}, 1, 50, 3, 44);  // sw3 and sw2 have not programmed theirs
  branch.hop.branch = true;
  hops.push_back(branch);
  const FoundTree tree = tree_of(hops, links());
  EXPECT_TRUE(tree.broken);
  const FoundTree rest = pruned(tree, hops);
  EXPECT_THAT(hops_of(rest), ElementsAre(1, 2, 0));
  EXPECT_TRUE(is_whole(rest, hops));
}

TEST(FoundCall, ABranchThatIsBeingRemovedShowsWhereItsSiblingBegins) {
  FoundHop stays = hop(kSw0, {2, 0, 2}, 1, 50, 2, 40);
  FoundHop going = hop(kSw0, {3, 0, 2}, 1, 50, 3, 44);
  stays.hop.branch = going.hop.branch = true;
  going.hop.enters = true;  // the first end, whose hop this was, has been dropped
  going.hop.stage = HopStage::kRemoving;
  const std::vector<FoundHop> hops{stays, going, hop(kSw1, {2, 1, 2}, 1, 40, 4, 90)};
  const FoundTree tree = tree_of(hops, links());
  EXPECT_THAT(hops_of(tree), ElementsAre(0, 2));
  EXPECT_TRUE(is_whole(tree, hops));
}

// make before break: the new path leaves at sw0 and meets the old one again at sw2.
std::vector<FoundHop> two_paths() {
  auto hops = three_hops();
  hops.push_back(hop(kSw0, {0, 0, 3, 2}, 1, 50, 3, 40));
  hops.push_back(hop(kSw3, {0, 1, 3, 2}, 1, 40, 3, 42));
  hops.push_back(hop(kSw2, {0, 2, 3, 2}, 3, 42, 2, 60));
  return hops;
}

TEST(FoundCall, BeforeTheTakeOverCellsFollowTheOldPath) {
  auto hops = two_paths();
  hops[3].hop.stage = HopStage::kCommitting;  // the take-over
  const FoundTree tree = tree_of(hops, links());
  EXPECT_THAT(hops_of(tree), ElementsAre(1, 2, 0));
  EXPECT_TRUE(is_whole(tree, hops));
}

TEST(FoundCall, AfterTheTakeOverCellsFollowTheNewPath) {
  auto hops = two_paths();
  hops[1].hop.superseded = true;
  const FoundTree tree = tree_of(hops, links());
  EXPECT_THAT(hops_of(tree), ElementsAre(3, 4, 5));
  EXPECT_TRUE(is_whole(tree, hops));
}

// The call moved with generation 2: sw2 took over, sw4 joined. The ledger of sw3 between them was
// lost, and its hop was rebuilt with generation 3. Its path counts although a leaf alone is whole.
TEST(FoundCall, ARebuiltHopBelongsToTheNewPath) {
  const SwitchIndex sw4{4};
  std::vector<FoundHop> hops{
      hop(kSw0, {0, 0, 5, 1}, 1, 50, 2, 40), hop(kSw1, {0, 1, 5, 1}, 1, 40, 2, 41),
      hop(kSw2, {0, 2, 5, 2}, 1, 41, 2, 42), hop(kSw3, {0, 3, 5, 3}, 1, 42, 2, 43),
      hop(sw4, {0, 4, 5, 2}, 1, 43, 2, 60),  hop(kSw0, {2, 0, 1, 1}, 1, 50, 5, 61)};
  hops.back().hop.branch = true;
  const FoundTree tree = tree_of(hops, in_a_row(5));
  EXPECT_THAT(hops_of(tree), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_TRUE(is_whole(tree, hops));
}

TEST(FoundCall, AHoldIsWholeWhenEveryHopOfEachDirectionIsReserved) {
  auto hops = three_hops();
  for (FoundHop& each : hops) {
    each.hop.stage = HopStage::kReserved;
    each.hop.held = true;
  }
  EXPECT_TRUE(is_whole_hold(hops));
  EXPECT_FALSE(is_whole(tree_of(hops, links()), hops));
  auto both = hops;
  for (FoundHop& each : both) each.hop.bidirectional = true;
  EXPECT_FALSE(is_whole_hold(both));
  hops.pop_back();
  EXPECT_FALSE(is_whole_hold(hops));
  EXPECT_FALSE(is_whole_hold({}));
}

TEST(FoundCall, ACallIsUndecidedIfThereAreTooManyWaysToJoinItsHops) {
  const std::vector<FoundHop> hops = moved_at_each_hop(12);
  EXPECT_TRUE(tree_of(hops, KnownLinks{}).undecided);
  EXPECT_TRUE(pruned(tree_of(hops, KnownLinks{}), hops).undecided);
  // Fewer joints, but too many attempts.
  const std::vector<FoundHop> fewer = moved_at_each_hop(9);
  EXPECT_TRUE(tree_of(fewer, KnownLinks{}).undecided);

  const FoundTree tree = tree_of(hops, in_a_row(12));
  EXPECT_FALSE(tree.undecided);
  EXPECT_TRUE(is_whole(tree, hops));
  EXPECT_EQ(tree.nodes.size(), 12U);
}

// sw1 forked; its first destination was dropped, and the branch's hop there was lost. It was
// rebuilt as the last hop of the trunk, since nothing behind it was known at that time.
TEST(FoundCall, ACallIsUndecidedIfItsLastHopLeadsToAHopThatIsLeftOut) {
  const std::vector<FoundHop> hops{hop(kSw0, {0, 0, 2}, 1, 50, 2, 40),
                                   hop(kSw1, {0, 1, 2, 2}, 1, 40, 2, 41),
                                   hop(kSw2, {2, 1, 2}, 1, 41, 2, 60)};
  const FoundTree tree = tree_of(hops, links());
  EXPECT_TRUE(tree.undecided);
  EXPECT_THAT(hops_of(tree), ElementsAre(0, 1));

  // A hop of an earlier path that another link leads to says nothing.
  std::vector<FoundHop> beside = hops;
  beside.back().hop.cross_connect.input_port = PortId{3};
  EXPECT_FALSE(tree_of(beside, links()).undecided);
  beside = hops;
  beside.back().hop.cross_connect.input_label = channel(42);
  EXPECT_FALSE(tree_of(beside, links()).undecided);
}

TEST(FoundCall, HopsThatNoOtherFitsNeedNoSearch) {
  std::vector<FoundHop> hops = moved_at_each_hop(12);
  for (std::uint32_t i = 0; i < 12; ++i) hops[i].hop.cross_connect.input_label = channel(100 + i);
  const FoundTree tree = tree_of(hops, KnownLinks{});
  EXPECT_FALSE(tree.undecided);
  EXPECT_FALSE(is_whole(tree, hops)) << "all but the first have been removed";
}

TEST(FoundCall, ALinkThatACallShowsMayChangeWhereOtherPortsLead) {
  KnownLinks known = links();
  using ::testing::IsSupersetOf;
  // From sw0 port 2, which the topology has to sw1 port 1, to sw3 port 3, which it has to sw2.
  const std::vector<FoundHop> call{hop(kSw0, {0, 0}, 1, 50, 2, 40),
                                   hop(kSw3, {0, 1}, 3, 40, 2, 41)};
  const LinkMap::End at_sw1{kSw1, PortId{1}};
  const LinkMap::End at_sw2{kSw2, PortId{3}};
  ASSERT_TRUE(known.far_end(at_sw1.first, at_sw1.second).has_value());
  EXPECT_THAT(known.learn(call), IsSupersetOf({LinkMap::End{kSw0, PortId{2}},
                                               LinkMap::End{kSw3, PortId{3}}, at_sw1, at_sw2}));
  EXPECT_FALSE(known.far_end(at_sw1.first, at_sw1.second).has_value());
  EXPECT_FALSE(known.far_end(at_sw2.first, at_sw2.second).has_value());
  EXPECT_TRUE(known.learn(call).empty()) << "nothing new";
  // Another call shows that sw0 port 2 leads where the topology says: sw3 port 3 is as before, too.
  const std::vector<FoundHop> other{hop(kSw0, {0, 0}, 1, 50, 2, 42),
                                    hop(kSw1, {0, 1}, 1, 42, 2, 41)};
  EXPECT_THAT(known.learn(other), IsSupersetOf({LinkMap::End{kSw3, PortId{3}}, at_sw1, at_sw2}));
  EXPECT_TRUE(known.far_end(at_sw2.first, at_sw2.second).has_value());
}

// Two ledgers are asked one after the other: the second claim must not have the key of the first.
TEST(FoundGaps, AHopIsAskedForUnderAGenerationAboveThoseThatAreAskedFor) {
  const std::vector<FoundHop> call{hop(SwitchIndex{0}, {0, 0, 4, 2}, 1, 40, 2, 40),
                                   hop(SwitchIndex{3}, {0, 3, 4, 1}, 1, 40, 2, 40)};
  const auto lost = [](SwitchIndex at) { return at.value() == 1 || at.value() == 2; };
  const auto gaps = gaps_of(call, in_a_row(4), lost);
  ASSERT_THAT(gaps, ::testing::SizeIs(2));
  EXPECT_NE(gaps[0].claim.key.generation, gaps[1].claim.key.generation);
  EXPECT_GT(gaps[0].claim.key.generation, Generation{2});
  for (const Gap& gap : gaps_of(call, in_a_row(4), lost, Generation{9})) {
    EXPECT_GT(gap.claim.key.generation, Generation{9});
  }
}

// The trunk is known behind the switch where the branch begins, and enters elsewhere.
TEST(FoundGaps, ABranchInTheMiddleIsNoEntranceAlthoughNoHopBeforeItIsKnown) {
  FoundHop leaf = hop(SwitchIndex{4}, {2, 1, 2}, 1, 45, 2, 60);
  const std::vector<FoundHop> call{hop(SwitchIndex{2}, {0, 2}, 1, 40, 2, 60), leaf};
  LinkMap map;
  map.add({SwitchIndex{0}, PortId{2}}, {SwitchIndex{1}, PortId{1}});
  map.add({SwitchIndex{1}, PortId{2}}, {SwitchIndex{2}, PortId{1}});
  map.add({SwitchIndex{1}, PortId{3}}, {SwitchIndex{4}, PortId{1}});
  KnownLinks links;
  links.set_topology(std::move(map));
  const auto gaps = gaps_of(call, links, [](SwitchIndex at) { return at.value() < 2; });
  ASSERT_THAT(gaps, ::testing::SizeIs(2));
  for (const Gap& gap : gaps) EXPECT_FALSE(gap.claim.enters) << gap.claim.key.leg;
}

}  // namespace
}  // namespace xbind::cmgr
