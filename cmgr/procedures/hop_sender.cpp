#include "cmgr/procedures/hop_sender.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "cmgr/procedures/procedure.hpp"

namespace xbind::cmgr {
namespace {

std::uint32_t hold_ms(Duration left) {
  return static_cast<std::uint32_t>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

}  // namespace

void HopSender::tell(Procedure& procedure, Hop& hop, Errand errand, TimePoint now) {
  hop.errand = errand;
  if (!config_.one_by_one) say(procedure, hop, now);
}

void HopSender::send_next(Procedure& procedure, TimePoint now) {
  if (!config_.one_by_one || procedure.connection().invoked) return;
  Hops& hops = procedure.hops();
  const auto next = std::find_if(hops.begin(), hops.end(),
                                 [](const Hop& hop) { return hop.errand != Errand::kNone; });
  if (next != hops.end()) say(procedure, *next, now);
}

void HopSender::drop_pending_commands(Hops& hops) {
  for (Hop& hop : hops) hop.errand = Errand::kNone;
}

void HopSender::say(Procedure& procedure, Hop& hop, TimePoint now) {
  Connection& connection = procedure.connection();
  const Errand errand = std::exchange(hop.errand, Errand::kNone);
  std::optional<HopBatch> one;  // for the engines that wait
  if (config_.one_by_one) one.emplace();
  if (connection.traced) trace(hop.at, connection.id, one ? &*one : nullptr);
  switch (errand) {
    case Errand::kNone: return;
    case Errand::kReserve:
    case Errand::kCommit: {
      const bool commit = errand == Errand::kCommit;
      hop.state = commit ? HopState::kCommitting : HopState::kReserving;
      if (!one) {
        switches_.queues().queue_setup(
            hop.at, owner_of(procedure), procedure.times_of(errand), now,
            [&](HopSetup& setup) { fill_in(setup, procedure, hop, commit, now); });
        return;
      }
      one->owners.push_back(owner_of(procedure).value());
      one->setups.emplace_back().owner = 0;
      fill_in(one->setups.back(), procedure, hop, commit, now);
      break;
    }
    case Errand::kModify: {
      note_change(connection, hop);
      HopModify change = procedure.change_for(hop);
      if (!one) {
        switches_.queues().queue(hop.at, std::move(change), now);
        return;
      }
      one->modifies.push_back(std::move(change));
      break;
    }
    case Errand::kRemove:
      hop.state = HopState::kRemoving;
      if (!one) {
        switches_.queues().queue(hop.at, key_of(connection, hop), procedure.times_of(errand), now);
        return;
      }
      one->removals.push_back({key_of(connection, hop), 0});
      break;
  }
  connection.invoked = true;
  switches_.queues().invoke(hop.at, std::move(*one));
}

void HopSender::trace(SwitchIndex at, ConnectionId connection, HopBatch* one) {
  if (one != nullptr) {
    one->traced.push_back(connection);
  } else {
    switches_.queues().trace(at, connection);
  }
}

void HopSender::note_change(const Connection& connection, Hop& hop) {
  const HopKey key = key_of(connection, hop);
  hop.state = HopState::kChanging;
  hop.behind = hop.behind || switches_.debts().owes_change(hop.at, key);
  switches_.debts().forgive_change(hop.at, key);  // the new contract replaces the one that was owed
}

Owner HopSender::owner_of(const Procedure& procedure) const {
  const ClientIndex client = procedure.connection().asker().value_or(Asker{}).client;
  return {clients_.name(client), clients_.epoch(client), procedure.ends()};
}

// Fills in every field but `owner`, which the caller sets.
void HopSender::fill_in(HopSetup& setup, Procedure& procedure, Hop& hop, bool commit,
                        TimePoint now) {
  const Connection& connection = procedure.connection();
  setup.key = key_of(connection, hop);
  setup.commit = commit;
  setup.hop_count = hop.count();
  setup.input_port = hop.input_port;
  setup.output_port = hop.output_port;
  setup.output_label = hop.output_label;
  // Phase one reserves an ingress label that the client has asked for.
  const bool enters = hop.number == 0 && !hop.branch && !hop.takes_over;
  if (commit || enters) setup.input_label = hop.input_label;
  if (!commit) {
    hop.reserved = true;
    setup.held = procedure.holds();
    if (setup.held) setup.hold_ms = hold_ms(procedure.hold_left(now));
  }
  setup.branch = hop.branch;
  setup.takes_over = hop.takes_over;
  setup.joins = hop.joins;
  setup.bidirectional = connection.both();
  setup.demand = connection.demand_of_leg(hop.leg);
  setup.contract = connection.traffic_of_leg(hop.leg);
  if (!hop.last() && !hop.joins) {
    hop.labels_asked = switches_.caches().want_labels(hop.at, hop.output_port, now);
    hop.asked_in = static_cast<std::uint8_t>(switches_.attachment(hop.at));
    setup.labels_wanted = hop.labels_asked;
  }
  if (!hop.joins) {  // a joining hop's output is booked already
    book(connection, hop, now);
    setup.quota_wanted = switches_.caches().want_quota(hop.at, hop.output_port, setup.key, now);
  }
  setup.request = connection.asker().value_or(Asker{}).request;
}

void HopSender::book(const Connection& connection, Hop& hop, TimePoint now) {
  if (hop.booked) return;
  hop.booked = true;
  switches_.caches().book(hop.at, hop.output_port, connection.demand_of_leg(hop.leg), now);
}

void HopSender::unbook(const Connection& connection, Hop& hop) {
  if (!hop.booked) return;
  hop.booked = false;
  switches_.caches().unbook(hop.at, hop.output_port, connection.demand_of_leg(hop.leg));
}

void HopSender::take_labels_answered(Hop& hop) {
  const std::uint16_t asked = std::exchange(hop.labels_asked, std::uint16_t{0});
  // Labels requested in an earlier session have lapsed with it.
  if (hop.asked_in == static_cast<std::uint8_t>(switches_.attachment(hop.at))) {
    switches_.caches().labels_answered(hop.at, hop.output_port, asked);
  }
}

}  // namespace xbind::cmgr
