#include "switchserver/switch_server.hpp"

#include <algorithm>
#include <utility>

#include "core/log.hpp"
#include "core/log_about.hpp"
#include "core/name.hpp"
#include "core/wire_octets.hpp"

namespace xbind {

SwitchServer::SwitchServer(SwitchServerOptions options, SwitchDriver& driver, ManagerOutlet& outlet)
    : options_(std::move(options)),
      outlet_(outlet),
      controller_(options_.controller, driver),
      next_session_(options_.session_base + 1) {}

SwitchServer::~SwitchServer() = default;

Result<SwitchServer::Attachment> SwitchServer::attach(const std::string& manager, Epoch epoch,
                                                      TimePoint now) {
  if (const auto named = check_name("manager", manager); !named) {
    return tl::make_unexpected(named.error());
  }
  auto holdings = controller_.attach(manager, epoch);  // an older session of the name lapses
  if (!holdings) return tl::make_unexpected(holdings.error());
  if (const auto old = by_name_.find(manager); old != by_name_.end()) {
    fail_executes(*managers_.at(old->second), "the manager attached anew");
    const SessionEnding ending{SessionEnd::kReplaced, fmt::format("epoch {} has attached", epoch)};
    ended_.add(old->second, ending);
    outlet_.session_over(old->second, ending);
    note_end(manager, ending);
    managers_.erase(old->second);
  }
  const SessionId session{next_session_++};
  managers_.emplace(session,
                    std::make_unique<Manager>(Manager{manager, session, {options_.session, now}}));
  by_name_[manager] = session;
  log::sessions.info("manager {} attached, epoch {}, session {}, {} hops of it here", manager,
                     epoch, session, holdings->hops);
  if (options_.events != nullptr) {
    options_.events->add(
        EventKind::kSessionAttached, "manager " + manager,
        fmt::format("epoch {}, session {}, {} hops of it here", epoch, session, holdings->hops));
  }
  return Attachment{session, options_.session.batches_in_flight, options_.session_base + 1,
                    std::move(*holdings)};
}

void SwitchServer::end_all() {
  while (!managers_.empty()) {
    end(managers_.begin()->first, {SessionEnd::kShutdown, "this SwitchServer ends"});
  }
}

void SwitchServer::detach(SessionId session) {
  if (managers_.contains(session)) end(session, {SessionEnd::kDetached, "it detached"});
}

void SwitchServer::on_commands(SessionId session, session::Frame<HopBatch> frame, TimePoint now) {
  ++counters_.frames_in;
  const auto found = managers_.find(session);
  if (found == managers_.end()) {
    ++counters_.unknown_session;
    if (const auto times = unknown_log_.noted("", now)) {
      log::sessions.info("session {} is unknown; a batch of it is ignored ({} since the last line)",
                         session, *times);
    }
    return;
  }
  Manager& manager = *found->second;
  received_.clear();
  if (auto received = manager.link.receive(std::move(frame), now, received_); !received) {
    ++counters_.sessions_lost;
    end(session, {SessionEnd::kProtocol, received.error().text});
    return;
  }
  for (const auto& batch : received_) {
    const auto applied = controller_.apply(manager.name, *batch, session.value(), now);
    XB_CHECK(applied.has_value(), applied.error().text);  // the session is attached
  }
  received_.clear();
  if (!manager.waiting.empty()) send_waiting(manager, now);
}

Result<void> SwitchServer::execute(SessionId session, const HopBatch& batch, std::uint64_t token,
                                   TimePoint now) {
  const auto found = managers_.find(session);
  if (found == managers_.end()) return tl::make_unexpected(ended_.error_for(session));
  const std::uint64_t ours = next_execute_++;
  executes_.emplace(ours, Execute{session, token});
  found->second->executes.insert(ours);
  const auto applied = controller_.execute(found->second->name, batch, ours, now);
  XB_CHECK(applied.has_value(), applied.error().text);  // the session is attached
  return {};
}

Result<HeldHops> SwitchServer::held_hops(SessionId session, std::uint64_t from, std::size_t most,
                                         TimePoint now, std::vector<std::uint64_t>* places) const {
  const auto found = managers_.find(session);
  if (found == managers_.end()) return tl::make_unexpected(ended_.error_for(session));
  return controller_.held_hops(found->second->name, from, most, now, places);
}

Result<ClaimsTaken> SwitchServer::claim(SessionId session, const HopClaims& page, TimePoint now) {
  const auto found = managers_.find(session);
  if (found == managers_.end()) return tl::make_unexpected(ended_.error_for(session));
  const std::string& name = found->second->name;
  auto taken = controller_.claim(name, page, now);
  if (!taken) return taken;
  if (!taken->refused.empty()) {
    const HopResult& first = taken->refused.front();
    const log::AboutCall about(first.key.connection.value());
    log::calls.warn("{} claims of manager {} refused, the first of connection {}: {}",
                    taken->refused.size(), name, first.key.connection, to_string(first.cause));
  }
  if (!page.hops.empty())
    log::sessions.info("manager {} has claimed {} hops here", name, page.hops.size());
  return taken;
}

Result<ManagerEpochs> SwitchServer::epochs_of(const std::string& manager) const {
  if (const auto named = check_name("manager", manager); !named) {
    return tl::make_unexpected(named.error());
  }
  return controller_.epochs_of(manager);
}

Result<void> SwitchServer::renew_epoch(const std::string& manager, Epoch newest) {
  if (const auto named = check_name("manager", manager); !named) {
    return tl::make_unexpected(named.error());
  }
  return controller_.renew_epoch(manager, newest);
}

Result<SwitchController::Grant> SwitchServer::grant(SessionId session, PortId port,
                                                    std::size_t labels, Resources quota,
                                                    TimePoint now) {
  const auto found = managers_.find(session);
  if (found == managers_.end()) return tl::make_unexpected(ended_.error_for(session));
  return controller_.grant(found->second->name, port, labels, quota, now);
}

Result<void> SwitchServer::give_back(SessionId session, const PortLabels& labels, Resources quota) {
  const auto found = managers_.find(session);
  if (found == managers_.end()) return tl::make_unexpected(ended_.error_for(session));
  return controller_.give_back(found->second->name, labels, quota);
}

Result<void> SwitchServer::read_statistics(PortId port, Label label, std::uint64_t token) {
  return controller_.read_statistics(port, label, token);
}

Result<void> SwitchServer::audit(const std::string& manager, std::uint64_t token) {
  return controller_.audit(manager, token);
}

Result<std::uint64_t> SwitchServer::forget_manager(const std::string& manager) {
  if (const auto named = check_name("manager", manager); !named) {
    return tl::make_unexpected(named.error());
  }
  auto left = controller_.forget(manager);
  if (left) log::sessions.info("manager {} is forgotten, {} hops of it stay", manager, *left);
  return left;
}

trace::Part SwitchServer::spans_of(const std::string& manager, ConnectionId connection,
                                   const trace::WallClock& clock) {
  trace::Part part;
  const std::string& name = options_.controller.name;
  if (const auto index = controller_.ledger().managers().find(manager)) {
    part = controller_.traces().spans_of(*index, connection, name, clock);
  }
  part.process = "xbind-switchserver " + name;
  part.manager = manager;
  part.connection = part.shown_id = connection;
  return part;
}

void SwitchServer::on_driver(const driver::Event& event, TimePoint now) {
  controller_.on_driver(event, now);
}

void SwitchServer::tick(TimePoint now) {
  if (controller_.wake_at() <= now) controller_.on_time(now);
  std::vector<session::Frame<HopResultBatch>> frames;
  std::vector<std::pair<SessionId, std::string>> lost;
  for (const auto& [session, manager] : managers_) {
    if (manager->link.next_deadline() > now) continue;
    frames.clear();
    const auto ticked = manager->link.tick(now, frames);
    for (auto& frame : frames) transmit(*manager, std::move(frame));
    if (!ticked) lost.emplace_back(session, ticked.error().text);
  }
  for (const auto& [session, reason] : lost) {
    ++counters_.sessions_lost;
    end(session, {SessionEnd::kSilent, reason});
  }
}

TimePoint SwitchServer::next_deadline() const {
  TimePoint due = controller_.wake_at();
  for (const auto& [session, manager] : managers_) {
    due = std::min(due, manager->link.next_deadline());
  }
  return due;
}

void SwitchServer::finish_step(TimePoint now) {
  controller_.take_outputs(now, outputs_);
  for (const SwitchController::Recalled& recalled : outputs_.recalls) note_recall(recalled);
  for (SwitchController::Results& results : outputs_.results) hand_out(std::move(results), now);
  note_unasked(now);
  send_recalls(now);
  for (const SwitchController::Counted& counted : outputs_.statistics) outlet_.counted(counted);
  for (SwitchController::Audited& audited : outputs_.audits) {
    outlet_.audited(audited.token, std::move(audited.report));
  }
  for (SwitchController::CallLooked& looked : outputs_.looks) {
    outlet_.looked(looked.token, std::move(looked.there));
  }
}

void SwitchServer::hand_out(SwitchController::Results results, TimePoint now) {
  const bool executed = results.token >= kExecute;
  SessionId session{results.token};
  std::uint64_t token = 0;
  if (executed) {
    const auto asked = executes_.find(results.token);
    if (asked == executes_.end()) return;  // the session ended meanwhile
    session = asked->second.session;
    token = asked->second.token;
    executes_.erase(asked);
  }
  const auto found = managers_.find(session);
  if (found == managers_.end()) return;  // the session ended meanwhile
  Manager& manager = *found->second;
  results.batch.recalls = std::exchange(manager.recalls, {});
  if (executed) {
    manager.executes.erase(results.token);
    count(results.times, now);
    controller_.traces().sent(results.times.asked, now, results.traces);
    outlet_.executed(token, std::move(results.batch));
    return;
  }
  if (manager.waiting.empty() && manager.link.has_credit()) {
    return send(manager, {std::move(results.batch), results.times, std::move(results.traces)}, now);
  }
  manager.waiting.push_back({std::move(results.batch), results.times, std::move(results.traces)});
  send_or_cut_off(manager, now);
}

// These results answer no batch of commands, so those that wait share a batch. A switch that comes
// back without cross-connects being removed produces thousands of them in one step.
void SwitchServer::note_unasked(TimePoint now) {
  std::vector<SessionId> noted;
  for (const SwitchController::Unasked& unasked : outputs_.unasked) {
    const auto session = by_name_.find(unasked.manager);
    if (session == by_name_.end()) continue;
    if (std::find(noted.begin(), noted.end(), session->second) == noted.end()) {
      noted.push_back(session->second);
    }
    std::deque<Waiting>& waiting = managers_.at(session->second)->waiting;
    const bool room = !waiting.empty() && !waiting.back().times &&
                      waiting.back().batch.results.size() < kUnaskedPerBatch;
    if (!room) waiting.emplace_back();
    waiting.back().batch.results.push_back(unasked.result);
  }
  for (const SessionId session : noted) send_or_cut_off(*managers_.at(session), now);
}

void SwitchServer::send_or_cut_off(Manager& manager, TimePoint now) {
  send_waiting(manager, now);
  if (manager.waiting.size() <= options_.results_waiting_max) return;
  ++counters_.sessions_lost;
  end(manager.session, {SessionEnd::kFlooded, "it confirms no results"});
}

void SwitchServer::note_recall(const SwitchController::Recalled& recalled) {
  const auto session = by_name_.find(recalled.manager);
  if (session == by_name_.end()) return;
  Manager& manager = *managers_.at(session->second);
  if (manager.recalls.empty()) recalled_.push_back(session->second);
  const auto same =
      std::find_if(manager.recalls.begin(), manager.recalls.end(),
                   [&](const PortRecall& recall) { return recall.port == recalled.recall.port; });
  if (same != manager.recalls.end()) {
    *same = recalled.recall;  // the newer recall replaces it
  } else {
    manager.recalls.push_back(recalled.recall);
  }
}

// Sends the recalls that no batch of results of this step carried. Without credit they wait: a
// manager that acknowledges nothing is sent nothing more.
void SwitchServer::send_recalls(TimePoint now) {
  for (const SessionId session : std::exchange(recalled_, {})) {
    const auto found = managers_.find(session);
    if (found == managers_.end()) continue;
    Manager& manager = *found->second;
    if (manager.recalls.empty()) continue;
    if (!manager.link.has_credit()) {
      recalled_.push_back(session);
      continue;
    }
    manager.waiting.push_back({.batch = {{}, {}, {}, std::exchange(manager.recalls, {})}});
    send_waiting(manager, now);
  }
}

void SwitchServer::fail_executes(const Manager& manager, std::string_view reason) {
  for (const std::uint64_t ours : manager.executes) {
    const auto asked = executes_.find(ours);
    const std::uint64_t token = asked->second.token;
    executes_.erase(asked);
    outlet_.executed(
        token, fail(ErrorCode::kUnreachable, "session {} has ended: {}", manager.session, reason));
  }
}

void SwitchServer::end(SessionId session, const SessionEnding& ending) {
  const auto found = managers_.find(session);
  fail_executes(*found->second, ending.reason);
  const std::string name = found->second->name;
  log::sessions.info("session {} of manager {} ends: {}; its caches lapse, its connections stay",
                     session, name, ending.reason);
  ended_.add(session, ending);
  outlet_.session_over(session, ending);
  note_end(name, ending);
  managers_.erase(found);
  by_name_.erase(name);
  controller_.detach(name);
}

Result<std::uint64_t> SwitchServer::clear_hops(const std::string& manager, ConnectionId connection,
                                               TimePoint now) {
  std::vector<SwitchController::ClearedCall> calls;
  auto left = controller_.clear_hops(manager, connection, now,
                                     options_.events == nullptr ? nullptr : &calls);
  for (SwitchController::ClearedCall& call : calls) {
    Event event;
    event.kind = EventKind::kEnded;
    event.object = std::move(call.owner.client);
    event.connection = call.connection;
    event.request = call.request;
    event.from = std::move(call.owner.from);
    event.to = std::move(call.owner.to);
    event.text = fmt::format("an operator has removed it, its manager {} is away", manager);
    options_.events->add(std::move(event));
  }
  return left;
}

void SwitchServer::note_end(const std::string& manager, const SessionEnding& ending) {
  if (options_.events == nullptr) return;
  options_.events->add(EventKind::kSessionEnded, "manager " + manager, text_of(ending));
}

void SwitchServer::send_waiting(Manager& manager, TimePoint now) {
  while (!manager.waiting.empty() && manager.link.has_credit()) {
    Waiting next = std::move(manager.waiting.front());
    manager.waiting.pop_front();
    send(manager, std::move(next), now);
  }
}

void SwitchServer::send(Manager& manager, Waiting next, TimePoint now) {
  if (next.times) {
    count(*next.times, now);
    controller_.traces().sent(next.times->asked, now, next.traces);
  }
  const std::size_t octets = wire_octets(next.batch);
  transmit(manager, manager.link.send(std::move(next.batch), octets, now));
}

void SwitchServer::count(const SwitchController::BatchTimes& times, TimePoint now) {
  batch_times_.add(BatchStage::kLedger, times.asked - times.applied);
  batch_times_.add(BatchStage::kDriver, times.answered - times.asked);
  batch_times_.add(BatchStage::kAnswer, now - times.answered);
  batch_times_.add(BatchStage::kTotal, now - times.applied);
}

void SwitchServer::transmit(Manager& manager, session::Frame<HopResultBatch> frame) {
  ++counters_.frames_out;
  outlet_.to_manager(manager.session, std::move(frame));
}

}  // namespace xbind
