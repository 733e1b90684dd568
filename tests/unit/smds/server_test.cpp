#include "smds/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/unit/smds/pdus.hpp"

namespace xbind::smds {
namespace {

// Lines that keep what they are given.
class KeptLines : public Lines {
 public:
  bool room(PortIndex port) const override { return !full.contains(port); }
  void send(PortIndex port, std::span<const std::byte> head,
            std::span<const std::byte> pdu) override {
    wire::Buffer frame(head.begin(), head.end());
    frame.insert(frame.end(), pdu.begin(), pdu.end());
    sent[port].push_back(std::move(frame));
  }

  std::set<PortIndex> full;
  std::map<PortIndex, std::vector<wire::Buffer>> sent;
};

class ServerTest : public testing::Test {
 protected:
  // Ports: 0 a1, 1 b1, 2 s2, 3 s4.
  void start(const ServerOptions& options, std::string_view trunk = "mbit-per-s = 600") {
    network = network_of(ring_of_four({}, trunk));
    server = std::make_unique<Server>(network, 0, options, lines);
    for (PortIndex port = 0; port < 4; ++port) server->forwarder().set_connected(port, true);
  }
  void receive(PortIndex port, const wire::Buffer& frame) { server->received(port, frame, now); }
  std::uint64_t dropped(PortIndex port) const {
    return server->forwarder().counters()[port].of(Fate::kBufferFull);
  }

  Network network;
  KeptLines lines;
  std::unique_ptr<Server> server;
  TimePoint now{std::chrono::seconds{1000}};
};

TEST_F(ServerTest, ATrunkHasAnEnvelopeAndASubscriberHasNone) {
  start({});
  const wire::Buffer out = pdu_of("C11", "C21");
  receive(0, out);
  ASSERT_EQ(lines.sent[2].size(), 1U);
  const wire::Buffer& frame = lines.sent[2][0];
  EXPECT_EQ(read_envelope(frame), (Envelope{.hops = kHopsFirst, .ingress = 10}));
  EXPECT_EQ(wire::Buffer(frame.begin() + 4, frame.end()), out);
  receive(0, pdu_of("C11", "C12"));
  ASSERT_EQ(lines.sent[1].size(), 1U);
  EXPECT_EQ(lines.sent[1][0], pdu_of("C11", "C12"));
  EXPECT_EQ(server->forwarder().counters()[0].waited, 0U);
  EXPECT_EQ(server->forwarder().counters()[2].sent_individual, 1U);
}

TEST_F(ServerTest, WhatFindsTheBufferFullIsDroppedWhole) {
  start({.buffer_pdus = 10});
  lines.full.insert(2);
  for (std::uint8_t tag = 1; tag <= 15; ++tag) receive(0, pdu_of("C11", "C21", 100, tag));
  EXPECT_EQ(server->waiting(0), 10U);
  EXPECT_EQ(dropped(0), 5U);
  receive(1, pdu_of("C12", "C11"));  // another line's buffer, and an output with room
  EXPECT_EQ(lines.sent[0].size(), 1U);
  lines.full.clear();
  server->serve(now);
  // The pace of the class lets one PDU leave, and time the others; none is a part.
  while (server->next_due() != kNever) {
    now = std::max(now, server->next_due());
    server->serve(now);
  }
  ASSERT_EQ(lines.sent[2].size(), 10U);
  for (std::uint8_t tag = 1; tag <= 10; ++tag) {
    const wire::Buffer& frame = lines.sent[2][tag - 1U];
    EXPECT_EQ(wire::Buffer(frame.begin() + 4, frame.end()), pdu_of("C11", "C21", 100, tag));
  }
}

TEST_F(ServerTest, AnOutputIsPacedByItsContract) {
  start({.buffer_pdus = 1000}, "mbit-per-s = 8");  // 1 octet a microsecond
  const TimePoint begin = now;
  for (int at = 0; at < 100; ++at) receive(3, {});  // without effect on a pace
  std::size_t octets = 0;
  for (int at = 0; at < 50; ++at) {
    const wire::Buffer pdu = pdu_of("C41", "C21", 956);
    octets = pdu.size();
    const EnvelopeImage head = image_of({.hops = 9, .ingress = 40});
    wire::Buffer frame(head.begin(), head.end());
    frame.insert(frame.end(), pdu.begin(), pdu.end());
    receive(3, frame);
  }
  while (server->next_due() != kNever) {
    now = std::max(now, server->next_due());
    server->serve(now);
  }
  EXPECT_EQ(lines.sent[2].size(), 50U);
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(now - begin);
  EXPECT_GE(took.count() + 5000, static_cast<long>(49 * octets));  // 5 ms are made good
  EXPECT_LE(took.count(), static_cast<long>(50 * octets));
}

TEST_F(ServerTest, AnInterfaceWithARateLimitsTheServer) {
  start({.buffer_pdus = 1000, .interface_octets_per_s = 1'000'000});
  const TimePoint begin = now;
  std::size_t octets = 0;
  for (int at = 0; at < 30; ++at) {
    const wire::Buffer pdu = pdu_of(at % 2 == 0 ? "C11" : "C12", at % 2 == 0 ? "C21" : "C41", 200);
    octets += pdu.size();
    receive(static_cast<PortIndex>(at % 2), pdu);
  }
  while (server->next_due() != kNever) {
    now = std::max(now, server->next_due());
    server->serve(now);
  }
  EXPECT_EQ(lines.sent[2].size(), 15U);  // ports take turns
  EXPECT_EQ(lines.sent[3].size(), 15U);
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(now - begin);
  EXPECT_GE(took.count() + 5000 + 300, static_cast<long>(octets));
}

TEST_F(ServerTest, ADroppedPduIsDecidedOnceAndCountedOnce) {
  start({});
  lines.full = {1, 2, 3};
  receive(0, pdu_of("C11", "C21"));
  for (int at = 0; at < 5; ++at) server->serve(now);
  EXPECT_EQ(server->forwarder().counters()[0].received_individual, 1U);
  lines.full.clear();
  server->serve(now);
  EXPECT_EQ(lines.sent[2].size(), 1U);
  EXPECT_EQ(server->forwarder().counters()[0].of(Fate::kForwarded), 1U);
}

}  // namespace
}  // namespace xbind::smds
