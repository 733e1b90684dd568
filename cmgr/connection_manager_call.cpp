// ConnectionManager, second part: one connection through its states.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cmgr/connection_manager.hpp"
#include "core/log.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {
namespace {

bool told(HopState state) { return state != HopState::kIdle && state != HopState::kRefused; }

}  // namespace

void ConnectionManager::happen(Connection& connection, Event event, TimePoint now) {
  ++occurrences_[static_cast<std::size_t>(connection.state)][static_cast<std::size_t>(event)];
  const auto step = cmgr::step(connection.state, event);
  if (!step) {
    ++counters_.meaningless_events;
    return;
  }
  connection.state = step->next;
  arm(connection, now);
  perform(connection, step->action, now);  // may end the connection's life
}

void ConnectionManager::perform(Connection& connection, Action action, TimePoint now) {
  switch (action) {
    case Action::kFindRoute:
      clear_path(connection, now);
      connection.times = times_.try_again(connection.times, now);
      find_route(connection, now);
      return;
    case Action::kOweThenFindRoute:
      owe_unconfirmed(connection, now);
      clear_path(connection, now);
      connection.times = times_.try_again(connection.times, now);
      find_route(connection, now);
      return;
    case Action::kReserveHops: reserve_hops(connection, now); return;
    case Action::kCommitEveryHop: commit_every_hop(connection, now); return;
    case Action::kTakeOver: take_over(connection, now); return;
    case Action::kGoOver: go_over(connection); return;
    case Action::kGoOverThenRemoveEveryHop:
      go_over(connection);
      remove_every_hop(connection, now);
      return;
    case Action::kAnswerConnected: answer(connection, OutcomeKind::kConnected, now); return;
    case Action::kAnswerHeld: answer(connection, OutcomeKind::kHeld, now); return;
    case Action::kRemoveEveryHop: remove_every_hop(connection, now); return;
    case Action::kBreakOffThenRemoveEveryHop:
      connection.more().change_refusal = {Cause::kBeingReleased, "manager",
                                          connection.shown_id().value(), 0};
      change_ends(connection, false, false, now);
      remove_every_hop(connection, now);
      return;
    case Action::kRaiseEveryHop:
    case Action::kLowerEveryHop: change_every_hop(connection, now); return;
    case Action::kRestoreEveryHop: restore_every_hop(connection, now); return;
    case Action::kAnswerModified: change_ends(connection, true, false, now); return;
    case Action::kAnswerNotModified: change_ends(connection, false, false, now); return;
    case Action::kOweThenAnswerModified: change_ends(connection, true, true, now); return;
    case Action::kOweThenAnswerNotModified: change_ends(connection, false, true, now); return;
    case Action::kOweThenAnswerRefused: owe_unconfirmed(connection, now); [[fallthrough]];
    case Action::kAnswerRefused:
      answer(connection, OutcomeKind::kRefused, now);
      forget(connection, now);
      return;
    case Action::kOweThenAnswerReleased:
      owe_unconfirmed(connection, now);
      times_.close(std::exchange(connection.times, kNotTimed));
      [[fallthrough]];
    case Action::kAnswerReleased:
      answer(connection, OutcomeKind::kReleased, now);
      // One that goes back to its pool is kept.
      if (connection.state == State::kGone) forget(connection, now);
      return;
  }
}

// ===== setting up =====

