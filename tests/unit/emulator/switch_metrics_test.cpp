// What a scrape shows of an emulated switch: its table, its agent's counters, its cells.
#include "emulator/switch_metrics.hpp"

#include <gmock/gmock.h>

#include <map>

#include "dataplane/links/frame_line.hpp"
#include "dataplane/links/ring.hpp"
#include "tests/unit/emulator/emulated_fixture.hpp"

namespace xbind::emulator {
namespace {

using namespace std::chrono_literals;
using dataplane::Cell;
using test::EmulatedTest;

class SwitchMetrics : public EmulatedTest {
 protected:
  std::map<std::string, std::uint64_t> shown() const {
    const Metrics metrics = metrics_of(emulated);
    std::map<std::string, std::uint64_t> by_name(metrics.begin(), metrics.end());
    EXPECT_EQ(by_name.size(), metrics.size()) << "a name comes twice";
    return by_name;
  }
  Controller& controlled() {
    Controller& controller = add_controller();
    connect(controller);
    return controller;
  }
  void add_branches(Controller& controller, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_TRUE(controller.session->add_branch(add(100 + i, 200 + i), i, now));
    }
    settle();
  }
};

TEST_F(SwitchMetrics, EveryNameHasOneRow) {
  Controller& controller = controlled();
  emulated.agent().refuse_next(1, gsmp::FailureCode::kInsufficientResources);
  add_branches(controller, 2);
  const std::vector<MetricTable> tables = switch_metrics();
  Metrics metrics = metrics_of(emulated);
  append_process_metrics(4711, metrics);
  for (const auto& [name, value] : metrics) EXPECT_EQ(rows_describing(name, tables), 1U) << name;
  EXPECT_EQ(metrics.back(), (Metrics::value_type{"rss_kib", 4711}));
}

TEST_F(SwitchMetrics, TheTableAndTheRequests) {
  Controller& controller = controlled();
  add_branches(controller, 3);
  auto now_shown = shown();
  EXPECT_EQ(now_shown["connections"], 3U);
  EXPECT_EQ(now_shown["branches"], emulated.fabric().branches());
  EXPECT_EQ(now_shown["branches_added"], 3U);
  EXPECT_EQ(now_shown["requests/add-branch"], 3U);
  EXPECT_FALSE(now_shown.contains("failed_requests/add-branch"));
  EXPECT_EQ(now_shown["controllers"], 1U);
  EXPECT_EQ(now_shown["adjacencies"], 1U);
  EXPECT_EQ(now_shown["adjacencies_up"], 1U);

  emulated.agent().refuse_next(2, gsmp::FailureCode::kInsufficientResources);
  ASSERT_TRUE(controller.session->add_branch(add(300, 400), 1, now));
  ASSERT_TRUE(controller.session->add_branch(add(301, 401), 2, now));
  settle();
  now_shown = shown();
  EXPECT_EQ(now_shown["connections"], 3U);
  EXPECT_EQ(now_shown["requests/add-branch"], 5U);
  EXPECT_EQ(now_shown["failed_requests/add-branch"], 2U);
  EXPECT_EQ(now_shown["failures/18"], 2U);

  close(controller);
  now_shown = shown();
  EXPECT_EQ(now_shown["adjacencies"], 0U);
  EXPECT_EQ(now_shown["adjacencies_down"], 1U);
  EXPECT_EQ(now_shown["connections"], 3U) << "the table stays";
}

TEST_F(SwitchMetrics, PortsThatAreDownOrOut) {
  auto now_shown = shown();
  const std::uint64_t ports = emulated.fabric().ports();
  EXPECT_EQ(now_shown["ports"], ports);
  EXPECT_EQ(now_shown["ports_down"], 0U);
  emulated.set_line(PortId(2), false);
  now_shown = shown();
  EXPECT_EQ(now_shown["ports_down"], 1U);
  EXPECT_EQ(now_shown["port_up/1"], 1U);
  EXPECT_EQ(now_shown["port_up/2"], 0U);
  emulated.set_card(PortId(2), false);
  now_shown = shown();
  EXPECT_EQ(now_shown["ports"], ports - 1);
  EXPECT_EQ(now_shown["ports_down"], 0U);
  EXPECT_FALSE(now_shown.contains("port_up/2"));
}

TEST_F(SwitchMetrics, ARestartTakesNothingOffACounter) {
  auto [line, end] = dataplane::make_ring();
  emulated.attach(PortId(1), std::move(line));
  const auto send = [&, &from = end] {
    const Cell known{.header = dataplane::cell_header(0, 100), .payload = {}};
    const Cell unknown{.header = dataplane::cell_header(0, 999), .payload = {}};
    ASSERT_EQ(from->send(std::span(&known, 1)), 1U);
    ASSERT_EQ(from->send(std::span(&unknown, 1)), 1U);
    for (int turn = 0; turn < 10; ++turn, now += 1ms) emulated.pump(now);
  };
  Controller& controller = controlled();
  add_branches(controller, 1);
  send();
  for (const Restart how : {Restart::kHot, Restart::kCold, Restart::kCold}) {
    const auto before = shown();
    emulated.restart(how, now);
    settle();
    auto after = shown();
    EXPECT_EQ(after["connections"], how == Restart::kHot ? 1U : 0U);
    EXPECT_EQ(after["adjacencies"], 0U);
    for (const char* name :
         {"requests/add-branch", "branches_added", "adjacencies_up", "port_input_cells/1",
          "port_invalid_label_cells/1", "port_output_cells/2"}) {
      EXPECT_GT(before.at(name), 0U) << name;
      EXPECT_EQ(after[name], before.at(name)) << name;
    }
  }
  send();
  auto after = shown();
  EXPECT_EQ(after["port_input_cells/1"], 4U);
  EXPECT_EQ(after["port_invalid_label_cells/1"], 3U) << "the connection went with the table";
  EXPECT_EQ(after["port_output_cells/2"], 1U);
}

EmulatedSwitchOptions with_crossbar(EmulatedSwitchOptions options) {
  options.crossbar = dataplane::CrossbarSize::k4x4;
  return options;
}

class SwitchWithCrossbar : public EmulatedTest {
 protected:
  SwitchWithCrossbar() : EmulatedTest(with_crossbar(options())) {}
  std::map<std::string, std::uint64_t> shown() const {
    const Metrics metrics = metrics_of(emulated);
    return {metrics.begin(), metrics.end()};
  }
};

TEST_F(SwitchMetrics, NothingOfACrossbarWithoutOne) {
  for (const auto& [name, value] : shown()) EXPECT_FALSE(name.starts_with("port_crossbar")) << name;
}

TEST_F(SwitchWithCrossbar, CellsCrossAndAreCountedAlsoThroughColdStarts) {
  auto [line, end] = dataplane::make_ring(4096);
  emulated.attach(PortId(1), std::move(line));
  const auto add_branch = [&] {
    Controller& controller = add_controller();
    connect(controller);
    ASSERT_TRUE(controller.session->add_branch(add(100, 200), 1, now));
    settle();
  };
  ASSERT_NO_FATAL_FAILURE(add_branch());
  // More than wait at an input, in less than a slot.
  const std::vector<Cell> cells(dataplane::Crossbar::kInputCellsMax + 72,
                                Cell{.header = dataplane::cell_header(0, 100), .payload = {}});
  ASSERT_EQ(end->send(cells), cells.size());
  while (emulated.fabric().cells().counters(PortId(1)).input_cells < cells.size())
    emulated.pump(now);
  auto now_shown = shown();
  EXPECT_EQ(now_shown["port_crossbar_cells/1"], cells.size());
  EXPECT_EQ(now_shown["port_crossbar_passed_cells/1"], 1U);
  EXPECT_EQ(now_shown["port_crossbar_waiting_cells/1"], dataplane::Crossbar::kInputCellsMax);
  EXPECT_EQ(now_shown["port_crossbar_lost_cells/1"], 71U);
  EXPECT_EQ(now_shown["port_input_discards/1"], 71U) << "GSMP reports the same";
  EXPECT_EQ(now_shown["port_crossbar_nacks/1"], 0U);
  EXPECT_EQ(emulated.cells_deadline(), now + dataplane::Crossbar::kSlot);

  for (TimePoint due = now; due != kNever; due = emulated.cells_deadline()) {
    now = std::max(now, due);
    emulated.pump(now);
  }
  EXPECT_EQ(shown()["port_crossbar_passed_cells/1"], dataplane::Crossbar::kInputCellsMax + 1);
  emulated.restart(Restart::kCold, now);
  now_shown = shown();
  EXPECT_EQ(now_shown["port_crossbar_cells/1"], cells.size());
  EXPECT_EQ(now_shown["port_crossbar_lost_cells/1"], 71U);
  EXPECT_EQ(now_shown["port_crossbar_passed_cells/1"], dataplane::Crossbar::kInputCellsMax + 1);
  ASSERT_NO_FATAL_FAILURE(add_branch());
  ASSERT_EQ(end->send(std::span(cells).first(1)), 1U);
  emulated.pump(now);
  EXPECT_EQ(shown()["port_crossbar_cells/1"], cells.size() + 1);
}

TEST_F(SwitchWithCrossbar, GsmpTellsWhatAConnectionLostAtItsInput) {
  Controller& controller = add_controller();
  connect(controller);
  ASSERT_TRUE(controller.session->add_branch(add(100, 200), 1, now));
  settle();
  const std::vector<Cell> cells(dataplane::Crossbar::kInputCellsMax + 72,
                                Cell{.header = dataplane::cell_header(0, 100), .payload = {}});
  emulated.fabric().cells().receive(PortId(1), cells, now);
  gsmp::StatisticsRequest request;
  request.header.type = gsmp::MessageType::kConnectionStatistics;
  request.header.transaction = 9000;
  request.port = PortId(1);
  request.label = gsmp::label_field(atm_label(0, 100));
  wire::Buffer octets;
  gsmp::append_frame(octets, request);
  emulated.receive(controller.connection, octets, now);
  emulated.take_output(controller.connection, octets, now);
  const auto header = gsmp::decode_header(std::span(octets).subspan(gsmp::kFrameHeaderOctets));
  ASSERT_TRUE(header);
  const auto answer = gsmp::decode_statistics(header->header, header->body);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->counters.input_cells, cells.size());
  EXPECT_EQ(answer->counters.input_cell_discards, 72U);
}

