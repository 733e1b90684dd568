#include "cmgr/procedures/path_watch.hpp"

#include <algorithm>
#include <utility>

#include "cmgr/parts/route_desk.hpp"
#include "cmgr/parts/timers.hpp"
#include "cmgr/procedures/prepared_desk.hpp"
#include "cmgr/procedures/reroute.hpp"
#include "cmgr/procedures/start.hpp"
#include "core/log.hpp"
#include "core/log_about.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {
namespace {

// The pause before a take-over that was temporarily refused is tried again.
constexpr Duration kRerouteSoon = kManagerTimers["reroute-soon"];

// Whether another re-route may have held what was missing.
bool is_want_of_room(Cause cause) {
  return cause == Cause::kNoBandwidth || cause == Cause::kNoBuffer || cause == Cause::kNoLabel;
}

}  // namespace

// ===== the network changes =====

bool PathWatch::on_topology(const TopologyState& state, bool restarted) {
  ++context_.counters.topologies;
  const bool old = state.version <= unusable_.version() &&
                   (state.version == unusable_.version() || !planted(Bug::kOldTopologyBelieved));
  if (!restarted && old) {
    if (state.version < unusable_.version()) ++context_.counters.stale_topologies;
    return false;
  }
  unusable_.set(state);
  context_.routes.network().set_unusable(state);
  // Positive answers stay right until they expire. A path may exist now where none was found
  // before.
  context_.routes.cache().doubt(
      unusable_.news(), [this](const RouteReply& reply, std::uint64_t since) {
        return reply.cause != Cause::kNone || unusable_.touched_since(reply, since);
      });
  for (List* const list : {&queue_, &idle_, &alone_}) recheck_.splice(recheck_.end(), *list);
  to_sweep_ = unusable_.switches();
  std::reverse(to_sweep_.begin(), to_sweep_.end());
  sweep_left_ = to_sweep_.empty() ? 0 : context_.connections.passing(to_sweep_.back()).size();
  sweeping_ = true;
  std::size_t left = kPerStep;
  look_again(left);
  sweep(left);
  return true;
}

void PathWatch::look_again(std::size_t& left) {
  for (; left > 0 && !recheck_.empty(); --left) {
    Astray& front = recheck_.front();
    front.unlink();
    front.queued = false;
    idle_.push_back(front);
    Connection& connection = context_.connections.at(front.id);
    if (connection.stage() == Stage::kUp) look(connection);
  }
}

// Goes from the end of each list: new entries are appended behind the position. A removed entry is
// replaced by the last one, which is then at worst looked at twice.
void PathWatch::sweep(std::size_t& left) {
  while (!to_sweep_.empty()) {
    const auto& passing = context_.connections.passing(to_sweep_.back());
    sweep_left_ = std::min(sweep_left_, passing.size());
    for (; left > 0 && sweep_left_ > 0; --left) {
      Connection& connection = *passing[--sweep_left_];
      // A connection that is being set up is looked at once it is up.
      if (connection.stage() == Stage::kUp && unusable_.worst_of(connection.hops())) {
        look(connection);
      }
    }
    if (sweep_left_ > 0) return;
    to_sweep_.pop_back();
    if (!to_sweep_.empty()) sweep_left_ = context_.connections.passing(to_sweep_.back()).size();
  }
  if (!std::exchange(sweeping_, false)) return;
  log::routes.info("topology version {}: {} ports unusable, {} connections are to leave them",
                   unusable_.version(), unusable_.ports(), astray_.size());
}

// ===== connections =====

void PathWatch::look(Connection& connection) {
  const bool client_knows = !connection.observed().broken.empty();
  if (unusable_.empty() && !client_knows && astray_.empty()) return;
  // A prepared connection that was given up is released, whatever the state of the network.
  if (!connection.asker() && is_astray(connection)) {
    enqueue(connection);
    return;
  }
  const auto blocked = unusable_.worst_of(connection.hops());
  if (client_knows && (!blocked || blocked->drained)) {
    connection.note().broken.clear();
    ++context_.counters.mended;
    if (!planted(Bug::kMendedNotTold)) notify(connection, NoticeKind::kMended, {});
  }
  if (!blocked) {
    astray_.erase(connection.id);
    return;
  }
  // A prepared connection that is astray is not given to calls; the pool refills itself.
  if (!connection.asker()) context_.prepared.drop(connection);
  enqueue(connection);
}

void PathWatch::enqueue(const Connection& connection) {
  Astray& astray = astray_[connection.id];
  astray.id = connection.id;
  if (std::exchange(astray.queued, true)) return;
  astray.unlink();
  queue_.push_back(astray);
}

void PathWatch::notify(const Connection& connection, NoticeKind kind, Refusal why) {
  if (!connection.asker()) return;
  context_.log.notice(kind, connection.shown_id(),
                      context_.clients.name(connection.asker()->client), connection.ends.get(),
                      why);
  if (connection.asker()->client == ClientDesk::kLocal) return;
  context_.clients.notify(
      connection.asker()->client,
      {connection.shown_id(), kind, why.cause, std::move(why.element), why.asked, why.free});
}

