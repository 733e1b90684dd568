// A ledger of four ports and two managers, and hops in the words of a test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "switchserver/ledger.hpp"

namespace xbind {

// Ports 1 and 2 are access lines, 3 and 4 lead to other switches; 8 labels and 1000 cells/s each.
class LedgerTest : public ::testing::Test {
 protected:
  static constexpr PortId kIn{1};
  static constexpr PortId kTrunk{3};
  static constexpr PortId kOut{4};

  void SetUp() override {
    ledger.set_ports(ports(1000));
    a = ledger.manager("a").value();
    b = ledger.manager("b").value();
  }
  // Whatever a test did, the books must agree with themselves.
  void TearDown() override { EXPECT_THAT(ledger.self_check("sw"), ::testing::IsEmpty()); }

  static std::vector<SwitchPort> ports(std::uint64_t rate, LabelRange range = {0, 0, 32, 39}) {
    std::vector<SwitchPort> all;
    for (std::uint32_t i = 1; i <= 4; ++i) all.push_back({PortId{i}, range, rate, true});
    return all;
  }

  // A hop in the middle of a path: from the trunk to kOut.
  HopSetup middle(std::uint64_t connection, Label input, Label output,
                  Resources demand = {100, 10}) {
    HopSetup setup;
    setup.key = {ConnectionId{connection}, Generation{1}, 0, 1};
    setup.hop_count = 3;
    setup.input_port = kTrunk;
    setup.input_label = input;
    setup.output_port = kOut;
    setup.output_label = output;
    setup.demand = demand;
    setup.call = {"client", RequestId{connection}, "ann", "bob"};
    return setup;
  }
  HopSetup first(std::uint64_t connection, Label output, Resources demand = {100, 10}) {
    HopSetup setup = middle(connection, {}, output, demand);
    setup.key.hop = 0;
    setup.input_port = kIn;
    return setup;
  }
  HopSetup last(std::uint64_t connection, Label input, Resources demand = {100, 10}) {
    HopSetup setup = middle(connection, input, {}, demand);
    setup.key.hop = 2;
    setup.output_port = PortId{2};
    return setup;
  }
  static HopSetup reserve(HopSetup setup) {
    setup.commit = false;
    setup.input_label = {};
    setup.output_label = {};
    return setup;
  }
  static HopSetup hold(HopSetup setup) {
    setup = reserve(std::move(setup));
    setup.held = true;
    return setup;
  }
  // A leaf's leg begins at the switch where `root` is, and leaves it by another port.
  static HopSetup branch(const HopSetup& root, std::uint16_t leg, Label input, PortId output_port,
                         Label output) {
    HopSetup setup = root;
    setup.key.leg = leg;
    setup.key.hop = 0;
    setup.branch = true;
    setup.input_label = input;
    setup.output_port = output_port;
    setup.output_label = output;
    return setup;
  }

  Label cache_one(ManagerIndex manager, PortId port = kOut) {
    std::vector<Label> granted;
    ledger.grant_labels(manager, port, 1, granted);
    EXPECT_EQ(granted.size(), 1U);
    return granted.empty() ? Label{} : granted.front();
  }
  HopRef committed(ManagerIndex manager, const HopSetup& setup) {
    const Admission admission = ledger.set_up(manager, setup);
    EXPECT_EQ(admission.cause, Cause::kNone) << to_string(admission.cause);
    ledger.programmed(admission.hop);
    return admission.hop;
  }
  void remove(HopRef hop) {
    if (!ledger.begin_removal(hop)) ledger.removed(hop);
  }
  LabelHolder input_holder(Label label, PortId port = kTrunk) const {
    return ledger.input_label(port, label)->holder;
  }
  LabelHolder holder(Label label, PortId port = kOut) const {
    return ledger.output_label(port, label)->holder;
  }
  static void expect_refused(const Admission& got, Cause cause, PortId port, std::uint64_t asked,
                             std::uint64_t free = 0) {
    EXPECT_EQ(to_string(got.cause), to_string(cause));
    EXPECT_EQ(got.port, port);
    EXPECT_EQ(got.asked, asked);
    EXPECT_EQ(got.free, free);
  }

  static constexpr Label kInput = atm_label(0, 35);

  Ledger ledger{{.buffer_cells = 500}};
  ManagerIndex a;
  ManagerIndex b;
};

}  // namespace xbind
