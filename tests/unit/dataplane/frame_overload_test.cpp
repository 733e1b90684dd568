// Row F10: frames of 30 cells from several sources at twice the rate of their common line. How many
// arrive whole, with whole frames discarded and with single cells.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "dataplane/cells/aal5_frame.hpp"
#include "dataplane/switch_fabric.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::uint32_t kSources = 8;
constexpr std::size_t kFrameCells = 30;
constexpr std::size_t kBufferCells = 1'000;
constexpr int kTurns = 40'000;

struct Arrived {
  std::size_t whole = 0;
  std::size_t cells = 0;
};

// In each turn two of the sources send a cell and the line takes one.
Arrived frames_through(bool discard_frames, std::uint32_t seed) {
  SwitchFabric fabric({.ports = kSources + 1}, {.cells_max = kBufferCells});
  const PortId out{kSources + 1};
  for (std::uint32_t source = 0; source < kSources; ++source) {
    Branch branch{.port = out, .vci = static_cast<std::uint16_t>(100 + source)};
    branch.frames = FrameDiscard(discard_frames);
    EXPECT_TRUE(
        fabric.table().add_branch({.port = PortId{source + 1}, .vci = 32}, branch).has_value());
  }
  std::vector<Cell> frame;
  const std::vector<std::byte> octets(kFrameCells * kPayloadOctets - 8);
  EXPECT_TRUE(aal5_segment(octets, {.vci = 32}, frame).has_value());
  EXPECT_EQ(frame.size(), kFrameCells);

  std::mt19937 random(seed);
  std::array<std::size_t, kSources> next{};
  for (std::size_t& at : next) at = random() % kFrameCells;
  std::vector<Aal5Reassembly> sinks(kSources, Aal5Reassembly(octets.size()));
  Arrived arrived;
  for (int turn = 0; turn < kTurns; ++turn) {
    for (int each = 0; each < 2; ++each) {
      const std::uint32_t source = static_cast<std::uint32_t>(random()) % kSources;
      fabric.receive(PortId{source + 1}, std::span(&frame[next[source]], 1), TimePoint{});
      next[source] = (next[source] + 1) % kFrameCells;
    }
    std::array<Cell, 1> sent;
    if (fabric.transmit(out, sent, TimePoint{}) == 0) continue;
    ++arrived.cells;
    if (sinks[sent[0].vci() - 100U].push(sent[0]) == Aal5Outcome::kFrame) ++arrived.whole;
  }
  return arrived;
}

TEST(FrameOverload, WholeFramesArriveTwiceAsOftenAsWithSingleCellsDropped) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Arrived frames = frames_through(true, seed);
    const Arrived cells = frames_through(false, seed);
    RecordProperty("frames", static_cast<int>(frames.whole));
    RecordProperty("cells", static_cast<int>(cells.whole));
    EXPECT_GE(frames.whole, 2 * cells.whole);
    // The line is as busy, and nearly all that it carries is of use.
    EXPECT_GE(frames.cells, cells.cells * 95 / 100);
    EXPECT_GE(frames.whole * kFrameCells, frames.cells * 90 / 100);
  }
}

}  // namespace
}  // namespace xbind::dataplane
