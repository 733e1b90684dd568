#include "cmgr/procedures/forced_end.hpp"

#include <vector>

#include "cmgr/procedures/prepared_desk.hpp"
#include "cmgr/procedures/procedure.hpp"
#include "cmgr/procedures/start.hpp"
#include "core/log.hpp"
#include "core/log_about.hpp"

namespace xbind::cmgr {
namespace {

// More than any procedure has states in a row: without further tries each state is left once.
constexpr int kStepsMax = 16;

}  // namespace

bool end_by_force(Context& context, ConnectionId id, TimePoint now) {
  for (int step = 0; step < kStepsMax; ++step) {
    Connection* const connection = context.connections.find(id);
    if (connection == nullptr) return false;
    if (connection->procedure == nullptr) break;
    connection->procedure->no_more_tries();
    connection->procedure->timed_out(now);
  }
  Connection* const connection = context.connections.find(id);
  if (connection == nullptr) return false;
  if (connection->procedure != nullptr) {
    const log::AboutCall about(id.value());
    log::calls.error("connection {} is {} and does not end", id, to_string(connection->state()));
    return true;
  }
  if (connection->asker()) return true;
  context.prepared.drop(*connection);
  start_release(context, *connection, {}, kNotTimed, now);
  return context.connections.find(id) != nullptr;
}

void end_stuck(Context& context, TimePoint now) {
  std::vector<ConnectionId> stuck;
  context.timers.find_stuck(now, [&](const AgeHook& hook) {
    const auto& procedure = static_cast<const Procedure&>(hook);
    if (procedure.waits_unbounded()) return;
    stuck.push_back(procedure.connection().id);
  });
  for (const ConnectionId id : stuck) {
    const log::AboutCall about(id.value());
    log::calls.error(
        "connection {} is {} for longer than all its timers allow: it is ended by force", id,
        to_string(context.connections.at(id).state()));
    ++context.counters.ended_stuck;
    end_by_force(context, id, now);
  }
}

}  // namespace xbind::cmgr
