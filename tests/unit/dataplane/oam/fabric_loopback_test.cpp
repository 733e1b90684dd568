// OAM loopback through fabrics that are joined in a row:
//
//   host ── 1 a 2 ── 1 b 2 ── 1 c 2 ── far host
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "../cells.hpp"
#include "dataplane/links/ring.hpp"
#include "dataplane/policing.hpp"
#include "dataplane/switch_fabric.hpp"

namespace xbind::dataplane {
namespace {

constexpr PortId kPrevious{1}, kNext{2}, kThird{3};
constexpr TimePoint kNow{std::chrono::seconds{100}};
constexpr std::uint64_t kSession = 0x1234567890;
const char* const kNames[] = {"a", "b", "c"};

struct Node {
  explicit Node(const char* name)
      : fabric({.ports = 3, .labels = {atm_range(0, 15, 32, 1023)}},
               {.cells_max = 1024, .clp1_cells_max = 1024, .priorities = 2}) {
    fabric.set_node_name(name);
  }
  LoopbackCounters counters() const { return fabric.loopback_counters(); }

  SwitchFabric fabric;
};

class FabricLoopback : public ::testing::Test {
 protected:
  FabricLoopback() {
    for (const char* name : kNames) nodes.emplace_back(name);
    host = plug(nodes.front(), kPrevious);
    far_host = plug(nodes.back(), kNext);
    for (std::size_t index = 0; index + 1 < nodes.size(); ++index) {
      auto [near, far] = make_ring(1024);
      nodes[index].fabric.attach(kNext, std::move(near));
      nodes[index + 1].fabric.attach(kPrevious, std::move(far));
    }
  }
  static std::unique_ptr<Link> plug(Node& node, PortId port) {
    auto [near, far] = make_ring(1024);
    node.fabric.attach(port, std::move(near));
    return std::move(far);
  }
  void add(std::size_t node, const VirtualLink& input, const Branch& branch) {
    const auto added = nodes[node].fabric.table().add_branch(input, branch);
    ASSERT_TRUE(added.has_value()) << added.error().text;
  }
  // 0/32 at the host, 0/33 and 0/34 between, 0/35 at the far host.
  void connect_channel() {
    for (std::uint16_t node = 0; node < 3; ++node) {
      add(node, channel(kPrevious, 0, 32 + node),
          {.port = kNext, .vpi = 0, .vci = static_cast<std::uint16_t>(33 + node)});
    }
  }
  void connect_path() {
    for (std::uint16_t node = 0; node < 3; ++node) {
      add(node, path(kPrevious, 5 + node),
          {.port = kNext, .vpi = static_cast<std::uint16_t>(6 + node)});
    }
  }
  static LoopbackPoint point(std::size_t node, Direction side, std::uint32_t label) {
    return {.node = node_number(kNames[node]),
            .side = side,
            .port = side == Direction::kIn ? kPrevious : kNext,
            .label = label};
  }
  static LoopbackCell request_for(const LoopbackPoint& point, std::uint32_t tag = 1) {
    return {.tag = tag, .location = location_id(point), .source = source_id(kSession)};
  }
  static Cell cell_of(const LoopbackCell& loopback, std::uint16_t vpi, std::uint16_t vci,
                      std::uint32_t pt) {
    return {.header = cell_header(vpi, vci, pt), .payload = encode_loopback(loopback)};
  }
  void run() {
    std::size_t moved = 1;
    for (int turns = 0; moved > 0; ++turns) {
      ASSERT_LT(turns, 1000) << "cells circulate";
      moved = 0;
      for (Node& node : nodes) moved += node.fabric.pump(kNow);
    }
  }
  static std::vector<Cell> received(Link& link) {
    std::vector<Cell> cells(64);
    cells.resize(link.receive(cells));
    return cells;
  }
  // What comes back to the host: "0/32 pt4 tag 7 answer", one after another.
  std::string heard(Link& link) {
    std::string text;
    for (const Cell& cell : received(link)) {
      LoopbackCell loopback;
      const bool is = decode_loopback(cell.payload, loopback) == LoopbackVerdict::kLoopback;
      text += fmt::format(
          "{}{}/{} pt{} {}", text.empty() ? "" : ", ", cell.vpi(), cell.vci(), cell.pt(),
          is ? fmt::format("{} {}", loopback.request ? "request" : "answer", loopback.tag)
             : "other");
    }
    return text;
  }
  std::string ask(const Cell& cell) {
    EXPECT_EQ(host->send(std::span(&cell, 1)), 1U);
    run();
    return heard(*host);
  }

