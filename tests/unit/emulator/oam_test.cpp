// OAM loopback at an emulated switch whose port 2 is an MPLS port: it answers under its own name,
// on labels of both kinds, and counts in its status.
#include <gmock/gmock.h>

#include "dataplane/links/ring.hpp"
#include "dataplane/oam/loopback_cell.hpp"
#include "emulator/control.hpp"
#include "tests/unit/emulator/emulated_fixture.hpp"

namespace xbind::emulator {
namespace {

using namespace dataplane;
using ::testing::HasSubstr;

constexpr std::uint32_t kMplsLabel = 0x10003;  // as VPI and VCI: 1/3, like an F4 flow

class OamTest : public test::EmulatedTest {
 protected:
  OamTest()
      : EmulatedTest([] {
          EmulatedSwitchOptions with = options();
          with.fabric.port_labels = {{PortId(2), {mpls_range(16, 0xfffff)}}};
          return with;
        }()) {
    auto [near, far] = make_ring();
    emulated.attach(PortId(1), std::move(near));
    host = std::move(far);
    auto [next, peer] = make_ring();
    emulated.attach(PortId(2), std::move(next));
    behind = std::move(peer);
    const auto added = emulated.fabric().cells().table().add_branch(
        channel(PortId(1), 0, 100), {.port = PortId(2), .vpi = 1, .vci = 3});
    EXPECT_TRUE(added.has_value());
  }

  static Cell request(const LoopbackPoint& point) {
    return {.header = cell_header(0, 100, kPtSegment),
            .payload = encode_loopback(
                {.tag = 5, .location = location_id(point), .source = source_id(1)})};
  }
  std::vector<Cell> ask(const Cell& cell, Link& to, Link& from) {
    EXPECT_EQ(to.send(std::span(&cell, 1)), 1U);
    while (emulated.pump(now) > 0) {
    }
    std::vector<Cell> cells(8);
    cells.resize(from.receive(cells));
    return cells;
  }
  std::string status() { return answer("status", {&emulated}, {}, now); }

  std::unique_ptr<Link> host, behind;
};

TEST_F(OamTest, AnswersAtBothSidesUnderItsName) {
  const LoopbackPoint in{.node = node_number("sw1"), .port = PortId(1), .label = 100};
  const LoopbackPoint out{
      .node = node_number("sw1"), .side = Direction::kOut, .port = PortId(2), .label = kMplsLabel};
  EXPECT_EQ(ask(request(in), *host, *host).size(), 1U);
  EXPECT_EQ(ask(request(out), *host, *host).size(), 1U);
  EXPECT_THAT(status(), HasSubstr("oam_answered=2 oam_passed=0 oam_returned=0 oam_unrequested=0 "
                                  "oam_damaged=0 "));
  LoopbackPoint other = in;
  other.node = node_number("sw2");
  EXPECT_EQ(ask(request(other), *host, *host).size(), 0U);
  emulated.restart(Restart::kCold, now);
  EXPECT_THAT(status(), HasSubstr("oam_answered=0 oam_passed=0 "));
}

TEST_F(OamTest, AnAnswerComesBackOnAnMplsLabelThatLooksLikeF4) {
  const LoopbackPoint next{.node = node_number("sw2"), .port = PortId(1), .label = kMplsLabel};
  const auto passed = ask(request(next), *host, *behind);
  ASSERT_EQ(passed.size(), 1U);
  EXPECT_EQ(passed[0].header, cell_header(1, 3, kPtSegment));
  LoopbackCell loopback;
  ASSERT_EQ(decode_loopback(passed[0].payload, loopback), LoopbackVerdict::kLoopback);
  loopback.request = false;
  const Cell reply{.header = passed[0].header, .payload = encode_loopback(loopback)};
  const auto back = ask(reply, *behind, *host);
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].header, cell_header(0, 100, kPtSegment));
  EXPECT_THAT(status(), HasSubstr("oam_answered=0 oam_passed=1 oam_returned=1 "));
}

TEST_F(OamTest, UserCellsOnThatLabelAreNotTouched) {
  const auto added = emulated.fabric().cells().table().add_branch(
      channel(PortId(2), 1, 3), {.port = PortId(1), .vpi = 0, .vci = 200});
  ASSERT_TRUE(added.has_value());
  Cell cell = request({.node = node_number("sw1"), .port = PortId(2), .label = kMplsLabel});
  cell.header = cell_header(1, 3);
  EXPECT_EQ(ask(cell, *behind, *host).size(), 1U);
  EXPECT_THAT(status(), HasSubstr("oam_answered=0 oam_passed=0 "));
}

}  // namespace
}  // namespace xbind::emulator
