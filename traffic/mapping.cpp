#include "traffic/mapping.hpp"

#include <algorithm>

#include "traffic/aal5.hpp"

namespace xbind {
namespace {

constexpr std::uint64_t kSeconds = 1000;  // the period over which VideoSpec counts frames

// The cells of one frame, at least 1.
Result<std::uint64_t> frame_cells(std::uint64_t frame_octets) {
  if (frame_octets == 0)
    return fail(ErrorCode::kBadInput, "a frame of 0 octets needs no connection");
  const std::uint64_t cells = aal5::cells_of_frame(frame_octets);
  if (cells > kCellsPerFrameMax) {
    return fail(ErrorCode::kBadInput, "a frame of {} octets is {} cells, the most is {}",
                frame_octets, cells, kCellsPerFrameMax);
  }
  return cells;
}

Result<void> check_frame_rate(std::uint64_t frames_per_1000_s) {
  if (frames_per_1000_s != 0) return {};
  return fail(ErrorCode::kBadInput, "0 frames in 1000 s need no connection");
}

Result<void> check_cell_rate(std::uint64_t cells_per_s) {
  if (cells_per_s != 0 && cells_per_s <= kCellsPerSMax) return {};
  return fail(ErrorCode::kBadInput, "{} cells/s are not in 1 to {}", cells_per_s, kCellsPerSMax);
}

}  // namespace

Result<Resources> to_network(const VideoSpec& video) {
  if (const auto good = check_frame_rate(video.frames_per_1000_s); !good) {
    return tl::make_unexpected(good.error());
  }
  const Result<std::uint64_t> cells = frame_cells(video.frame_octets);
  if (!cells) return tl::make_unexpected(cells.error());
  // Checks by division, since the product may overflow: a product above the right side rounds up to
  // more than the bound, any other does not.
  if (*cells > kCellsPerSMax * kSeconds / video.frames_per_1000_s) {
    return fail(ErrorCode::kBadInput, "{} frames of {} octets in 1000 s are more than {} cells/s",
                video.frames_per_1000_s, video.frame_octets, kCellsPerSMax);
  }
  const std::uint64_t cells_per_1000_s = *cells * video.frames_per_1000_s;
  return Resources{(cells_per_1000_s + kSeconds - 1) / kSeconds, *cells};
}

Result<VideoSpec> fastest_video(std::uint64_t cells_per_s, std::uint64_t frame_octets) {
  if (const auto good = check_cell_rate(cells_per_s); !good) {
    return tl::make_unexpected(good.error());
  }
  const Result<std::uint64_t> cells = frame_cells(frame_octets);
  if (!cells) return tl::make_unexpected(cells.error());
  const std::uint64_t frames_per_1000_s = cells_per_s * kSeconds / *cells;
  if (frames_per_1000_s == 0) {
    return fail(ErrorCode::kBadInput,
                "{} cells/s do not carry one frame of {} octets ({} cells) in 1000 s", cells_per_s,
                frame_octets, *cells);
  }
  return VideoSpec{frames_per_1000_s, frame_octets};
}

Result<VideoSpec> finest_video(std::uint64_t cells_per_s, std::uint64_t frames_per_1000_s) {
  if (const auto good = check_cell_rate(cells_per_s); !good) {
    return tl::make_unexpected(good.error());
  }
  if (const auto good = check_frame_rate(frames_per_1000_s); !good) {
    return tl::make_unexpected(good.error());
  }
  const std::uint64_t cells =
      std::min(cells_per_s * kSeconds / frames_per_1000_s, kCellsPerFrameMax);
  if (cells == 0) {
    return fail(ErrorCode::kBadInput, "{} cells/s are not one cell for each of {} frames in 1000 s",
                cells_per_s, frames_per_1000_s);
  }
  return VideoSpec{frames_per_1000_s, aal5::octets_in_cells(cells)};
}

}  // namespace xbind
