// Between an application's words (a video: frames of so many octets, so often) and the network's
// (cells a second, cells of buffer). docs/qos.md has the formulas and a worked example.
//
// Whole numbers all the way: rates in frames per 1000 seconds, so that 25 a second is 25000 and
// 29.97 a second 29970 (30000/1001, which never ends, is rounded up by the caller: 29971). Rounding
// is always to the safe side: what to_network() asks for carries the video, what comes back from
// the network fits in what was there. Pure; any thread.
#pragma once

#include <cstdint>

#include "core/resources.hpp"
#include "core/result.hpp"

namespace xbind {

inline constexpr std::uint64_t kCellsPerSMax = 4'294'967'295;      // GSMP's rate fields: 32 bits
inline constexpr std::uint64_t kCellsPerFrameMax = 4'294'967'295;  // the same for a buffer

struct VideoSpec {
  std::uint64_t frames_per_1000_s = 0;
  std::uint64_t frame_octets = 0;  // of the largest frame

  friend bool operator==(const VideoSpec&, const VideoSpec&) = default;
};

// What the video needs: the cells of all frames of 1000 s, per second and rounded up; and for
// buffer the cells of one frame, which may arrive at the switch all at once. kBadInput: no frames,
// no octets, or more than kCellsPerSMax or kCellsPerFrameMax.
Result<Resources> to_network(const VideoSpec& video);

// The video with frames of this size that has the highest frame rate `cells_per_s` carries.
// kBadInput: zero or too large numbers, or a rate too low for one frame in 1000 s.
Result<VideoSpec> fastest_video(std::uint64_t cells_per_s, std::uint64_t frame_octets);

// The video at this frame rate that has the largest frames `cells_per_s` carries, of at most
// kCellsPerFrameMax cells.
// kBadInput: zero or too large numbers, or a rate too low for one cell a frame.
Result<VideoSpec> finest_video(std::uint64_t cells_per_s, std::uint64_t frames_per_1000_s);

}  // namespace xbind
