#include "dataplane/switch_fabric.hpp"

#include <gtest/gtest.h>

#include "cells.hpp"
#include "dataplane/links/ring.hpp"

namespace xbind::dataplane {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

constexpr PortId kOne{1}, kTwo{2}, kThree{3};
constexpr TimePoint kNow{seconds{100}};
const ForwardingOptions kForwarding{.ports = 3, .labels = {atm_range(0, 15, 32, 1023)}};

class SwitchFabricTest : public ::testing::Test {
 protected:
  std::vector<std::string> unknown, shown;
  SwitchFabric fabric{
      kForwarding,
      {.cells_max = 4, .clp1_cells_max = 2, .priorities = 2},
      {.on_unknown_label =
           [this](PortId port, std::uint16_t vpi, std::uint16_t vci, TimePoint) {
             unknown.push_back(fmt::format("port {} {}/{}", port, vpi, vci));
           },
       .on_cells =
           [this](PortId port, Direction direction, std::span<const Cell> cells, TimePoint) {
             shown.push_back(fmt::format("port {} {} {}", port,
                                         direction == Direction::kIn ? "in" : "out", words(cells)));
           }}};

  void add(const VirtualLink& input, const Branch& branch) {
    const auto added = fabric.table().add_branch(input, branch);
    ASSERT_TRUE(added.has_value()) << added.error().text;
  }
  void receive(PortId port, std::initializer_list<Cell> cells) {
    fabric.receive(port, std::span(cells.begin(), cells.size()), kNow);
  }
  std::string sent(PortId port, std::size_t count = 16, TimePoint now = kNow) {
    std::vector<Cell> cells(count);
    cells.resize(fabric.transmit(port, cells, now));
    return words(cells);
  }
  // The far end of a line that is newly attached to `port`.
  std::unique_ptr<Link> plug(PortId port, std::size_t cells_max = 16) {
    auto [near, far] = make_ring(cells_max);
    fabric.attach(port, std::move(near));
    return std::move(far);
  }
  static std::string come(Link& link) {
    std::vector<Cell> cells(32);
    cells.resize(link.receive(cells));
    return words(cells);
  }
};

TEST_F(SwitchFabricTest, AChannelGetsItsNewLabelAndKeepsPtAndClp) {
  add(channel(kOne, 0, 32), {kTwo, 3, 77});
  receive(kOne, {make_cell(0, 32, 1), make_cell(0, 32, 2, 3, true)});
  EXPECT_EQ(sent(kTwo), "3/77:1 3/77:2+pt3+clp");
  EXPECT_EQ(sent(kThree), "");
}

TEST_F(SwitchFabricTest, APathKeepsTheVcis) {
  add(path(kOne, 5), {kTwo, 4000});
  receive(kOne, {make_cell(5, 4, 1), make_cell(5, 65535, 2, 1)});
  EXPECT_EQ(sent(kTwo), "4000/4:1 4000/65535:2+pt1");
}

TEST_F(SwitchFabricTest, ATreeHasACopyForEachBranch) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  add(channel(kOne, 0, 32), {kThree, 0, 50});
  add(channel(kOne, 0, 32), {kThree, 0, 51});
  receive(kOne, {make_cell(0, 32, 9)});
  EXPECT_EQ(sent(kTwo), "0/40:9");
  EXPECT_EQ(sent(kThree), "0/50:9 0/51:9");
  EXPECT_EQ(fabric.counters(channel(kOne, 0, 32)),
            (ConnectionCounters{.input_cells = 1, .output_cells = 3}));
}

TEST_F(SwitchFabricTest, AnUnknownLabelIsReported) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  receive(kOne, {make_cell(0, 33, 1), make_cell(0, 32, 2), make_cell(15, 99, 3)});
  EXPECT_EQ(unknown, (std::vector<std::string>{"port 1 0/33", "port 1 15/99"}));
  EXPECT_EQ(fabric.counters(kOne), (PortCounters{.input_cells = 3, .invalid_label = 2}));
  EXPECT_EQ(sent(kTwo), "0/40:2");
}

