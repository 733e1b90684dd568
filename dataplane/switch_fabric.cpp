#include "dataplane/switch_fabric.hpp"

#include <algorithm>
#include <array>

#include "core/check.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::uint32_t kKeptByChannel = 0x0000000f;  // PT and CLP
constexpr std::uint32_t kKeptByPath = 0x000fffff;     // and the VCI
constexpr std::uint32_t kClp = 1;

// OAM flows (ITU-T I.610) and resource management are not user data: F4 has its own VCIs in a path,
// the others have their own payload types.
bool of_user(const Connection& connection, const Cell& cell) {
  return cell.user_data() && !(connection.input.path && is_f4(cell.header));
}

// Of cells that have arrived and do not enter the switch.
void count_input_discards(std::size_t cells, PortCounters& counters) {
  counters.input_cells += cells;
  counters.input_discards += cells;
}

bool loops_to_port(Loopback loopback) {
  return loopback == Loopback::kInternal || loopback == Loopback::kBothway;
}
bool loops_to_line(Loopback loopback) {
  return loopback == Loopback::kExternal || loopback == Loopback::kBothway;
}

}  // namespace

SwitchFabric::SwitchFabric(const ForwardingOptions& forwarding, const FifoOptions& queues,
                           FabricCallbacks callbacks)
    : table_(forwarding), ports_(forwarding.ports), callbacks_(std::move(callbacks)) {
  for (Port& port : ports_) port.queueing = std::make_unique<FifoQueueing>(queues);
}

void SwitchFabric::attach(PortId id, std::unique_ptr<Link> link) {
  Port& port = at(id);
  port.add_line(port.counters);
  port.link = std::move(link);
  port.line_before = port.link ? port.link->counters() : LinkCounters{};
  port.line_before.hec_errors = 0;  // all of the link's, also those of an earlier owner
}

void SwitchFabric::set_queueing(PortId id, std::unique_ptr<Queueing> queueing) {
  Port& port = at(id);
  port.drop_queue(table_);
  port.queueing = std::move(queueing);
}

void SwitchFabric::set_controller(PortId id, std::unique_ptr<PortController> controller) {
  Port& port = at(id);
  if (port.controller) count_input_discards(port.controller->drop_all(), port.counters);
  port.controller = std::move(controller);
}

void SwitchFabric::set_buffer(std::size_t cells_max) {
  for (Port& port : ports_) port.queueing->set_buffer(cells_max);
}

void SwitchFabric::set_crossbar(CrossbarSize size, CrossbarNetwork::Random random) {
  XB_CHECK(ports_.size() <= ports_of(size), ports_.size(), to_string(size));
  crossbar_ = std::make_unique<Crossbar>(size, std::move(random));
}

void SwitchFabric::Port::drop_queue(ForwardingTable& table) {
  queued_most = std::max(queued_most, queueing->size());
  queueing->drop_all([&](ConnectionRef from) { count_discard(table, from); });
}

void SwitchFabric::Port::count_discard(ForwardingTable& table, ConnectionRef from) {
  ++counters.output_discards;
  if (Connection* connection = table.find(from)) ++connection->counters.output_discards;
}

void SwitchFabric::set_line(PortId id, bool up) {
  Port& port = at(id);
  port.up = up;
  if (up) return;
  if (crossbar_) port.counters.input_discards += crossbar_->drop(id, table_);
  port.drop_queue(table_);
  if (port.controller) count_input_discards(port.controller->drop_all(), port.counters);
  port.unsent.clear();  // these count as sent: they were on the line when it failed
}

void SwitchFabric::receive(PortId id, std::span<const Cell> cells, TimePoint now) {
  Port& port = at(id);
  if (!port.up) {
    return count_input_discards(cells.size(), port.counters);
  }
  if (port.controller == nullptr) return accept(id, cells, now);
  for (const Cell& cell : cells) {
    if (kind_of(cell.header) != CellKind::kAssigned) {
      ++port.idle_cells;
    } else if (!port.controller->arrive(cell, now)) {
      count_input_discards(1, port.counters);
    }
  }
}

