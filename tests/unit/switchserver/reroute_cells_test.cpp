// A connection moves to another path while its cells flow. Controller, driver and emulated switch
// are real at the two places where the paths part and meet; each path in between is a wire.
//
//     1 ─ parts ─ 3 ─────────── 1 ─ meets ─ 3
//               └ 4 ─────────── 2 ┘
#include <array>
#include <cstring>

#include "switchserver/switch_controller.hpp"
#include "tests/unit/switchserver/drivers/driver_link.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;

class Switch {
 public:
  explicit Switch(std::uint8_t version) : link_(4, {version}) {
    link_.connect();
    settle();
    EXPECT_TRUE(controller_.up());
    EXPECT_TRUE(controller_.attach("a", Epoch{1}).has_value());
  }

  // Exchanges frames and events until neither end has more to send.
  void settle() {
    for (;;) {
      link_.exchange();
      const auto events = link_.driver_.take_events();
      if (events.empty()) return;
      for (const driver::Event& event : events) controller_.on_driver(event, link_.now_);
    }
  }
  HopResult run(const HopBatch& batch) {
    EXPECT_TRUE(controller_.apply("a", batch, 1, link_.now_).has_value());
    settle();
    const auto outputs = controller_.take_outputs();
    EXPECT_EQ(outputs.results.size(), 1U);
    return outputs.results.at(0).batch.results.at(0);
  }
  HopResult set_up(const HopSetup& hop) { return run({{hop}, {}, {}}); }
  HopResult remove(const HopSetup& hop) { return run({{}, {{hop.key, 0}}, {}}); }
  Label label_on(PortId port) {
    return controller_.grant("a", port, 1, {}, link_.now_)->labels.at(0);
  }
  std::vector<Finding> audit() {
    EXPECT_TRUE(controller_.audit("a", 1).has_value());
    settle();
    return controller_.take_outputs().audits.at(0).report.findings;
  }
  void receive(PortId port, const dataplane::Cell& cell) {
    link_.fabric_->cells().receive(port, {&cell, 1}, link_.now_);
  }
  std::vector<dataplane::Cell> transmit(PortId port) {
    link_.now_ += std::chrono::milliseconds{1};
    std::array<dataplane::Cell, 64> cells;
    const std::size_t count = link_.fabric_->cells().transmit(port, cells, link_.now_);
    return {cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(count)};
  }

 private:
  Link link_;
  SwitchController controller_{{.name = "sw"}, link_.driver_};
};

class RerouteCells : public ::testing::TestWithParam<std::uint8_t> {
 protected:
  static HopSetup hop(std::uint16_t index, PortId input, Label input_label, PortId output,
                      Label output_label) {
    HopSetup setup;
    setup.key = {ConnectionId{1}, Generation{1}, 0, index};
    setup.hop_count = 2;
    setup.input_port = input;
    setup.input_label = input_label;
    setup.output_port = output;
    setup.output_label = output_label;
    setup.demand = {1000, 10};
    return setup;
  }
  // Ten cells with increasing numbers enter where the paths part, and leave where they meet.
  void cells_flow() {
    for (int i = 0; i < 10; ++i) {
      dataplane::Cell cell;
      cell.header = ingress_.value << 4;
      std::memcpy(cell.payload.data(), &sent_, sizeof sent_);
      ++sent_;
      parts_.receive(PortId{1}, cell);
      for (const auto& out : parts_.transmit(PortId{3})) meets_.receive(PortId{1}, out);
      for (const auto& out : parts_.transmit(PortId{4})) meets_.receive(PortId{2}, out);
      for (const auto& out : meets_.transmit(PortId{3})) {
        std::uint32_t number = 0;
        std::memcpy(&number, out.payload.data(), sizeof number);
        EXPECT_EQ(number, arrived_) << "lost, doubled or out of order";
        EXPECT_EQ(out.vci(), egress_.value & 0xffff);
        ++arrived_;
      }
    }
    EXPECT_EQ(arrived_, sent_);
  }
  void both_clean() {
    EXPECT_THAT(parts_.audit(), ::testing::IsEmpty());
    EXPECT_THAT(meets_.audit(), ::testing::IsEmpty());
  }

  // Connection 1 over the upper path, and the hops of its next path.
  void SetUp() override {
    const Label upper = parts_.label_on(PortId{3});
    const Label lower = parts_.label_on(PortId{4});
    old_part_ = hop(0, PortId{1}, {}, PortId{3}, upper);
    old_meet_ = hop(1, PortId{1}, upper, PortId{3}, {});
    egress_ = meets_.set_up(old_meet_).output_label;
    ingress_ = parts_.set_up(old_part_).input_label;
    new_part_ = hop(0, PortId{1}, ingress_, PortId{4}, lower);
    new_part_.key.generation = Generation{2};
    new_part_.takes_over = true;
    new_meet_ = hop(1, PortId{2}, lower, PortId{3}, egress_);
    new_meet_.key.generation = Generation{2};
    new_meet_.joins = true;
    cells_flow();
    EXPECT_EQ(meets_.set_up(new_meet_).cause, Cause::kNone);
    cells_flow();
    EXPECT_EQ(parts_.set_up(new_part_).cause, Cause::kNone);
    cells_flow();
    both_clean();
  }

  Switch parts_{GetParam()};
  Switch meets_{GetParam()};
  HopSetup old_part_;
  HopSetup old_meet_;
  HopSetup new_part_;
  HopSetup new_meet_;
  Label ingress_;
  Label egress_;
  std::uint32_t sent_ = 0;
  std::uint32_t arrived_ = 0;
};

TEST_P(RerouteCells, NoneIsLostOrDoubledOnTheWayOver) {
  EXPECT_EQ(parts_.remove(old_part_).output_label, old_part_.output_label);
  cells_flow();
  EXPECT_EQ(meets_.remove(old_meet_).output_label, Label{}) << "it is the new one's as well";
  cells_flow();
  both_clean();
  EXPECT_EQ(parts_.remove(new_part_).cause, Cause::kNone);
  EXPECT_EQ(meets_.remove(new_meet_).cause, Cause::kNone);
  both_clean();
}

TEST_P(RerouteCells, NorOnTheWayBack) {
  EXPECT_EQ(parts_.remove(new_part_).output_label, new_part_.output_label);
  cells_flow();
  EXPECT_EQ(meets_.remove(new_meet_).output_label, Label{});
  cells_flow();
  both_clean();
}

INSTANTIATE_TEST_SUITE_P(Versions, RerouteCells, ::testing::Values(3, 1));

}  // namespace
}  // namespace xbind
