// Trunks on the loopback interface; the operating system chooses the ports.
#include "dataplane/links/udp_trunk.hpp"

#include <gtest/gtest.h>

#include "../cells.hpp"
#include "dataplane/links/udp_plain.hpp"
#include "udp.hpp"

namespace xbind::dataplane {
namespace {

UdpTrunk open_trunk(const UdpTrunkOptions& options = {}) {
  auto trunk = UdpTrunk::open(options);
  if (!trunk) throw std::runtime_error(trunk.error().text);
  return std::move(*trunk);
}
std::unique_ptr<UdpEnd> line(UdpTrunk& from, const UdpTrunk& to, std::uint32_t label) {
  auto link = from.add({.port = to.local_port()}, label);
  EXPECT_TRUE(link.has_value()) << link.error().text;
  return link ? std::move(*link) : nullptr;
}

struct Trunks {
  explicit Trunks(const UdpTrunkOptions& options = {})
      : left(open_trunk(options)), right(open_trunk(options)) {}
  UdpTrunk left, right;
};

TEST(UdpTrunk, CarriesManyCellsInADatagram) {
  Trunks trunks({.cells_per_datagram = 24});
  const auto here = line(trunks.left, trunks.right, 1000);
  const auto there = line(trunks.right, trunks.left, 1000);
  const auto cells = cells_of(1000, 4000);
  EXPECT_EQ(here->send(cells), 1000u);
  EXPECT_EQ(take(*there, 1000), cells);
  EXPECT_EQ(here->counters(), (LinkCounters{.cells_out = 1000, .datagrams_out = 42}));
  EXPECT_EQ(there->counters(), (LinkCounters{.cells_in = 1000, .datagrams_in = 42}));
  EXPECT_EQ(trunks.right.counters(), UdpTrunkCounters{});
}

TEST(UdpTrunk, TheLabelTellsLinesApart) {
  Trunks trunks;
  std::vector<std::unique_ptr<UdpEnd>> here, there;
  for (std::uint32_t label = 1001; label <= 1003; ++label) {
    here.push_back(line(trunks.left, trunks.right, label));
    there.push_back(line(trunks.right, trunks.left, label));
  }
  for (std::uint32_t index = 0; index < 3; ++index) here[index]->send(cells_of(60, index));
  // The last line is polled first and also reads the cells of the others from the socket.
  for (const std::uint32_t index : {2, 0, 1})
    EXPECT_EQ(take(*there[index], 60), cells_of(60, index)) << index;
  EXPECT_EQ(there[1]->send(cells_of(1, 77)), 1u);
  EXPECT_EQ(take(*here[1], 1), cells_of(1, 77));
}

TEST(UdpTrunk, ThePeersHostTellsLinesOfOneLabelApart) {
  UdpTrunk switch_trunk = open_trunk();
  UdpTrunk first_host = open_trunk({.local = {.host = "127.0.0.2"}});
  UdpTrunk second_host = open_trunk({.local = {.host = "127.0.0.3"}});
  const auto first = switch_trunk.add({"127.0.0.2", first_host.local_port()}, 1000).value();
  const auto second = switch_trunk.add({"127.0.0.3", second_host.local_port()}, 1000).value();
  line(first_host, switch_trunk, 1000)->send(cells_of(2, 1));
  line(second_host, switch_trunk, 1000)->send(cells_of(2, 2));
  EXPECT_EQ(take(*second, 2), cells_of(2, 2));
  EXPECT_EQ(take(*first, 2), cells_of(2, 1));
}

TEST(UdpTrunk, AnUnknownLabelIsDroppedAndCounted) {
  Trunks trunks;
  const auto known = line(trunks.left, trunks.right, 1000);
  line(trunks.right, trunks.left, 1001)->send(cells_of(50));  // 3 datagrams
  EXPECT_TRUE(receive_nothing(*known, trunks.left.counters().unknown_label));
  EXPECT_EQ(trunks.left.counters(), (UdpTrunkCounters{.unknown_label = 3}));
  EXPECT_EQ(known->counters(), LinkCounters{});
}

TEST(UdpTrunk, AnUnknownPeerIsDroppedAndCounted) {
  Trunks trunks;
  UdpTrunk stranger = open_trunk({.local = {.host = "127.0.0.2"}});
  const auto known = line(trunks.left, trunks.right, 1000);
  line(stranger, trunks.left, 1000)->send(cells_of(1));
  EXPECT_TRUE(receive_nothing(*known, trunks.left.counters().unknown_peer));
  EXPECT_EQ(trunks.left.counters(), (UdpTrunkCounters{.unknown_peer = 1}));
}

TEST(UdpTrunk, ThePeersPortMayBeAny) {
  Trunks trunks;
  UdpTrunk elsewhere = open_trunk();  // another port of the same host
  const auto known = line(trunks.left, trunks.right, 1000);
  line(elsewhere, trunks.left, 1000)->send(cells_of(3));
  EXPECT_EQ(take(*known, 3), cells_of(3));
}

TEST(UdpTrunk, WhatIsNoPseudowireIsCounted) {
  UdpTrunk trunk = open_trunk();
  const auto link = trunk.add({.port = 9}, 1000).value();
  const auto plain = open_udp_plain({.peer = {.port = trunk.local_port()}}).value();
  plain->send(cells_of(1));  // 53 octets: shorter than any pseudowire datagram
  EXPECT_TRUE(receive_nothing(*link, trunk.counters().malformed));
  EXPECT_EQ(trunk.counters(), (UdpTrunkCounters{.malformed = 1}));
}

TEST(UdpTrunk, CellsOfALinkThatNobodyAsksAreBounded) {
  Trunks trunks({.waiting_cells_max = 100});
  const auto idle_here = line(trunks.left, trunks.right, 1000);
  const auto busy_here = line(trunks.left, trunks.right, 1001);
  const auto idle = line(trunks.right, trunks.left, 1000);
  const auto busy = line(trunks.right, trunks.left, 1001);
  for (int round = 0; round < 10; ++round) {
    idle_here->send(cells_of(48));
    busy_here->send(cells_of(48));
    ASSERT_EQ(take(*busy, 48), cells_of(48));
  }
  EXPECT_EQ(idle->counters(), (LinkCounters{.datagrams_in = 20, .overrun = 380}));
  const auto kept = take(*idle, 100);
  ASSERT_EQ(kept.size(), 100u);
  EXPECT_EQ(number_of(kept.back()), 3u);  // the first of the third round
  idle_here->send(cells_of(5));           // there is room again
  EXPECT_EQ(take(*idle, 5), cells_of(5));
}

TEST(UdpTrunk, OneDescriptorTellsOfCellsOfAnyLinkUntilTheyAreTaken) {
  Trunks trunks;
  const auto first_here = line(trunks.left, trunks.right, 1000);
  const auto first = line(trunks.right, trunks.left, 1000);
  const auto second = line(trunks.right, trunks.left, 1001);
  const int descriptor = trunks.right.pollable()->number();
  EXPECT_EQ(first->pollable()->number(), descriptor);
  EXPECT_EQ(second->pollable()->number(), descriptor);
  EXPECT_FALSE(readable(descriptor, 0));
  first_here->send(cells_of(2));
  ASSERT_TRUE(readable(descriptor, kLong));
  std::array<Cell, 1> one;
  EXPECT_EQ(second->receive(one), 0u);  // empties the socket
  EXPECT_TRUE(readable(descriptor, 0));
  EXPECT_EQ(first->receive(one), 1u);
  EXPECT_TRUE(readable(descriptor, 0));
  EXPECT_EQ(first->receive(one), 1u);
  EXPECT_FALSE(readable(descriptor, 0));
}

TEST(UdpTrunk, ALinkThatGoesTakesItsCellsAlongAndFreesItsLabel) {
  Trunks trunks;
  const auto here = line(trunks.left, trunks.right, 1000);
  auto gone = line(trunks.right, trunks.left, 1000);
  const auto other = line(trunks.right, trunks.left, 1001);
  here->send(cells_of(2));
  ASSERT_TRUE(readable(trunks.right.pollable()->number(), kLong));
  std::array<Cell, 1> one;
  EXPECT_EQ(other->receive(one), 0u);
  gone.reset();
  EXPECT_FALSE(readable(trunks.right.pollable()->number(), 0));
  EXPECT_EQ(trunks.right.links(), 1u);
  const auto again = line(trunks.right, trunks.left, 1000);
  here->send(cells_of(3));
  EXPECT_EQ(take(*again, 3), cells_of(3));
}

TEST(UdpTrunk, TheSocketLivesAsLongAsALink) {
  Trunks trunks;
  std::unique_ptr<UdpEnd> here;
  {
    UdpTrunk brief = open_trunk();
    here = line(brief, trunks.right, 1000);
  }
  const auto there = trunks.right.add({.port = here->local_port()}, 1000).value();
  here->send(cells_of(1));
  EXPECT_EQ(take(*there, 1), cells_of(1));
}

TEST(UdpTrunk, WithoutAPeersPortNothingIsSent) {
  Trunks trunks;
  const auto there = line(trunks.right, trunks.left, 1000);
  const auto here = trunks.left.add({.port = 0}, 1000).value();
  EXPECT_EQ(here->send(cells_of(3)), 0u);
  here->set_peer_port(trunks.right.local_port());
  EXPECT_EQ(here->send(cells_of(3)), 3u);
  EXPECT_EQ(take(*there, 3), cells_of(3));
}

TEST(UdpTrunk, WhatCannotBeIsRefused) {
  EXPECT_EQ(UdpTrunk::open({.cells_per_datagram = 171}).error(),
            (Error{ErrorCode::kBadInput, "171 cells in a datagram, may be 1 to 170"}));
  EXPECT_EQ(UdpTrunk::open({.waiting_cells_max = 0}).error(),
            (Error{ErrorCode::kBadInput, "0 cells may wait in a UDP trunk, must be 1 or more"}));
  EXPECT_EQ(UdpTrunk::open({.local = {.host = "left"}}).error().code, ErrorCode::kBadInput);
  UdpTrunk trunk = open_trunk({.links_max = 1});
  EXPECT_EQ(trunk.add({}, 15).error(),
            (Error{ErrorCode::kBadInput, "MPLS label 15, may be 16 to 1048575"}));
  EXPECT_EQ(trunk.add({.host = "::1"}, 16).error(),
            (Error{ErrorCode::kBadInput, "'127.0.0.1' and '::1' are addresses of two kinds"}));
  const auto link = trunk.add({.port = 1}, 16).value();
  EXPECT_EQ(trunk.add({.port = 2}, 16).error(),
            (Error{ErrorCode::kBadInput, "MPLS label 16 of 127.0.0.1 has a line already"}));
  EXPECT_EQ(trunk.add({.port = 2}, 17).error(),
            (Error{ErrorCode::kExhausted, "1 lines on one UDP trunk, no room for label 17"}));
  const auto taken = UdpTrunk::open({.local = {.port = trunk.local_port()}});
  ASSERT_FALSE(taken.has_value());
  EXPECT_EQ(taken.error().code, ErrorCode::kSystem);
}

}  // namespace
}  // namespace xbind::dataplane
