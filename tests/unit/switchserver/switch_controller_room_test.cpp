// Whether a SwitchServer would take hops: the ledger's answer, unless it admits nothing now.
#include "claims_fixture.hpp"
#include "core/hop_room.hpp"

namespace xbind {
namespace {

class SwitchControllerRoom : public ClaimsTest {
 protected:
  static std::vector<HopQuestion> to(std::initializer_list<PortId> outputs) {
    std::vector<HopQuestion> hops;
    for (const PortId output : outputs) {
      hops.push_back({.input_port = kIn, .output_port = output, .demand = {1, 0}});
    }
    return hops;
  }
  static std::vector<Cause> causes(const std::vector<HopRoom>& rooms) {
    std::vector<Cause> causes;
    for (const HopRoom& room : rooms) causes.push_back(room.cause);
    return causes;
  }
};

TEST_F(SwitchControllerRoom, AManagersOwnLabelsAreRoomForItAlone) {
  const std::uint64_t before = controller.would_take("b", to({kOut}))[0].copies;
  cache_one();
  EXPECT_EQ(controller.would_take("a", to({kOut}))[0].copies, before);
  EXPECT_EQ(controller.would_take("b", to({kOut}))[0].copies, before - 1);
  EXPECT_EQ(controller.would_take("unknown", to({kOut}))[0].copies, before - 1);
}

TEST_F(SwitchControllerRoom, NothingIsTakenWhileTheSwitchIsAway) {
  session_breaks();
  const auto rooms = controller.would_take("a", to({kOut, kEnd}));
  EXPECT_THAT(causes(rooms),
              ::testing::ElementsAre(Cause::kSwitchUnreachable, Cause::kSwitchUnreachable));
  EXPECT_EQ(rooms[0].copies, 0U);
}

TEST_F(SwitchControllerRoom, PortsThatWaitForClaimsTakeNothing) {
  restart(std::nullopt);  // it is not known which managers there were
  attach();
  std::vector<HopQuestion> hops = to({kOut, kEnd});
  hops[0].copies = 1;
  const auto rooms = next().would_take("a", hops);
  EXPECT_THAT(causes(rooms), ::testing::ElementsAre(Cause::kSwitchUnreachable, Cause::kNoLabel));
  EXPECT_EQ(rooms[0].copies, 0U);
  EXPECT_EQ(rooms[1].copies, next().ledger().usage(kEnd)->free_output_labels);
}

}  // namespace
}  // namespace xbind
