#include "tests/sim/manager_site.hpp"

#include <algorithm>
#include <utility>

#include "core/log.hpp"
#include "tests/sim/trace.hpp"

namespace xbind::sim {
namespace {

constexpr Duration kTwoWay = milliseconds{10};      // of one direction, at most
constexpr Duration kNoRoute = milliseconds{1'500};  // of a call to RouteObject
constexpr Duration kTooLate = seconds{1};  // delay of a late answer beyond the timeout, at most

}  // namespace

void ManagerSite::step(const std::function<void(cmgr::ConnectionManager&)>& job) {
  if (dead_) return;
  job(manager_);
  manager_.finish_step(world_.now);
  hooks_.stepped();
}

void ManagerSite::invoked(SessionId session, const HopBatch& asked,
                          const Result<HopResultBatch>& answer) {
  step([&](cmgr::ConnectionManager& manager) {
    manager.on_invoked(session, asked, answer, world_.now);
  });
}

void ManagerSite::learn_network(const std::vector<std::string>& switches,
                                const std::vector<cmgr::NetworkLink>& links,
                                const std::vector<cmgr::NetworkEnd>& ends) {
  step([&](cmgr::ConnectionManager& manager) {
    manager.set_network(switches, links, world_.now, ends);
  });
}

void ManagerSite::serve_with_switches_missing() {
  if (dead_ || serves()) return;
  ++world_.tally["managers that serve with switches missing"];
  serves_ = true;
  step([&](cmgr::ConnectionManager& manager) { manager.serve_with_switches_missing(world_.now); });
}

SessionId ManagerSite::session_with(const std::string& switch_name) const {
  const auto found = sessions_.find(switch_name);
  return found == sessions_.end() ? SessionId{} : found->second;
}

void ManagerSite::local_outcome(RequestId token, Outcome outcome) {
  // An operator's release (World::release_for_nobody).
  const bool operators = token.value() == outcome.connection.value();
  const bool may_be = outcome.kind == OutcomeKind::kReleased || outcome.kind == OutcomeKind::kBusy;
  if (operators && outcome.kind == OutcomeKind::kBusy)
    busy_releases_.insert(ConnectionId{token.value()});
  if (operators && may_be) return;
  world_.violated("an outcome for two-way call " + std::to_string(token.value()) +
                  ", which was never made: " + explain(outcome));
}

void ManagerSite::ask_routes(std::vector<cmgr::RouteQuery> queries) {
  Duration wait = world_.chance.up_to(kTwoWay);
  const bool away = world_.now < routes_away_until;
  if (away && away_means_silent) wait += routes_away_until - world_.now;
  world_.tally["route queries"] += queries.size();
  if (away) world_.tally["route queries while away"] += queries.size();
  world_.after(wait, [this, away, queries = std::move(queries)] {
    std::vector<cmgr::RouteReply> replies;
    for (const cmgr::RouteQuery& query : queries) {
      cmgr::RouteReply reply;
      reply.query = query;
      reply.cause = Cause::kNoRouteObject;
      reply.element = "routeobject";
      replies.push_back(away ? reply : hooks_.route(query).value_or(reply));
    }
    // Lines may go down while the answer is in flight.
    world_.after(world_.chance.up_to(kTwoWay), [this, replies = std::move(replies)] {
      step([&](cmgr::ConnectionManager& manager) {
        manager.on_routes(replies, milliseconds{RouteSite::kValidityMs}, world_.now);
      });
    });
  });
}

void ManagerSite::ask_services(std::vector<ServiceSpec> services) {
  Duration wait = world_.chance.up_to(kTwoWay);
  const bool away = world_.now < services_away_until;
  if (away && away_means_silent) wait += services_away_until - world_.now;
  world_.tally["service queries"] += services.size();
  if (away) world_.tally["service queries while away"] += services.size();
  world_.after(wait, [this, away, services = std::move(services)] {
    std::vector<cmgr::ServiceReply> replies;
    for (const ServiceSpec& service : services) {
      if (away) {
        replies.push_back(
            {service, tl::make_unexpected(cmgr::Refusal{Cause::kNoQosMapper, "qosmapper"})});
      } else {
        replies.push_back({service, cmgr::network_of(service)});
      }
    }
    step([&](cmgr::ConnectionManager& manager) { manager.on_services(replies, world_.now); });
  });
}

void ManagerSite::attach_switch(const std::string& switch_name, AttachTable::Lost lost) {
  sessions_.erase(switch_name);
  ++world_.tally["attachment: wanted"];
  const auto wanted =
      attachments_.attach(switch_name, world_.now, cmgr::attach_jitter(name_, switch_name), lost);
  if (!wanted) world_.violated(wanted.error().text);
  // Must not run within the step.
  world_.after(Duration::zero(), [this] { attach_due(); });
}

void ManagerSite::attach_due() {
  if (dead_) return;
  while (const auto due = attachments_.take(world_.now)) attempt(*due);
  const TimePoint next = attachments_.next_deadline();
  const bool planned = attach_at_ > world_.now && attach_at_ <= next;
  if (planned || next == kNever) return;
  attach_at_ = next;
  world_.agenda.schedule(next, [this] { attach_due(); });
}

void ManagerSite::attempt(const AttachTable::Due& due) {
  // A request that was sent arrives, even if its sender dies.
  world_.after(world_.chance.up_to(kTwoWay), [this, due] {
    const auto attached = hooks_.attach(due.name, epoch_);
    if (attached && asked_.contains(due.name)) {
      claim_or_answer(due, *attached, {});
      return;
    }
    if (attached && !read_.contains(due.name)) {
      read(due, *attached, 0, {});
      return;
    }
    if (attached && books_[due.name] != attached->books) {
      claim_or_answer(due, *attached, {});
      return;
    }
    Duration back = world_.chance.up_to(kTwoWay);
    if (world_.chance.percent(world_.weather.loss / 4)) {
      ++world_.tally["attach answers late"];
      back += cmgr::kSwitchAttaching.answer_within + world_.chance.up_to(kTooLate);
    }
    world_.after(back, [this, due, attached] { answered(due, attached); });
  });
}

void ManagerSite::read(const AttachTable::Due& due, const Attached& attached, std::uint64_t from,
                       std::vector<HeldHops> pages,
                       const std::optional<cmgr::ClaimsAnswer>& answer) {
  world_.after(world_.chance.up_to(kTwoWay), [this, due, attached, from, pages, answer] {
    if (dead_) return;
    auto page = hooks_.held_hops(due.name, attached.session, from);
    if (!page) {
      ++world_.tally["pages of hops that could not be read"];
      answered(due, std::nullopt);
      return;
    }
    ++world_.tally["pages of hops read"];
    world_.tally["hops of earlier epochs read"] += page->hops.size();
    const std::uint64_t next = page->next;
    std::vector<HeldHops> all = pages;
    all.push_back(std::move(*page));
    if (next != 0) {
      read(due, attached, next, std::move(all), answer);
    } else if (answer) {
      answered(due, attached, all, answer);
    } else if (attached.claims_awaited && manager_.recovery().knows_all()) {
      claim_or_answer(due, attached, all);
    } else if (attached.claims_awaited) {
      leave(due, attached, all);
    } else {
      answered(due, attached, all);
    }
  });
}

void ManagerSite::claim_or_answer(const AttachTable::Due& due, const Attached& attached,
                                  const std::vector<HeldHops>& held) {
  if (dead_) return;
  if (std::exchange(books_[due.name], 0) == attached.books && !asked_.contains(due.name)) {
    answered(due, attached, held);
    return;
  }
  const std::size_t per_page = world_.chance.percent(50) ? 1'000 : world_.chance.between(1, 6);
  claim(due, attached, held, manager_.claims_at(due.name, world_.now, per_page), 0);
}

void ManagerSite::claim(const AttachTable::Due& due, const Attached& attached,
                        const std::vector<HeldHops>& held, const std::vector<HopClaims>& pages,
                        std::size_t next, const std::vector<HopResult>& refused) {
  world_.after(world_.chance.up_to(kTwoWay), [this, due, attached, held, pages, next, refused] {
    if (dead_) return;
    auto taken = hooks_.claim(due.name, attached.session, pages[next]);
    if (!taken) {
      ++world_.tally["pages of claims that were not taken"];
      answered(due, std::nullopt);
      return;
    }
    ++world_.tally["pages of claims"];
    world_.tally["hops claimed"] += pages[next].hops.size();
    taken->refused.insert(taken->refused.begin(), refused.begin(), refused.end());
    if (next + 1 < pages.size()) {
      claim(due, attached, held, pages, next + 1, taken->refused);
      return;
    }
    Attached now = attached;
    now.quarantined = taken->quarantined;
    now.unclaimed_entries = taken->unclaimed_entries;
    if (asked_.contains(due.name)) {
      ++world_.tally["lost ledgers asked"];
      world_.tally["rebuilt hops refused"] += taken->refused.size();
      read(due, now, 0, {},
           cmgr::ClaimsAnswer{taken->refused, taken->unclaimed, attached.table_kept});
      return;
    }
    world_.after(world_.chance.up_to(kTwoWay),
                 [this, due, now, held] { answered(due, now, held); });
  });
}

void ManagerSite::leave(const AttachTable::Due& due, const Attached& attached,
                        const std::vector<HeldHops>& held) {
  ++world_.tally["lost ledgers read"];
  hooks_.detach(due.name, attached.session);
  world_.after(world_.chance.up_to(kTwoWay), [this, due, held] {
    if (dead_) return;
    if (attachments_.attached(due.name, due.attempt, world_.now)) {
      step([&](cmgr::ConnectionManager& manager) {
        for (const HeldHops& page : held) {
          manager.switch_holds(due.name, page, world_.now, cmgr::Recovery::ReadAs::kLost);
        }
      });
    }
    attach_due();
  });
}

void ManagerSite::claim_lost(const std::string& switch_name) {
  asked_.insert(switch_name);
  attach_switch(switch_name, AttachTable::Lost::kNothing);
}

void ManagerSite::finish_claims(SessionId session, const std::string& switch_name) {
  world_.after(world_.chance.up_to(kTwoWay), [this, session, switch_name] {
    // A word that was sent arrives, even if its sender dies.
    const auto taken = hooks_.claim(switch_name, session, HopClaims{{}, {}, {}, true, true});
    if (!taken) ++world_.tally["ends of claims that were not heard"];
    const auto left = taken ? std::optional{taken->unclaimed_entries} : std::nullopt;
    world_.after(world_.chance.up_to(kTwoWay), [this, session, switch_name, left] {
      step([&](cmgr::ConnectionManager& manager) {
        manager.claims_finished(switch_name, session, left, world_.now);
      });
    });
  });
}

void ManagerSite::answered(const AttachTable::Due& due, const std::optional<Attached>& attached,
                           const std::vector<HeldHops>& held,
                           const std::optional<cmgr::ClaimsAnswer>& answer) {
  if (dead_) return;
  if (!attached) {
    ++world_.tally["attachment: an attempt failed"];
    attachments_.failed(due.name, due.attempt, world_.now);
  } else if (!attachments_.attached(due.name, due.attempt, world_.now)) {
    ++world_.tally["attachment: an answer too late"];
  } else {
    ++world_.tally["attachment: attached"];
    books_[due.name] = attached->books;
    step([&](cmgr::ConnectionManager& manager) {
      sessions_[due.name] = attached->session;
      if (answer) manager.switch_claimed(due.name, *answer);
      manager.note_entries_of_nobody(due.name, attached->unclaimed_entries, world_.now);
      manager.switch_attached(due.name, attached->session, attached->window, attached->quarantined,
                              world_.now);
      if (answer) asked_.erase(due.name);
      if (!read_.insert(due.name).second && !answer) return;
      for (const HeldHops& page : held) manager.switch_holds(due.name, page, world_.now);
    });
  }
  attach_due();
}

// ===== the topology =====

void ManagerSite::learn(const TopologyState& state, bool restarted) {
  if (dead_) return;
  if (log::enabled(log::Level::kDebug)) {
    const auto now = std::chrono::duration_cast<milliseconds>(world_.now.time_since_epoch());
    log::debug("{} ms {} learns {}", now.count(), name_, words(state));
  }
  if (restarted) ++world_.tally["versions counted anew"];
  const std::uint64_t ignored = manager_.counters().stale_topologies;
  step([&](cmgr::ConnectionManager& it) { it.on_topology(state, restarted); });
  const bool old = !restarted && state.version < newest_;
  if (old && manager_.counters().stale_topologies == ignored) {
    world_.violated(name_ + " believes an old version of the topology");
  }
  newest_ = restarted ? state.version : std::max(newest_, state.version);
}

void ManagerSite::watch_topology() {
  watch_.begin(world_.now);
  watch_due();
}

void ManagerSite::watch_due() {
  if (dead_) return;
  if (const auto attempt = watch_.take(world_.now)) {
    const bool away = world_.now < routes_away_until;
    const bool lost = away || world_.chance.percent(world_.weather.two_way_lost);
    world_.after(world_.chance.up_to(kTwoWay), [this, attempt = *attempt, lost] {
      const auto answer = lost ? std::nullopt : hooks_.watch();
      const Duration back = lost && away_means_silent ? kNoRoute : world_.chance.up_to(kTwoWay);
      world_.after(back, [this, attempt, answer] { watched(attempt, answer); });
    });
  }
  const TimePoint next = watch_.next_deadline();
  const bool planned = watch_at_ > world_.now && watch_at_ <= next;
  if (planned || next == kNever) return;
  watch_at_ = next;
  world_.agenda.schedule(next, [this] { watch_due(); });
}

void ManagerSite::watched(Attaching::Attempt attempt,
                          const std::optional<RouteSite::Watched>& answer) {
  if (dead_) return;
  if (answer) {
    ++world_.tally["attachment: a watch, refreshed"];
    const bool restarted = std::exchange(watched_life_, answer->life) != answer->life;
    learn(answer->state, restarted);
    watch_.attached(
        attempt, world_.now,
        std::clamp(answer->validity, cmgr::kTopologyRefreshMin, cmgr::kTopologyRefreshMax));
  } else {
    ++world_.tally["attachment: a watch failed"];
    watch_.failed(attempt, world_.now);
  }
  watch_due();
}

}  // namespace xbind::sim