TEST_F(SwitchWithCrossbar, EveryNameHasOneRow) {
  const std::vector<MetricTable> tables = switch_metrics();
  for (const auto& [name, value] : metrics_of(emulated)) {
    EXPECT_EQ(rows_describing(name, tables), 1U) << name;
  }
}

// A line whose cells are frames.
class FramesLine final : public dataplane::Link {
 public:
  std::size_t receive(std::span<Cell>) override { return 0; }
  std::size_t send(std::span<const Cell> cells) override { return cells.size(); }
  const dataplane::LinkCounters& counters() const override { return line_counters; }
  const dataplane::FrameCounters* frame_counters() const override { return &frames; }
  void set_has_call(std::function<bool(std::uint32_t)> asked) override { has_call = asked; }

  dataplane::LinkCounters line_counters;
  dataplane::FrameCounters frames;
  std::function<bool(std::uint32_t)> has_call;
};

TEST_F(SwitchMetrics, FramesOfALineThatHasSome) {
  EXPECT_FALSE(shown().contains("port_input_frames/1"));
  auto made = std::make_unique<FramesLine>();
  FramesLine& line = *made;
  emulated.attach(PortId{1}, std::move(made));
  line.frames.in = 7;
  line.frames.out = 6;
  line.frames.dropped[static_cast<std::size_t>(dataplane::FrameDrop::kTag)] = 2;
  line.line_counters.frame_cells_in = 5;
  line.line_counters.frame_cells_out = 4;
  for (int times = 0; times < 2; ++times) {
    auto now_shown = shown();
    EXPECT_EQ(now_shown["port_input_frames/1"], 7U);
    EXPECT_EQ(now_shown["port_output_frames/1"], 6U);
    EXPECT_EQ(now_shown["port_dropped_frames/1/tag"], 2U);
    EXPECT_EQ(now_shown["port_dropped_frames/1/too_long"], 0U);
    EXPECT_EQ(now_shown["port_input_cells/1"], 5U) << "with the cells of dropped frames";
    EXPECT_EQ(now_shown["port_input_discards/1"], 5U);
    EXPECT_EQ(now_shown["port_output_discards/1"], 4U);
    emulated.restart(Restart::kCold, now);  // counts nothing twice
  }
}

