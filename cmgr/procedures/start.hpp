// How procedures begin, and how a connection ends.
#pragma once

#include <utility>

#include "cmgr/procedures/procedure.hpp"
#include "core/check.hpp"

namespace xbind::cmgr {

// A new procedure of the connection, which has none; the caller starts it.
template <class Kind, class... Args>
Kind& begin(Context& context, Connection& connection, Args&&... args) {
  XB_CHECK(connection.procedure == nullptr, connection.id);
  Kind& made =
      context.connections.places().make<Kind>(context, connection, std::forward<Args>(args)...);
  connection.procedure.reset(&made);
  return made;
}

// Ends what is under way for the connection, and releases it. `releaser`, perhaps nobody, gets the outcome.
void start_release(Context& context, Connection& connection, const OptionalAsker& releaser,
                   TimesIndex times, TimePoint now);

// The connection's hops are settled: it ends its life, and its client owns one less.
void forget(Context& context, Connection& connection);

// What a client hears of a connection that is up.
Outcome connected_outcome(const Connection& connection);

}  // namespace xbind::cmgr