void ConnectionManager::start_path(Connection& connection, const RouteReply& route, TimePoint now) {
  const auto refuse = [&](Refusal refusal) {
    // Of several tries the first refusal says more than that there is no further route.
    if (connection.refusal().cause == Cause::kNone) connection.refuse(std::move(refusal));
    happen(connection, Event::kNoRoute, now);
  };
  if (route.cause != Cause::kNone) {
    const bool numbers = route.cause == Cause::kNoBandwidth;
    refuse({route.cause, route.element, numbers ? connection.most_cells_per_s() : 0, route.free});
    return;
  }
  if (const auto blocked = first_unusable(route)) {
    // The answer is older than what we have heard since.
    Refusal refusal = blocked->drained ? Refusal{Cause::kNoRoute, "drained " + blocked->words}
                                       : Refusal{Cause::kLinkDown, blocked->words};
    if (blocked->unknown) refusal = {Cause::kSwitchUnreachable, switches_.name(blocked->at)};
    if (blocked->at_an_end || !avoid(connection, blocked->at, blocked->port)) {
      refuse(std::move(refusal));
      return;
    }
    try_another(connection, std::move(refusal), now);
    return;
  }
  for (const SwitchIndex at : route.at) {
    const bool away = !switches_.is_attached(at);
    if (!away && !switches_.full(at)) continue;
    Refusal refusal{away ? Cause::kSwitchUnreachable : Cause::kBusy, switches_.name(at)};
    const bool on_every_path = at == route.at.front() || at == route.at.back();
    if (on_every_path || !avoid(connection, at, PortId{})) {
      refuse(std::move(refusal));
      return;
    }
    try_another(connection, std::move(refusal), now);
    return;
  }
  if (connection.reroute() != nullptr) {
    if (!lay_path(connection, route, now)) return;
  } else if (connection.root != nullptr) {
    if (!graft(connection, route, now)) return;
  } else {
    const std::size_t hops = route.path.hops.size();
    connection.hops.resize(connection.both ? 2 * hops : hops);
    for (std::size_t i = 0; i < connection.hops.size(); ++i) {
      const bool reverse = i >= hops;
      const std::size_t on_path = reverse ? 2 * hops - 1 - i : i;
      const PathHop& step = route.path.hops[on_path];
      Hop& hop = connection.hops[i];
      hop.at = route.at[on_path];
      hop.input_port = reverse ? step.output_port : step.input_port;
      hop.output_port = reverse ? step.input_port : step.output_port;
      hop.leg = reverse ? 1 : 0;
      hop.place(reverse ? i - hops : i, hops);
      hop.upstream = hop.number == 0 ? Hop::kNoHop : static_cast<std::int16_t>(i - 1);
    }
  }
  bool all_at_hand = !connection.held();
  for (std::size_t i = 0; i < connection.hops.size(); ++i) {
    Hop& hop = connection.hops[i];
    hop.generation = connection.generation;
    hop.attachment = switches_.attachment(hop.at);
    if (hop.last() || hop.joins) continue;
    if (const auto label = switches_.take_label(hop.at, hop.output_port, now)) {
      hop.output_label = *label;
      // Within a leg the hop downstream is the next one.
      connection.hops[i + 1].input_label = *label;
    } else {
      all_at_hand = false;
    }
  }
  times_.path_known(connection.times, now);
  happen(connection, all_at_hand ? Event::kRouteKnownLabelsAtHand : Event::kRouteKnown, now);
}

void ConnectionManager::try_another(Connection& connection, Refusal refusal, TimePoint now) {
  if (connection.refusal().cause == Cause::kNone) connection.refuse(std::move(refusal));
  ++connection.more().tries;
  ++counters_.crankbacks;
  happen(connection, Event::kRouteUseless, now);
}

void ConnectionManager::reserve_hops(Connection& connection, TimePoint now) {
  const auto concerned = [&](const Hop& hop) {
    return connection.held() || (!hop.last() && !hop.joins && !hop.output_label.present());
  };
  connection.pending = static_cast<std::uint16_t>(
      std::count_if(connection.hops.begin(), connection.hops.end(), concerned));
  for (Hop& hop : connection.hops) {
    if (concerned(hop)) run_errand(connection, hop, Errand::kReserve, now);
  }
  say_next(connection, now);
}

void ConnectionManager::commit_every_hop(Connection& connection, TimePoint now) {
  times_.labels_in_hand(connection.times, now);
  const bool all = planted(Bug::kTakeOverFirst);
  commit_hops(
      connection, [all](const Hop& hop) { return all || !hop.takes_over; }, now);
}

void ConnectionManager::take_over(Connection& party, TimePoint now) {
  commit_hops(
      party, [](const Hop& hop) { return hop.takes_over; }, now);
}

