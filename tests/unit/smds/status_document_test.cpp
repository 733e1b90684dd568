#include "smds/status_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/smds/pdus.hpp"

namespace xbind::smds {
namespace {

using ::testing::HasSubstr;

class StatusTest : public testing::Test {
 protected:
  StatusTest()
      : network(network_of(ring_of_four())),
        ports(ports_of(network, 0)),
        labels(ports.size()),
        wanted({std::chrono::seconds{1}, std::chrono::seconds{1}}) {
    std::vector<RequestId> orphans;
    wanted.replace(wanted_calls(ports, "node-1", 9235), orphans);
    snapshot.ports.resize(ports.size());
  }

  std::string document() const {
    return status_document({.manager = "default", .attached = true, .running = true, .wall = {}},
                           network.servers[0], ports, labels, wanted, snapshot);
  }

  Network network;
  std::vector<Port> ports;
  std::vector<LineLabels> labels;
  keeper::WantedCalls wanted;
  Snapshot snapshot;
};

TEST_F(StatusTest, ALineIsConnectedWhenItsCallsAreUpInBothDirections) {
  EXPECT_EQ(line_state(ports[2], labels[2], wanted), "waiting");
  wanted.bind({2, 0}, ConnectionId{7}, keeper::CallState::kUp, {}, 1);
  EXPECT_EQ(line_state(ports[2], labels[2], wanted), "no label to send with");
  labels[2].send = atm_label(0, 40);
  EXPECT_EQ(line_state(ports[2], labels[2], wanted), "the neighbour's call is not up");
  labels[2].receive = atm_label(0, 41);
  EXPECT_EQ(line_state(ports[2], labels[2], wanted), "connected");
  wanted.bind({2, 0}, ConnectionId{7}, keeper::CallState::kBroken, {}, 2);
  EXPECT_EQ(line_state(ports[2], labels[2], wanted), "broken");
}

TEST_F(StatusTest, ShowsEveryLineWithItsCounters) {
  wanted.bind({2, 0}, ConnectionId{7}, keeper::CallState::kUp, {}, 1);
  labels[2] = {atm_label(0, 40), atm_label(0, 41)};
  snapshot.ports[2].counters.received_individual = 5;
  snapshot.ports[0].counters.faults[static_cast<std::size_t>(PduFault::kBeTagMismatch)] = 3;
  const std::string text = document();
  EXPECT_THAT(text, HasSubstr(R"("server":"s1","id":10,"endpoint":"node-1")"));
  EXPECT_THAT(text, HasSubstr(R"({"name":"s2","kind":"neighbour","endpoint":"node-2")"));
  EXPECT_THAT(text, HasSubstr(R"("send_label":"0/40","receive_label":"0/41")"));
  EXPECT_THAT(text, HasSubstr(R"("sipL3ReceivedIndividualDAs":5)"));
  EXPECT_THAT(text, HasSubstr(R"("beTagMismatch":3)"));
  EXPECT_THAT(text, HasSubstr(R"("connected":1)"));

  const auto table = status_table({text});
  ASSERT_TRUE(table) << table.error().text;
  EXPECT_THAT(*table, HasSubstr("s1 at node-1: attached, 1 of 4 lines connected\n"));
  EXPECT_THAT(*table, HasSubstr("  neighbour  s2               aal5   5 in, 0 out  connected\n"));
  EXPECT_TRUE(status_array({text, text}));
  for (const char* other : {"", "{}", "[1]", "{\"format\":2,\"server\":\"s\"}"}) {
    EXPECT_FALSE(status_table({other})) << other;
  }
}

}  // namespace
}  // namespace xbind::smds
