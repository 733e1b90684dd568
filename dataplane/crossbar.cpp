#include "dataplane/crossbar.hpp"

#include <algorithm>

namespace xbind::dataplane {
namespace {

constexpr Duration kCatchUp = kDataplaneTimers["catch-up"];

bool has_priority(const Branch& branch) {
  return branch.service == ServiceClass::kCbr || branch.service == ServiceClass::kRtVbr;
}

}  // namespace

Crossbar::OfConnection& Crossbar::of(ConnectionRef connection) {
  if (connection.slot >= of_connections_.size()) of_connections_.resize(connection.slot + 1);
  OfConnection& found = of_connections_[connection.slot];
  if (found.generation != connection.generation) {
    found = OfConnection{.generation = connection.generation};
  }
  return found;
}

std::uint64_t Crossbar::lost_of(ConnectionRef connection) const {
  if (connection.slot >= of_connections_.size()) return 0;
  const OfConnection& found = of_connections_[connection.slot];
  return found.generation == connection.generation ? found.lost : 0;
}

void Crossbar::count_lost(Input& input, ConnectionRef from) {
  ++input.counters.lost;
  ++of(from).lost;
}

bool Crossbar::put(PortId port, const Connection& connection, std::uint32_t header,
                   const Payload& payload, TimePoint now) {
  Input& input = at(port);
  ++input.counters.cells;
  const Cell cell{.header = header, .payload = payload};
  FrameDiscard* const frames = connection.branches.front().frames.on() && cell.user_data()
                                   ? &of(connection.self).frames
                                   : nullptr;
  // The last quarter is for frames that have begun, as in an output's buffer (port_buffer.hpp).
  const bool room_for_frame = input.queue.size() < kInputCellsMax - kInputCellsMax / 4;
  if (frames != nullptr && !frames->offers((cell.pt() & kPtUserUser) != 0, room_for_frame)) {
    count_lost(input, connection.self);
    return false;
  }
  if (input.queue.size() >= kInputCellsMax) {
    if (frames != nullptr) frames->refused();
    count_lost(input, connection.self);
    return false;
  }
  // An idle network's slots are past: nothing is made up for them.
  if (waiting_++ == 0) next_slot_ = std::max(next_slot_, now);
  input.queue.push_back({.cell = cell, .from = connection.self});
  return true;
}

void Crossbar::leave(Input& input) {
  input.queue.pop_front();
  input.copies.clear();
  input.copy = 0;
  --waiting_;
}

std::size_t Crossbar::drop(PortId port, ForwardingTable& table) {
  Input& input = at(port);
  std::size_t dropped = 0;
  for (; !input.queue.empty(); ++dropped) {
    const ConnectionRef from = input.queue.front().from;
    if (table.find(from) != nullptr) {
      count_lost(input, from);
    } else {
      ++input.counters.lost;
    }
    leave(input);
  }
  return dropped;
}

Branch* Crossbar::next_copy(Input& input, BranchList& branches) {
  const std::vector<Place>& copies = input.copies;
  for (; input.copy < copies.size(); ++input.copy) {
    const Place& place = copies[input.copy];
    Branch* const same = input.copy < branches.size() ? branches.begin() + input.copy : nullptr;
    if (same != nullptr && place.is_of(*same)) return same;
    Branch* const found = std::find_if(branches.begin(), branches.end(),
                                       [&](const Branch& branch) { return place.is_of(branch); });
    if (found != branches.end()) return found;
    // Moved, if another branch that is not of this cell's has its position.
    const auto is_of_same = [same](const Place& other) { return other.is_of(*same); };
    if (branches.size() == copies.size() && std::ranges::none_of(copies, is_of_same)) return same;
  }
  return nullptr;
}

Crossbar::Offered Crossbar::offer(Input& input, PortId port, ForwardingTable& table,
                                  const Outcomes& outcomes, std::size_t& lost) {
  while (!input.queue.empty()) {
    Connection* const connection = table.find(input.queue.front().from);
    if (connection == nullptr) {
      ++input.counters.lost;
      ++lost;
      outcomes.lost(port);
      leave(input);
      continue;
    }
    BranchList& branches = connection->branches;
    if (input.copies.empty()) {
      if (branches.size() == 1) return {connection, branches.begin()};
      for (const Branch& branch : branches) {
        input.copies.push_back({.port = branch.port, .vpi = branch.vpi, .vci = branch.vci});
      }
    }
    if (Branch* const branch = next_copy(input, branches)) return {connection, branch};
    leave(input);
  }
  return {};
}

std::size_t Crossbar::slot(ForwardingTable& table, const Outcomes& outcomes) {
  std::array<Offered, kCrossbarInputs> offered;
  CrossbarOffers offers;
  std::size_t moved = 0;
  for (std::uint32_t number = 0; number < inputs_.size(); ++number) {
    offered[number] = offer(inputs_[number], PortId{number + 1}, table, outcomes, moved);
    const Branch* const branch = offered[number].branch;
    if (branch != nullptr) offers.add(number, branch->port.value() - 1, has_priority(*branch));
  }
  const std::uint32_t acknowledged = network_.pass(offers);
  for (std::uint32_t number = 0; number < inputs_.size(); ++number) {
    if (offered[number].branch == nullptr) continue;
    Input& input = inputs_[number];
    if ((acknowledged >> number & 1) == 0) {
      ++input.counters.nacks;
      continue;
    }
    ++input.counters.passed;
    ++moved;
    const Cell& cell = input.queue.front().cell;
    outcomes.passed(*offered[number].connection, *offered[number].branch, cell.header,
                    cell.payload);
    ++input.copy;
    if (input.copy >= input.copies.size()) leave(input);
  }
  return moved;
}

std::size_t Crossbar::run(ForwardingTable& table, TimePoint now, const Outcomes& outcomes) {
  next_slot_ = std::max(next_slot_, now - kCatchUp);
  std::size_t moved = 0;
  for (std::size_t slots = 0; slots < kSlotsAtOnce && waiting_ > 0 && next_slot_ <= now; ++slots) {
    moved += slot(table, outcomes);
    next_slot_ += kSlot;
  }
  return moved;
}

}  // namespace xbind::dataplane
