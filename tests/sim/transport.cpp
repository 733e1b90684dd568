// World: messages and what happens to them in flight.
#include <fmt/format.h>

#include "client/request_batch.hpp"
#include "core/log.hpp"
#include "tests/sim/trace.hpp"
#include "tests/sim/world.hpp"

namespace xbind::sim {
namespace {

constexpr Duration kOneWay = milliseconds{10};  // one direction of a two-way call, at most
constexpr Duration kCallTimeout = milliseconds{1'500};
constexpr Duration kLate = seconds{25};       // delay of a late client attach, at most
constexpr Duration kBehindAGap = seconds{9};  // twice the longest pause between repeats
// Indexed by World::Kind.
constexpr const char* kWithin[] = {"connects within their timers", "releases within their timers",
                                   "modifies within their timers", "leaves within their timers",
                                   "drops within their timers",    "commits within their timers"};
constexpr double kConnectionRefused = 20;  // percent of messages to a dead manager

}  // namespace

// ===== batches =====

template <class Batch>
void World::trace(const std::string& from, std::string_view verb, const std::string& to,
                  const Batch& batch) const {
  if (!log::enabled(log::Level::kDebug)) return;
  const auto now = std::chrono::duration_cast<milliseconds>(world_.now.time_since_epoch());
  log::debug("{} ms {} {} {}:{}", now.count(), from, verb, to, words(batch));
}

void World::carry_to_switch(std::size_t manager, std::size_t at, SessionId session,
                            session::Frame<HopBatch> frame) {
  frame = tampered(std::move(frame));
  world_.carry(leg('>', manager, at), [this, manager, at, session, frame = std::move(frame)] {
    if (frame.batch) {
      trace(managers_[manager].site->name(), fmt::format("{} reports", frame.seq),
            switches_[at].name, *frame.batch);
    }
    if (dead(switches_[at])) {
      if (world_.chance.percent(kConnectionRefused)) {
        managers_[manager].site->step([&](cmgr::ConnectionManager& it) {
          it.switch_lost(session, "the connection was refused", world_.now);
        });
      }
      return;
    }
    switches_[at].server->on_commands(session, frame, world_.now);
    switch_stepped(at);
  });
}

void World::to_manager(SessionId session, session::Frame<HopResultBatch> frame) {
  const std::size_t manager = manager_of_session_.at(session);
  const std::size_t at = (session.value() >> 32) - 1;
  frame = tampered(std::move(frame));
  world_.carry(leg('<', manager, at), [this, manager, at, session, frame = std::move(frame)] {
    if (frame.batch) {
      trace(switches_[at].name, fmt::format("{} answers", frame.seq),
            managers_[manager].site->name(), *frame.batch);
    }
    managers_[manager].site->step(
        [&](cmgr::ConnectionManager& it) { it.on_results(session, frame, world_.now); });
  });
}

void World::carry_to_client(std::size_t manager, SessionId session,
                            session::Frame<OutcomeBatch> frame) {
  const auto whose = client_of_session_.find(session);
  if (whose == client_of_session_.end()) return;
  if (frame.batch) {
    for (const Outcome& outcome : frame.batch->outcomes) {
      check_left_behind(manager, outcome);
      check_not_released(manager, outcome);
      note_outcome(manager, outcome, whose->second);
      if (const auto about = managers_[manager].site->manager().describe(outcome.connection)) {
        own_ids_[{manager, outcome.connection}] = about->connection.id;
      }
    }
  }
  const std::size_t client = whose->second;
  frame = tampered(std::move(frame));
  world_.carry(leg('c', manager, client), [this, client, session, frame = std::move(frame)] {
    clients_[client].client->on_outcomes(session, frame);
  });
}

void World::carry_to_inbox(std::size_t client, SessionId session,
                           session::Frame<RequestBatch> frame) {
  const std::size_t manager = clients_[client].manager;
  world_.carry(
      leg('m', client, manager), [this, client, manager, session, frame = std::move(frame)] {
        if (managers_[manager].site->dead() && world_.chance.percent(kConnectionRefused)) {
          clients_[client].client->on_session_failed(session);
        }
        if (frame.batch && client_of_session_.contains(session))
          note_request_arrival(client, *frame.batch);
        managers_[manager].site->step(
            [&](cmgr::ConnectionManager& it) { it.on_requests(session, frame, world_.now); });
      });
}

// ===== how long it takes =====

void World::note_request_arrival(std::size_t client, const RequestBatch& batch) {
  if (managers_[clients_[client].manager].site->dead()) return;
  client::for_each_number(batch, [&](RequestId request, client::Place place) {
    const bool drop = place.list == client::Place::List::kLeaves && batch.leaves[place.index].drop;
    taken_.try_emplace({client, request}, Taken{world_.now, drop ? Kind::kDrop : kind_of(place)});
  });
}

World::Kind World::kind_of(const client::Place& place) {
  switch (place.list) {
    case client::Place::List::kConnects: return Kind::kConnect;
    case client::Place::List::kReleases: return Kind::kRelease;
    case client::Place::List::kModifies: return Kind::kModify;
    case client::Place::List::kLeaves: return Kind::kLeaf;
    case client::Place::List::kCommits: break;
  }
  return Kind::kCommit;
}

// The time that the manager's named timers allow for a request of that kind, from arrival to
// outcome.
Duration World::allowed(Kind kind, const cmgr::Config& config) {
  const Duration turn = config.queue_timer;
  const Duration try_route = config.route_timer + config.hop_timer + config.undo_timer;
  const auto tries = static_cast<std::int64_t>(config.crankbacks + 1);
  switch (kind) {
    case Kind::kConnect: return turn + config.route_timer + tries * try_route;
    case Kind::kLeaf: return turn + tries * try_route;
    // Raised, then lowered or put back.
    case Kind::kModify: return turn + config.route_timer + 2 * config.hop_timer;
    case Kind::kCommit: return turn + config.hop_timer + config.undo_timer;
    case Kind::kRelease:
    case Kind::kDrop: break;
  }
  return turn + config.undo_timer;
}

// Every outcome comes within the named timers of its kind. In addition a batch may have waited
// behind a gap for as long as its line was cut.
void World::note_outcome(std::size_t manager, const Outcome& outcome, std::size_t client) {
  const auto taken = taken_.find({client, outcome.request});
  if (taken == taken_.end()) return;
  const cmgr::Config& config = managers_[manager].config;
  const Duration timers = allowed(taken->second.kind, config);
  const Duration cut =
      std::max(Duration::zero(), leg('m', client, manager).cut_until - taken->second.at);
  const Duration took = world_.now - taken->second.at;
  if (took <= timers + cut + kBehindAGap ||
      clients_[client].client->was_away_since(taken->second.at)) {
    ++world_.tally[kWithin[static_cast<std::size_t>(taken->second.kind)]];
    taken_.erase(taken);
    return;
  }
  world_.violated(
      fmt::format("client-{}: request {} was answered after {} ms, its timers allow {}", client,
                  outcome.request, std::chrono::duration_cast<milliseconds>(took).count(),
                  std::chrono::duration_cast<milliseconds>(timers + cut + kBehindAGap).count()));
}

// ===== two-way =====

std::optional<ManagerSite::Attached> World::attach(std::size_t manager, const std::string& name,
                                                   Epoch epoch) {
  const std::size_t at = index_of(name);
  if (world_.now < leg('>', manager, at).cut_until || dead(switches_[at])) return std::nullopt;
  if (loading_ && world_.chance.percent(world_.weather.loss)) return std::nullopt;
  const ManagerSite& site = *managers_[manager].site;
  auto attached = switches_[at].server->attach(site.name(), epoch, world_.now);
  switch_stepped(at);
  const bool fenced = epoch < site.epoch();
  if (!attached) {
    if (!fenced) world_.violated("attach was refused: " + attached.error().text);
    ++world_.tally["attaches fenced off"];
    return std::nullopt;
  }
  // An attach of the old epoch succeeds until the new epoch has attached.
  if (fenced || site.dead()) ++world_.tally["attaches of the dead"];
  Epoch& highest = switches_[at].epochs[manager];
  if (epoch < highest) world_.violated(site.name() + " was let in with an older epoch");
  highest = std::max(highest, epoch);
  manager_of_session_[attached->session] = manager;
  return ManagerSite::Attached{attached->session,
                               attached->batches_in_flight,
                               attached->books,
                               attached->holdings.quarantined,
                               attached->holdings.claims_awaited,
                               attached->holdings.table_kept,
                               attached->holdings.unclaimed};
}

void World::detach(std::size_t manager, const std::string& name, SessionId session) {
  const std::size_t at = index_of(name);
  if (world_.now < leg('>', manager, at).cut_until || dead(switches_[at])) return;
  switches_[at].server->detach(session);
  switch_stepped(at);
}

std::optional<HeldHops> World::held_hops(std::size_t manager, const std::string& name,
                                         SessionId session, std::uint64_t from) {
  const std::size_t at = index_of(name);
  const bool cut = world_.now < leg('>', manager, at).cut_until || dead(switches_[at]);
  if (cut || (loading_ && world_.chance.percent(world_.weather.loss / 4))) return std::nullopt;
  const std::size_t most = world_.chance.percent(50) ? 1'000 : world_.chance.between(1, 6);
  const auto held = switches_[at].server->held_hops(session, from, most, world_.now);
  if (!held) return std::nullopt;
  return *held;
}

std::optional<ClaimsTaken> World::claim(std::size_t manager, const std::string& name,
                                        SessionId session, const HopClaims& page) {
  const std::size_t at = index_of(name);
  SwitchSite& site = switches_[at];
  const bool cut = world_.now < leg('>', manager, at).cut_until || dead(site);
  if (cut || (loading_ && world_.chance.percent(world_.weather.loss / 4))) return std::nullopt;
  note_claims(manager, page);
  auto taken = site.server->claim(session, page, world_.now);
  trace(fmt::format("manager-{}", manager), taken ? "claims at" : "claims in vain at", name, page);
  if (!taken) return std::nullopt;
  for (const HopResult& refused : taken->refused) {
    const bool rebuilt = std::ranges::any_of(
        page.hops, [&](const LedgerHop& hop) { return hop.rebuilt && hop.key == refused.key; });
    if (rebuilt) continue;
    world_.violated(
        fmt::format("{}: the claim of hop {}.{}.{} of connection {} of manager-{} was "
                    "refused: {}",
                    name, refused.key.generation, refused.key.leg, refused.key.hop,
                    refused.key.connection, manager, to_string(refused.cause)));
  }
  ledger(at).hops().for_each([&](HopRef, const HopRecord& record) {
    site.inherited.erase(ledger(at).hops().cross_connect(record));
  });
  check_rebuilt(at, manager, page);
  note_known_again(manager, page);
  if (page.last) {
    site.awaited.erase(manager);
    // What was being removed may be left until others have claimed.
    for (auto& [id, entries] : site.unclaimed[manager]) {
      std::erase_if(entries, [&](const auto& it) { return !site.inherited.contains(it.first); });
    }
    std::erase_if(site.unclaimed[manager], [](const auto& one) { return one.second.empty(); });
  }
  switch_stepped(at);
  if (loading_ && world_.chance.percent(world_.weather.loss / 4)) return std::nullopt;
  return *taken;
}

// 0: the client has none.
SessionId World::session_at(const cmgr::ConnectionManager& manager, const std::string& client) {
  for (const auto& known : manager.clients("", 1'000)) {
    if (known.client.name == client) return known.client.session;
  }
  return SessionId{};
}

// A request that was sent is carried out, even if its sender dies. The answer may be lost or late.
void World::attach_client(std::size_t client, client::Attach attempt, std::uint64_t life) {
  const std::size_t m = clients_[client].manager;
  if (world_.now < leg('m', client, m).cut_until ||
      world_.chance.percent(world_.weather.two_way_lost)) {
    ++world_.tally["client attaches lost"];
    return;
  }
  Duration wait = world_.chance.up_to(kOneWay);
  if (world_.chance.percent(world_.weather.two_way_lost)) {
    ++world_.tally["client attaches late"];
    wait += world_.chance.up_to(kLate);
  }
  if (attempt.epoch == Epoch{} && managers_[m].site->serves()) {
    ++world_.tally["epochs given out to clients"];
    managers_[m].site->step([&](cmgr::ConnectionManager& manager) {
      attempt.epoch = manager.new_client_epoch(attempt.client).value();
    });
  }
  world_.after(wait, [this, m, client, attempt, life] {
    ManagerSite& site = *managers_[m].site;
    Result<cmgr::ClientAttachment> answer =
        fail(ErrorCode::kUnreachable, "{} cannot be reached", site.name());
    if (!site.serves() || attempt.epoch == Epoch{}) {
      ++world_.tally["client attaches before the manager serves"];
      answer_attach(client, attempt, life, answer);
      return;
    }
    site.step([&](cmgr::ConnectionManager& manager) {
      // The life that has attached last, if its session lasts.
      const auto last = life_of_session_.find(session_at(manager, attempt.client));
      answer = manager.attach_client(attempt.client, attempt.epoch, world_.now);
      if (!answer) return;
      client_of_session_[answer->session] = client;
      if (last != life_of_session_.end() && last->second > life) {
        world_.violated(attempt.client + ": an earlier life has replaced a later one");
      }
      life_of_session_[answer->session] = life;
    });
    answer_attach(client, attempt, life, answer);
  });
}

void World::answer_attach(std::size_t client, const client::Attach& attempt, std::uint64_t life,
                          const Result<cmgr::ClientAttachment>& answer) {
  const std::size_t m = clients_[client].manager;
  Duration wait = world_.chance.up_to(kOneWay);
  if (world_.now < leg('c', m, client).cut_until ||
      world_.chance.percent(world_.weather.two_way_lost)) {
    ++world_.tally["answers to client attaches lost"];
    return;
  }
  if (world_.chance.percent(world_.weather.two_way_lost)) {
    ++world_.tally["answers to client attaches late"];
    wait += world_.chance.up_to(kLate);
  }
  if (!answer && answer.error().code == ErrorCode::kFenced) {
    ++world_.tally["client attaches fenced off"];
  }
  world_.after(wait, [this, client, attempt, life, answer] {
    Client& it = *clients_[client].client;
    if (answer) {
      it.on_attached(life, attempt, *answer);
    } else {
      it.on_attach_failed(life, attempt, answer.error());
    }
  });
}

void World::detach_client(std::size_t client, SessionId session) {
  const std::size_t m = clients_[client].manager;
  world_.carry(leg('m', client, m), [this, m, session] {
    managers_[m].site->step(
        [session](cmgr::ConnectionManager& manager) { manager.detach_client(session); });
  });
}

void World::tell_session_over(std::size_t manager, SessionId session, const SessionEnding& ending) {
  const auto whose = client_of_session_.find(session);
  if (ending.why == SessionEnd::kDetached || whose == client_of_session_.end()) return;
  if (ending.why == SessionEnd::kProtocol ||
      (ending.why == SessionEnd::kFlooded && !short_of_everything_)) {
    world_.violated(fmt::format("{} ends session {} of a client, which {}: {}",
                                managers_[manager].site->name(), session, to_string(ending.why),
                                ending.reason));
  }
  const std::size_t client = whose->second;
  ++world_.tally["client sessions ended: " + std::string{to_string(ending.why)}];
  world_.carry(leg('c', manager, client), [this, client, session, why = ending.why] {
    clients_[client].client->on_session_ended(session, to_string(why));
  });
}

void World::invoke(std::size_t manager, std::size_t at, SessionId session, HopBatch batch) {
  const std::uint64_t token = next_invocation_++;
  const bool cut = world_.now < leg('>', manager, at).cut_until;
  const bool lost = cut || world_.chance.percent(world_.weather.two_way_lost);
  const bool done_all_the_same = !cut && world_.chance.percent(50);
  invocations_.emplace(
      token, Invocation{managers_[manager].site.get(), at, session, std::move(batch), lost});
  world_.after(kCallTimeout, [this, token] {
    answer_invocation(token, fail(ErrorCode::kUnreachable, "no answer in time"));
  });
  if (lost) {
    ++world_
          .tally[done_all_the_same ? "two-way calls done and not answered" : "two-way calls lost"];
    if (!done_all_the_same) return;
  }
  world_.after(world_.chance.up_to(kOneWay), [this, token, at, session] {
    const auto open = invocations_.find(token);
    if (open == invocations_.end()) return;
    trace(open->second.site->name(), "invokes", switches_[at].name, open->second.asked);
    if (dead(switches_[at])) {
      executed(token, fail(ErrorCode::kUnreachable, "the connection was refused"));
      return;
    }
    const auto taken =
        switches_[at].server->execute(session, open->second.asked, token, world_.now);
    if (!taken) executed(token, tl::make_unexpected(taken.error()));
    switch_stepped(at);
  });
}

void World::executed(std::uint64_t token, Result<HopResultBatch> results) {
  const auto open = invocations_.find(token);
  if (open == invocations_.end() || open->second.answer_lost) return;
  world_.after(world_.chance.up_to(kOneWay),
               [this, token, results = std::move(results)] { answer_invocation(token, results); });
}

void World::answer_invocation(std::uint64_t token, const Result<HopResultBatch>& results) {
  const auto open = invocations_.find(token);
  if (open == invocations_.end()) return;  // already answered
  const Invocation invocation = std::move(open->second);
  invocations_.erase(open);
  if (results)
    trace(switches_[invocation.at].name, "returns to", invocation.site->name(), *results);
  invocation.site->invoked(invocation.session, invocation.asked, results);
}

// ===== crimes =====

session::Frame<HopBatch> World::tampered(session::Frame<HopBatch> frame) {
  if (!frame.batch) return frame;
  if (plan_.planted == Planted::kNumberBumped && world_.chance.percent(5)) {
    frame.seq = BatchSeq{frame.seq.value() + 1};
  }
  if (plan_.planted == Planted::kDemandShrunk && world_.chance.percent(20)) {
    HopBatch batch = *frame.batch;
    for (HopSetup& setup : batch.setups) setup.demand.cells_per_s /= 2;
    frame.batch = std::make_shared<const HopBatch>(std::move(batch));
  }
  return frame;
}

session::Frame<HopResultBatch> World::tampered(session::Frame<HopResultBatch> frame) {
  if (plan_.planted != Planted::kLabelGrantedTwice || !frame.batch) return frame;
  HopResultBatch batch = *frame.batch;
  for (PortLabels& granted : batch.granted) granted.labels.push_back(granted.labels.front());
  frame.batch = std::make_shared<const HopResultBatch>(std::move(batch));
  return frame;
}

session::Frame<OutcomeBatch> World::tampered(session::Frame<OutcomeBatch> frame) {
  if (plan_.planted != Planted::kWrongEgress || !frame.batch) return frame;
  OutcomeBatch batch = *frame.batch;
  for (Outcome& outcome : batch.outcomes) {
    if (outcome.kind == OutcomeKind::kConnected) ++outcome.egress.value;
  }
  frame.batch = std::make_shared<const OutcomeBatch>(std::move(batch));
  return frame;
}

}  // namespace xbind::sim
