#include "smds/line_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/smds/pdus.hpp"

namespace xbind::smds {
namespace {

// s1 of ring_of_four(): a1 at host-11, b1 at host-12, s2 at node-2, s4 at node-4.
class LineCallsTest : public testing::Test {
 protected:
  LineCallsTest() : ports(ports_of(network_of(ring_of_four()), 0)), before(ports.size()) {}

  std::vector<LineLabels> labels() { return labels_of(ports, "s1", "node-1", calls, before); }
  void add(std::uint64_t id, const char* client, const char* from, const char* to,
           std::uint32_t vci) {
    calls.push_back({.connection = ConnectionId{id},
                     .client = client,
                     .from = from,
                     .to = to,
                     .ingress = atm_label(0, vci),
                     .egress = atm_label(0, vci + 1),
                     .reverse_ingress = atm_label(0, vci + 2),
                     .reverse_egress = atm_label(0, vci + 3)});
  }

  std::vector<Port> ports;
  std::vector<LineLabels> before;
  std::vector<SeenCall> calls;
};

TEST_F(LineCallsTest, OneCallForEachNeighbourAndSubscriber) {
  const auto wanted = wanted_calls(ports, "node-1", 9235);
  ASSERT_EQ(wanted.size(), 4U);
  EXPECT_EQ(wanted[0].name, "a1");
  EXPECT_EQ(wanted[0].request.from, "node-1");
  EXPECT_EQ(wanted[0].request.to, "host-11");
  EXPECT_EQ(wanted[0].request.reverse, wanted[0].request.service);
  EXPECT_EQ(wanted[2].request.to, "node-2");
  EXPECT_FALSE(wanted[2].request.reverse);
}

TEST_F(LineCallsTest, TheContractHasRoomForThePdusOfTheClass) {
  for (const std::uint32_t mbit : {4U, 34U, 600U}) {
    const TrafficContract contract = contract_for(mbit, 9235).contract;
    EXPECT_EQ(check(contract), std::nullopt) << mbit;
    EXPECT_EQ(contract.category, ServiceCategory::kNrtVbr);
    EXPECT_GE(contract.guaranteed_cells_per_s * 44.0 * 8, mbit * 1e6) << mbit;
    EXPECT_LE(contract.guaranteed_cells_per_s * 43.5 * 8, mbit * 1e6) << mbit;
    EXPECT_EQ(contract.mbs_cells, 422U);
  }
}

TEST_F(LineCallsTest, ASubscribersLabelsAreThoseOfOurCall) {
  add(1, "s1", "node-1", "host-11", 40);
  EXPECT_EQ(labels()[0], (LineLabels{atm_label(0, 40), atm_label(0, 43)}));
  EXPECT_EQ(subscriber_labels("s1", "node-1", "host-11", calls),
            (LineLabels{atm_label(0, 42), atm_label(0, 41)}));
  EXPECT_FALSE(subscriber_labels("s1", "node-1", "host-12", calls).complete());
}

TEST_F(LineCallsTest, ANeighboursLabelsAreOfOurCallAndOfItsOwn) {
  add(1, "s1", "node-1", "node-2", 40);
  EXPECT_FALSE(labels()[2].complete());
  add(2, "s2", "node-2", "node-1", 60);
  EXPECT_EQ(labels()[2], (LineLabels{atm_label(0, 40), atm_label(0, 61)}));
  EXPECT_FALSE(labels()[3].complete());
}

TEST_F(LineCallsTest, ACallOfAnybodyElseGivesNoLabel) {
  add(1, "mallory", "node-2", "node-1", 40);
  add(2, "mallory", "node-1", "node-2", 50);
  add(3, "s2", "node-3", "node-1", 60);
  for (const LineLabels& line : labels()) EXPECT_EQ(line, LineLabels{});
}

TEST_F(LineCallsTest, TheLatestOfSeveralCallsCounts) {
  add(7, "s1", "node-1", "host-11", 40);
  add(9, "s1", "node-1", "host-11", 60);
  add(8, "s1", "node-1", "host-11", 80);
  EXPECT_EQ(labels()[0].send, atm_label(0, 60));
}

TEST_F(LineCallsTest, LabelsStayWhileTheManagerDoesNotKnowThemAll) {
  add(1, "s1", "node-1", "host-11", 40);
  before = labels();
  calls[0].ingress = calls[0].egress = calls[0].reverse_ingress = calls[0].reverse_egress = {};
  EXPECT_EQ(labels()[0], before[0]);
  calls.clear();
  EXPECT_EQ(labels()[0], LineLabels{});
}

}  // namespace
}  // namespace xbind::smds