template <class Which>
void ConnectionManager::commit_hops(Connection& connection, Which&& which, TimePoint now) {
  connection.pending = static_cast<std::uint16_t>(
      std::count_if(connection.hops.begin(), connection.hops.end(), which));
  for (Hop& hop : connection.hops) {
    if (which(hop)) run_errand(connection, hop, Errand::kCommit, now);
  }
  say_next(connection, now);
}

// ===== taking down =====

void ConnectionManager::remove_every_hop(Connection& connection, TimePoint now) {
  Reroute* const reroute = connection.reroute();
  if (reroute != nullptr && !reroute->gone_over) {
    reroute->leading_back =
        !std::exchange(reroute->led_back, true) && !reroute->old_down &&
        std::any_of(connection.hops.begin(), connection.hops.end(), [](const Hop& hop) {
          return hop.takes_over &&
                 (hop.state == HopState::kCommitting || hop.state == HopState::kCommitted);
        });
  }
  const bool leading_back = reroute != nullptr && reroute->leading_back;
  if (connection.state == State::kUndoing && (reroute == nullptr || !leading_back)) {
    ++counters_.undone;
  }
  if (connection.party() != nullptr) fold_party(connection);
  drop_errands(connection);
  connection.pending = 0;
  for (Hop& hop : connection.hops) {
    if (!told(hop.state) || (leading_back && !hop.takes_over)) continue;
    if (planted(Bug::kNoRollback) && connection.state == State::kUndoing) continue;
    if (planted(Bug::kRerouteNotRolledBack) && connection.reroute() != nullptr &&
        connection.state == State::kUndoing) {
      continue;
    }
    if (planted(Bug::kCrankbackKeepsHops) && connection.more().try_next) continue;
    if (hop.state == HopState::kRemoved || hop.state == HopState::kNotRemoved) continue;
    ++connection.pending;
    if (hop.state == HopState::kRemoving) continue;  // of a leaf that was going already
    switches_.forgive_change(hop.at, key_of(connection, hop));
    // Nothing to wait for where nobody is: that removal is owed when the others are done.
    if (!switches_.is_attached(hop.at)) {
      hop.state = HopState::kNotRemoved;
      --connection.pending;
      continue;
    }
    // Said or not yet: no earlier answer counts any more, and without its own it is owed.
    hop.state = HopState::kRemoving;
    run_errand(connection, hop, Errand::kRemove, now);
  }
  if (connection.pending == 0) {
    removals_done(connection, now);
  } else {
    say_next(connection, now);
  }
}

void ConnectionManager::removals_done(Connection& connection, TimePoint now) {
  if (Reroute* const reroute = connection.reroute(); reroute != nullptr && reroute->leading_back) {
    const bool led_back =
        std::none_of(connection.hops.begin(), connection.hops.end(), [](const Hop& hop) {
          return hop.takes_over &&
                 (hop.state == HopState::kRemoving || hop.state == HopState::kNotRemoved);
        });
    arm(connection, now);
    if (led_back) remove_every_hop(connection, now);
    return;  // else the new path stays, for cells may go there: lead_back_again()
  }
  const bool owed = std::any_of(connection.hops.begin(), connection.hops.end(),
                                [](const Hop& hop) { return hop.state == HopState::kNotRemoved; });
  const bool next = connection.state == State::kUndoing && connection.extras &&
                    std::exchange(connection.extras->try_next, false);
  happen(connection,
         owed   ? next ? Event::kTimeoutTryNext : Event::kTimeout
         : next ? Event::kAllRemovedTryNext
                : Event::kAllRemoved,
         now);
}

