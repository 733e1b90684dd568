#include "dataplane/host/host_line.hpp"

#include <gtest/gtest.h>

#include "../cells.hpp"
#include "../links/udp.hpp"
#include "dataplane/host/open_host_lines.hpp"
#include "dataplane/links/ring.hpp"

namespace xbind::dataplane {
namespace {

wire::Buffer octets(std::size_t count, unsigned seed) {
  wire::Buffer made(count);
  for (std::size_t index = 0; index < count; ++index)
    made[index] = static_cast<std::byte>(index * 7 + seed);
  return made;
}

// Two hosts at the ends of one ring.
struct Hosts {
  explicit Hosts(std::size_t ring_cells = 4096, const HostLineOptions& options = {}) {
    auto [left_end, right_end] = make_ring(ring_cells);
    left = std::make_unique<HostLine>(std::move(left_end), options);
    right = std::make_unique<HostLine>(std::move(right_end), options);
  }
  void poll() {
    while (left->poll(now) + right->poll(now) > 0) {
    }
  }
  TimePoint now{};
  std::unique_ptr<HostLine> left, right;
};

TEST(HostLine, AFrameComesAsItWasSent) {
  Hosts hosts;
  std::string seen;
  wire::Buffer came;
  hosts.right->set_callbacks(
      {.on_cell = {},
       .on_frame =
           [&](std::uint16_t vpi, std::uint16_t vci, const Aal5Frame& frame, TimePoint) {
             seen += fmt::format("{}/{} uu {};", vpi, vci, frame.uu);
             came.assign(frame.octets.begin(), frame.octets.end());
           },
       .on_frame_error = {}});
  ASSERT_TRUE(hosts.left->send_frame(octets(1000, 1), {.vpi = 3, .vci = 40, .uu = 9}));
  hosts.poll();
  EXPECT_EQ(seen, "3/40 uu 9;");
  EXPECT_EQ(came, octets(1000, 1));
  EXPECT_EQ(hosts.left->counters(),
            (HostLineCounters{.cells_out = aal5_cells(1000), .frames_out = 1}));
  EXPECT_EQ(hosts.right->counters(), (HostLineCounters{.cells_in = aal5_cells(1000)}));
}

TEST(HostLine, CellsComeInOrderAndIdleOnesDoNot) {
  Hosts hosts;
  std::vector<Cell> came;
  hosts.right->set_callbacks({.on_cell = [&](const Cell& cell, TimePoint) { came.push_back(cell); },
                              .on_frame = {},
                              .on_frame_error = {}});
  ASSERT_TRUE(hosts.left->send_cells(std::array{
      make_cell(1, 32, 1), Cell{.header = cell_header(0, 0, 0, true)}, make_cell(1, 33, 2)}));
  hosts.poll();
  EXPECT_EQ(words(came), "1/32:1 1/33:2");
  EXPECT_EQ(hosts.right->counters(), (HostLineCounters{.cells_in = 2, .idle_cells = 1}));
  EXPECT_EQ(hosts.right->aal5(), Aal5Counters{});  // no frame handler is set
}

TEST(HostLine, WhatTheLineDoesNotTakeWaitsUpToABound) {
  Hosts hosts(10, {.waiting_cells_max = 20});
  std::vector<Cell> came;
  hosts.right->set_callbacks({.on_cell = [&](const Cell& cell, TimePoint) { came.push_back(cell); },
                              .on_frame = {},
                              .on_frame_error = {}});
  ASSERT_TRUE(hosts.left->send_cells(cells_of(20)));  // 10 are on the line, the others wait
  EXPECT_EQ(hosts.left->waiting(), 10u);
  const auto refused = hosts.left->send_cells(cells_of(11));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(),
            (Error{ErrorCode::kExhausted, "11 cells to a line where 10 wait, may be 20"}));
  EXPECT_EQ(hosts.left->counters().refused, 1u);
  hosts.poll();
  EXPECT_EQ(came, cells_of(20));
  EXPECT_EQ(hosts.left->waiting(), 0u);
}

TEST(HostLine, AFrameThatCannotBeIsRefused) {
  Hosts hosts;
  EXPECT_EQ(hosts.left->send_frame({}, {.vci = 40}).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(hosts.left->counters(), HostLineCounters{});
}

TEST(HostLine, AFrameWithAWrongCrcIsReported) {
  Hosts hosts;
  std::vector<Aal5Outcome> errors;
  hosts.right->set_callbacks(
      {.on_cell = {},
       .on_frame = {},
       .on_frame_error = [&](std::uint16_t, std::uint16_t, Aal5Outcome outcome, TimePoint) {
         errors.push_back(outcome);
       }});
  std::vector<Cell> cells;
  ASSERT_TRUE(aal5_segment(octets(100, 2), {.vci = 40}, cells));
  cells[0].payload[5] ^= std::byte{1};
  ASSERT_TRUE(hosts.left->send_cells(cells));
  hosts.poll();
  EXPECT_EQ(errors, std::vector{Aal5Outcome::kCrcError});
}

TEST(HostLine, AFrameThatIsNotFinishedIsGivenUp) {
  Hosts hosts(4096, {.aal5 = {.frame_timeout = std::chrono::seconds(1)}});
  int frames = 0;
  hosts.right->set_callbacks(
      {.on_cell = {},
       .on_frame = [&](std::uint16_t, std::uint16_t, const Aal5Frame&, TimePoint) { ++frames; },
       .on_frame_error = {}});
  ASSERT_TRUE(hosts.left->send_cells(std::array{make_cell(0, 40)}));
  hosts.poll();
  hosts.now += std::chrono::seconds(1);
  EXPECT_EQ(hosts.right->expire(hosts.now), 0u);
  hosts.now += Duration(1);
  EXPECT_EQ(hosts.right->expire(hosts.now), 1u);
  EXPECT_EQ(hosts.right->aal5().timed_out, 1u);
  ASSERT_TRUE(hosts.left->send_frame(octets(10, 3), {.vci = 40}));
  hosts.poll();
  EXPECT_EQ(frames, 1);
}

TEST(OpenHostLines, AHostTalksToASwitchOverUdp) {
  auto switches = LinkSet::open(
      std::array{LinkPlace{"s", PortId{1}, {.kind = LinkKind::kMpls, .label = 900001}}});
  ASSERT_TRUE(switches.has_value()) << switches.error().text;
  const LinkSpec from_host{.kind = LinkKind::kMpls,
                           .peer = {.port = switches->local_port("s", PortId{1})},
                           .label = 900001};
  auto hosts = open_host_lines(std::array{NamedLink{"host-a", from_host}});
  ASSERT_TRUE(hosts.has_value()) << hosts.error().text;
  HostLine& host = *hosts->lines.at("host-a");
  ASSERT_TRUE(host.send_frame(octets(100, 4), {.vci = 40}));
  const auto port = switches->take("s", PortId{1});
  EXPECT_EQ(take(*port, aal5_cells(100)).size(), aal5_cells(100));
  EXPECT_EQ(hosts->links.descriptors().size(), 1u);
}

TEST(OpenHostLines, RefusalsHaveTheHostsName) {
  const auto hosts = open_host_lines(std::array{NamedLink{"host-a", {.ring = "x"}}});
  ASSERT_FALSE(hosts.has_value());
  EXPECT_EQ(hosts.error().text, "'host-a' port 1: ring:x: this ring has one end only");
}

TEST(OpenHostLines, OnlyLinesOfAtmOrMplsCellsAreAHosts) {
  const auto refusal = [](const char* line) {
    const auto hosts = open_host_lines(std::array{NamedLink{"host-a", *parse_link_spec(line)}});
    return hosts ? "opened" : hosts.error().text;
  };
  EXPECT_EQ(refusal("frames:eth0"),
            "host-a: frames:eth0 carries frames, and a host line cells of ATM or MPLS");
  EXPECT_EQ(refusal("cfr:127.0.0.1:1/127.0.0.1:2"),
            "host-a: cfr:127.0.0.1:1/127.0.0.1:2 carries cells of a ring, and a host line cells of "
            "ATM or MPLS");
}

}  // namespace
}  // namespace xbind::dataplane