  std::deque<Node> nodes;
  std::unique_ptr<Link> host, far_host;
};

TEST_F(FabricLoopback, EveryPointOfAOneWayChannelAnswers) {
  connect_channel();
  std::uint32_t tag = 0;
  for (const std::uint32_t pt : {kPtSegment, kPtEndToEnd}) {
    for (std::uint32_t node = 0; node < 3; ++node) {
      for (const Direction side : {Direction::kIn, Direction::kOut}) {
        const std::uint32_t label = 32 + node + (side == Direction::kOut ? 1 : 0);
        ++tag;
        EXPECT_EQ(ask(cell_of(request_for(point(node, side, label), tag), 0, 32, pt)),
                  fmt::format("0/32 pt{} answer {}", pt, tag));
      }
    }
  }
  EXPECT_EQ(heard(*far_host), "");
  EXPECT_EQ(nodes[0].counters(), (LoopbackCounters{.answered = 4, .passed = 8, .returned = 8}));
  EXPECT_EQ(nodes[1].counters(), (LoopbackCounters{.answered = 4, .passed = 4, .returned = 4}));
  EXPECT_EQ(nodes[2].counters(), (LoopbackCounters{.answered = 4}));
  // Requests count as cells of the connection; answers do not, because they run against it.
  EXPECT_EQ(nodes[0].fabric.counters(channel(kPrevious, 0, 32)),
            (ConnectionCounters{.input_cells = 10, .output_cells = 8}));
}

TEST_F(FabricLoopback, APointAnswersOnlyForItsNodePortSideAndLabel) {
  connect_channel();
  LoopbackPoint wrong = point(1, Direction::kOut, 34);
  wrong.label = 33;
  EXPECT_EQ(ask(cell_of(request_for(wrong), 0, 32, kPtSegment)), "");
  wrong = point(1, Direction::kOut, 34);
  wrong.port = kThird;
  EXPECT_EQ(ask(cell_of(request_for(wrong), 0, 32, kPtSegment)), "");
  wrong = point(1, Direction::kOut, 34);
  wrong.side = Direction::kIn;
  EXPECT_EQ(ask(cell_of(request_for(wrong), 0, 32, kPtSegment)), "");
  wrong = point(1, Direction::kOut, 34);
  wrong.node = node_number("d");
  EXPECT_EQ(ask(cell_of(request_for(wrong), 0, 32, kPtSegment)), "");
  EXPECT_EQ(heard(*far_host),
            "0/35 pt4 request 1, 0/35 pt4 request 1, 0/35 pt4 request 1, "
            "0/35 pt4 request 1");
}

TEST_F(FabricLoopback, AnInputAnswersWithoutACrossConnectAndAnOutputDoesNot) {
  connect_channel();
  ASSERT_TRUE(nodes[1].fabric.table().delete_connection(channel(kPrevious, 0, 33)));
  EXPECT_EQ(ask(cell_of(request_for(point(1, Direction::kIn, 33)), 0, 32, kPtSegment)),
            "0/32 pt4 answer 1");
  EXPECT_EQ(ask(cell_of(request_for(point(1, Direction::kOut, 34)), 0, 32, kPtSegment)), "");
  EXPECT_EQ(nodes[1].fabric.counters(kPrevious).invalid_label, 1U);
}

TEST_F(FabricLoopback, AWrongOutputLabelIsSilentAtThatSwitch) {
  connect_channel();
  ASSERT_TRUE(nodes[1].fabric.table().replace_branch(
      channel(kPrevious, 0, 33), {.port = kNext, .vci = 34}, {.port = kNext, .vci = 99}));
  EXPECT_EQ(ask(cell_of(request_for(point(1, Direction::kIn, 33)), 0, 32, kPtSegment)),
            "0/32 pt4 answer 1");
  EXPECT_EQ(ask(cell_of(request_for(point(1, Direction::kOut, 34)), 0, 32, kPtSegment)), "");
}

TEST_F(FabricLoopback, AnAnswerIsNeverAnsweredAndPassesOnlyOnce) {
  connect_channel();
  LoopbackCell answer = request_for(point(1, Direction::kIn, 33), 9);
  answer.request = false;
  // In the direction of the requests nobody awaits it.
  EXPECT_EQ(ask(cell_of(answer, 0, 32, kPtSegment)), "");
  EXPECT_EQ(nodes[0].counters(), (LoopbackCounters{.unrequested = 1}));

  LoopbackPoint beyond = point(2, Direction::kOut, 35);
  beyond.node = node_number("far host");
  EXPECT_EQ(ask(cell_of(request_for(beyond, 9), 0, 32, kPtEndToEnd)), "");
  EXPECT_EQ(heard(*far_host), "0/35 pt5 request 9");
  const Cell reply = cell_of(answer, 0, 35, kPtEndToEnd);
  for (const char* const expected : {"0/32 pt5 answer 9", ""}) {
    ASSERT_EQ(far_host->send(std::span(&reply, 1)), 1U);
    run();
    EXPECT_EQ(heard(*host), expected);
  }
  EXPECT_EQ(nodes[2].counters(), (LoopbackCounters{.passed = 1, .returned = 1, .unrequested = 1}));
}

TEST_F(FabricLoopback, AnAnswerToAConnectionThatHasEndedIsDropped) {
  connect_channel();
  LoopbackPoint beyond = point(2, Direction::kOut, 35);
  beyond.node = node_number("far host");
  ask(cell_of(request_for(beyond, 9), 0, 32, kPtEndToEnd));
  ASSERT_TRUE(nodes[2].fabric.table().delete_connection(channel(kPrevious, 0, 34)));
  LoopbackCell answer = request_for(beyond, 9);
  answer.request = false;
  const Cell reply = cell_of(answer, 0, 35, kPtEndToEnd);
  ASSERT_EQ(far_host->send(std::span(&reply, 1)), 1U);
  run();
  EXPECT_EQ(heard(*host), "");
  EXPECT_EQ(nodes[2].counters().unrequested, 1U);
}

TEST_F(FabricLoopback, ATreeAnswersOnceForEachPoint) {
  connect_channel();
  auto third = plug(nodes[1], kThird);
  add(1, channel(kPrevious, 0, 33), {.port = kThird, .vpi = 0, .vci = 77});
  LoopbackPoint leaf = point(1, Direction::kOut, 77);
  leaf.port = kThird;
  EXPECT_EQ(ask(cell_of(request_for(leaf, 1), 0, 32, kPtSegment)), "0/32 pt4 answer 1");
  EXPECT_EQ(heard(*third) + heard(*far_host), "");
  // Behind the branching point each branch has a copy; one of them is answered.
  EXPECT_EQ(ask(cell_of(request_for(point(2, Direction::kIn, 34), 2), 0, 32, kPtSegment)),
            "0/32 pt4 answer 2");
  EXPECT_EQ(heard(*third), "0/77 pt4 request 2");
}

TEST_F(FabricLoopback, OfTwoInputsThatShareAnOutputTheRightOneHasTheAnswer) {
  connect_channel();
  auto third = plug(nodes[1], kThird);
  add(1, channel(kThird, 0, 50), {.port = kNext, .vpi = 0, .vci = 34});
  const LoopbackPoint last = point(2, Direction::kIn, 34);
  EXPECT_EQ(ask(cell_of(request_for(last, 1), 0, 32, kPtSegment)), "0/32 pt4 answer 1");
  EXPECT_EQ(heard(*third), "");
  const Cell other = cell_of(request_for(last, 2), 0, 50, kPtSegment);
  ASSERT_EQ(third->send(std::span(&other, 1)), 1U);
  run();
  EXPECT_EQ(heard(*third), "0/50 pt4 answer 2");
  EXPECT_EQ(heard(*host), "");
}

TEST_F(FabricLoopback, F4AnswersForAPath) {
  connect_path();
  std::uint32_t tag = 0;
  for (const std::uint16_t vci : {kVciSegment, kVciEndToEnd}) {
    for (std::uint32_t node = 0; node < 3; ++node) {
      for (const Direction side : {Direction::kIn, Direction::kOut}) {
        const std::uint32_t vpi = 5 + node + (side == Direction::kOut ? 1 : 0);
        ++tag;
        EXPECT_EQ(ask(cell_of(request_for(point(node, side, vpi << 16), tag), 5, vci, 0)),
                  fmt::format("5/{} pt0 answer {}", vci, tag));
      }
    }
  }
  EXPECT_EQ(nodes[2].counters(), (LoopbackCounters{.answered = 4}));
}

TEST_F(FabricLoopback, F5OfAChannelInAPathPassesAndReturns) {
  add(0, channel(kPrevious, 0, 32), {.port = kNext, .vpi = 6, .vci = 40});
  add(1, path(kPrevious, 6), {.port = kNext, .vpi = 7});
  add(2, channel(kPrevious, 7, 40), {.port = kNext, .vpi = 0, .vci = 35});
  const std::uint32_t in_the_path = 7 << 16 | 40;
  EXPECT_EQ(ask(cell_of(request_for(point(2, Direction::kIn, in_the_path)), 0, 32, kPtSegment)),
            "0/32 pt4 answer 1");
  // The middle switch is no point of the channel.
  EXPECT_EQ(ask(cell_of(request_for(point(1, Direction::kOut, in_the_path)), 0, 32, kPtSegment)),
            "");
  EXPECT_EQ(heard(*far_host), "0/35 pt4 request 1");
}

TEST_F(FabricLoopback, OtherOamCellsTravelLikeAnyCell) {
  connect_channel();
  LoopbackCell end_point{.tag = 1};
  end_point.location.fill(std::byte{0xff});
  end_point.source.fill(std::byte{0xff});
  EXPECT_EQ(ask(cell_of(end_point, 0, 32, kPtEndToEnd)), "");
  end_point.source = source_id(kSession);
  EXPECT_EQ(ask(cell_of(end_point, 0, 32, kPtEndToEnd)), "");
  Cell damaged = cell_of(request_for(point(0, Direction::kIn, 32)), 0, 32, kPtSegment);
  damaged.payload[30] ^= std::byte{4};
  EXPECT_EQ(ask(damaged), "");
  EXPECT_EQ(ask(make_cell(0, 32, 0, kPtSegment)), "");
  EXPECT_EQ(heard(*far_host),
            "0/35 pt5 request 1, 0/35 pt5 request 1, 0/35 pt4 other, "
            "0/35 pt4 other");
  EXPECT_EQ(nodes[0].counters(), (LoopbackCounters{.damaged = 1}));
}

TEST_F(FabricLoopback, UserCellsWithARequestAsPayloadAreNoOamCells) {
  connect_channel();
  EXPECT_EQ(ask(cell_of(request_for(point(0, Direction::kIn, 32)), 0, 32, 0)), "");
  EXPECT_EQ(heard(*far_host), "0/35 pt0 request 1");
}

TEST(UnnamedFabric, PassesLoopbackCellsLikeAnyCell) {
  SwitchFabric fabric({.ports = 2, .labels = {atm_range(0, 15, 32, 1023)}}, {.cells_max = 4});
  ASSERT_TRUE(
      fabric.table().add_branch(channel(kPrevious, 0, 32), {.port = kNext, .vpi = 0, .vci = 33}));
  const LoopbackPoint in{.node = node_number(""), .port = kPrevious, .label = 32};
  const Cell cell{.header = cell_header(0, 32, kPtSegment),
                  .payload = encode_loopback(
                      {.tag = 1, .location = location_id(in), .source = source_id(kSession)})};
  fabric.receive(kPrevious, std::span(&cell, 1), kNow);
  std::array<Cell, 2> sent;
  ASSERT_EQ(fabric.transmit(kNext, sent, kNow), 1U);
  EXPECT_EQ(sent[0].header, cell_header(0, 33, kPtSegment));
  EXPECT_EQ(sent[0].payload, cell.payload);
  EXPECT_EQ(fabric.loopback_counters(), LoopbackCounters{});
}

TEST_F(FabricLoopback, APointBehindALineThatIsDownIsSilentAndTheOneBeforeItAnswers) {
  connect_channel();
  nodes[1].fabric.set_line(kNext, false);
  EXPECT_EQ(ask(cell_of(request_for(point(1, Direction::kOut, 34)), 0, 32, kPtSegment)),
            "0/32 pt4 answer 1");
  EXPECT_EQ(ask(cell_of(request_for(point(2, Direction::kIn, 34)), 0, 32, kPtSegment)), "");
}

// Traces have a bound: of more requests than it, the oldest lose their answers.
TEST_F(FabricLoopback, AFloodOfRequestsReplacesTracesAndEachIsAnsweredAtMostOnce) {
  connect_channel();
  LoopbackPoint beyond = point(2, Direction::kOut, 35);
  beyond.node = node_number("far host");
  constexpr std::uint32_t kRequests = 3 * LoopbackNode::kTraces;
  std::uint32_t answers = 0;
  for (std::uint32_t tag = 0; tag < kRequests; ++tag) {
    const Cell cell = cell_of(request_for(beyond, tag), 0, 32, kPtSegment);
    ASSERT_EQ(host->send(std::span(&cell, 1)), 1U);
    run();
    received(*far_host);
  }
  for (std::uint32_t tag = 0; tag < kRequests; ++tag) {
    LoopbackCell answer = request_for(beyond, tag);
    answer.request = false;
    const Cell cell = cell_of(answer, 0, 35, kPtSegment);
    ASSERT_EQ(far_host->send(std::span(&cell, 1)), 1U);
    run();
    answers += static_cast<std::uint32_t>(received(*host).size());
  }
  EXPECT_EQ(answers, LoopbackNode::kTraces);
  EXPECT_EQ(nodes[2].counters().unrequested, kRequests - LoopbackNode::kTraces);
}

class Refusing final : public Policing {
 public:
  Verdict police(const Connection&, bool, TimePoint) override { return Verdict::kDiscard; }
  PolicingCounters counters(ConnectionRef) const override { return {}; }
};

TEST_F(FabricLoopback, IsNotPoliced) {
  connect_channel();
  Refusing refusing;
  for (Node& node : nodes) node.fabric.set_policing(&refusing);
  EXPECT_EQ(ask(cell_of(request_for(point(2, Direction::kOut, 35)), 0, 32, kPtEndToEnd)),
            "0/32 pt5 answer 1");
}

}  // namespace
}  // namespace xbind::dataplane
