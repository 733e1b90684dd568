// OAM loopback in the fabric (loopback_node.hpp): the slow path of cells that may_be_oam().
#include <algorithm>

#include "dataplane/oam/loopback_cell.hpp"
#include "dataplane/switch_fabric.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::uint32_t kPtAndClp = 0xf;
constexpr ConnectionRef kNoConnection{.slot = 0xffffffff};  // counts at no connection
constexpr std::uint8_t kLastPriority = 0xff;

// vpi << 16 | vci.
std::uint32_t label_of(std::uint32_t header) { return header >> 4; }
std::uint32_t label_of(const Branch& branch) {
  return std::uint32_t{branch.vpi} << 16 | branch.vci;  // a path's branch has VCI 0
}

Payload answer_to(LoopbackCell request) {
  request.request = false;
  return encode_loopback(request);
}

}  // namespace

bool SwitchFabric::take_oam(PortId id, const Cell& cell, TimePoint now) {
  Connection* const connection = table_.lookup(id, cell.vpi(), cell.vci());
  const bool path = connection != nullptr && connection->input.path;
  const bool f5 = is_f5(cell.header);
  const bool f4 = is_f4(cell.header) && (path || (connection == nullptr && !f5));
  if (!f4 && !f5) return false;  // an ordinary cell with a label that looks like VCI 3 or 4

  LoopbackCell loopback;
  switch (decode_loopback(cell.payload, loopback)) {
    case LoopbackVerdict::kLoopback: break;
    case LoopbackVerdict::kDamaged: ++loopback_->counters.damaged; [[fallthrough]];
    case LoopbackVerdict::kOther: return false;
  }
  const auto session = session_of(loopback.source);
  if (!session) return false;
  if (!loopback.request) {
    return_answer(id, cell, *session, loopback.tag, now);
    return true;
  }
  const auto location = point_of(loopback.location);
  if (!location) return false;

  // A channel inside a path has no point here: the switch sees the path only.
  const bool has_points = f4 || !path;
  const std::uint32_t label = f4 ? std::uint32_t{cell.vpi()} << 16 : label_of(cell.header);
  if (has_points && loopback_->is_here(*location, Direction::kIn, id, label)) {
    ++loopback_->counters.answered;
    send_back(id, cell.header, answer_to(loopback), connection, now);
    return true;
  }
  if (connection == nullptr) return false;
  ++connection->counters.input_cells;
  const auto is_addressed = [&](const Branch& branch) {
    return loopback_->is_here(*location, Direction::kOut, branch.port, label_of(branch));
  };
  // No other branch leads to the addressed point: it needs no copy.
  if (has_points && std::ranges::any_of(connection->branches, is_addressed)) {
    ++loopback_->counters.answered;
    send_back(id, cell.header, answer_to(loopback), connection, now);
    return true;
  }
  for (const Branch& branch : connection->branches) {
    const std::uint32_t vci = path ? cell.vci() : 0;
    loopback_->remember({.session = *session,
                         .tag = loopback.tag,
                         .out = branch.port,
                         .out_label = label_of(branch) | vci,
                         .in = id,
                         .in_label = label_of(cell.header),
                         .connection = connection->self});
  }
  ++loopback_->counters.passed;
  if (crossbar_ == nullptr) {
    replicate(*connection, connection->branches.all(), cell.header, cell.payload, now);
  } else if (!crossbar_->put(id, *connection, cell.header, cell.payload, now)) {
    ++at(id).counters.input_discards;
  }
  return true;
}

void SwitchFabric::return_answer(PortId id, const Cell& cell, std::uint64_t session,
                                 std::uint32_t tag, TimePoint now) {
  const auto trace = loopback_->take(session, tag, id, label_of(cell.header));
  const Connection* const connection = trace ? table_.find(trace->connection) : nullptr;
  if (connection == nullptr) {
    ++loopback_->counters.unrequested;
    return;
  }
  ++loopback_->counters.returned;
  send_back(trace->in, trace->in_label << 4 | (cell.header & kPtAndClp), cell.payload, connection,
            now);
}

void SwitchFabric::send_back(PortId id, std::uint32_t header, const Payload& payload,
                             const Connection* connection, TimePoint now) {
  Port& port = at(id);
  Arrival arrival{
      .header = header, .payload = payload, .from = kNoConnection, .priority = kLastPriority};
  if (connection != nullptr) {
    arrival.priority = connection->branches.front().priority;
    arrival.service = connection->branches.front().service;
  }
  offer(port, arrival, now);
}

}  // namespace xbind::dataplane
