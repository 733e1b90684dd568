// Two ends of a line to a Cambridge Fast Ring on the loopback interface; the time is the test's.
#include "dataplane/links/udp_cfr.hpp"

#include <gtest/gtest.h>

#include "../cells.hpp"
#include "dataplane/cells/cfr_cell.hpp"
#include "dataplane/links/udp_plain.hpp"
#include "net/udp_socket.hpp"
#include "udp.hpp"

namespace xbind::dataplane {
namespace {

using std::chrono::milliseconds;

class UdpCfrTest : public ::testing::Test {
 protected:
  std::unique_ptr<UdpEnd> open(const net::UdpAddress& peer = {}) {
    auto link = open_udp_cfr({.peer = peer, .clock = [this] { return now; }});
    EXPECT_TRUE(link.has_value()) << link.error().text;
    return link ? std::move(*link) : nullptr;
  }
  void SetUp() override {
    left = open();
    right = open();
    left->set_peer_port(right->local_port());
    right->set_peer_port(left->local_port());
  }
  // A datagram to `right` from the port of `left`, as it is.
  void send_raw(std::span<const std::byte> octets) {
    const std::uint16_t port = left->local_port();
    left.reset();
    sa_family_t family = 0;
    const auto socket = net::open_socket({.port = port}, 1U << 16, family);
    ASSERT_TRUE(socket.has_value()) << socket.error().text;
    auto to = net::resolve_peer({.port = right->local_port()}, {.port = port}, family);
    ASSERT_TRUE(to.has_value()) << to.error().text;
    net::DatagramBatch batch(octets.size());
    std::ranges::copy(octets, batch.at(0).begin());
    batch.put(0, octets.size(), *to);
    ASSERT_EQ(batch.send(**socket, 1), 1);
  }

  TimePoint now{milliseconds{100}};
  std::unique_ptr<UdpEnd> left, right;
};

// Cells of one frame on VCI 32.
std::vector<Cell> frame(std::size_t count) {
  std::vector<Cell> cells;
  for (std::uint32_t at = 0; at < count; ++at) {
    cells.push_back(make_cell(0, 32, at));
    if (at + 1 == count) cells.back().header |= std::uint32_t{kPtUserUser} << 1;
  }
  return cells;
}

TEST_F(UdpCfrTest, CarriesFrames) {
  const auto cells = frame(100);
  EXPECT_EQ(left->send(cells), 100U);
  EXPECT_EQ(take(*right, 100), cells);
  EXPECT_EQ(left->counters(), (LinkCounters{.cells_out = 100, .datagrams_out = 150}));
  EXPECT_EQ(right->counters(), (LinkCounters{.cells_in = 100, .datagrams_in = 150}));
  EXPECT_EQ(right->vpi_max(), 0U);
}

TEST_F(UdpCfrTest, WhatWaitsLeavesWhenItsTimeHasCome) {
  const std::vector cells{make_cell(0, 32, 1)};
  left->send(cells);
  EXPECT_EQ(left->next_due(), now + milliseconds{5});
  now += milliseconds{5};
  std::array<Cell, 1> none;
  EXPECT_EQ(left->receive(none), 0U);
  EXPECT_EQ(left->next_due(), kNever);
  EXPECT_EQ(take(*right, 1), cells);
}

TEST_F(UdpCfrTest, CellsWithoutAPlaceInTheRingAreLostAndCounted) {
  auto cells = frame(3);
  cells[0] = make_cell(1, 32, 0);
  cells[1].header = cell_header(0, 32, kPtNotUserData);
  EXPECT_EQ(left->send(cells), 3U);
  EXPECT_EQ(take(*right, 1).size(), 1U);
  EXPECT_EQ(left->counters().cells_lost, 2U);
  EXPECT_EQ(left->counters().cells_out, 1U);
}

TEST_F(UdpCfrTest, AWrongCrcIsCounted) {
  std::array<std::byte, kCfrCellOctets> octets;
  encode_cfr({.vci = 32, .first = true, .last = true}, octets);
  octets[10] ^= std::byte{4};
  send_raw(octets);
  EXPECT_TRUE(receive_nothing(*right, right->counters().hec_errors));
  EXPECT_EQ(right->counters().malformed, 0U);
}

TEST_F(UdpCfrTest, WhatIsNoCellIsCounted) {
  send_raw(std::array<std::byte, kCfrCellOctets + 1>{});
  EXPECT_TRUE(receive_nothing(*right, right->counters().malformed));
  EXPECT_EQ(right->counters().hec_errors, 0U);
}

TEST_F(UdpCfrTest, AStrangersDatagramsAreNotTaken) {
  const auto stranger = open({.port = right->local_port()});
  stranger->send(frame(2));
  left->send(frame(2));
  EXPECT_EQ(take(*right, 2).size(), 2U);
  EXPECT_EQ(right->counters().foreign, 3U);
}

TEST_F(UdpCfrTest, IsReadableWhileCellsWait) {
  left->send(frame(40));
  EXPECT_TRUE(readable(right->pollable()->number(), kLong));
  std::array<Cell, 1> one;
  for (int cell = 0; cell < 40; ++cell) {
    ASSERT_TRUE(readable(right->pollable()->number(), kLong)) << "after " << cell;
    ASSERT_EQ(right->receive(one), 1U) << "after " << cell;
  }
  EXPECT_FALSE(readable(right->pollable()->number(), 0));
}

}  // namespace
}  // namespace xbind::dataplane
