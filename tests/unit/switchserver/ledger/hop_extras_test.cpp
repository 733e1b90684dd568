#include "switchserver/ledger/hop_extras.hpp"

#include "part_hops.hpp"

namespace xbind {
namespace {

class HopExtrasTest : public PartHopsTest {
 protected:
  HopExtrasTable extras{hops};
};

TEST_F(HopExtrasTest, AHopWithoutExtrasHasItAllInItsRecord) {
  const HopRef ref = enter(setup(1));
  hops.hop(ref).charge = {120, 10};
  EXPECT_EQ(extras.alone(ref), (Resources{120, 10}));
  EXPECT_EQ(extras.ingress(ref), std::nullopt);
  EXPECT_EQ(extras.revision(ref), 0U);
  EXPECT_EQ(extras.setup_of(ref), setup(1));
  const std::size_t octets = extras.octets();
  extras.set_ingress(ref, 100);
  EXPECT_EQ(extras.ingress(ref), 100U);
  EXPECT_EQ(extras.octets(), octets) << "its demand needs no extras";
}

TEST_F(HopExtrasTest, KeepWhatWasAskedAndGoWhenItIsSoAgain) {
  const HopRef ref = enter(setup(1));
  extras.set_ingress(ref, 100);
  const std::size_t octets = extras.octets();
  extras.edit(ref).revision = 4;
  HopTable::set_contract(hops.hop(ref), {200, 20}, {});
  EXPECT_TRUE(extras.matches(ref, {100, 10}, {})) << "by the setup";
  EXPECT_TRUE(extras.matches(ref, {200, 20}, {})) << "by the modify";
  EXPECT_FALSE(extras.matches(ref, {300, 20}, {}));
  EXPECT_EQ(extras.setup_of(ref).demand, (Resources{100, 10}));
  EXPECT_EQ(extras.ingress(ref), 100U);
  extras.drop_plain(ref);
  EXPECT_EQ(extras.revision(ref), 4U) << "they differ still";
  extras.edit(ref).revision = 0;
  HopTable::set_contract(hops.hop(ref), {100, 10}, {});
  extras.drop_plain(ref);
  EXPECT_LE(extras.octets(), octets + 32 * sizeof(void*)) << "except for the map's table";
  EXPECT_EQ(extras.ingress(ref), 100U);
}

TEST_F(HopExtrasTest, AnotherChargeKeepsWhatTheHopNeedsAlone) {
  const HopRef ref = enter(setup(1));
  hops.hop(ref).charge = {120, 10};
  extras.set_charge(ref, {});
  EXPECT_EQ(hops.hop(ref).charge, Resources{});
  EXPECT_EQ(extras.alone(ref), (Resources{120, 10}));
}

TEST_F(HopExtrasTest, EndWithTheirHop) {
  HopSetup hold = setup(1);
  hold.held = true;
  const HopRef ref = enter(hold);
  extras.edit(ref).shown_id = ConnectionId{9};
  extras.note_hold_end(ref, TimePoint{} + std::chrono::seconds{3});
  EXPECT_EQ(extras.shown_id(ref), ConnectionId{9});
  EXPECT_EQ(extras.hold_end(ref), TimePoint{} + std::chrono::seconds{3});
  extras.erase(ref);
  EXPECT_EQ(extras.shown_id(ref), ConnectionId{});
  EXPECT_EQ(extras.hold_end(ref), kNever);
}

}  // namespace
}  // namespace xbind
