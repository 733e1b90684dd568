// Factors and buffers of ports that change while a ledger is in use.
#include "ledger_fixture.hpp"

namespace xbind {
namespace {

TEST_F(LedgerTest, ChangedFactorsAndBufferCountForTheNextCallAndKeepEarlierPromises) {
  LedgerOptions options = ledger.options();
  options.overbooking = 2.0;
  options.port_overbooking = {{kTrunk, 3.0}};
  options.buffer_cells = 100;
  ledger.change_capacities(options);
  EXPECT_EQ(ledger.usage(kOut)->capacity, (Resources{2000, 100}));
  EXPECT_EQ(ledger.usage(kTrunk)->capacity, (Resources{3000, 100}));
  const HopRef large = committed(a, middle(1, kInput, cache_one(a), {1500, 100}));

  ledger.change_capacities({.overbooking = 1.0, .buffer_cells = 50});
  EXPECT_EQ(ledger.usage(kOut)->capacity, (Resources{1000, 50}));
  EXPECT_EQ(ledger.usage(kOut)->taken, (Resources{1500, 100}));
  expect_refused(ledger.set_up(a, middle(2, atm_label(0, 36), cache_one(a), {1, 0})),
                 Cause::kNoBandwidth, kOut, 1, 0);
  remove(large);
  EXPECT_EQ(ledger.usage(kOut)->taken, (Resources{}));
  committed(a, middle(3, atm_label(0, 37), cache_one(a), {1000, 50}));
}

TEST_F(LedgerTest, ChangedCapacitiesCountForPortsThatAppearLater) {
  Ledger fresh({.buffer_cells = 500});
  fresh.change_capacities({.overbooking = 1.5, .buffer_cells = 500});
  fresh.set_ports(ports(1000));
  EXPECT_EQ(fresh.usage(kOut)->capacity, (Resources{1500, 500}));
}

}  // namespace
}  // namespace xbind