TEST_F(SwitchMetrics, ALineWithFramesKnowsWhichLabelsHaveCalls) {
  auto made = std::make_unique<FramesLine>();
  const FramesLine& line = *made;
  emulated.attach(PortId{1}, std::move(made));
  EXPECT_FALSE(line.has_call(100));
  Controller& controller = controlled();
  add_branches(controller, 1);  // from port 1, VCI 100
  EXPECT_TRUE(line.has_call(100));
  EXPECT_FALSE(line.has_call(101));
  emulated.restart(Restart::kCold, now);
  EXPECT_FALSE(line.has_call(100));
}

EmulatedSwitchOptions with_controller(EmulatedSwitchOptions options) {
  options.controllers[PortId(1)] = {
      .burst = 10us, .cell = 4us, .line_bits_per_s = 44'000'000'000, .buffer_cells = 3};
  return options;
}

class WithController : public SwitchMetrics {
 protected:
  WithController() : owned(with_controller(options())) {}
  std::map<std::string, std::uint64_t> shown_of_owned() const {
    const Metrics metrics = metrics_of(owned);
    return {metrics.begin(), metrics.end()};
  }
  EmulatedSwitch owned;
};

TEST_F(WithController, CountsGoOnAfterAColdStart) {
  auto [near, far] = dataplane::make_ring(64);
  owned.attach(PortId(1), std::move(near));
  const std::vector<Cell> cells(5, Cell{.header = dataplane::cell_header(0, 99)});
  far->send(cells);
  owned.pump(now);
  EXPECT_EQ(owned.cells_deadline(), now + 4us);
  owned.pump(now + 1ms);
  EXPECT_EQ(owned.cells_deadline(), kNever);
  for (int starts = 0; starts < 2; ++starts) {
    SCOPED_TRACE(starts);
    auto shown = shown_of_owned();
    EXPECT_EQ(shown["port_controller_busy_us/1"], 22U);
    EXPECT_EQ(shown["port_controller_interrupts/1"], 1U);
    EXPECT_EQ(shown["port_controller_lost_cells/1/buffer"], 2U);
    EXPECT_EQ(shown["port_controller_lost_cells/1/line"], 0U);
    EXPECT_EQ(shown["port_input_cells/1"], 5U);
    EXPECT_EQ(shown["port_input_discards/1"], 2U);
    EXPECT_FALSE(shown.contains("port_controller_busy_us/2"));
    owned.restart(Restart::kCold, now + 2ms);
  }
  const std::vector<MetricTable> tables = switch_metrics();
  for (const auto& [name, value] : metrics_of(owned)) {
    EXPECT_EQ(rows_describing(name, tables), 1U) << name;
  }
}

TEST_F(SwitchMetrics, ALowerBoundRefusesWhatIsNew) {
  Controller& controller = controlled();
  add_branches(controller, 3);
  emulated.set_bounds(2, kPortBufferCells);
  ASSERT_TRUE(controller.session->add_branch(add(300, 400), 1, now));
  settle();
  auto now_shown = shown();
  EXPECT_EQ(now_shown["branches_max"], 2U);
  EXPECT_EQ(now_shown["branches"], 3U) << "what is there stays";
  EXPECT_EQ(now_shown["failures/19"], 1U);
  emulated.restart(Restart::kCold, now);
  EXPECT_EQ(shown()["branches_max"], 2U);
  emulated.set_bounds(5, kPortBufferCells);
  EXPECT_EQ(shown()["branches_max"], 5U);
}

TEST_F(SwitchMetrics, ABufferThatChangesIsThatOfEveryPortAlsoAfterAColdStart) {
  EXPECT_EQ(shown()["buffer_cells"], kPortBufferCells);
  emulated.set_bounds(9, 7);
  EXPECT_EQ(shown()["buffer_cells"], 7U);
  emulated.restart(Restart::kCold, now);
  EXPECT_EQ(shown()["buffer_cells"], 7U);
}

}  // namespace
}  // namespace xbind::emulator