// What became of the hops that still owe their removal: debts, which hold the labels that these hops
// may still use. A label is free when no hop that uses it owes a removal any more: the one it comes out
// of and all it goes into.
void ConnectionManager::owe_unconfirmed(Connection& connection, TimePoint now) {
  Hops& hops = connection.hops;
  std::vector<std::shared_ptr<OwedLabel>> labels(hops.size());
  const auto own_label = [&](std::size_t hop) {
    if (!labels[hop] && hops[hop].output_label.present() && !hops[hop].last()) {
      labels[hop] = lent_label(connection, hops[hop]);
      hops[hop].output_label = {};
    }
    return labels[hop];
  };
  const auto label_out_of = [&](std::size_t hop) {
    if (hops[hop].borrows == Hop::kNoHop) return own_label(hop);
    const auto owner = static_cast<std::size_t>(hops[hop].borrows);
    return connection.root != nullptr ? lend_label(*connection.root, owner) : own_label(owner);
  };
  for (std::size_t i = 0; i < hops.size(); ++i) {
    Hop& hop = hops[i];
    if (!hop.owes_removal()) continue;
    Debt debt{hop.output_port, hop.state == HopState::kRemoving && hop.errand == Errand::kNone, {}};
    const auto hold = [&](std::shared_ptr<OwedLabel> label) {
      if (label) debt.labels.push_back(std::move(label));
    };
    if (!hop.last()) hold(label_out_of(i));
    if (hop.upstream != Hop::kNoHop) {
      hold(label_out_of(static_cast<std::size_t>(hop.upstream)));
    } else if (connection.root != nullptr && hop.outer != Hop::kNoHop) {
      hold(lend_label(*connection.root, static_cast<std::size_t>(hop.outer)));
    }
    log::warn("connection {}: the removal of hop {} of leg {} at {} is owed", connection.id,
              hop.number, hop.leg, switches_.name(hop.at));
    switches_.owe(hop.at, key_of(connection, hop), std::move(debt), now);
  }
}

// The label as debts hold it already; null: none does.
const std::shared_ptr<OwedLabel>* ConnectionManager::find_lent(const Connection& connection,
                                                               const OwedLabel& label) {
  if (!connection.extras) return nullptr;
  for (const auto& lent : connection.extras->lent) {
    if (lent->at == label.at && lent->port == label.port && lent->label == label.label) {
      lent->in_quarantine = lent->in_quarantine || label.in_quarantine;
      return &lent;
    }
  }
  return nullptr;
}

// The label that comes out of `hop`, for debts to hold: the one they hold already, or a new one.
std::shared_ptr<OwedLabel> ConnectionManager::lent_label(const Connection& connection,
                                                         const Hop& hop) {
  const OwedLabel label = label_of(hop);
  const auto* const lent = find_lent(connection, label);
  return lent != nullptr ? *lent : std::make_shared<OwedLabel>(label);
}

// The label that comes out of a hop of the connection, for the debts of its party: the hop may go before
// they are paid.
std::shared_ptr<OwedLabel> ConnectionManager::lend_label(Connection& root, std::size_t owner) {
  const Hop& hop = root.hops[owner];
  if (hop.last() || !hop.output_label.present()) return nullptr;
  auto& lent = root.more().lent;
  std::erase_if(lent, [](const auto& it) { return it.use_count() == 1; });
  auto label = lent_label(root, hop);
  if (label.use_count() == 1) lent.push_back(label);
  return label;
}

// Every hop that might use them has confirmed its removal: the labels leave quarantine. But for those
// that debts of dropped leaves still hold.
void ConnectionManager::settle_labels(Connection& connection, TimePoint now) {
  for (Hop& hop : connection.hops) {
    if (hop.last() || !hop.output_label.present() || hop.borrows != Hop::kNoHop) continue;
    const OwedLabel label = label_of(hop);
    const auto* const held = find_lent(connection, label);
    if (held != nullptr && held->use_count() > 1) continue;  // one reference is the list's
    switches_.give_back(label, now);
  }
  if (connection.extras) connection.extras->lent.clear();
}

OwedLabel ConnectionManager::label_of(const Hop& hop) {
  return {hop.at, hop.output_port, hop.output_label, hop.attachment, hop.in_quarantine};
}

// ===== outcomes =====

