// Maps an application's terms (a video: frame size and rate) to the network's (cells/s, cells of
// buffer), and back. docs/qos.md has the formulas and a worked example.
//
// All numbers are integers. Rates are frames per 1000 seconds, so that 25 per second is 25000 and
// 29.97 per second 29970. (30000/1001 has no finite form; the caller rounds it up to 29971.)
// Rounding is always to the safe side: the result of to_network() carries the video, and a result
// from the network's rate fits into that rate. Pure; any thread.
#pragma once

#include <cstdint>

#include "core/resources.hpp"
#include "core/result.hpp"

namespace xbind {

inline constexpr std::uint64_t kCellsPerSMax = 4'294'967'295;      // of a port in GSMP: 32 bits
inline constexpr std::uint64_t kCellsPerFrameMax = 4'294'967'295;  // the same for a buffer

struct VideoSpec {
  std::uint64_t frames_per_1000_s = 0;
  std::uint64_t frame_octets = 0;  // of the largest frame

  friend bool operator==(const VideoSpec&, const VideoSpec&) = default;
};

// The resources that the video needs: cells/s as all cells of 1000 s, divided and rounded up; as
// buffer the cells of one frame, which may arrive at the switch all at once. kBadInput: no frames,
// no octets, or more than kCellsPerSMax or kCellsPerFrameMax.
Result<Resources> to_network(const VideoSpec& video);

// The highest frame rate that `cells_per_s` carries with frames of this size.
// kBadInput: zero or too large numbers, or a rate too low for one frame in 1000 s.
Result<VideoSpec> fastest_video(std::uint64_t cells_per_s, std::uint64_t frame_octets);

// The largest frames that `cells_per_s` carries at this frame rate, at most kCellsPerFrameMax cells
// each.
// kBadInput: zero or too large numbers, or a rate too low for one cell a frame.
Result<VideoSpec> finest_video(std::uint64_t cells_per_s, std::uint64_t frames_per_1000_s);

}  // namespace xbind
