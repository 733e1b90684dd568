#include "dataplane/host/host_line.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace xbind::dataplane {

HostLine::HostLine(std::unique_ptr<Link> link, const HostLineOptions& options)
    : link_(std::move(link)), options_(options), receiver_(options.aal5) {}

Result<void> HostLine::send_cells(std::span<const Cell> cells) {
  send_waiting();
  if (cells.size() > room()) {
    ++counters_.refused;
    return fail(ErrorCode::kExhausted, "{} cells to a line where {} wait, may be {}", cells.size(),
                waiting(), options_.waiting_cells_max);
  }
  waiting_.insert(waiting_.end(), cells.begin(), cells.end());
  send_waiting();
  return {};
}

Result<void> HostLine::send_frame(std::span<const std::byte> frame, const Aal5Sending& sending) {
  std::vector<Cell> cells;
  if (auto cut = aal5_segment(frame, sending, cells); !cut) return cut;
  auto sent = send_cells(cells);
  if (sent) ++counters_.frames_out;
  return sent;
}

std::size_t HostLine::send_waiting() {
  if (waiting() == 0) return 0;
  const std::size_t taken = link_->send(std::span<const Cell>(waiting_).subspan(begin_));
  counters_.cells_out += taken;
  begin_ += taken;
  // Remove sent cells when they are at least half: on average each cell is moved at most once.
  if (begin_ * 2 >= waiting_.size()) {
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }
  return taken;
}

std::size_t HostLine::poll(TimePoint now) {
  const std::size_t sent = send_waiting();
  std::array<Cell, kBatch> cells;
  const std::size_t count = link_->receive(cells);
  for (const Cell& cell : std::span(cells).first(count)) take(cell, now);
  return sent + count;
}

void HostLine::take(const Cell& cell, TimePoint now) {
  if (kind_of(cell.header) != CellKind::kAssigned) {
    ++counters_.idle_cells;
    return;
  }
  ++counters_.cells_in;
  if (callbacks_.on_cell) callbacks_.on_cell(cell, now);
  if (!callbacks_.on_frame && !callbacks_.on_frame_error) return;
  const Aal5Outcome outcome = receiver_.push(cell, now);
  if (outcome == Aal5Outcome::kFrame) {
    if (callbacks_.on_frame) callbacks_.on_frame(cell.vpi(), cell.vci(), receiver_.frame(), now);
  } else if (outcome != Aal5Outcome::kMore && outcome != Aal5Outcome::kSkipped) {
    if (callbacks_.on_frame_error) callbacks_.on_frame_error(cell.vpi(), cell.vci(), outcome, now);
  }
}

}  // namespace xbind::dataplane