void ConnectionManager::answer(Connection& connection, OutcomeKind kind, TimePoint now) {
  if (connection.reroute() != nullptr) return;  // nobody has asked: forget() says what became of it
  Outcome outcome;
  outcome.kind = kind;
  outcome.connection = connection.shown_id();
  const bool party = connection.root != nullptr;
  const bool of_hold = connection.extras && connection.extras->changer.has_value();
  OptionalAsker asker = of_hold ? connection.extras->changer : connection.asker;
  switch (kind) {
    case OutcomeKind::kConnected: {
      const auto egress = [&](std::uint16_t leg) -> Label {
        const auto last =
            std::find_if(connection.hops.begin(), connection.hops.end(),
                         [&](const Hop& hop) { return hop.leg == leg && hop.last(); });
        if (last == connection.hops.end()) return {};
        return last->output_label;
      };
      if (party) {
        outcome.kind = OutcomeKind::kLeafAdded;
        outcome.egress = connection.hops.back().output_label;
        break;
      }
      outcome.ingress = connection.hops.front().input_label;
      outcome.egress = egress(0);
      if (connection.both) {
        outcome.reverse_ingress = connection.hops[connection.hops.size() / 2].input_label;
        outcome.reverse_egress = egress(1);
      }
      break;
    }
    case OutcomeKind::kReleased:
      if (party) {
        outcome.kind = OutcomeKind::kLeafDropped;
      } else {
        asker = connection.releaser;
      }
      name_what_is_owed(connection, outcome);
      break;
    case OutcomeKind::kHeld: break;
    default: {
      const Refusal& refusal = connection.refusal();
      outcome.kind = refusal.cause == Cause::kBusy ? OutcomeKind::kBusy : OutcomeKind::kRefused;
      if (!party && !of_hold) outcome.connection = {};
      outcome.cause = refusal.cause;
      outcome.element = refusal.element;
      outcome.asked = refusal.asked;
      outcome.free = refusal.free;
      outcome.reason = refusal.reason;
      name_what_is_owed(connection, outcome);
      break;
    }
  }
  TimesIndex times = std::exchange(connection.times, kNotTimed);
  if (kind == OutcomeKind::kRefused || !asker) times_.close(std::exchange(times, kNotTimed));
  times_.answered(times, now);
  if (asker) tell(*asker, std::move(outcome), times);
  // The second asker's claim on the client's memory ends with the answer; the first one's with the
  // connection (forget).
  if (of_hold) {
    clients_.owns(asker->client, -1);
    connection.extras->changer.reset();
  } else if (kind == OutcomeKind::kReleased && !party && asker) {
    clients_.owns(asker->client, -1);
    connection.releaser.reset();
  }
  if (!connection.asker && connection.extras && connection.extras->pool != 0) {
    prepared_answered(connection, kind, now);
  }
  if (party && kind == OutcomeKind::kConnected) {
    Connection& root = *connection.root;
    join_party(root);
    look_at_path(root);
  } else if (kind == OutcomeKind::kConnected) {
    look_at_path(connection);
  }
}

void ConnectionManager::clear_path(Connection& connection, TimePoint now) {
  // Asked for and never answered in this path's life: the cache may ask again.
  for (Hop& hop : connection.hops) {
    labels_answered(hop);
    switches_.quota_answered(hop.at, hop.output_port, key_of(connection, hop));
    unbook(connection, hop);
  }
  settle_labels(connection, now);
  if (!connection.hops.empty()) ++connection.generation;
  for (const Hop& hop : connection.hops) {
    if (hop.owes_removal()) connection.more().owing.push_back(hop.at);
  }
  connection.hops.clear();
}

void ConnectionManager::forget(Connection& connection, TimePoint now) {
  clear_path(connection, now);
  if (connection.reroute() != nullptr) {
    reroute_ends(*connection.root, now);
    return;
  }
  if (connection.root != nullptr) {
    Connection& root = *connection.root;
    const Asker asker = *connection.asker;
    root.extras->party.reset();
    clients_.owns(asker.client, -1);
    look_at_path(root);
    return;
  }
  const OptionalAsker asker = connection.asker;
  if (!astray_.empty()) astray_.erase(connection.id);
  if (connection.extras) aliases_.erase(connection.extras->alias);
  connections_.erase(connection);  // unlinks it from its timer list
  if (asker) clients_.owns(asker->client, -1);
}

}  // namespace xbind::cmgr