void SwitchFabric::accept(PortId id, std::span<const Cell> cells, TimePoint now) {
  Port& port = at(id);
  if (callbacks_.on_cells) callbacks_.on_cells(id, Direction::kIn, cells, now);
  for (const Cell& cell : cells) {
    if (kind_of(cell.header) != CellKind::kAssigned) [[unlikely]] {
      ++port.idle_cells;
      continue;
    }
    ++port.counters.input_cells;
    if (may_be_oam(cell.header) && loopback_ != nullptr && take_oam(id, cell, now)) [[unlikely]] {
      continue;
    }
    Connection* connection = table_.lookup(id, cell.vpi(), cell.vci());
    if (connection == nullptr) [[unlikely]] {
      ++port.counters.invalid_label;
      if (callbacks_.on_unknown_label) callbacks_.on_unknown_label(id, cell.vpi(), cell.vci(), now);
      continue;
    }
    ++connection->counters.input_cells;
    std::uint32_t header = cell.header;
    if (policing_ != nullptr && of_user(*connection, cell)) {
      const Verdict verdict = policing_->police(*connection, cell.clp(), now);
      if (verdict == Verdict::kDiscard) {
        ++port.counters.input_discards;
        continue;
      }
      if (verdict == Verdict::kTag) header |= kClp;
    }
    if (crossbar_ == nullptr) [[likely]] {
      replicate(*connection, connection->branches.all(), header, cell.payload, now);
    } else if (!crossbar_->put(id, *connection, header, cell.payload, now)) {
      ++port.counters.input_discards;
    }
  }
}

void SwitchFabric::replicate(Connection& connection, std::span<Branch> branches,
                             std::uint32_t header, const Payload& payload, TimePoint now) {
  const std::uint32_t kept = header & (connection.input.path ? kKeptByPath : kKeptByChannel);
  const bool user = ((header >> 1) & kPtNotUserData) == 0;
  const bool last = ((header >> 1) & kPtUserUser) != 0;
  for (Branch& branch : branches) {
    Port& out = at(branch.port);
    const bool framed = branch.frames.on() && user;
    if (framed && !branch.frames.offers(last, out.queueing->room_for_frame())) {
      out.count_discard(table_, connection.self);
      continue;
    }
    const Arrival arrival{.header = cell_header(branch.vpi, branch.vci) | kept,
                          .payload = payload,
                          .from = connection.self,
                          .priority = branch.priority,
                          .service = branch.service};
    const bool taken = offer(out, arrival, now);
    if (framed && !taken) branch.frames.refused();
  }
}

bool SwitchFabric::offer(Port& port, const Arrival& arrival, TimePoint now) {
  const std::optional<ConnectionRef> lost =
      port.up ? port.queueing->enqueue(arrival, now) : std::optional(arrival.from);
  if (lost) port.count_discard(table_, *lost);
  return lost != arrival.from;
}

std::size_t SwitchFabric::transmit(PortId id, std::span<Cell> cells, TimePoint now) {
  Port& port = at(id);
  std::array<ConnectionRef, kBatch> from;
  port.queued_most = std::max(port.queued_most, port.queueing->size());
  std::size_t count = 0;
  while (count < cells.size()) {
    const std::size_t wanted = std::min(cells.size() - count, kBatch);
    const std::size_t allowed = port.pacer.allowed(now, wanted);
    const std::size_t taken =
        port.queueing->dequeue(cells.subspan(count, allowed), std::span(from).first(allowed), now);
    port.pacer.spend(taken);
    for (std::size_t index = 0; index < taken; ++index) {
      if (Connection* connection = table_.find(from[index])) ++connection->counters.output_cells;
    }
    count += taken;
    if (taken < kBatch) break;
  }
  port.counters.output_cells += count;
  if (callbacks_.on_cells && count > 0)
    callbacks_.on_cells(id, Direction::kOut, cells.first(count), now);
  return count;
}

