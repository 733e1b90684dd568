// Two ends on the loopback interface; the operating system chooses the ports. Usually a datagram
// has reached the receiver when sendmmsg returns; otherwise a bounded number of polls must suffice.
#include "dataplane/links/udp_lsp.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "../cells.hpp"
#include "dataplane/links/udp_plain.hpp"
#include "udp.hpp"

namespace xbind::dataplane {
namespace {

std::unique_ptr<UdpEnd> open(const UdpLspOptions& options = {}) {
  auto link = open_udp_lsp(options);
  EXPECT_TRUE(link.has_value()) << link.error().text;
  return link ? std::move(*link) : nullptr;
}

struct Pair {
  Pair() {
    left->set_peer_port(right->local_port());
    right->set_peer_port(left->local_port());
  }
  std::unique_ptr<UdpEnd> left = open(), right = open();
};

TEST(UdpLsp, CellsOfOneConnectionShareADatagram) {
  Pair pair;
  const std::vector<Cell> cells(60, make_cell(0, 40));
  EXPECT_EQ(pair.left->send(cells), 60u);
  EXPECT_EQ(take(*pair.right, 60), cells);
  EXPECT_EQ(pair.left->counters(), (LinkCounters{.cells_out = 60, .datagrams_out = 3}));
  EXPECT_EQ(pair.right->counters(), (LinkCounters{.cells_in = 60, .datagrams_in = 3}));
}

TEST(UdpLsp, EachConnectionHasDatagramsOfItsOwnAndTheOrderStays) {
  Pair pair;
  const std::vector<Cell> cells{make_cell(0, 40, 1), make_cell(0, 40, 2), make_cell(15, 65535, 3),
                                make_cell(0, 40, 4)};
  EXPECT_EQ(pair.left->send(cells), 4u);
  EXPECT_EQ(words(take(*pair.right, 4)), "0/40:1 0/40:2 15/65535:3 0/40:4");
  EXPECT_EQ(pair.right->counters().datagrams_in, 3u);
  const auto many = cells_of(500);  // more than one system call accepts
  EXPECT_EQ(pair.right->send(many), 500u);
  EXPECT_EQ(take(*pair.left, 500), many);
}

TEST(UdpLsp, ACellWithoutAnMplsLabelIsLost) {
  Pair pair;
  const std::vector<Cell> cells{make_cell(16, 0, 1), make_cell(0, 15, 2), make_cell(0, 16, 3)};
  EXPECT_EQ(pair.left->send(cells), 3u);
  EXPECT_EQ(words(take(*pair.right, 1)), "0/16:3");
  EXPECT_EQ(pair.left->counters().cells_lost, 2u);
}

TEST(UdpLsp, CellsThatWaitBesideTheSocketAreSeenByPoll) {
  Pair pair;
  pair.left->send(std::vector<Cell>(20, make_cell(0, 40)));
  ASSERT_TRUE(readable(pair.right->pollable()->number(), kLong));
  EXPECT_EQ(take(*pair.right, 50).size(), 20u);
  EXPECT_FALSE(readable(pair.right->pollable()->number(), 0));

  pair.left->send(std::vector<Cell>(20, make_cell(0, 40)));  // one datagram
  ASSERT_TRUE(readable(pair.right->pollable()->number(), kLong));
  std::array<Cell, 7> part;
  ASSERT_EQ(pair.right->receive(part), 7u);
  EXPECT_TRUE(readable(pair.right->pollable()->number(), 0));
  EXPECT_EQ(take(*pair.right, 13).size(), 13u);
  EXPECT_EQ(pair.right->receive(part), 0u);
  EXPECT_FALSE(readable(pair.right->pollable()->number(), 0));
}

TEST(UdpLsp, AStrangersDatagramsAreNotTaken) {
  Pair pair;
  const auto stranger = open({.peer = {.port = pair.right->local_port()}});
  stranger->send(cells_of(1));
  pair.left->send(cells_of(2));
  EXPECT_EQ(take(*pair.right, 2).size(), 2u);
  EXPECT_EQ(pair.right->counters().foreign, 1u);
}

TEST(UdpLsp, WhatIsNoCellIsCounted) {
  const auto line = open();
  const auto plain = open_udp_plain({.peer = {.port = line->local_port()}});
  ASSERT_TRUE(plain.has_value()) << plain.error().text;
  line->set_peer_port((*plain)->local_port());
  (*plain)->send(cells_of(1));
  EXPECT_TRUE(receive_nothing(*line, line->counters().malformed));
  EXPECT_EQ(line->counters(), (LinkCounters{.datagrams_in = 1, .malformed = 1}));
}

TEST(UdpLsp, WithoutAPeerNothingIsSent) {
  const auto link = open();
  EXPECT_EQ(link->send(cells_of(3)), 0u);
  EXPECT_EQ(link->counters(), LinkCounters{});
}

TEST(UdpLsp, OptionsThatCannotBeAreRefused) {
  EXPECT_EQ(open_udp_lsp({.cells_per_datagram = 30}).error(),
            (Error{ErrorCode::kBadInput, "30 cells in a datagram, may be 1 to 29"}));
  EXPECT_EQ(open_udp_lsp({.cells_per_datagram = 0}).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(open_udp_lsp({.local = {.host = "left"}}).error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace xbind::dataplane
