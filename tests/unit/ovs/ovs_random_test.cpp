// Random requests, faults and restarts. At every rest, fabric, bridge and reports agree, and the
// bridge has no group and no meter without a connection.
#include <random>

#include "tests/unit/ovs/ovs_table_fixture.hpp"

namespace xbind::ovs::test {
namespace {

using gsmp::PortFunction;
using openflow::ErrorType;
using Kind = MemoryBridge::Kind;
using When = MemoryBridge::When;

class OvsRandom : public OvsTableTest, public ::testing::WithParamInterface<std::uint32_t> {
 protected:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(bits() % bound); }
  bool chance(std::uint32_t of) { return below(of) == 0; }
  // Few places, so that requests meet.
  Place place() {
    const std::uint32_t port = 1 + below(4);
    if (port > 1) return link(port, 20 + below(3));
    return chance(2) ? hosts() : chance(2) ? frames("class 7") : frames("vlan 5");
  }
  void change() {
    switch (below(10)) {
      case 0: remove_tree(place()); break;
      case 1: remove(place(), place()); break;
      case 2: move_output(place(), place(), place()); break;
      case 3: move_input(branch(place(), place()), place()); break;
      case 4: move_input(policed(place(), place(), 1000), place()); break;
      case 5:
      case 6: add(policed(place(), place(), 1000 * (1 + below(3)))); break;
      case 7: {
        gsmp::AddBranch pair = branch(place(), place());
        pair.input_label.flags = gsmp::kFlagBidirectional;
        add(pair);
        break;
      }
      default: add(place(), place());
    }
  }
  void trouble() {
    switch (below(5)) {
      case 0: manage_alone(PortFunction::kTakeDown); break;
      case 1: manage_alone(PortFunction::kBringUp); break;
      case 2: memory.refuse_next(Kind::kFlow, ErrorType::kFlowModFailed, 4, when()); break;
      case 3: memory.refuse_next(Kind::kGroup, ErrorType::kGroupModFailed, 3, when()); break;
      default: memory.refuse_next(Kind::kMeter, ErrorType::kMeterModFailed, 10, when());
    }
  }
  // Not refused: the connections of a port that comes up may then lack their flows.
  void manage_alone(PortFunction function) {
    settle();
    memory.refuse_none();
    manage(2 + below(3), function);
    change();
    settle();
  }
  When when() { return chance(2) ? When::kRead : When::kExecuted; }
  // What is in flight is lost, or the bridge has lost everything.
  void disaster() {
    made->carry_to_bridge();
    if (chance(2)) memory.restart();
    made->cut();
    made->connect(now);
  }
  void rest() {
    memory.refuse_none();
    settle();
    for (std::uint32_t port = 1; port <= 4; ++port) manage(port, PortFunction::kBringUp);
    settle();
    expect_consistent();
    std::size_t groups = 0;
    std::size_t meters = 0;
    for (const openflow::FlowStats& flow : tables().flows()) {
      if (group_in(flow.actions)) ++groups;
      if (flow.meter) ++meters;
    }
    EXPECT_EQ(tables().groups().size(), groups);
    EXPECT_EQ(tables().meters().size(), meters);
    EXPECT_EQ(table().flows().groups_used(), groups) << "numbers that nobody uses any more";
    EXPECT_EQ(table().flows().meters_used(), meters);
    for (std::uint64_t one = 1; one <= last_request(); ++one)
      EXPECT_TRUE(code(one)) << "request " << one << " has no answer";
  }

  std::mt19937_64 bits{GetParam()};
};

TEST_P(OvsRandom, TheBridgeFollows) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  for (int round = 0; round < 20 && !HasFailure(); ++round) {
    SCOPED_TRACE(::testing::Message() << "round " << round);
    for (int step = 0; step < 30; ++step) {
      change();
      if (chance(10)) trouble();
      if (chance(4)) settle();
      if (chance(40)) disaster();
    }
    rest();
    const std::string before = state();
    if (round % 2 == 0) {
      table().set_client(nullptr);
      restart_agent();
      EXPECT_EQ(state(), before) << "the next agent adopts everything";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, OvsRandom, ::testing::Range(1U, 13U));

}  // namespace
}  // namespace xbind::ovs::test