std::size_t SwitchFabric::pump(TimePoint now) {
  std::size_t moved = 0;
  for (std::uint32_t number = 1; number <= ports_.size(); ++number) {
    const PortId id{number};
    moved += pump_in(id, at(id), now);
  }
  if (crossbar_ != nullptr) {
    moved +=
        crossbar_->run(table_, now,
                       {.passed =
                            [this, &now](Connection& connection, Branch& branch,
                                         std::uint32_t header, const Payload& payload) {
                              replicate(connection, std::span(&branch, 1), header, payload, now);
                            },
                        .lost = [this](PortId id) { ++at(id).counters.input_discards; }});
  }
  for (std::uint32_t number = 1; number <= ports_.size(); ++number) {
    const PortId id{number};
    moved += pump_out(id, at(id), now);
  }
  return moved;
}

std::size_t SwitchFabric::pump_in(PortId id, Port& port, TimePoint now) {
  std::array<Cell, kBatch> cells;
  const std::size_t forwarded = port.controller ? port.controller->take(cells, now) : 0;
  if (forwarded > 0) accept(id, std::span(cells).first(forwarded), now);
  if (!port.link) return forwarded;
  if (port.up && loops_to_line(port.loopback)) {
    if (!port.unsent.empty())
      return forwarded;  // no room in the line; its bound limits the cells that wait
    const std::size_t count = port.link->receive(cells);
    send(port, std::span(cells).first(count));
    return forwarded + count;
  }
  const std::size_t count = port.link->receive(cells);
  if (count > 0) receive(id, std::span(cells).first(count), now);
  return forwarded + count;
}

std::size_t SwitchFabric::pump_out(PortId id, Port& port, TimePoint now) {
  if (!port.up) return 0;
  const bool looped = loops_to_port(port.loopback);
  if (!looped && !port.link) return 0;
  std::size_t moved = 0;
  if (!port.unsent.empty() && port.link) {
    const std::vector<Cell> again = std::exchange(port.unsent, {});
    moved = send(port, again);
    if (!port.unsent.empty()) return moved;
  }
  std::array<Cell, kBatch> cells;
  const std::size_t count = transmit(id, cells, now);
  if (looped) {
    receive(id, std::span(cells).first(count), now);
  } else {
    send(port, std::span(cells).first(count));
  }
  return moved + count;
}

std::size_t SwitchFabric::send(Port& port, std::span<const Cell> cells) {
  const std::size_t taken = cells.empty() ? 0 : port.link->send(cells);
  port.unsent.assign(cells.begin() + static_cast<std::ptrdiff_t>(taken), cells.end());
  return taken;
}

TimePoint SwitchFabric::next_deadline() const {
  TimePoint due = crossbar_ ? crossbar_->next_slot() : kNever;
  for (const Port& port : ports_) {
    if (port.up && port.queueing->size() > 0) due = std::min(due, port.pacer.next());
    if (port.link) due = std::min(due, port.link->next_due());
    if (port.controller) due = std::min(due, port.controller->next());
  }
  return due;
}

PortCounters SwitchFabric::counters(PortId id) const {
  const Port& port = at(id);
  PortCounters counters = port.counters;
  port.add_line(counters);
  return counters;
}

void SwitchFabric::Port::add_line(PortCounters& to) const {
  if (!link) return;
  const LinkCounters& line = link->counters();
  const std::uint64_t dropped_in = line.frame_cells_in - line_before.frame_cells_in;
  to.hec_errors += line.hec_errors;
  to.input_cells += dropped_in;
  to.input_discards += dropped_in;
  to.output_discards += line.frame_cells_out - line_before.frame_cells_out;
}

std::optional<ConnectionCounters> SwitchFabric::counters(const VirtualLink& input) const {
  const Connection* connection = table_.find(input);
  if (connection == nullptr) return std::nullopt;
  return connection->counters;
}

}  // namespace xbind::dataplane