TEST_F(SwitchFabricTest, AReleasedLabelIsUnknownFromTheNextCellOn) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  receive(kOne, {make_cell(0, 32, 1)});
  ASSERT_TRUE(fabric.table().delete_connection(channel(kOne, 0, 32)));
  receive(kOne, {make_cell(0, 32, 2)});
  // Queued cells are still sent, as on a real line; they are counted for the port only.
  EXPECT_EQ(sent(kTwo), "0/40:1");
  EXPECT_EQ(unknown.size(), 1u);
  EXPECT_EQ(fabric.counters(kTwo).output_cells, 1u);
  EXPECT_FALSE(fabric.counters(channel(kOne, 0, 32)).has_value());
}

TEST_F(SwitchFabricTest, ACellInTheQueueDoesNotCountForWhoHasTheLabelNext) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  receive(kOne, {make_cell(0, 32, 1)});
  ASSERT_TRUE(fabric.table().delete_connection(channel(kOne, 0, 32)));
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  EXPECT_EQ(sent(kTwo), "0/40:1");
  EXPECT_EQ(fabric.counters(channel(kOne, 0, 32)), ConnectionCounters{});
}

TEST_F(SwitchFabricTest, IdleCellsAreOfNobodysConcern) {
  receive(kOne, {Cell{.header = 1}, Cell{.header = 0}});
  EXPECT_EQ(fabric.counters(kOne), PortCounters{});
  EXPECT_EQ(fabric.idle_cells(kOne), 2u);
  EXPECT_TRUE(unknown.empty());
}

TEST_F(SwitchFabricTest, AFullQueueDropsAndCounts) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  for (std::uint32_t number = 1; number <= 6; ++number) receive(kOne, {make_cell(0, 32, number)});
  EXPECT_EQ(fabric.queued(kTwo), 4u);
  EXPECT_EQ(sent(kTwo), "0/40:1 0/40:2 0/40:3 0/40:4");
  EXPECT_EQ(fabric.counters(kTwo), (PortCounters{.output_cells = 4, .output_discards = 2}));
  EXPECT_EQ(fabric.counters(channel(kOne, 0, 32)),
            (ConnectionCounters{.input_cells = 6, .output_cells = 4, .output_discards = 2}));
}

TEST_F(SwitchFabricTest, ACellThatGivesWayCountsAsADiscardOfItsOwnConnection) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40, 1});
  add(channel(kOne, 0, 33), {kTwo, 0, 41, 0});
  for (std::uint32_t number = 1; number <= 4; ++number) receive(kOne, {make_cell(0, 32, number)});
  receive(kOne, {make_cell(0, 33, 5)});
  EXPECT_EQ(fabric.counters(channel(kOne, 0, 32)),
            (ConnectionCounters{.input_cells = 4, .output_discards = 1}));
  EXPECT_EQ(fabric.counters(channel(kOne, 0, 33)), (ConnectionCounters{.input_cells = 1}));
  EXPECT_EQ(fabric.counters(kTwo), (PortCounters{.output_discards = 1}));
  // Of a connection that is gone, the port alone counts it.
  ASSERT_TRUE(fabric.table().delete_connection(channel(kOne, 0, 32)));
  receive(kOne, {make_cell(0, 33, 6)});
  EXPECT_EQ(fabric.counters(kTwo), (PortCounters{.output_discards = 2}));
  EXPECT_EQ(sent(kTwo), "0/41:5 0/41:6 0/40:1 0/40:2");
}

TEST_F(SwitchFabricTest, ThePortKnowsTheMostCellsThatHaveWaited) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  EXPECT_EQ(fabric.queued_most(kTwo), 0u);
  for (std::uint32_t number = 1; number <= 3; ++number) receive(kOne, {make_cell(0, 32, number)});
  sent(kTwo);
  receive(kOne, {make_cell(0, 32, 4)});
  sent(kTwo);
  EXPECT_EQ(fabric.queued(kTwo), 0u);
  EXPECT_EQ(fabric.queued_most(kTwo), 3u);
}

