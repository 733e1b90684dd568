#include "callgen/media/media_lines.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "callgen/timers.hpp"
#include "core/steady_now.hpp"

namespace xbind::callgen {

using dataplane::Cell;

Result<std::unique_ptr<MediaLines>> MediaLines::open(std::span<const dataplane::NamedLink> hosts,
                                                     const std::string& capture) {
  auto opened = dataplane::open_host_lines(hosts);
  if (!opened) return tl::make_unexpected(opened.error());
  std::unique_ptr<dataplane::CaptureFile> file;
  if (!capture.empty()) {
    auto made = dataplane::CaptureFile::open(
        {.path = capture, .content = dataplane::CaptureContent::kCellsAndFrames});
    if (!made) return tl::make_unexpected(made.error());
    file = std::move(*made);
  }
  const int wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (wake < 0) return fail(ErrorCode::kSystem, "eventfd: {}", std::strerror(errno));
  std::vector<MediaEndpoint> endpoints;
  for (const dataplane::NamedLink& host : hosts) {
    const bool mpls = host.link.kind == dataplane::LinkKind::kLsp;
    endpoints.push_back({host.name, mpls ? LabelKind::kMpls : LabelKind::kAtm});
  }
  return std::unique_ptr<MediaLines>(
      new MediaLines(std::move(*opened), std::move(endpoints), std::move(file), wake));
}

MediaLines::MediaLines(dataplane::HostLines hosts, std::vector<MediaEndpoint> endpoints,
                       std::unique_ptr<dataplane::CaptureFile> capture, int wake)
    : endpoints_(std::move(endpoints)),
      hosts_(std::move(hosts)),
      capture_(std::move(capture)),
      wake_(wake) {
  for (auto& [name, line] : hosts_.lines) {
    std::vector<Cell>& taken = taken_[name];
    line->set_callbacks(
        {.on_cell = [&taken](const Cell& cell, TimePoint) { taken.push_back(cell); },
         .on_frame = nullptr,
         .on_frame_error = nullptr});
  }
}

MediaLines::~MediaLines() {
  (void)stop();  // a caller that needs the state of the capture has called stop() before
  close(wake_);
}

void MediaLines::start(OnCells on_cells) {
  on_cells_ = std::move(on_cells);
  listener_ = std::thread([this] { listen(); });
}

void MediaLines::send(const std::string& endpoint, std::span<const Cell> cells) {
  bool waiting = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = hosts_.lines.find(endpoint);
    if (found == hosts_.lines.end() || !found->second->send_cells(cells)) {
      not_sent_ += cells.size();
      return;
    }
    capture(dataplane::Direction::kOut, cells);
    waiting = found->second->waiting() > 0;
  }
  if (waiting) wake();
}

Result<void> MediaLines::stop() {
  ending_ = true;
  if (listener_.joinable()) {
    wake();
    listener_.join();
  }
  const std::lock_guard lock(mutex_);
  return capture_ ? capture_->flush() : Result<void>{};
}

std::uint64_t MediaLines::cells_not_sent() const {
  const std::lock_guard lock(mutex_);
  return not_sent_;
}

dataplane::CaptureCounters MediaLines::captured() const {
  const std::lock_guard lock(mutex_);
  return capture_ ? capture_->counters() : dataplane::CaptureCounters{};
}

// ===== the listener =============================================================================

void MediaLines::listen() {
  std::vector<pollfd> watched{{wake_, POLLIN, 0}};
  {
    const std::lock_guard lock(mutex_);
    for (const int descriptor : hosts_.links.descriptors())
      watched.push_back({descriptor, POLLIN, 0});
  }
  bool waiting = false;
  while (!ending_) {
    // A full line does not report when it has room again.
    constexpr int kRetryMs = kCallgenTimers.ms("line-retry").count();
    if (poll(watched.data(), watched.size(), waiting ? kRetryMs : -1) < 0 && errno != EINTR) return;
    if ((watched.front().revents & POLLIN) != 0) {
      eventfd_t count = 0;
      eventfd_read(wake_, &count);
    }
    const TimePoint now = steady_now();
    waiting = take_all(now);
    for (auto& [endpoint, cells] : taken_) {  // touched only by this thread
      if (!cells.empty()) on_cells_(endpoint, std::exchange(cells, {}), now);
    }
  }
}

bool MediaLines::take_all(TimePoint now) {
  const std::lock_guard lock(mutex_);
  bool waiting = false;
  for (auto& [name, line] : hosts_.lines) {
    while (line->poll(now) > 0) {
    }
    capture(dataplane::Direction::kIn, taken_[name]);
    waiting = waiting || line->waiting() > 0;
  }
  return waiting;
}

void MediaLines::capture(dataplane::Direction direction, std::span<const Cell> cells) {
  if (!capture_ || cells.empty()) return;
  capture_->cells(direction, cells,
                  std::chrono::duration_cast<dataplane::CaptureTime>(
                      std::chrono::system_clock::now().time_since_epoch()));
}

void MediaLines::wake() { eventfd_write(wake_, 1); }

}  // namespace xbind::callgen