// No other path was found. The client gets no notice about a drained element. Over an unknown
// switch cells may still pass, and the notice says so.
void PathWatch::report_broken(Connection& connection, const Blocked& blocked, Refusal why) {
  if (blocked.drained || connection.observed().broken == blocked.words) return;
  connection.note().broken = blocked.words;
  connection.note().in_doubt = blocked.unknown;
  ++(blocked.unknown ? context_.counters.unknown : context_.counters.broken);
  if (blocked.unknown) {
    notify(connection, NoticeKind::kUnknown, {Cause::kNone, blocked.words});
  } else {
    notify(connection, NoticeKind::kBroken, std::move(why));
  }
}

// ===== re-routes =====

void PathWatch::finish_step(TimePoint now) {
  std::size_t left = kPerStep;
  look_again(left);
  sweep(left);
  left = start_reroutes(left, now);
  start_alone(left, now);
  const bool more = !recheck_.empty() || !to_sweep_.empty() || may_start_alone() ||
                    (!queue_.empty() && under_way_ < context_.config.reroutes_at_once);
  more_at_ = more ? now : kNever;
}

std::size_t PathWatch::start_reroutes(std::size_t left, TimePoint now) {
  for (; left > 0 && !queue_.empty() && under_way_ < context_.config.reroutes_at_once; --left) {
    Astray& front = queue_.front();
    front.unlink();
    front.queued = false;
    idle_.push_back(front);
    Connection& connection = context_.connections.at(front.id);
    // Otherwise it is looked at again when the procedure under way ends.
    if (connection.rests()) start_reroute(connection, false, now);
  }
  return left;
}

bool PathWatch::may_start_alone() const {
  return alone_due_ && !alone_.empty() && queue_.empty() && under_way_ == 0;
}

void PathWatch::start_alone(std::size_t left, TimePoint now) {
  for (; left > 0 && may_start_alone(); --left) {
    Astray& front = alone_.front();
    front.unlink();
    idle_.push_back(front);
    Connection& connection = context_.connections.at(front.id);
    front.alone = connection.rests();
    if (front.alone) start_reroute(connection, true, now);
  }
  alone_due_ = alone_due_ && !alone_.empty();
}

void PathWatch::try_alone(const Connection& connection) {
  const auto found = astray_.find(connection.id);
  if (found == astray_.end() || found->second.queued) return;
  Astray& astray = found->second;
  if (std::exchange(astray.alone, false) || alone_.size() >= kAloneMax) return;
  astray.unlink();
  alone_.push_back(astray);
}

void PathWatch::start_reroute(Connection& connection, bool alone, TimePoint now) {
  if (!connection.asker()) {
    // A prepared connection carries no cells yet.
    start_release(context_, connection, {}, kNotTimed, now);
    return;
  }
  const auto blocked = unusable_.worst_of(connection.hops());
  if (!blocked) {
    look(connection);
    return;
  }
  if (!connection.leaves().empty() || blocked->at_an_end || planted(Bug::kNeverRerouted)) {
    report_broken(connection, *blocked, {Cause::kLinkDown, blocked->words});
    return;
  }
  ++under_way_;
  ++context_.counters.reroutes_begun;
  begin<Reroute>(context_, connection, *blocked, unusable_.version()).start(alone, now);
}

void PathWatch::replaced(Connection& connection, const std::string& left) {
  connection.note().broken.clear();
  ++context_.counters.reroutes_done;
  const log::AboutCall about(connection.shown_id().value());
  log::calls.debug("connection {} has left {} for another path", connection.shown_id(), left);
  notify(connection, NoticeKind::kRerouted, {Cause::kNone, left});
}

void PathWatch::failed(Connection& connection, const Refusal& why, std::uint64_t version,
                       TimePoint now) {
  ++context_.counters.reroutes_failed;
  const log::AboutCall about(connection.shown_id().value());
  log::calls.debug("connection {} finds no other path: {}, {}", connection.shown_id(),
                   to_string(why.cause), why.element);
  const auto blocked = unusable_.worst_of(connection.hops());
  // The network may have changed since the re-route began.
  if (!blocked || version != unusable_.version()) {
    look(connection);
    return;
  }
  // A SwitchServer that is still restoring the old hop or changing its contract refuses a take-over
  // temporarily.
  const bool soon = why.cause == Cause::kChangeUnderWay;
  if (!soon) report_broken(connection, *blocked, why);
  if (is_want_of_room(why.cause)) try_alone(connection);
  const Duration retry = context_.config.reroute_retry;
  retry_at_ = std::min(retry_at_, now + (soon ? std::min(kRerouteSoon, retry) : retry));
}

void PathWatch::tick(TimePoint now) {
  if (now < retry_at_) return;
  retry_at_ = kNever;
  queue_.splice(queue_.end(), idle_);
  alone_due_ = true;
}

TimePoint PathWatch::next_deadline() const { return std::min(retry_at_, more_at_); }

}  // namespace xbind::cmgr