TEST_F(SwitchFabricTest, TheMostCellsAreKnownAlsoWhereNoneWasSent) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  for (std::uint32_t number = 1; number <= 3; ++number) receive(kOne, {make_cell(0, 32, number)});
  EXPECT_EQ(fabric.queued_most(kTwo), 3u);
  fabric.set_line(kTwo, false);
  EXPECT_EQ(fabric.queued(kTwo), 0u);
  EXPECT_EQ(fabric.queued_most(kTwo), 3u);
}

TEST_F(SwitchFabricTest, TheBufferOfEveryPortChangesAtOnce) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  fabric.set_buffer(2);
  for (std::uint32_t number = 1; number <= 3; ++number) receive(kOne, {make_cell(0, 32, number)});
  EXPECT_EQ(sent(kTwo), "0/40:1 0/40:2");
  fabric.set_buffer(6);
  for (std::uint32_t number = 1; number <= 7; ++number) receive(kOne, {make_cell(0, 32, number)});
  EXPECT_EQ(fabric.queued(kTwo), 6u);
}

TEST_F(SwitchFabricTest, PrioritiesAreTheBranches) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40, 1});
  add(channel(kOne, 0, 33), {kTwo, 0, 41, 0});
  receive(kOne, {make_cell(0, 32, 1), make_cell(0, 33, 2)});
  EXPECT_EQ(sent(kTwo), "0/41:2 0/40:1");
}

TEST_F(SwitchFabricTest, ALineThatIsDownCarriesNothingAndKeepsItsConnections) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  receive(kOne, {make_cell(0, 32, 1)});
  fabric.set_line(kTwo, false);  // queued cells are lost
  EXPECT_FALSE(fabric.line_up(kTwo));
  receive(kOne, {make_cell(0, 32, 2)});
  receive(kTwo, {make_cell(0, 32, 3)});
  EXPECT_EQ(sent(kTwo), "");
  fabric.set_line(kTwo, true);
  receive(kOne, {make_cell(0, 32, 4)});
  EXPECT_EQ(sent(kTwo), "0/40:4");
  EXPECT_EQ(fabric.counters(kTwo),
            (PortCounters{
                .input_cells = 1, .input_discards = 1, .output_cells = 1, .output_discards = 2}));
  EXPECT_EQ(fabric.counters(channel(kOne, 0, 32)),
            (ConnectionCounters{.input_cells = 3, .output_cells = 1, .output_discards = 2}));
  EXPECT_TRUE(unknown.empty());
}

TEST_F(SwitchFabricTest, CellsOfADroppedQueueCountForTheConnectionsThatStillExist) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  add(channel(kOne, 0, 33), {kTwo, 0, 41});
  receive(kOne, {make_cell(0, 32, 1), make_cell(0, 33, 2), make_cell(0, 33, 3)});
  ASSERT_TRUE(fabric.table().delete_connection(channel(kOne, 0, 32)));
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  fabric.set_queueing(kTwo, std::make_unique<FifoQueueing>(FifoOptions{}));
  EXPECT_EQ(fabric.counters(kTwo).output_discards, 3U);
  EXPECT_EQ(fabric.counters(channel(kOne, 0, 32)), ConnectionCounters{});
  EXPECT_EQ(fabric.counters(channel(kOne, 0, 33)),
            (ConnectionCounters{.input_cells = 2, .output_discards = 2}));
}

TEST_F(SwitchFabricTest, APortSendsAtItsRate) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  fabric.set_rate(kTwo, 1000);
  receive(kOne, {make_cell(0, 32, 1), make_cell(0, 32, 2), make_cell(0, 32, 3)});
  EXPECT_EQ(fabric.next_deadline(), TimePoint{});  // the port has never sent: at once
  // A cell per millisecond; an idle line may catch up on one of them.
  EXPECT_EQ(sent(kTwo, 16, kNow), "0/40:1 0/40:2");
  EXPECT_EQ(fabric.next_deadline(), kNow + microseconds{1000});
  EXPECT_EQ(sent(kTwo, 16, kNow + microseconds{999}), "");
  EXPECT_EQ(sent(kTwo, 16, kNow + microseconds{1000}), "0/40:3");
  EXPECT_EQ(fabric.next_deadline(), kNever);
}

