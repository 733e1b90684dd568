// A compact record still returns everything about the setup that made it.
#include <vector>

#include "ledger_fixture.hpp"
#include "switchserver/ledger/hop_record.hpp"

namespace xbind {
namespace {

using LedgerRecordTest = LedgerTest;

constexpr TrafficContract kSlow{ServiceCategory::kNrtVbr, 100, 250, 50, 5};
constexpr TrafficContract kFast{ServiceCategory::kNrtVbr, 200, 250, 150, 5};

TEST_F(LedgerRecordTest, SaysEachSetupWordForWord) {
  HopSetup one = middle(1, kInput, cache_one(a), {7, 3});
  one.contract = kSlow;
  HopSetup begins = first(2, cache_one(a));
  begins.request = RequestId{0xffff'ffff'ffff'ffff};
  const HopSetup ends = last(3, atm_label(0, 36));
  for (const HopSetup& setup : {one, begins, ends}) {
    const HopRef hop = committed(a, setup);
    EXPECT_EQ(ledger.extras().setup_of(hop), setup);
    EXPECT_EQ(ledger.extras().alone(hop), setup.demand);
    EXPECT_EQ(ledger.extras().ingress(hop).has_value(), setup.first());
  }
}

TEST_F(LedgerRecordTest, SaysAReservationAndThenItsCommit) {
  HopSetup reserved = hold(middle(1, {}, {}));
  const HopRef hop = ledger.set_up(a, reserved).hop;
  EXPECT_EQ(ledger.extras().setup_of(hop), reserved);
  EXPECT_FALSE(ledger.hops().cross_connect(hop).input_label.present());
  HopSetup commit = reserved;
  commit.commit = true;
  commit.held = false;
  commit.input_label = kInput;
  ASSERT_TRUE(ledger.set_up(a, commit).admitted());
  EXPECT_EQ(ledger.extras().setup_of(hop), commit) << "which names no output label, and has one";
  EXPECT_TRUE(ledger.hops().cross_connect(hop).output_label.present());
}

TEST_F(LedgerRecordTest, SaysABranchAndWhatTakesOver) {
  const HopSetup root = first(1, cache_one(a));
  const HopRef root_hop = committed(a, root);
  const Label in = ledger.hops().cross_connect(root_hop).input_label;
  const HopSetup leaf = branch(root, 1, in, kTrunk, cache_one(a, kTrunk));
  const HopRef leaf_hop = committed(a, leaf);
  EXPECT_EQ(ledger.extras().setup_of(leaf_hop), leaf);

  HopSetup later = root;
  later.key.generation = Generation{2};
  later.takes_over = true;
  later.input_label = in;
  later.output_label = cache_one(a);
  later.demand = {300, 30};
  const HopRef later_hop = committed(a, later);
  EXPECT_EQ(ledger.extras().setup_of(later_hop), later);
  EXPECT_EQ(ledger.extras().setup_of(root_hop), root);
  EXPECT_EQ(ledger.extras().ingress(root_hop), std::nullopt);
  EXPECT_EQ(ledger.extras().ingress(later_hop), 300U);
}

TEST_F(LedgerRecordTest, SaysWhatWasAskedAlsoAfterAModify) {
  HopSetup setup = first(1, cache_one(a), {100, 10});
  setup.contract = kSlow;
  const HopRef hop = committed(a, setup);
  ASSERT_TRUE(ledger.modify(a, {setup.key, 4, {200, 20}, kFast}).admitted());
  EXPECT_EQ(ledger.extras().setup_of(hop), setup);
  EXPECT_EQ(ledger.hop(hop).demand, (Resources{200, 20}));
  EXPECT_EQ(ledger.hop(hop).contract(), kFast);
  EXPECT_EQ(ledger.extras().revision(hop), 4U);
  EXPECT_EQ(ledger.extras().ingress(hop), 200U);
  EXPECT_TRUE(ledger.set_up(a, setup).repeated) << "a repeat with the resources before the modify";
  HopSetup heard = setup;
  heard.demand = {200, 20};
  heard.contract = kFast;
  EXPECT_TRUE(ledger.set_up(a, heard).repeated) << "a repeat with the resources after the modify";
  heard.contract = kSlow;
  expect_refused(ledger.set_up(a, heard), Cause::kInvalidRequest, {}, 1);
}

// A new hop in a freed slot inherits nothing from the earlier one.
TEST_F(LedgerRecordTest, APlaceIsUsedAgainWithoutATrace) {
  const HopSetup setup = first(1, cache_one(a), {100, 10});
  const HopRef hop = committed(a, setup);
  ASSERT_TRUE(ledger.modify(a, {setup.key, 4, {200, 20}, {}}).admitted());
  ledger.step(hop, HopFsm::Event::kNotSent);
  const std::uint32_t ticket = ledger.hop(hop).ticket;
  remove(hop);
  const HopSetup other = middle(2, kInput, cache_one(b), {5, 5});
  ASSERT_EQ(committed(b, other), hop);
  EXPECT_EQ(ledger.extras().setup_of(hop), other);
  EXPECT_EQ(ledger.extras().revision(hop), 0U);
  EXPECT_EQ(ledger.extras().ingress(hop), std::nullopt);
  EXPECT_FALSE(HopFsm::stale(ledger.hop(hop).state()));
  EXPECT_NE(ledger.hop(hop).ticket, ticket);
}

TEST_F(LedgerRecordTest, APortForWhichThereIsNoRoomStaysUnknown) {
  std::vector<SwitchPort> many = ports(1000);
  const LabelRanges none;
  const auto most = static_cast<std::uint32_t>(PortNumbers::kPortsMax);
  for (std::uint32_t i = 5; i <= most + 2; ++i) many.push_back({PortId{i}, none, 1, true});
  EXPECT_THAT(ledger.set_ports(many), ::testing::ElementsAre(PortId{most + 1}, PortId{most + 2}));
  EXPECT_TRUE(ledger.ports().has(PortId{most}));
  HopSetup setup = middle(1, kInput, cache_one(a));
  setup.input_port = PortId{most + 1};
  expect_refused(ledger.set_up(a, setup), Cause::kUnknownPort, PortId{most + 1}, most + 1);
  setup.input_port = kTrunk;
  EXPECT_TRUE(ledger.set_up(a, setup).admitted());
}

// A label has the kind of its port: a hop between ports of two kinds changes the kind of the label.
TEST_F(LedgerRecordTest, AHopChangesTheKindOfItsLabelBetweenPortsOfTwo) {
  Ledger mixed({.buffer_cells = 500});
  std::vector<SwitchPort> both = ports(1000);
  both[kOut.value() - 1].labels = {mpls_range(16, 23), mpls_range(100, 107)};
  mixed.set_ports(both);
  const ManagerIndex owner = mixed.manager("a").value();
  std::vector<Label> granted;
  mixed.grants().grant_labels(owner, kOut, 9, granted);
  ASSERT_EQ(granted.size(), 9U);
  EXPECT_EQ(granted.front(), (Label{LabelKind::kMpls, 16}));
  EXPECT_EQ(granted.back(), (Label{LabelKind::kMpls, 100}));

  const HopSetup setup = middle(1, kInput, granted.back());
  const Admission admission = mixed.set_up(owner, setup);
  ASSERT_TRUE(admission.admitted());
  EXPECT_EQ(mixed.extras().setup_of(admission.hop), setup);
  EXPECT_EQ(mixed.hops().cross_connect(admission.hop).input_label, kInput);
  EXPECT_EQ(mixed.hops().cross_connect(admission.hop).output_label, granted.back());
  EXPECT_THAT(mixed.self_check("sw"), ::testing::IsEmpty());

  const Label of_the_other_kind{LabelKind::kMpls, kInput.value};
  expect_refused(mixed.set_up(owner, middle(2, of_the_other_kind, granted.front())),
                 Cause::kInvalidRequest, kTrunk, of_the_other_kind.value);
  EXPECT_EQ(mixed.labels().output_label(kOut, atm_label(0, 16)), std::nullopt);
}

TEST(PackedContract, ComesOutAsItWent) {
  constexpr std::uint32_t kMost = TrafficContract::kFieldMax;
  const std::vector<TrafficContract> contracts{
      {},
      {ServiceCategory::kCbr, kMost, 0},
      {ServiceCategory::kUbr, 1, kMost},
      {ServiceCategory::kNrtVbr, kMost, 0, kMost, kMost},
      {ServiceCategory::kRtVbr, kMost - 1, 0x12'3456, 0xab'cdef, 1},
      {ServiceCategory::kGfr, kMost, kMost, 0, kMost, kMost},
      {ServiceCategory::kGfr, 0x65'4321, 0, 0x01'0000, 0xfe'dcba, 0x0f'0f0f},
  };
  for (const TrafficContract& contract : contracts) {
    ASSERT_FALSE(check(contract)) << to_string(contract);
    EXPECT_EQ(PackedContract(contract).contract(), contract) << to_string(contract);
    for (const TrafficContract& other : contracts) {
      EXPECT_EQ(PackedContract(contract) == PackedContract(other), contract == other);
    }
  }
}

}  // namespace
}  // namespace xbind
