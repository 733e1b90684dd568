// Two ports, a table of hops over them, and a way to enter a hop, for the tests of parts that refer
// to hops.
#pragma once

#include <gtest/gtest.h>

#include "switchserver/ledger/hop_table.hpp"
#include "switchserver/ledger/label_pools.hpp"

namespace xbind {

class PartHopsTest : public ::testing::Test {
 protected:
  PartHopsTest() {
    for (const PortId port : {kFrom, kTo}) {
      pools.set_ranges(*numbers.enter(port), {atm_range(0, 0, 32, 39)});
    }
  }

  static HopSetup setup(std::uint64_t connection, std::uint32_t generation = 1,
                        std::uint16_t leg = 0) {
    HopSetup setup;
    setup.key = {ConnectionId{connection}, Generation{generation}, leg, 1};
    setup.hop_count = 3;
    setup.input_port = kFrom;
    setup.input_label = atm_label(0, 33);
    setup.output_port = kTo;
    setup.output_label = atm_label(0, 34);
    setup.demand = {100, 10};
    setup.request = RequestId{7};
    return setup;
  }
  HopRef enter(const HopSetup& setup, std::uint32_t owner = kNoOwner) {
    const HopRef ref = hops.insert(kManager, setup, owner, HopTable::hash(kManager, setup.key));
    HopTable::place(hops.hop(ref), PortIndex{0}, PortIndex{1}, setup.output_label);
    HopTable::set_input_label(hops.hop(ref), setup.input_label);
    return ref;
  }

  static constexpr PortId kFrom{5};
  static constexpr PortId kTo{6};
  static constexpr ManagerIndex kManager{0};
  LedgerOptions options;
  PortNumbers numbers;
  ManagerTable managers{9};
  LabelPools pools{numbers, managers, options};
  HopTable hops{numbers};
};

}  // namespace xbind