TEST_F(SwitchFabricTest, PumpMovesCellsBetweenLinks) {
  const auto left = plug(kOne), right = plug(kTwo);
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  add(channel(kTwo, 0, 50), {kOne, 0, 60});
  left->send(std::array{make_cell(0, 32, 1), make_cell(0, 32, 2)});
  right->send(std::array{make_cell(0, 50, 3)});
  EXPECT_EQ(fabric.pump(kNow), 6u);
  EXPECT_EQ(come(*right), "0/40:1 0/40:2");
  EXPECT_EQ(come(*left), "0/60:3");
  EXPECT_EQ(fabric.pump(kNow), 0u);
}

TEST_F(SwitchFabricTest, ALinkThatIsFullHoldsTheQueueBack) {
  const auto left = plug(kOne), right = plug(kTwo, 2);
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  std::vector<Cell> cells;
  for (std::uint32_t number = 1; number <= 4; ++number) cells.push_back(make_cell(0, 32, number));
  left->send(cells);
  fabric.pump(kNow);
  for (Cell& cell : cells) put_u32(cell.payload.data(), number_of(cell) + 4);
  left->send(cells);
  fabric.pump(kNow);
  EXPECT_EQ(fabric.queued(kTwo), 4u);  // behind the two that the line did not take
  EXPECT_EQ(come(*right), "0/40:1 0/40:2");
  fabric.pump(kNow);
  EXPECT_EQ(come(*right), "0/40:3 0/40:4");
  std::string rest;
  for (int round = 0; round < 3; ++round) {
    fabric.pump(kNow);
    rest += come(*right) + ";";
  }
  EXPECT_EQ(rest, "0/40:5 0/40:6;0/40:7 0/40:8;;");
}

TEST_F(SwitchFabricTest, ABrokenLineIsReadEmpty) {
  const auto left = plug(kOne);
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  fabric.set_line(kOne, false);
  left->send(std::array{make_cell(0, 32, 1)});
  fabric.pump(kNow);
  fabric.set_line(kOne, true);
  fabric.pump(kNow);
  EXPECT_EQ(sent(kTwo), "");
  EXPECT_EQ(fabric.counters(kOne).input_discards, 1u);
}

TEST_F(SwitchFabricTest, AnExternalLoopbackReturnsCellsUnseen) {
  const auto left = plug(kOne);
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  fabric.set_loopback(kOne, Loopback::kExternal);
  left->send(std::array{make_cell(0, 32, 1), make_cell(9, 999, 2)});
  fabric.pump(kNow);
  EXPECT_EQ(come(*left), "0/32:1 9/999:2");
  EXPECT_EQ(sent(kTwo), "");
  EXPECT_EQ(fabric.counters(kOne), PortCounters{});
  EXPECT_TRUE(unknown.empty());
}

TEST_F(SwitchFabricTest, AnInternalLoopbackBringsCellsInAgain) {
  const auto left = plug(kOne), right = plug(kTwo);
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  add(channel(kTwo, 0, 40), {kOne, 0, 50});
  fabric.set_loopback(kTwo, Loopback::kInternal);
  left->send(std::array{make_cell(0, 32, 1)});
  fabric.pump(kNow);
  fabric.pump(kNow);
  EXPECT_EQ(come(*right), "");
  EXPECT_EQ(come(*left), "0/50:1");
}

