// What a manager does about the findings of an audit.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RepairsTest : public ExchangeTest {
 protected:
  static LedgerHop ledger_hop(std::uint64_t connection, std::uint32_t in, std::uint32_t out) {
    LedgerHop hop;
    hop.key = {ConnectionId{connection}, Generation{1}, 0, 1};
    hop.cross_connect = {PortId{20}, vci(in), PortId{21}, vci(out)};
    hop.hop_count = 3;
    hop.settled = true;
    return hop;
  }
  OwnRepairs repairs(const std::vector<Finding>& seen) {
    return repairs_of("sw2", view_, report_, view_, seen);
  }
  std::vector<Finding> look() { return compare("sw2", view_, report_, view_); }

  ManagerView view_;
  LedgerReport report_;
};

TEST_F(RepairsTest, AHopThatOnlyTheLedgerHasIsRemovedAfterTwoLooks) {
  report_.hops = {ledger_hop(5, 40, 41)};
  EXPECT_THAT(repairs({}).stray_hops, IsEmpty()) << "the first look has not found it";
  EXPECT_THAT(repairs(look()).stray_hops, ElementsAre(report_.hops[0]));
}

TEST_F(RepairsTest, ALabelThatTheManagerDoesNotHaveIsReturned) {
  report_.cached = {{PortId{21}, {vci(50)}}};
  report_.quarantined = {{PortId{21}, {vci(51)}}};
  EXPECT_THAT(repairs(look()).leaked_labels,
              ElementsAre(std::pair(PortId{21}, vci(50)), std::pair(PortId{21}, vci(51))));
}

TEST_F(RepairsTest, StraysAreLeftAloneWhileTheLedgerLacksAHop) {
  report_.findings = {{FindingKind::kStrayCrossConnect, "sw2 port 20", "a stray", 1},
                      {FindingKind::kLeakedLabel, "sw2 port 21", "a label", 1}};
  EXPECT_THAT(repairs(look()).for_switch_server, SizeIs(2));
  view_.hops = {ledger_hop(6, 40, 41)};
  EXPECT_THAT(repairs(look()).for_switch_server, ElementsAre(report_.findings[1]))
      << "the stray may be that hop's";
}

TEST_F(RepairsTest, TheSwitchServerIsSentTheRemovalAndTheLabel) {
  start_with_labels({vci(32)}, {vci(40)});
  manager().repair("sw2", {{ledger_hop(5, 60, 61)}, {{PortId{21}, vci(50)}}, {}}, now);
  finish();
  wait(milliseconds{200});
  const HopBatch heard = take("sw2");
  ASSERT_THAT(heard.removals, SizeIs(1));
  EXPECT_EQ(heard.removals[0].key, ledger_hop(5, 60, 61).key);
  EXPECT_THAT(heard.returned, ElementsAre(PortLabels{PortId{21}, {vci(50)}}));
  EXPECT_EQ(manager().gauges().owed, 1U);
  answer("sw2", {removed(heard.removals[0], vci(61))});
  wait(milliseconds{200});
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_THAT(take("sw2").returned, ElementsAre(PortLabels{PortId{21}, {vci(61)}}));
}

}  // namespace
}  // namespace xbind::cmgr
