// Partitions: requested, granted, denied and assigned.
#include <gtest/gtest.h>

#include <chrono>

#include "gsmp/session.hpp"
#include "tests/unit/gsmp/adjacency_fixture.hpp"

namespace xbind::gsmp {
namespace {

using namespace std::chrono_literals;
using namespace test::adjacency;
using State = AdjacencyState;

TEST(AdjacencyExchange, AskingForAPartition) {  // A8
  AdjacencyOptions options = controller_options();
  options.partition_type = kPartitionRequested;
  options.partition = 7;
  options.partition_flag = kRecoveredAdjacency;
  End c(options, {0x0a1b2c});
  c.adjacency.start(kStart, c.out);
  EXPECT_EQ(c.sent(), frames({"A8"}));
}

TEST(AdjacencyExchange, TheSwitchAssignsAPartition) {
  AdjacencyOptions options = switch_options();
  options.partition_type = kPartitionAssigned;
  options.partition = 7;
  End s(options, {0x3d4e5f});
  End c = controller();
  c.adjacency.start(kStart, c.out);
  s.adjacency.start(kStart, s.out);
  EXPECT_EQ(talk(c, s), 6);
  EXPECT_TRUE(c.adjacency.established());
  EXPECT_TRUE(s.adjacency.established());
  EXPECT_EQ(c.adjacency.partition(), 7);
}

TEST(AdjacencyExchange, TheSwitchAssignsAPartitionAndItsSynIsLost) {
  AdjacencyOptions options = switch_options();
  options.partition_type = kPartitionAssigned;
  options.partition = 7;
  End s(options, {0x3d4e5f});
  End c = controller();
  c.adjacency.start(kStart, c.out);
  s.adjacency.start(kStart, s.out);
  s.out.clear();
  EXPECT_EQ(talk(c, s), 4);
  EXPECT_TRUE(c.adjacency.established());
  EXPECT_TRUE(s.adjacency.established());
}

TEST(AdjacencyExchange, ARequestedPartitionIsGranted) {
  AdjacencyOptions c_options = controller_options();
  c_options.partition_type = kPartitionRequested;
  c_options.partition = 7;
  AdjacencyOptions s_options = switch_options();
  s_options.partition_type = kPartitionAssigned;
  s_options.partition = 7;
  End c(c_options, {1});
  End s(s_options, {2});
  c.adjacency.start(kStart, c.out);
  s.adjacency.start(kStart, s.out);
  EXPECT_EQ(talk(c, s), 6);
  EXPECT_TRUE(c.adjacency.established());
  EXPECT_TRUE(s.adjacency.established());
  EXPECT_EQ(c.adjacency.partition(), 7);
  EXPECT_EQ(s.adjacency.partition(), 7);
  EXPECT_FALSE(c.adjacency.partition_denied());
  // From now on both ends name the assigned partition in their messages.
  for (End* end : {&c, &s}) {
    end->adjacency.tick(kStart + 1s, end->out);
    const auto ack = std::get<AdjacencyMessage>(test::messages_of(end->out).at(0));
    EXPECT_EQ(ack.partition_type, kPartitionAssigned);
    EXPECT_EQ(ack.partition, 7);
  }
}

TEST(AdjacencyExchange, AnotherPartitionThanTheSwitchHasIsDenied) {
  AdjacencyOptions c_options = controller_options();
  c_options.partition_type = kPartitionRequested;
  c_options.partition = 7;
  AdjacencyOptions s_options = switch_options();
  s_options.partition_type = kPartitionAssigned;
  s_options.partition = 5;
  End c(c_options, {1});
  End s(s_options, {2});
  c.adjacency.start(kStart, c.out);
  s.adjacency.start(kStart, s.out);
  s.out.clear();  // this test needs only the answers
  // controller --> SYN, partition 7; switch --> RSTACK, PType 1
  s.hears(c.out);
  c.out.clear();
  EXPECT_EQ(s.adjacency.state(), State::kSynSent);
  EXPECT_FALSE(c.adjacency.partition_denied());
  EXPECT_EQ(c.hears(s.out), AdjacencyChange::kNone);
  EXPECT_TRUE(c.adjacency.partition_denied());
  EXPECT_FALSE(c.adjacency.established());
}

TEST(AdjacencyExchange, ADenialOfAnotherLinkIsNotOurs) {
  AdjacencyOptions options = controller_options();
  options.partition_type = kPartitionRequested;
  options.partition = 7;
  End c(options, {1});
  c.adjacency.start(kStart, c.out);
  AdjacencyMessage rstack;
  rstack.code = AdjacencyCode::kRstAck;
  rstack.partition_type = kPartitionRequested;
  rstack.receiver = {kControllerName, 1, 99};
  c.adjacency.receive(rstack, kStart, c.out);
  EXPECT_FALSE(c.adjacency.partition_denied());
}

TEST(AdjacencyExchange, APartitionThatIsNotThereIsRefused) {
  End s = the_switch();
  s.adjacency.start(kStart, s.out);
  s.out.clear();
  s.hears("A8");
  const auto answer = test::messages_of(s.out);
  ASSERT_EQ(answer.size(), 1U);
  const auto& rstack = std::get<AdjacencyMessage>(answer[0]);
  EXPECT_EQ(rstack.code, AdjacencyCode::kRstAck);
  EXPECT_EQ(rstack.partition_type, kPartitionRequested);
  EXPECT_EQ(s.adjacency.state(), State::kSynSent);
}

TEST(AdjacencyExchange, ADeniedPartitionOfASessionIsGivenUpByName) {
  SessionOptions with_partition;
  with_partition.adjacency = controller_options();
  with_partition.adjacency.partition_type = kPartitionRequested;
  with_partition.adjacency.partition = 7;
  Session asking(with_partition, [] { return 0x0a1b2cU; });
  asking.connected(kStart);
  AdjacencyMessage rstack;
  rstack.code = AdjacencyCode::kRstAck;
  rstack.partition_type = kPartitionRequested;
  rstack.receiver = asking.adjacency().self();
  asking.receive(test::framed(rstack), kStart);
  const auto events = asking.take_events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<DropTransport>(events[0]).reason, "the switch does not give us partition 7");
}

}  // namespace
}  // namespace xbind::gsmp
