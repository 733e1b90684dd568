// Two ends on the loopback interface; the operating system chooses the ports. Usually a datagram
// has reached the receiver when sendmmsg returns; otherwise a bounded number of polls must suffice.
#include "dataplane/links/udp_plain.hpp"

#include <gtest/gtest.h>

#include "../cells.hpp"
#include "dataplane/links/udp_trunk.hpp"
#include "udp.hpp"

namespace xbind::dataplane {
namespace {

std::unique_ptr<UdpEnd> open_plain(const UdpPlainOptions& options) {
  auto link = open_udp_plain(options);
  EXPECT_TRUE(link.has_value()) << link.error().text;
  return link ? std::move(*link) : nullptr;
}

struct PlainPair {
  explicit PlainPair(const UdpPlainOptions& options)
      : left(open_plain(options)), right(open_plain(options)) {
    left->set_peer_port(right->local_port());
    right->set_peer_port(left->local_port());
  }
  std::unique_ptr<UdpEnd> left, right;
};

TEST(UdpPlain, CarriesOneCellInADatagram) {
  PlainPair pair({});
  const auto cells = cells_of(100, 4000);
  EXPECT_EQ(pair.left->send(cells), 100u);
  EXPECT_EQ(take(*pair.right, 100), cells);
  EXPECT_EQ(pair.right->send(std::span(cells).first(3)), 3u);
  EXPECT_EQ(take(*pair.left, 3).size(), 3u);
  EXPECT_EQ(
      pair.right->counters(),
      (LinkCounters{.cells_in = 100, .cells_out = 3, .datagrams_in = 100, .datagrams_out = 3}));
}

TEST(UdpPlain, AUniHasNoWideVpi) {
  PlainPair pair({.form = HeaderForm::kUni});
  const std::array cells{make_cell(256, 32, 1), make_cell(255, 32, 2), make_cell(300, 32, 3),
                         make_cell(1, 32, 4)};
  EXPECT_EQ(pair.left->send(cells), 4u);
  EXPECT_EQ(words(take(*pair.right, 2)), "255/32:2 1/32:4");
  EXPECT_EQ(pair.left->counters().cells_lost, 2u);
}

TEST(UdpPlain, AStrangersDatagramsAreNotTaken) {
  PlainPair pair({});
  const auto stranger = open_plain({.peer = {.port = pair.right->local_port()}});
  stranger->send(cells_of(1));
  pair.left->send(cells_of(2));
  EXPECT_EQ(take(*pair.right, 2).size(), 2u);
  EXPECT_EQ(pair.right->counters().foreign, 1u);
}

TEST(UdpPlain, WhatIsNoCellIsCounted) {
  auto trunk = UdpTrunk::open({});
  ASSERT_TRUE(trunk.has_value()) << trunk.error().text;
  const auto plain = open_plain({.peer = {.port = trunk->local_port()}});
  const auto pseudowire = trunk->add({.port = plain->local_port()}, 1000).value();
  pseudowire->send(cells_of(1));
  EXPECT_TRUE(receive_nothing(*plain, plain->counters().malformed));
  EXPECT_EQ(plain->counters(), (LinkCounters{.datagrams_in = 1, .malformed = 1}));
}

TEST(UdpPlain, WithoutAPeerNothingIsTaken) {
  const auto link = open_plain({});
  EXPECT_EQ(link->send(cells_of(3)), 0u);
  EXPECT_EQ(link->counters(), LinkCounters{});
}

TEST(UdpPlain, Ipv6IsAnAddressToo) {
  const auto link = open_udp_plain({.local = {.host = "::1"}, .peer = {.host = "::1"}});
  if (!link) GTEST_SKIP() << "NOT TESTED: no IPv6 here: " << link.error().text;
  (*link)->set_peer_port((*link)->local_port());  // to itself
  EXPECT_EQ((*link)->send(cells_of(5)), 5u);
  EXPECT_EQ(take(**link, 5), cells_of(5));
}

TEST(UdpPlain, OptionsThatCannotBeAreRefused) {
  EXPECT_EQ(open_udp_plain({.local = {.host = "left"}}).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(open_udp_plain({.local = {.host = "::1"}}).error(),
            (Error{ErrorCode::kBadInput, "'::1' and '127.0.0.1' are addresses of two kinds"}));
  const auto first = open_plain({});
  const auto second = open_udp_plain({.local = {.port = first->local_port()}});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kSystem);
}

}  // namespace
}  // namespace xbind::dataplane
