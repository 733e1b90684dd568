// ConnectionManager: what the hops of a connection are told, and when.
#include <algorithm>
#include <optional>
#include <utility>

#include "cmgr/connection_manager.hpp"

namespace xbind::cmgr {

void ConnectionManager::run_errand(Connection& connection, Hop& hop, Errand errand, TimePoint now) {
  hop.errand = errand;
  if (!config_.one_by_one) say(connection, hop, now);
}

void ConnectionManager::say(Connection& connection, Hop& hop, TimePoint now) {
  std::optional<HopBatch> one;  // of the engines that wait
  if (config_.one_by_one) one.emplace();
  switch (std::exchange(hop.errand, Errand::kNone)) {
    case Errand::kNone: return;
    case Errand::kReserve:
    case Errand::kCommit: {
      const bool commit = connection.state != State::kReserving;
      hop.state = commit ? HopState::kCommitting : HopState::kReserving;
      if (!config_.one_by_one) {
        switches_.queue_setup(
            hop.at, owner_of(connection), commit ? connection.times : kNotTimed, now,
            [&](HopSetup& setup) { fill_in(setup, connection, hop, commit, now); });
        return;
      }
      one->owners.push_back(owner_of(connection).value());
      one->setups.emplace_back().owner = 0;
      fill_in(one->setups.back(), connection, hop, commit, now);
      break;
    }
    case Errand::kModify: {
      hop.state = HopState::kChanging;
      hop.behind = hop.behind || switches_.owes_change(hop.at, key_of(connection, hop));
      if (!config_.one_by_one) {
        // The new contract replaces the one that the manager owed this hop. If the session has
        // sent that one already, the SwitchServer answers it before the new one.
        const std::uint8_t answers = switches_.forgive_change(hop.at, key_of(connection, hop));
        hop.answers_to_skip = static_cast<std::uint8_t>(hop.answers_to_skip + answers);
      }
      // With invocations the debt stays until its own answer comes by the session, perhaps that it is
      // stale: were it forgiven, that answer would pay for what the hop is owed next.
      const Contract contract = contract_to_tell(connection);
      HopModify change{key_of(connection, hop), connection.more().revision,
                       contract.of_leg(hop.leg), contract.traffic_of_leg(hop.leg)};
      if (!config_.one_by_one) {
        switches_.queue(hop.at, std::move(change), now);
        return;
      }
      one->modifies.push_back(std::move(change));
      break;
    }
    case Errand::kRemove:
      hop.state = HopState::kRemoving;
      if (!config_.one_by_one) {
        const bool release = connection.state == State::kReleasing;
        switches_.queue(hop.at, key_of(connection, hop), release ? connection.times : kNotTimed,
                        now);
        return;
      }
      one->removals.push_back({key_of(connection, hop), 0});
      break;
  }
  (connection.root != nullptr ? *connection.root : connection).invoked = true;
  switches_.invoke(hop.at, std::move(*one), now);
}

// The engines that wait: the next hop of the call, when no answer is awaited.
void ConnectionManager::say_next(Connection& connection, TimePoint now) {
  if (!config_.one_by_one) return;
  if ((connection.root != nullptr ? *connection.root : connection).invoked) return;
  const auto next = std::find_if(connection.hops.begin(), connection.hops.end(),
                                 [](const Hop& hop) { return hop.errand != Errand::kNone; });
  if (next != connection.hops.end()) say(connection, *next, now);
}

void ConnectionManager::drop_errands(Connection& connection) {
  for (Hop& hop : connection.hops) hop.errand = Errand::kNone;
}

// Who asked for the connection. A leaf's hops belong to the call of the whole tree.
Asker ConnectionManager::caller_of(const Connection& connection) {
  const Connection& call = connection.root != nullptr ? *connection.root : connection;
  return call.asker.value_or(Asker{});
}

Owner ConnectionManager::owner_of(const Connection& connection) const {
  const ClientIndex client = caller_of(connection).client;
  return {clients_.name(client), clients_.epoch(client), *connection.ends};
}

// Fills in every field but `owner`, which the caller sets.
void ConnectionManager::fill_in(HopSetup& setup, Connection& connection, Hop& hop, bool commit,
                                TimePoint now) {
  setup.key = key_of(connection, hop);
  setup.commit = commit;
  setup.hop_count = hop.count();
  setup.input_port = hop.input_port;
  setup.output_port = hop.output_port;
  setup.output_label = hop.output_label;
  if (commit) {
    setup.input_label = hop.input_label;
  } else {
    hop.reserved = true;
    setup.held = connection.held();
  }
  setup.branch = hop.branch;
  setup.takes_over = hop.takes_over;
  setup.joins = hop.joins;
  setup.demand = connection.demand_of_leg(hop.leg);
  setup.contract = connection.traffic_of_leg(hop.leg);
  if (!hop.last() && !hop.joins) {
    hop.labels_asked = switches_.want_labels(hop.at, hop.output_port, now);
    setup.labels_wanted = hop.labels_asked;
  }
  if (!hop.joins) {  // what the port carries is booked already
    book(connection, hop, now);
    setup.quota_wanted = switches_.want_quota(hop.at, hop.output_port, setup.key, now);
  }
  setup.request = caller_of(connection).request;
}

}  // namespace xbind::cmgr
