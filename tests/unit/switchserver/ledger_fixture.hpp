// A ledger with four ports and two managers, and helpers that build hops.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "switchserver/ledger/ledger.hpp"

namespace xbind {

// Ports 1 and 2 are access lines, 3 and 4 lead to other switches; 8 labels and 1000 cells/s each.
class LedgerTest : public ::testing::Test {
 protected:
  static constexpr PortId kIn{1};
  static constexpr PortId kTrunk{3};
  static constexpr PortId kOut{4};

  LedgerTest();
  ~LedgerTest() override;

  void SetUp() override;
  // The ledger must be consistent after every test.
  void TearDown() override;

  static std::vector<SwitchPort> ports(std::uint64_t rate,
                                       const LabelRanges& ranges = {atm_range(0, 0, 32, 39)});

  // A hop in the middle of a path: from the trunk to kOut.
  HopSetup middle(std::uint64_t connection, Label input, Label output,
                  Resources demand = {100, 10});
  HopSetup first(std::uint64_t connection, Label output, Resources demand = {100, 10});
  HopSetup last(std::uint64_t connection, Label input, Resources demand = {100, 10});
  static HopSetup reserve(HopSetup setup);
  static HopSetup hold(HopSetup setup);
  // A leaf's leg begins at the switch of `root` and leaves it by another port.
  static HopSetup branch(const HopSetup& root, std::uint16_t leg, Label input, PortId output_port,
                         Label output);

  Label cache_one(ManagerIndex manager, PortId port = kOut);
  HopRef committed(ManagerIndex manager, const HopSetup& setup);
  void remove(HopRef hop);
  LabelHolder input_holder(Label label, PortId port = kTrunk) const;
  LabelHolder holder(Label label, PortId port = kOut) const;
  static void expect_refused(const Admission& got, Cause cause, PortId port, std::uint64_t asked,
                             std::uint64_t free = 0);

  static constexpr Label kInput = atm_label(0, 35);

  Ledger ledger{{.buffer_cells = 500}};
  ManagerIndex a;
  ManagerIndex b;
};

}  // namespace xbind
