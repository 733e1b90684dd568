// The host's end of a line: it sends cells and AAL5 frames on labels it has been told, and hands on what
// comes. What a telephone, a workstation or callgen's check of a call has in place of a switch's port.
//
//   HostLine line(std::move(link));                       open_host_lines(): over UDP
//   line.set_callbacks({.on_frame = ...});
//   line.send_frame(octets, {.vpi = 0, .vci = 40});
//   while (line.poll(now) > 0) {}
//
// Pure; one thread at a time, time is handed in.
#pragma once

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
  std::size_t waiting_cells_max = 1U << 14;  // that the line did not take yet
  Aal5ReceiverOptions aal5{};
};

struct HostCallbacks {
  // Every cell of a connection, idle and unassigned ones not. May be empty.
  std::function<void(const Cell&, TimePoint)> on_cell;
  // A frame is whole; `frame` is valid during the call. May be empty, and with on_frame_error empty too
  // nothing is put together.
  std::function<void(std::uint16_t vpi, std::uint16_t vci, const Aal5Frame& frame, TimePoint)>
      on_frame;
  // A frame or a cell of one was dropped; the outcomes from kCrcError on.
  std::function<void(std::uint16_t vpi, std::uint16_t vci, Aal5Outcome, TimePoint)> on_frame_error;
};
// None of these may call poll(), forget() or set_callbacks(); sending is allowed.

// Free-running.
struct HostLineCounters {
  std::uint64_t cells_in = 0;
  std::uint64_t cells_out = 0;   // taken by the link
  std::uint64_t idle_cells = 0;  // dropped unseen
  std::uint64_t frames_out = 0;  // accepted by send_frame()
  std::uint64_t refused = 0;     // send_cells() and send_frame() that found no room

  friend bool operator==(const HostLineCounters&, const HostLineCounters&) = default;
};

class HostLine {
 public:
  static constexpr std::size_t kBatch = 64;

  explicit HostLine(std::unique_ptr<Link> link, const HostLineOptions& options = {});

  void set_callbacks(HostCallbacks callbacks) { callbacks_ = std::move(callbacks); }

  // All or none. What the link does not take at once waits, and goes with poll(). kExhausted: fewer than
  // that many have room in waiting_cells_max; kBadInput: an empty frame, or a longer one than AAL5 has.
  Result<void> send_cells(std::span<const Cell> cells);
  Result<void> send_frame(std::span<const std::byte> frame, const Aal5Sending& sending);

  // Sends what waits, takes at most kBatch cells in and calls back for them. Returns how many cells
  // were moved; 0: nothing to do until the link has cells or room.
  std::size_t poll(TimePoint now);
  // Frames that have begun too long ago (Aal5ReceiverOptions::frame_timeout) are dropped. Returns how
  // many. Cells of their connections that come later notice it by themselves; this is for silent ones.
  std::size_t expire(TimePoint now) { return receiver_.expire(now); }
  // A connection is gone.
  void forget(std::uint16_t vpi, std::uint16_t vci) { receiver_.forget(vpi, vci); }

  std::size_t waiting() const { return waiting_.size() - begin_; }
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
