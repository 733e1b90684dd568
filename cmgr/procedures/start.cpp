#include "cmgr/procedures/start.hpp"

#include "cmgr/procedures/path_watch.hpp"
#include "cmgr/procedures/recovery.hpp"
#include "cmgr/procedures/release.hpp"

namespace xbind::cmgr {

void start_release(Context& context, Connection& connection, const OptionalAsker& releaser,
                   TimesIndex times, TimePoint now, EndWhy why) {
  if (connection.procedure != nullptr) connection.procedure->release_asked(now);
  context.connections.begin_release(connection);
  begin<Release>(context, connection, releaser, times, why).start(now);
}

void forget(Context& context, Connection& connection) {
  const OptionalAsker owner = connection.asker();
  context.paths.forget(connection);
  context.connections.close(connection);
  if (!owner) return;
  context.clients.forget_request(owner->client, owner->request);
  context.clients.owns(owner->client, -1);
}

Outcome connected_outcome(const Connection& connection) {
  const auto egress = [&](std::uint16_t leg) {
    const Hop* const last = connection.hops().last_of(leg);
    return last == nullptr ? HopLabel{} : last->output_label;
  };
  Outcome outcome;
  outcome.kind = OutcomeKind::kConnected;
  outcome.connection = connection.shown_id();
  outcome.ingress = connection.hops().front().input_label;
  outcome.egress = egress(0);
  if (connection.both()) {
    outcome.reverse_ingress = connection.hops().first_of(1)->input_label;
    outcome.reverse_egress = egress(1);
  }
  return outcome;
}

}  // namespace xbind::cmgr
