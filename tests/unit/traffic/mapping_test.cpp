#include "traffic/mapping.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "core/read_file.hpp"
#include "tests/unit/source_dir.hpp"
#include "traffic/aal5.hpp"

namespace xbind {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

template <class T>
std::string refusal(const Result<T>& result) {
  if (result) return "it is done";
  EXPECT_EQ(result.error().code, ErrorCode::kBadInput);
  return result.error().text;
}

TEST(MappingTest, KnownVideos) {
  EXPECT_EQ(to_network({25000, 9000}), (Resources{4700, 188}));
  EXPECT_EQ(to_network({1000, 40}), (Resources{1, 1}));
  EXPECT_EQ(to_network({1, 40}), (Resources{1, 1}));     // 0.001 cells/s, rounded up
  EXPECT_EQ(to_network({1001, 40}), (Resources{2, 1}));  // 1.001
  EXPECT_EQ(to_network({29970, 1}), (Resources{30, 1}));
  // 30 a second of 100000 octets: 1366 + ceil(34473 / 48) = 2085 cells a frame
  EXPECT_EQ(to_network({30000, 100000}), (Resources{62550, 2085}));
}

TEST(MappingTest, KnownWaysBack) {
  EXPECT_EQ(fastest_video(4700, 9000), (VideoSpec{25000, 9000}));
  EXPECT_EQ(fastest_video(4699, 9000), (VideoSpec{24994, 9000}));
  EXPECT_EQ(finest_video(4700, 25000), (VideoSpec{25000, 9016}));  // 188 x 48 - 8
  EXPECT_EQ(finest_video(4699, 25000), (VideoSpec{25000, 8968}));  // 187 cells
  EXPECT_EQ(finest_video(1366, 1000), (VideoSpec{1000, 65535}));
}

// Computes the list of docs/qos.md: the numbers of each line must be in the document.
TEST(MappingTest, TheWorkedExampleOfTheManualIsRight) {
  const auto manual = read_file(test::source_path("docs/qos.md"), 1 << 20);
  ASSERT_TRUE(manual.has_value()) << manual.error().text;
  const Resources needed = to_network({25000, 9000}).value();
  const std::uint64_t pdu = needed.buffer_cells * aal5::kCellPayloadOctets;
  const std::uint64_t padding = pdu - 9000 - aal5::kTrailerOctets;
  EXPECT_THAT(*manual,
              HasSubstr(fmt::format("{} octets, {:.2f} times 48: {} cells a frame, with {} "
                                    "octets of padding",
                                    9000 + aal5::kTrailerOctets, 9008 / 48.0, needed.buffer_cells,
                                    padding)));
  EXPECT_THAT(*manual, HasSubstr(fmt::format("25 x {0} = {1} cells/s, and {0} cells of buffer",
                                             needed.buffer_cells, needed.cells_per_s)));
  EXPECT_THAT(*manual, HasSubstr(fmt::format("{} x 53 x 8 = {} bit/s, for {} bit/s of video",
                                             needed.cells_per_s, needed.cells_per_s * 53 * 8,
                                             25 * 9000 * 8)));
  EXPECT_THAT(*manual, HasSubstr(fmt::format("a link of 353207 cells/s carries {} of them",
                                             353207 / needed.cells_per_s)));
  const VideoSpec finest = finest_video(4700, 30000).value();
  EXPECT_THAT(*manual, HasSubstr(fmt::format(
                           "4700 cells/s at 30 frames a second leave {} cells a frame: {} "
                           "octets",
                           aal5::cells_of_frame(finest.frame_octets), finest.frame_octets)));
  const VideoSpec fastest = fastest_video(4700, 4000).value();
  EXPECT_THAT(*manual,
              HasSubstr(fmt::format("frames of 4000 octets ({} cells) allow {} frames in 1000 s: "
                                    "{:.3f} a second",
                                    aal5::cells_of_frame(4000), fastest.frames_per_1000_s,
                                    static_cast<double>(fastest.frames_per_1000_s) / 1000)));
}

TEST(MappingTest, NothingIsRefused) {
  EXPECT_EQ(refusal(to_network({0, 9000})), "0 frames in 1000 s need no connection");
  EXPECT_EQ(refusal(to_network({25000, 0})), "a frame of 0 octets needs no connection");
  EXPECT_EQ(refusal(fastest_video(4700, 0)), "a frame of 0 octets needs no connection");
  EXPECT_EQ(refusal(fastest_video(0, 9000)), "0 cells/s are not in 1 to 4294967295");
  EXPECT_EQ(refusal(finest_video(0, 25000)), "0 cells/s are not in 1 to 4294967295");
  EXPECT_EQ(refusal(finest_video(4700, 0)), "0 frames in 1000 s need no connection");
}

TEST(MappingTest, TooMuchIsRefused) {
  // One cell a frame: exactly at the bound, and a thousandth of a cell above it.
  EXPECT_EQ(to_network({kCellsPerSMax * 1000, 40}), (Resources{kCellsPerSMax, 1}));
  EXPECT_EQ(refusal(to_network({kCellsPerSMax * 1000 + 1, 40})),
            "4294967295001 frames of 40 octets in 1000 s are more than 4294967295 cells/s");
  EXPECT_THAT(refusal(to_network({kAll, 9000})), HasSubstr("are more than 4294967295 cells/s"));
  // A frame of the maximum number of cells, and one cell more.
  const std::uint64_t largest = aal5::octets_in_cells(kCellsPerFrameMax);
  EXPECT_EQ(to_network({1000, largest}), (Resources{kCellsPerSMax, kCellsPerFrameMax}));
  EXPECT_EQ(
      refusal(to_network({1, largest + 1})),
      fmt::format("a frame of {} octets is 4294967296 cells, the most is 4294967295", largest + 1));
  EXPECT_THAT(refusal(to_network({kAll, kAll})),
              HasSubstr("a frame of 18446744073709551615 octets"));
  EXPECT_THAT(refusal(fastest_video(1, kAll)), HasSubstr("a frame of 18446744073709551615 octets"));
  EXPECT_EQ(refusal(fastest_video(kCellsPerSMax + 1, 40)),
            "4294967296 cells/s are not in 1 to 4294967295");
  EXPECT_THAT(refusal(finest_video(kAll, 25000)),
              HasSubstr("18446744073709551615 cells/s are not"));
}

TEST(MappingTest, TooLittleForTheWayBackIsRefused) {
  // 1 cell/s is 1000 cells in 1000 s.
  EXPECT_EQ(fastest_video(1, aal5::octets_in_cells(1000)).value().frames_per_1000_s, 1u);
  EXPECT_EQ(refusal(fastest_video(1, aal5::octets_in_cells(1001))),
            "1 cells/s do not carry one frame of 48040 octets (1001 cells) in 1000 s");
  EXPECT_EQ(finest_video(1, 1000).value().frame_octets, 40u);
  EXPECT_EQ(refusal(finest_video(1, 1001)),
            "1 cells/s are not one cell for each of 1001 frames in 1000 s");
}

TEST(MappingTest, TheWayBackNeverGivesMoreThanAFrameMayHave) {
  const VideoSpec slow =
      finest_video(kCellsPerSMax, 1).value();  // 4.3e12 cells a frame, without the limit
  EXPECT_EQ(aal5::cells_of_frame(slow.frame_octets), kCellsPerFrameMax);
  EXPECT_TRUE(to_network(slow).has_value());
}

// Numbers of all magnitudes, not mostly huge ones.
std::uint64_t of_any_size(std::mt19937_64& random, int bits) {
  return 1 + (random() >> (64 - 1 - random() % static_cast<std::uint64_t>(bits)));
}

class RoundTrip : public ::testing::Test {
 protected:
  RoundTrip() { RecordProperty("seed", static_cast<int>(kSeed)); }
  static constexpr std::uint64_t kSeed = 5361998;
  static constexpr int kRounds = 200000;
  std::mt19937_64 random{kSeed};
};

TEST_F(RoundTrip, WhatAVideoNeedsCarriesThatVideo) {
  int done = 0;
  for (int round = 0; round < kRounds; ++round) {
    const VideoSpec video{of_any_size(random, 30), of_any_size(random, 36)};
    SCOPED_TRACE(fmt::format("seed {} round {}: {} frames of {} octets", kSeed, round,
                             video.frames_per_1000_s, video.frame_octets));
    const auto needed = to_network(video);
    if (!needed) continue;
    ++done;
    ASSERT_GE(fastest_video(needed->cells_per_s, video.frame_octets)->frames_per_1000_s,
              video.frames_per_1000_s);
    ASSERT_GE(finest_video(needed->cells_per_s, video.frames_per_1000_s)->frame_octets,
              video.frame_octets);
    // The rate is also minimal: one cell a second less carries fewer frames.
    if (needed->cells_per_s == 1) continue;
    const auto less = fastest_video(needed->cells_per_s - 1, video.frame_octets);
    ASSERT_TRUE(!less || less->frames_per_1000_s < video.frames_per_1000_s);
  }
  EXPECT_GT(done, kRounds / 2);
}

TEST_F(RoundTrip, TheFastestVideoFitsAndOneFrameMoreDoesNot) {
  int done = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t rate = std::min(of_any_size(random, 32), kCellsPerSMax);
    const std::uint64_t octets = of_any_size(random, 30);
    SCOPED_TRACE(
        fmt::format("seed {} round {}: {} cells/s, {} octets", kSeed, round, rate, octets));
    auto video = fastest_video(rate, octets);
    if (!video) continue;
    ++done;
    ASSERT_LE(to_network(*video)->cells_per_s, rate);
    ++video->frames_per_1000_s;
    const auto more = to_network(*video);
    ASSERT_TRUE(!more || more->cells_per_s > rate);
  }
  EXPECT_GT(done, kRounds / 2);
}

TEST_F(RoundTrip, TheFinestVideoFitsAndOneOctetMoreDoesNot) {
  int done = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t rate = std::min(of_any_size(random, 32), kCellsPerSMax);
    const std::uint64_t frames = of_any_size(random, 30);
    SCOPED_TRACE(
        fmt::format("seed {} round {}: {} cells/s, {} frames", kSeed, round, rate, frames));
    auto video = finest_video(rate, frames);
    if (!video) continue;
    ++done;
    ASSERT_LE(to_network(*video)->cells_per_s, rate);
    ++video->frame_octets;
    const auto more = to_network(*video);
    ASSERT_TRUE(!more || more->cells_per_s > rate);
  }
  EXPECT_GT(done, kRounds / 2);
}

}  // namespace
}  // namespace xbind
