#include "dataplane/aal5.hpp"

namespace xbind::dataplane {

void Aal5Counters::count(Aal5Outcome outcome) {
  switch (outcome) {
    case Aal5Outcome::kMore: break;
    case Aal5Outcome::kFrame: ++frames; break;
    case Aal5Outcome::kSkipped: ++skipped_cells; break;
    case Aal5Outcome::kCrcError: ++crc_errors; break;
    case Aal5Outcome::kLengthError: ++length_errors; break;
    case Aal5Outcome::kAborted: ++aborted; break;
    case Aal5Outcome::kTooLong: ++too_long; break;
    case Aal5Outcome::kNoRoom: ++no_room_cells; break;
  }
}

Aal5Outcome Aal5Receiver::push(const Cell& cell, TimePoint now) {
  const std::uint32_t key = cell.header >> 4;
  auto found = connections_.find(key);
  Aal5Outcome outcome = Aal5Outcome::kNoRoom;
  if (found == connections_.end() && connections_.size() < options_.connections_max)
    found = connections_.try_emplace(key, options_.frame_octets_max).first;
  if (found != connections_.end()) {
    Connection& connection = found->second;
    drop_late(connection, now);
    const bool first = connection.reassembly.pending() == 0;
    outcome = connection.reassembly.push(cell);
    if (first) connection.begun = now;
    frame_ = &connection.reassembly.frame();
  }
  counters_.count(outcome);
  return outcome;
}

bool Aal5Receiver::drop_late(Connection& connection, TimePoint now) {
  if (options_.frame_timeout == Duration::zero() || connection.reassembly.pending() == 0 ||
      now - connection.begun <= options_.frame_timeout)
    return false;
  connection.reassembly.drop();
  ++counters_.timed_out;
  return true;
}

std::size_t Aal5Receiver::expire(TimePoint now) {
  std::size_t dropped = 0;
  for (auto& [key, connection] : connections_) dropped += drop_late(connection, now) ? 1 : 0;
  return dropped;
}

void Aal5Receiver::forget(std::uint16_t vpi, std::uint16_t vci) {
  connections_.erase(cell_header(vpi, vci) >> 4);
}

}  // namespace xbind::dataplane
