// The lines of a process on the loopback interface; the operating system chooses the ports.
#include "dataplane/links/link_set.hpp"

#include <gtest/gtest.h>

#include "../cells.hpp"
#include "udp.hpp"

namespace xbind::dataplane {
namespace {

LinkSpec ring(const std::string& name) { return {.ring = name}; }
LinkSpec mpls(std::uint32_t label, std::uint16_t peer = 0, const std::string& host = "127.0.0.1") {
  return {.kind = LinkKind::kMpls, .local = {.host = host}, .peer = {.port = peer}, .label = label};
}
LinkSpec plain(std::uint16_t peer) { return {.kind = LinkKind::kPlain, .peer = {.port = peer}}; }
LinkSpec lsp(std::uint16_t peer) { return {.kind = LinkKind::kLsp, .peer = {.port = peer}}; }

LinkSet open(const std::vector<LinkPlace>& places) {
  auto set = LinkSet::open(places);
  if (!set) throw std::runtime_error(set.error().text);
  return std::move(*set);
}

TEST(LinkSet, ARingJoinsTwoPortsOfTwoSwitches) {
  LinkSet set = open({{"a", PortId{2}, ring("a-b")}, {"b", PortId{1}, ring("a-b")}});
  const auto a = set.take("a", PortId{2});
  const auto b = set.take("b", PortId{1});
  ASSERT_TRUE(a && b);
  a->send(cells_of(3));
  EXPECT_EQ(take(*b, 3), cells_of(3));
  EXPECT_TRUE(set.descriptors().empty());
}

TEST(LinkSet, PseudowiresOfOneAddressShareASocket) {
  LinkSet set = open({{"a", PortId{1}, mpls(1000)},
                      {"b", PortId{1}, mpls(1001)},
                      {"c", PortId{1}, mpls(1000, 0, "127.0.0.2")}});
  const std::uint16_t port = set.local_port("a", PortId{1});
  EXPECT_NE(port, 0);
  EXPECT_EQ(set.local_port("b", PortId{1}), port);
  EXPECT_EQ(set.descriptors().size(), 2u);
  ASSERT_EQ(set.trunks().size(), 2u);
  EXPECT_EQ(set.trunks()[0].local, (net::UdpAddress{"127.0.0.1", port}));
  EXPECT_EQ(set.trunks()[1].local.host, "127.0.0.2");
}

TEST(LinkSet, CellsGoFromOneProcessesSetToAnothers) {
  for (const auto spec : {+[](std::uint16_t peer) { return mpls(1000, peer); }, &plain, &lsp}) {
    LinkSet switches = open({{"s", PortId{1}, spec(0)}});
    LinkSet hosts = open({{"h", PortId{1}, spec(switches.local_port("s", PortId{1}))}});
    EXPECT_TRUE(switches.set_peer_port("s", PortId{1}, hosts.local_port("h", PortId{1})));
    const auto s = switches.take("s", PortId{1});
    const auto h = hosts.take("h", PortId{1});
    s->send(cells_of(30));
    ASSERT_EQ(hosts.descriptors().size(), 1u);
    EXPECT_TRUE(readable(hosts.descriptors().front(), kLong));
    EXPECT_EQ(take(*h, 30), cells_of(30));
    h->send(cells_of(5, 9));
    EXPECT_EQ(take(*s, 5), cells_of(5, 9));
  }
}

TEST(LinkSet, EachLinkIsTakenOnce) {
  LinkSet set = open({{"a", PortId{1}, plain(0)}, {"a", PortId{2}, plain(0)}});
  EXPECT_TRUE(set.take("a", PortId{1}));
  EXPECT_FALSE(set.take("a", PortId{1}));
  EXPECT_FALSE(set.take("a", PortId{3}));
  EXPECT_FALSE(set.take("b", PortId{2}));
  EXPECT_EQ(set.local_port("a", PortId{1}), 0);
  EXPECT_FALSE(set.set_peer_port("a", PortId{1}, 7));
  EXPECT_TRUE(set.set_peer_port("a", PortId{2}, 7));
}

TEST(LinkSet, ALinkThatIsGoneHasNoDescriptor) {
  LinkSet set = open({{"a", PortId{1}, plain(0)}, {"a", PortId{2}, mpls(1000)}});
  EXPECT_EQ(set.descriptors().size(), 2u);
  set.take("a", PortId{1}).reset();
  EXPECT_EQ(set.descriptors().size(), 1u);
  set.take("a", PortId{2}).reset();
  EXPECT_TRUE(set.descriptors().empty());
}

Error refusal(const std::vector<LinkPlace>& places, const LinkSetOptions& options = {}) {
  const auto set = LinkSet::open(places, options);
  return set ? Error{ErrorCode::kBadInput, "opened"} : set.error();
}

TEST(LinkSet, ALineToARingNeedsAClock) {
  const std::vector<LinkPlace> ring{
      {"a", PortId{1}, *parse_link_spec("cfr:127.0.0.1:0/127.0.0.1:9")}};
  EXPECT_EQ(refusal(ring).text,
            "'a' port 1: cfr:127.0.0.1:0/127.0.0.1:9: such a line needs a clock");
  auto set = LinkSet::open(ring, {.clock = [] { return TimePoint{}; }});
  ASSERT_TRUE(set.has_value()) << set.error().text;
  EXPECT_EQ(set->descriptors().size(), 1U);
  EXPECT_EQ(set->take("a", PortId{1})->vpi_max(), 0U);
}

TEST(LinkSet, WhatCannotBeIsRefusedByName) {
  EXPECT_EQ(refusal({{"a", PortId{1}, ring("x")}}),
            (Error{ErrorCode::kBadInput, "'a' port 1: ring:x: this ring has one end only"}));
  EXPECT_EQ(
      refusal(
          {{"a", PortId{1}, ring("x")}, {"b", PortId{1}, ring("x")}, {"c", PortId{7}, ring("x")}}),
      (Error{ErrorCode::kBadInput, "'c' port 7: ring:x: this ring has two ends already"}));
  EXPECT_EQ(refusal({{"a", PortId{1}, ring("x")}, {"a", PortId{1}, ring("x")}}),
            (Error{ErrorCode::kBadInput, "'a' port 1: ring:x: this port has a link already"}));
  EXPECT_EQ(refusal({{"a", PortId{1}, mpls(1000, 7)}, {"a", PortId{2}, mpls(1000, 8)}}),
            (Error{ErrorCode::kBadInput,
                   "'a' port 2: mpls:127.0.0.1:0/127.0.0.1:8/1000: MPLS label 1000 of 127.0.0.1 "
                   "has a line already"}));
  EXPECT_EQ(refusal({{"a", PortId{1}, ring("x")}, {"b", PortId{1}, ring("x")}}, {.links_max = 1}),
            (Error{ErrorCode::kExhausted, "2 links, may be 1"}));
  LinkSpec taken = plain(0);
  const LinkSet set = open({{"a", PortId{1}, plain(0)}});
  taken.local.port = set.local_port("a", PortId{1});
  EXPECT_EQ(refusal({{"b", PortId{1}, taken}}).code, ErrorCode::kSystem);
}

}  // namespace
}  // namespace xbind::dataplane
