#include "ovs/forwarding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/frame_traffic.hpp"

namespace xbind::ovs {
namespace {

using namespace openflow;
using ::testing::ElementsAre;

constexpr std::uint32_t kGroup = 77;
constexpr std::uint16_t kPriority = 1000;
constexpr std::uint64_t kCookie = 0x5842'0001'0000'0000;

Place link(std::uint32_t port, std::uint32_t label) {
  return {PortId(port), {LabelKind::kMpls, label}};
}
Place atm_link(std::uint32_t port, std::uint32_t vpi, std::uint32_t vci) {
  return {PortId(port), atm_label(vpi, vci)};
}
Place whole_port(std::uint32_t port) { return {PortId(port), FrameTraffic{}.label()}; }
Place vlan(std::uint32_t port, std::uint32_t number) {
  return {PortId(port), FrameTraffic::of_vlan(number)->label()};
}
Place frame_class(std::uint32_t port, std::uint32_t number) {
  return {PortId(port), FrameTraffic::of_class(number)->label()};
}

// Ports 1 and 2 have hosts, ports 3 and 4 are links, and 5 is one with ATM labels.
Layout layout() {
  Layout made;
  made.edges = {PortId(1), PortId(2)};
  made.atm = {PortId(5)};
  made.classes = {{7, {0x0a010000, 16}}, {8, {0x0a020304, 32}}};
  made.priority = kPriority;
  made.cookie = kCookie;
  return made;
}

// The actions for one branch, after they are read back.
Actions one_branch(const Place& input, const Place& output) {
  const std::vector<Place> outputs{output};
  const Forwarding made = forwarding_of(layout(), input, outputs, 0);
  EXPECT_TRUE(made.buckets.empty());
  EXPECT_EQ(outputs_of(layout(), input, made.actions, {}), outputs);
  return made.actions;
}

Input input(const Place& place) {
  const Input made = input_of(layout(), place);
  EXPECT_EQ(place_of(layout(), made.match, made.priority), place);
  return made;
}

// ----- the table in forwarding.hpp, row by row --------------------------------------------------

TEST(Forwarding, TheInputOfALinkIsItsLabel) {
  const Input made = input(link(3, 1000));
  EXPECT_EQ(made.match, (Match{.in_port = 3, .eth_type = kEthTypeMpls, .mpls_label = 1000}));
  EXPECT_EQ(made.priority, kPriority);
}

TEST(Forwarding, TheInputOfAnEdgePortIsIpv4WithoutATag) {
  const Input made = input(whole_port(1));
  EXPECT_EQ(made.match, (Match{.in_port = 1, .eth_type = kEthTypeIpv4, .vlan_vid = kVlanUntagged}));
  EXPECT_EQ(made.priority, kPriority);
}

TEST(Forwarding, TheInputOfAVlanIsItsTag) {
  const Input made = input(vlan(1, 100));
  EXPECT_EQ(made.match, (Match{.in_port = 1, .eth_type = kEthTypeIpv4, .vlan_vid = 100}));
  EXPECT_EQ(made.priority, kPriority);
}

TEST(Forwarding, TheInputOfAClassIsItsPrefixAndTheLongerOneWins) {
  const Input wide = input(frame_class(1, 7));
  EXPECT_EQ(wide.match, (Match{.in_port = 1,
                               .eth_type = kEthTypeIpv4,
                               .vlan_vid = kVlanUntagged,
                               .ipv4_dst = Ipv4Prefix{0x0a010000, 16}}));
  EXPECT_EQ(wide.priority, kPriority + 16);
  EXPECT_EQ(input(frame_class(1, 8)).priority, kPriority + 32);
}

TEST(Forwarding, FromALink) {
  EXPECT_THAT(one_branch(link(3, 1000), link(4, 2000)),
              ElementsAre(SetMplsLabel{2000}, DecMplsTtl{}, Output{4}));
  EXPECT_THAT(one_branch(link(3, 1000), whole_port(1)),
              ElementsAre(SetMplsLabel{16}, PopMpls{kEthTypeIpv4}, Output{1}));
  EXPECT_THAT(one_branch(link(3, 1000), vlan(1, 100)),
              ElementsAre(SetMplsLabel{4196}, PopMpls{kEthTypeIpv4}, PushVlan{}, SetVlanVid{100},
                          Output{1}));
  EXPECT_THAT(one_branch(link(3, 1000), frame_class(1, 7)),
              ElementsAre(SetMplsLabel{8199}, PopMpls{kEthTypeIpv4}, Output{1}));
}

TEST(Forwarding, FromAnEdgePort) {
  EXPECT_THAT(one_branch(whole_port(1), link(4, 2000)),
              ElementsAre(PushMpls{}, SetMplsLabel{2000}, Output{4}));
  EXPECT_THAT(one_branch(whole_port(1), whole_port(2)), ElementsAre(Output{2}));
  EXPECT_THAT(one_branch(whole_port(1), vlan(2, 100)),
              ElementsAre(PushVlan{}, SetVlanVid{100}, Output{2}));
  EXPECT_THAT(one_branch(whole_port(1), frame_class(2, 7)),
              ElementsAre(PushMpls{}, SetMplsLabel{8199}, PopMpls{kEthTypeIpv4}, Output{2}))
      << "only a label says that the output is the class";
}

TEST(Forwarding, FromAVlanTheTagIsPopped) {
  EXPECT_THAT(one_branch(vlan(1, 100), link(4, 2000)),
              ElementsAre(PopVlan{}, PushMpls{}, SetMplsLabel{2000}, Output{4}));
  EXPECT_THAT(one_branch(vlan(1, 100), whole_port(2)), ElementsAre(PopVlan{}, Output{2}));
  EXPECT_THAT(one_branch(vlan(1, 100), vlan(2, 200)),
              ElementsAre(PopVlan{}, PushVlan{}, SetVlanVid{200}, Output{2}));
}

TEST(Forwarding, FromAClass) {
  EXPECT_THAT(one_branch(frame_class(1, 7), link(4, 2000)),
              ElementsAre(PushMpls{}, SetMplsLabel{2000}, Output{4}));
  EXPECT_THAT(one_branch(frame_class(1, 7), whole_port(2)), ElementsAre(Output{2}));
}

TEST(Forwarding, AnAtmLabelIsAnMplsLabelOnTheLine) {
  const Input made = input(atm_link(5, 2, 100));
  EXPECT_EQ(made.match,
            (Match{.in_port = 5, .eth_type = kEthTypeMpls, .mpls_label = 2 * 65536 + 100}));
  EXPECT_THAT(one_branch(atm_link(5, 2, 100), atm_link(5, 15, 65535)),
              ElementsAre(SetMplsLabel{xbind::kMplsLabelMax}, DecMplsTtl{}, Output{kPortInPort}));
  EXPECT_THAT(one_branch(whole_port(1), atm_link(5, 0, 32)),
              ElementsAre(PushMpls{}, SetMplsLabel{32}, Output{5}));
  EXPECT_FALSE(has_meaning(layout(), atm_link(5, 16, 32))) << "does not fit 20 bits";
  EXPECT_FALSE(has_meaning(layout(), link(5, 100)));
  EXPECT_FALSE(has_meaning(layout(), atm_link(3, 0, 100)));
}

TEST(Forwarding, BackThroughTheSamePortIsNamedInPort) {
  EXPECT_THAT(one_branch(link(3, 1000), link(3, 2000)),
              ElementsAre(SetMplsLabel{2000}, DecMplsTtl{}, Output{kPortInPort}));
}

TEST(Forwarding, SeveralBranchesAreAGroup) {
  const std::vector<Place> outputs{vlan(1, 100), whole_port(2), link(4, 2000)};
  const Forwarding made = forwarding_of(layout(), vlan(2, 5), outputs, kGroup);
  EXPECT_THAT(made.actions, ElementsAre(PopVlan{}, Group{kGroup}));
  ASSERT_EQ(made.buckets.size(), 3U);
  EXPECT_THAT(made.buckets[2].actions, ElementsAre(PushMpls{}, SetMplsLabel{2000}, Output{4}));
  EXPECT_EQ(group_in(made.actions), kGroup);
  EXPECT_EQ(outputs_of(layout(), vlan(2, 5), made.actions, {{kGroup, made.buckets}}), outputs);
}

// ----- what is not ours -------------------------------------------------------------------------

TEST(Forwarding, LabelsOfAnEdgePortAreThoseOfItsFrames) {
  const Layout made = layout();
  EXPECT_TRUE(has_meaning(made, whole_port(1)));
  EXPECT_TRUE(has_meaning(made, vlan(1, 4094)));
  EXPECT_TRUE(has_meaning(made, frame_class(1, 8)));
  EXPECT_FALSE(has_meaning(made, frame_class(1, 9))) << "the layout has no class 9";
  EXPECT_FALSE(has_meaning(made, link(1, 1000)));
  EXPECT_FALSE(has_meaning(made, link(3, 15))) << "a reserved label";
  EXPECT_FALSE(has_meaning(made, {PortId(3), atm_label(0, 1000)}));
  EXPECT_EQ(to_string(frame_labels(made.classes)), "mpls 16-16, mpls 4097-8190, mpls 8199-8200");
}

TEST(Forwarding, AChangedMatchIsNotOurs) {
  const Layout made = layout();
  const Input ours = input_of(made, link(3, 1000));
  const auto read = [&](auto change) {
    Input changed = ours;
    change(changed);
    return place_of(made, changed.match, changed.priority);
  };
  EXPECT_TRUE(read([](Input&) {}));
  EXPECT_FALSE(read([](Input& one) { ++one.priority; }));
  EXPECT_FALSE(read([](Input& one) { one.match.in_port = 0; }));
  EXPECT_FALSE(read([](Input& one) { one.match.in_port = 1; })) << "an edge port";
  EXPECT_FALSE(read([](Input& one) { one.match.eth_type = kEthTypeIpv4; }));
  EXPECT_FALSE(read([](Input& one) { one.match.mpls_label = 15; }));
  EXPECT_FALSE(read([](Input& one) { one.match.mpls_label.reset(); }));
  EXPECT_FALSE(read([](Input& one) { one.match.vlan_vid = 5; }));
  EXPECT_FALSE(read([](Input& one) { one.match.foreign = true; }));
}

TEST(Forwarding, AChangedClassIsNotOurs) {
  const Layout made = layout();
  const Input ours = input_of(made, frame_class(1, 7));
  Match other = ours.match;
  other.ipv4_dst = Ipv4Prefix{0x0a010000, 17};
  EXPECT_FALSE(place_of(made, other, ours.priority));
  EXPECT_FALSE(place_of(made, ours.match, kPriority)) << "the priority of the whole port";
  other = ours.match;
  other.vlan_vid.reset();
  EXPECT_FALSE(place_of(made, other, ours.priority)) << "also takes frames with a tag";
}

TEST(Forwarding, ChangedActionsAreNotOurs) {
  const Layout made = layout();
  const Place from = link(3, 1000);
  const auto read = [&](const Actions& actions) { return outputs_of(made, from, actions, {}); };
  EXPECT_TRUE(read({SetMplsLabel{2000}, DecMplsTtl{}, Output{4}}));
  EXPECT_FALSE(read({})) << "a flow that drops";
  EXPECT_FALSE(read({SetMplsLabel{2000}, Output{4}})) << "without TTL";
  EXPECT_FALSE(read({DecMplsTtl{}, SetMplsLabel{2000}, Output{4}})) << "another order";
  EXPECT_FALSE(read({SetMplsLabel{2000}, DecMplsTtl{}, Output{4}, Output{3}}));
  EXPECT_FALSE(read({SetMplsLabel{2000}, DecMplsTtl{}, Output{1}})) << "a label to an edge port";
  EXPECT_FALSE(read({PopMpls{kEthTypeIpv4}, Output{1}})) << "does not name the label";
  EXPECT_FALSE(read({SetMplsLabel{16}, PopMpls{kEthTypeMpls}, Output{1}}));
  EXPECT_FALSE(read({SetMplsLabel{2000}, Foreign{21}, DecMplsTtl{}, Output{4}}));
  EXPECT_FALSE(read({Group{kGroup}})) << "there is no such group";
  EXPECT_FALSE(outputs_of(made, vlan(1, 5), {Output{2}}, {})) << "keeps the tag";
}

TEST(Forwarding, AChangedGroupIsNotOurs) {
  const Layout made = layout();
  const Place from = link(3, 1000);
  const std::vector<Place> outputs{link(4, 2000), link(4, 2001)};
  const Forwarding ours = forwarding_of(made, from, outputs, kGroup);
  const auto read = [&](std::vector<Bucket> buckets) {
    return outputs_of(made, from, ours.actions, {{kGroup, std::move(buckets)}});
  };
  EXPECT_EQ(read(ours.buckets), outputs);
  EXPECT_FALSE(read({}));
  EXPECT_FALSE(read({ours.buckets[0], {{Output{4}}}}));
  EXPECT_EQ(read({ours.buckets[1], ours.buckets[0]}), outputs) << "in ascending order";
  EXPECT_FALSE(outputs_of(made, from, {Group{kGroup}, Output{4}}, {{kGroup, ours.buckets}}));
}

// ----- everything that is written can be read ---------------------------------------------------

struct Chance {
  std::mt19937_64 bits;
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(bits() % bound); }
};

Layout random_layout(Chance& chance) {
  Layout made;
  for (std::uint32_t port = 1; port <= 6; ++port) {
    const std::uint32_t kind = chance.below(5);
    if (kind < 2) made.edges.insert(PortId(port));
    if (kind == 2) made.atm.insert(PortId(port));
  }
  for (std::uint32_t count = chance.below(5); count > 0; --count) {
    const auto bits = static_cast<std::uint8_t>(1 + chance.below(32));
    const std::uint32_t mask = 0xffffffffU << (32 - bits);
    const Ipv4Prefix prefix{static_cast<std::uint32_t>(chance.bits()) & mask, bits};
    const bool known =
        std::ranges::any_of(made.classes, [&](const auto& one) { return one.second == prefix; });
    if (!known) made.classes[static_cast<std::uint16_t>(chance.below(4096))] = prefix;
  }
  made.priority = static_cast<std::uint16_t>(1 + chance.below(65000));
  made.cookie = kCookie;
  return made;
}

Place random_place(const Layout& layout, Chance& chance) {
  const std::uint32_t port = 1 + chance.below(6);
  const std::uint32_t label =
      kMplsLabelMin + chance.below(xbind::kMplsLabelMax - kMplsLabelMin + 1);
  if (!layout.edge(PortId(port))) return {PortId(port), {layout.kind(PortId(port)), label}};
  if (chance.below(3) == 0) return vlan(port, 1 + chance.below(4094));
  if (layout.classes.empty() || chance.below(2) == 0) return whole_port(port);
  const auto skip =
      static_cast<std::ptrdiff_t>(chance.below(static_cast<std::uint32_t>(layout.classes.size())));
  return frame_class(port, std::next(layout.classes.begin(), skip)->first);
}

class EveryLayout : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(EveryLayout, WhatIsWrittenIsReadBack) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Chance chance{std::mt19937_64(GetParam())};
  for (int round = 0; round < 300; ++round) {
    const Layout made = random_layout(chance);
    const Place from = random_place(made, chance);
    const Input at = input_of(made, from);
    ASSERT_EQ(place_of(made, at.match, at.priority), from) << to_string(from);
    std::set<Place> chosen;
    for (std::uint32_t count = 1 + chance.below(5); count > 0; --count)
      chosen.insert(random_place(made, chance));
    const std::vector<Place> outputs(chosen.begin(), chosen.end());
    const Forwarding written = forwarding_of(made, from, outputs, kGroup);
    ASSERT_EQ(outputs_of(made, from, written.actions, {{kGroup, written.buckets}}), outputs)
        << "round " << round << ", from " << to_string(from);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, EveryLayout, ::testing::Range(1U, 11U));

// ----- meters -----------------------------------------------------------------------------------

// A contract with policing, in both directions.
switchagent::QosProfile policed(const gsmp::TrafficParameters& traffic) {
  switchagent::QosProfile profile;
  profile.input.model = gsmp::QosModel::kService;
  profile.input_traffic = gsmp::TrafficBlock{gsmp::kTcPolicing, traffic};
  return profile;
}
MeterRate rate(std::uint32_t kbps, std::uint32_t burst_kbit) { return {kbps, burst_kbit}; }

// A cell is 48 octets: 384 bits.
TEST(Meter, OfAConstantRateIsItsPeak) {
  // 1000 cells are 384 kbit. The tolerance is no cell, 100 ms are 38 kbit: four frames are more.
  EXPECT_EQ(meter_of(policed(gsmp::CellRate{1000, 250})), rate(384, 48));
  // 135 631.488 kbit/s, rounded up. 100 ms of it are 13 563 kbit; 250 us are 88 cells, 34 kbit.
  EXPECT_EQ(meter_of(policed(gsmp::CellRate{353207, 250})), rate(135632, 13563));
  // 20 ms are 7064 cells: 2712.576 kbit, rounded up.
  EXPECT_EQ(meter_of(policed(gsmp::CellRate{353207, 20000})), rate(135632, 13563));
}

TEST(Meter, OfAVariableRateIsTheSustainableRateAndItsBurst) {
  // 4528 cells are 1738.752 kbit; 1000 cells are 384 kbit.
  EXPECT_EQ(meter_of(policed(gsmp::VariableRate{10000, 250, 4528, 1000})), rate(1739, 384));
  EXPECT_EQ(meter_of(policed(gsmp::VariableRate{10000, 250, 4528, 10})), rate(1739, 173));
}

TEST(Meter, OfGuaranteedFramesIsThePeak) {
  EXPECT_EQ(meter_of(policed(gsmp::GuaranteedFrameRate{1000, 250, 100, 50, 31})), rate(384, 48));
}

TEST(Meter, HoldsTheLargestContract) {
  // 16 777 215 cells/s for 16.777215 s are 281 474 943 cells.
  EXPECT_EQ(meter_of(policed(gsmp::CellRate{0xffffff, 0xffffff})), rate(6442451, 108086379));
}

TEST(Meter, NeedsAContractThatRequestsPolicing) {
  switchagent::QosProfile profile = policed(gsmp::CellRate{1000, 250});
  profile.input_traffic->tc_flags = gsmp::kTcPacketDiscard;
  EXPECT_EQ(meter_of(profile), std::nullopt);
  profile = policed(gsmp::CellRate{1000, 250});
  profile.input.model = gsmp::QosModel::kPriority;
  EXPECT_EQ(meter_of(profile), std::nullopt);
  profile = policed(gsmp::CellRate{1000, 250});
  profile.input_traffic.reset();
  EXPECT_EQ(meter_of(profile), std::nullopt);
  EXPECT_EQ(meter_of(policed(gsmp::CellRate{0, 250})), std::nullopt) << "without a limit";
  EXPECT_EQ(meter_of(policed(gsmp::OtherParameters{})), std::nullopt);
}

TEST(Cells, AreRoundedUp) {
  EXPECT_EQ(cells_of(0), 0U);
  EXPECT_EQ(cells_of(48), 1U);
  EXPECT_EQ(cells_of(49), 2U);
  EXPECT_EQ(cells_of(~0ULL), 384307168202282326ULL);
}

}  // namespace
}  // namespace xbind::ovs
