// Begins procedures, and ends connections.
#pragma once

#include <utility>

#include "cmgr/procedures/procedure.hpp"
#include "core/check.hpp"

namespace xbind::cmgr {

// Creates a procedure for the connection, which must have none; the caller starts it.
template <class Kind, class... Args>
Kind& begin(Context& context, Connection& connection, Args&&... args) {
  XB_CHECK(connection.procedure == nullptr, connection.id);
  Kind& made =
      context.connections.places().make<Kind>(context, connection, std::forward<Args>(args)...);
  connection.procedure.reset(&made);
  if (connection.traced) context.traces.begun(connection, Kind::kName);
  return made;
}

// Ends the procedure under way, if any, and releases the connection. `releaser`, if any, gets the
// outcome. `why`: for the event, if a client owns the connection.
void start_release(Context& context, Connection& connection, const OptionalAsker& releaser,
                   TimesIndex times, TimePoint now, EndWhy why = EndWhy::kAsked);

// Deletes the connection, whose hops are settled; its client owns one connection less.
void forget(Context& context, Connection& connection);

// The outcome that a client gets for a connection that is up.
Outcome connected_outcome(const Connection& connection);

}  // namespace xbind::cmgr
