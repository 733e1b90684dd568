// Two ends on the loopback interface, ports from the operating system. What is sent there is with the
// receiver when sendmmsg returns; where it is not, a bounded number of looks must do.
#include "dataplane/links/udp_link.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "../cells.hpp"

namespace xbind::dataplane {
namespace {

std::unique_ptr<UdpLink> open(const UdpLinkOptions& options) {
  auto link = UdpLink::open(options);
  EXPECT_TRUE(link.has_value()) << link.error().text;
  return link ? std::move(*link) : nullptr;
}

// Takes cells until `count` have come, or nothing more does.
std::vector<Cell> take(Link& link, std::size_t count) {
  std::vector<Cell> all;
  for (int look = 0; look < 100000 && all.size() < count; ++look) {
    std::array<Cell, 50> part;
    const std::size_t got = link.receive(part);
    all.insert(all.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
    if (got == 0) std::this_thread::yield();
  }
  return all;
}

std::vector<Cell> cells_of(std::size_t count, std::uint32_t vpi = 0) {
  std::vector<Cell> cells;
  for (std::uint32_t number = 0; number < count; ++number)
    cells.push_back(make_cell(vpi, 32 + number % 7, number));
  return cells;
}

struct Pair {
  explicit Pair(const UdpLinkOptions& options) : left(open(options)), right(open(options)) {
    left->set_peer_port(right->local_port());
    right->set_peer_port(left->local_port());
  }
  std::unique_ptr<UdpLink> left, right;
};

TEST(UdpLink, CarriesManyCellsInADatagram) {
  Pair pair({.form = UdpForm::kMpls, .cells_per_datagram = 24});
  const auto cells = cells_of(1000, 4000);
  EXPECT_EQ(pair.left->send(cells), 1000u);
  EXPECT_EQ(take(*pair.right, 1000), cells);
  EXPECT_EQ(pair.left->counters(), (LinkCounters{.cells_out = 1000, .datagrams_out = 42}));
  EXPECT_EQ(pair.right->counters(), (LinkCounters{.cells_in = 1000, .datagrams_in = 42}));
}

TEST(UdpLink, CarriesOneCellInADatagramWhenPlain) {
  Pair pair({.form = UdpForm::kPlain});
  const auto cells = cells_of(100, 4000);
  EXPECT_EQ(pair.left->send(cells), 100u);
  EXPECT_EQ(take(*pair.right, 100), cells);
  EXPECT_EQ(pair.right->send(std::span(cells).first(3)), 3u);
  EXPECT_EQ(take(*pair.left, 3).size(), 3u);
  EXPECT_EQ(
      pair.right->counters(),
      (LinkCounters{.cells_in = 100, .cells_out = 3, .datagrams_in = 100, .datagrams_out = 3}));
}

TEST(UdpLink, AUniHasNoWideVpi) {
  Pair pair({.form = UdpForm::kPlain, .plain_header = HeaderForm::kUni});
  const std::array cells{make_cell(256, 32, 1), make_cell(255, 32, 2), make_cell(300, 32, 3),
                         make_cell(1, 32, 4)};
  EXPECT_EQ(pair.left->send(cells), 4u);
  EXPECT_EQ(words(take(*pair.right, 2)), "255/32:2 1/32:4");
  EXPECT_EQ(pair.left->counters().cells_lost, 2u);
}

TEST(UdpLink, AStrangersDatagramsAreNotTaken) {
  Pair pair({.form = UdpForm::kPlain});
  const auto stranger = open({.form = UdpForm::kPlain, .peer = {.port = pair.right->local_port()}});
  stranger->send(cells_of(1));
  pair.left->send(cells_of(2));
  EXPECT_EQ(take(*pair.right, 2).size(), 2u);
  EXPECT_EQ(pair.right->counters().foreign, 1u);
}

TEST(UdpLink, AnotherPseudowireIsNotOurs) {
  Pair pair({.label = 1000});
  const auto other = open({.peer = {.port = pair.right->local_port()}, .label = 1001});
  other->send(cells_of(1));
  pair.left->send(cells_of(2));
  EXPECT_EQ(take(*pair.right, 2).size(), 2u);
  EXPECT_EQ(pair.right->counters().foreign, 1u);
}

TEST(UdpLink, WhatIsNoCellIsCounted) {
  const auto plain = open({.form = UdpForm::kPlain});
  const auto mpls = open({.form = UdpForm::kMpls, .peer = {.port = plain->local_port()}});
  plain->set_peer_port(mpls->local_port());
  // Each takes the other's form for what it is not.
  mpls->send(cells_of(1));
  plain->send(cells_of(1));
  std::array<Cell, 4> cells;
  for (int look = 0; look < 100000 && plain->counters().malformed + mpls->counters().malformed < 2;
       ++look) {
    EXPECT_EQ(plain->receive(cells), 0u);
    EXPECT_EQ(mpls->receive(cells), 0u);
  }
  EXPECT_EQ(plain->counters().malformed, 1u);
  EXPECT_EQ(mpls->counters().malformed, 1u);
}

TEST(UdpLink, WithoutAPeerNothingIsTaken) {
  const auto link = open({});
  EXPECT_EQ(link->send(cells_of(3)), 0u);
  EXPECT_EQ(link->counters(), LinkCounters{});
}

TEST(UdpLink, Ipv6IsAnAddressToo) {
  const auto link = UdpLink::open({.local = {.host = "::1"}, .peer = {.host = "::1"}});
  if (!link) GTEST_SKIP() << "no IPv6 here: " << link.error().text;
  (*link)->set_peer_port((*link)->local_port());  // to itself
  EXPECT_EQ((*link)->send(cells_of(5)), 5u);
  EXPECT_EQ(take(**link, 5), cells_of(5));
}

TEST(UdpLink, OptionsThatCannotBeAreRefused) {
  EXPECT_EQ(UdpLink::open({.label = 15}).error(),
            (Error{ErrorCode::kBadInput, "MPLS label 15, may be 16 to 1048575"}));
  EXPECT_EQ(UdpLink::open({.cells_per_datagram = 171}).error(),
            (Error{ErrorCode::kBadInput, "171 cells in a datagram, may be 1 to 170"}));
  EXPECT_EQ(UdpLink::open({.local = {.host = "left"}}).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(UdpLink::open({.local = {.host = "::1"}}).error(),
            (Error{ErrorCode::kBadInput, "'::1' and '127.0.0.1' are addresses of two kinds"}));
  const auto first = open({});
  const auto second = UdpLink::open({.local = {.port = first->local_port()}});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kSystem);
}

}  // namespace
}  // namespace xbind::dataplane
