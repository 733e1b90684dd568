// The host's end of a line: sends cells and AAL5 frames on given labels, and passes received ones
// to callbacks. A telephone, a workstation or callgen's check of a call uses it where a switch has
// a port.
//
//   HostLine line(std::move(link));                       open_host_lines(): over UDP
//   line.set_callbacks({.on_frame = ...});
//   line.send_frame(octets, {.vpi = 0, .vci = 40});
//   while (line.poll(now) > 0) {}
//
// Pure; one thread at a time; the caller passes the time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "dataplane/aal5.hpp"
#include "dataplane/cells/cell.hpp"
#include "dataplane/links/link.hpp"

namespace xbind::dataplane {

struct HostLineOptions {
  std::size_t waiting_cells_max = 1U << 14;  // cells that the line has not accepted yet
  Aal5ReceiverOptions aal5{};
};

struct HostCallbacks {
  // Called for every cell of a connection, not for idle and unassigned ones. May be empty.
  std::function<void(const Cell&, TimePoint)> on_cell;
  // Called for a complete frame; `frame` is valid during the call. May be empty; if on_frame_error
  // is empty too, no frames are reassembled.
  std::function<void(std::uint16_t vpi, std::uint16_t vci, const Aal5Frame& frame, TimePoint)>
      on_frame;
  // Called when a frame or a cell of one was dropped, with an outcome from kCrcError on.
  std::function<void(std::uint16_t vpi, std::uint16_t vci, Aal5Outcome, TimePoint)> on_frame_error;
};
// The callbacks must not call poll(), forget() or set_callbacks(); they may send.

// Free-running.
struct HostLineCounters {
  std::uint64_t cells_in = 0;
  std::uint64_t cells_out = 0;   // accepted by the link
  std::uint64_t idle_cells = 0;  // dropped without inspection
  std::uint64_t frames_out = 0;  // accepted by send_frame()
  std::uint64_t refused = 0;     // calls of send_cells() and send_frame() without room

  friend bool operator==(const HostLineCounters&, const HostLineCounters&) = default;
};

class HostLine {
 public:
  static constexpr std::size_t kBatch = 64;

  explicit HostLine(std::unique_ptr<Link> link, const HostLineOptions& options = {});

  void set_callbacks(HostCallbacks callbacks) { callbacks_ = std::move(callbacks); }

  // Accepts all or nothing. Cells that the link does not accept at once wait and are sent by
  // poll(). kExhausted: waiting_cells_max leaves no room for all; kBadInput: an empty frame, or one
  // longer than AAL5 allows.
  Result<void> send_cells(std::span<const Cell> cells);
  Result<void> send_frame(std::span<const std::byte> frame, const Aal5Sending& sending);

  // Sends waiting cells, receives at most kBatch cells and calls back for them. Returns the number
  // of cells moved; 0: nothing to do until the link has cells or room.
  std::size_t poll(TimePoint now);
  // Drops frames that began too long ago (Aal5ReceiverOptions::frame_timeout) and returns their
  // number. Needed for silent connections; for others the next cell has this effect.
  std::size_t expire(TimePoint now) { return receiver_.expire(now); }
  // Removes the state of a connection that has ended.
  void forget(std::uint16_t vpi, std::uint16_t vci) { receiver_.forget(vpi, vci); }

  std::size_t waiting() const { return waiting_.size() - begin_; }
  // Number of cells that send_cells() accepts.
  std::size_t room() const {
    return options_.waiting_cells_max - std::min(waiting(), options_.waiting_cells_max);
  }
  const HostLineCounters& counters() const { return counters_; }
  const Aal5Counters& aal5() const { return receiver_.counters(); }
  const LinkCounters& link() const { return link_->counters(); }

 private:
  std::size_t send_waiting();
  void take(const Cell& cell, TimePoint now);

  std::unique_ptr<Link> link_;
  HostLineOptions options_;
  HostCallbacks callbacks_;
  Aal5Receiver receiver_;
  std::vector<Cell> waiting_;  // from begin_ on
  std::size_t begin_ = 0;
  HostLineCounters counters_;
};

}  // namespace xbind::dataplane