TEST_F(SwitchFabricTest, BothLoopbacksAreOneEach) {
  const auto left = plug(kOne), right = plug(kTwo);
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  add(channel(kTwo, 0, 40), {kOne, 0, 50});
  fabric.set_loopback(kTwo, Loopback::kBothway);
  left->send(std::array{make_cell(0, 32, 1)});
  right->send(std::array{make_cell(0, 40, 2)});
  fabric.pump(kNow);
  fabric.pump(kNow);
  EXPECT_EQ(come(*right), "0/40:2");
  EXPECT_EQ(come(*left), "0/50:1");
}

TEST_F(SwitchFabricTest, ACaptureSeesBothSidesWithTheirLabels) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  receive(kOne, {make_cell(0, 32, 1)});
  sent(kTwo);
  EXPECT_EQ(shown, (std::vector<std::string>{"port 1 in 0/32:1", "port 2 out 0/40:1"}));
}

// A third-party scheduler: the last cell first.
class LastFirst final : public Queueing {
 public:
  std::optional<ConnectionRef> enqueue(const Arrival& arrival, TimePoint) override {
    cells_.push_back({arrival.header, arrival.payload});
    return std::nullopt;
  }
  std::size_t dequeue(std::span<Cell> cells, std::span<ConnectionRef>, TimePoint) override {
    std::size_t count = 0;
    for (; count < cells.size() && !cells_.empty(); ++count) {
      cells[count] = cells_.back();
      cells_.pop_back();
    }
    return count;
  }
  std::size_t size() const override { return cells_.size(); }
  bool room_for_frame() const override { return true; }
  void drop_all(const std::function<void(ConnectionRef)>& lost) override {
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) lost({0xffff'ffff, 0});
    cells_.clear();
  }
  void set_buffer(std::size_t) override {}

 private:
  std::vector<Cell> cells_;
};

TEST_F(SwitchFabricTest, APortTakesAnotherQueueing) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  receive(kOne, {make_cell(0, 32, 1)});
  fabric.set_queueing(kTwo, std::make_unique<LastFirst>());
  EXPECT_EQ(fabric.counters(kTwo).output_discards, 1u);
  receive(kOne, {make_cell(0, 32, 2), make_cell(0, 32, 3)});
  EXPECT_EQ(sent(kTwo), "0/40:3 0/40:2");
}

// A line that reports errors of its own.
class NoisyLink final : public Link {
 public:
  explicit NoisyLink(std::uint64_t errors) { counters_.hec_errors = errors; }
  void drop_frames(std::uint64_t cells_in, std::uint64_t cells_out) {
    counters_.frame_cells_in += cells_in;
    counters_.frame_cells_out += cells_out;
  }
  std::size_t receive(std::span<Cell>) override { return 0; }
  std::size_t send(std::span<const Cell> cells) override { return cells.size(); }
  const LinkCounters& counters() const override { return counters_; }

 private:
  LinkCounters counters_;
};

TEST_F(SwitchFabricTest, HeaderErrorsAreThoseOfAllLinksThePortHasHad) {
  fabric.attach(kOne, std::make_unique<NoisyLink>(5));
  EXPECT_EQ(fabric.counters(kOne).hec_errors, 5u);
  fabric.attach(kOne, std::make_unique<NoisyLink>(2));
  EXPECT_EQ(fabric.counters(kOne).hec_errors, 7u);
  fabric.attach(kOne, nullptr);
  EXPECT_EQ(fabric.counters(kOne).hec_errors, 7u);
}

TEST_F(SwitchFabricTest, CellsOfDroppedFramesAreDiscardsOfThePort) {
  auto made = std::make_unique<NoisyLink>(0);
  NoisyLink& link = *made;
  link.drop_frames(100, 200);  // before it was attached
  fabric.attach(kOne, std::move(made));
  link.drop_frames(3, 4);
  const auto expect = [&] {
    const PortCounters counters = fabric.counters(kOne);
    EXPECT_EQ(counters.input_cells, 3u);
    EXPECT_EQ(counters.input_discards, 3u);
    EXPECT_EQ(counters.output_discards, 4u);
  };
  expect();
  fabric.attach(kOne, nullptr);
  expect();
}

}  // namespace
}  // namespace xbind::dataplane
