#include "ledger_fixture.hpp"

#include <stdexcept>
#include <string>

namespace xbind {

LedgerTest::LedgerTest() = default;

LedgerTest::~LedgerTest() = default;

void LedgerTest::SetUp() {
  ledger.set_ports(ports(1000));
  a = ledger.manager("a").value();
  b = ledger.manager("b").value();
}

void LedgerTest::TearDown() { EXPECT_THAT(ledger.self_check("sw"), ::testing::IsEmpty()); }

std::vector<SwitchPort> LedgerTest::ports(std::uint64_t rate, const LabelRanges& ranges) {
  std::vector<SwitchPort> all;
  for (std::uint32_t i = 1; i <= 4; ++i) all.push_back({PortId{i}, ranges, rate, true});
  return all;
}

HopSetup LedgerTest::middle(std::uint64_t connection, Label input, Label output, Resources demand) {
  HopSetup setup;
  setup.key = {ConnectionId{connection}, Generation{1}, 0, 1};
  setup.hop_count = 3;
  setup.input_port = kTrunk;
  setup.input_label = input;
  setup.output_port = kOut;
  setup.output_label = output;
  setup.demand = demand;
  setup.request = RequestId{connection};
  return setup;
}

HopSetup LedgerTest::first(std::uint64_t connection, Label output, Resources demand) {
  HopSetup setup = middle(connection, {}, output, demand);
  setup.key.hop = 0;
  setup.input_port = kIn;
  return setup;
}

HopSetup LedgerTest::last(std::uint64_t connection, Label input, Resources demand) {
  HopSetup setup = middle(connection, input, {}, demand);
  setup.key.hop = 2;
  setup.output_port = PortId{2};
  return setup;
}

HopSetup LedgerTest::reserve(HopSetup setup) {
  setup.commit = false;
  setup.input_label = {};
  setup.output_label = {};
  return setup;
}

HopSetup LedgerTest::hold(HopSetup setup) {
  setup = reserve(std::move(setup));
  setup.held = true;
  return setup;
}

HopSetup LedgerTest::branch(const HopSetup& root, std::uint16_t leg, Label input,
                            PortId output_port, Label output) {
  HopSetup setup = root;
  setup.key.leg = leg;
  setup.key.hop = 0;
  setup.branch = true;
  setup.input_label = input;
  setup.output_port = output_port;
  setup.output_label = output;
  return setup;
}

Label LedgerTest::cache_one(ManagerIndex manager, PortId port) {
  std::vector<Label> granted;
  ledger.grants().grant_labels(manager, port, 1, granted);
  EXPECT_EQ(granted.size(), 1U);
  return granted.empty() ? Label{} : granted.front();
}

HopRef LedgerTest::committed(ManagerIndex manager, const HopSetup& setup) {
  const Admission admission = ledger.set_up(manager, setup);
  // Ends the test: it cannot continue without the hop.
  if (!admission.admitted()) throw std::runtime_error(std::string(to_string(admission.cause)));
  ledger.step(admission.hop, HopFsm::Event::kAdded);
  return admission.hop;
}

void LedgerTest::remove(HopRef hop) {
  if (!ledger.begin_removal(hop)) ledger.removed(hop);
}

LabelHolder LedgerTest::input_holder(Label label, PortId port) const {
  return ledger.labels().input_label(port, label)->holder;
}

LabelHolder LedgerTest::holder(Label label, PortId port) const {
  return ledger.labels().output_label(port, label)->holder;
}

void LedgerTest::expect_refused(const Admission& got, Cause cause, PortId port, std::uint64_t asked,
                                std::uint64_t free) {
  EXPECT_EQ(to_string(got.cause), to_string(cause));
  EXPECT_EQ(got.port, port);
  EXPECT_EQ(got.asked, asked);
  EXPECT_EQ(got.free, free);
}

}  // namespace xbind
