#include "cmgr/remote_peers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cmgr/parts/timers.hpp"
#include "core/check.hpp"
#include "core/log.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"
#include "naming/names.hpp"
#include "orb/convert.hpp"
#include "orb/oneway.hpp"
#include "orb/remote_error.hpp"

namespace xbind::cmgr {

RemotePeers::RemotePeers(CORBA::ORB_ptr orb, Options options, Post post, LocalOutcome local_outcome)
    : options_(std::move(options)),
      names_(orb, options_.name_service),
      post_(std::move(post)),
      local_outcome_(std::move(local_outcome)),
      impairments_(options_.impairments, "xbind-cmgr " + options_.manager),
      to_switches_(impairments_, "manager-to-switch/" + options_.manager, "to_switches"),
      to_clients_(impairments_, "manager-to-client/" + options_.manager, "to_clients"),
      epoch_begun_(options_.epoch != Epoch{}) {}

RemotePeers::~RemotePeers() { stop(); }

void RemotePeers::start(v2::HopObserver_ptr observer, v2::TopologyObserver_ptr topology_observer) {
  observer_ = v2::HopObserver::_duplicate(observer);
  topology_observer_ = v2::TopologyObserver::_duplicate(topology_observer);
  for (std::size_t i = 0; i < kSwitchAttachLimits.at_once; ++i) {
    attaching_.emplace_back([this] { run_attaching(); });
  }
  watching_ = std::thread([this] { run_watching(); });
  jobs_.start(options_.workers);
  if (options_.routes_apart) route_jobs_.start(1);
}

void RemotePeers::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : attaching_) thread.join();
  attaching_.clear();
  if (watching_.joinable()) watching_.join();
  jobs_.stop();
  route_jobs_.stop();
}

// --- collected during a step ---------------------------------------------------------------------

void RemotePeers::to_switch(SessionId session, const std::string& switch_name,
                            session::Frame<HopBatch> frame) {
  to_switches_.put({session, switch_name, std::move(frame)});
}

void RemotePeers::to_client(SessionId session, session::Frame<OutcomeBatch> frame) {
  to_clients_.put({session, std::move(frame)});
}

void RemotePeers::local_outcome(RequestId token, Outcome outcome) {
  local_outcome_(token, std::move(outcome));
}

void RemotePeers::register_client(SessionId session, v2::OutcomeObserver_ptr observer) {
  clients_[session] = v2::OutcomeObserver::_duplicate(observer);
}

void RemotePeers::send_collected(TimePoint now) {
  to_switches_.send(now, [this](const ToSwitch& outgoing) { send(outgoing); });
  to_clients_.send(now, [this](const ToClient& outgoing) { send(outgoing); });
  for (const SessionId session : std::exchange(ended_switch_sessions_, {})) inboxes_.erase(session);
  for (const auto& [session, ending] : std::exchange(ended_client_sessions_, {})) {
    auto known = clients_.extract(session);
    if (!known.empty()) send_session_end(session, known.mapped(), ending);
  }
}

void RemotePeers::send_session_end(SessionId session, const v2::OutcomeObserver_var& observer,
                                   const SessionEnding& ending) {
  if (ending.why > kSessionEndReportedLast) return;
  const auto notified = orb::send_oneway("the client", observer, [&] {
    observer->client_session_ended(session.value(), static_cast<v2::SessionEnd>(ending.why),
                                   printable(ending.reason).c_str());
  });
  if (!notified)
    log::sessions.info("client session {}: the notice of its end was not delivered: {}", session,
                       notified.error().text);
}

TimePoint RemotePeers::next_deadline() const {
  return std::min(to_switches_.next_deadline(), to_clients_.next_deadline());
}

void RemotePeers::send(const ToSwitch& outgoing) {
  static const HopBatch kNoCommands;
  const auto inbox = inboxes_.find(outgoing.session);
  if (inbox == inboxes_.end()) return;
  const HopBatch& commands = outgoing.frame.batch ? *outgoing.frame.batch : kNoCommands;
  orb::to_idl(commands, commands_);
  const auto sent = orb::send_oneway("switchserver " + outgoing.name, inbox->second, [&] {
    inbox->second->submit_hops(outgoing.session.value(), outgoing.frame.seq.value(),
                               outgoing.frame.confirmed.value(), commands_);
  });
  ++requests_sent_;
  if (sent) return;
  inboxes_.erase(inbox);
  post_([session = outgoing.session, reason = sent.error().text](ConnectionManager& manager) {
    manager.switch_lost(session, reason, steady_now());
  });
}

void RemotePeers::send(const ToClient& outgoing) {
  static const OutcomeBatch kNoOutcomes;
  const auto client = clients_.find(outgoing.session);
  if (client == clients_.end()) return;
  orb::to_idl(outgoing.frame.batch ? *outgoing.frame.batch : kNoOutcomes, outcomes_, notices_);
  const auto sent = orb::send_oneway("the client", client->second, [&] {
    client->second->deliver_outcomes(outgoing.session.value(), outgoing.frame.seq.value(),
                                     outgoing.frame.confirmed.value(), outcomes_, notices_);
  });
  ++requests_sent_;
  if (sent) return;
  log::sessions.warn("client session {}: {}; its connections stay", outgoing.session,
                     sent.error().text);
  clients_.erase(client);
  post_(
      [session = outgoing.session](ConnectionManager& manager) { manager.detach_client(session); });
}

// --- the two-way threads -------------------------------------------------------------------------

void RemotePeers::invoke(SessionId session, const std::string& switch_name, HopBatch batch) {
  jobs_.add([this, session, switch_name, batch = std::move(batch)] {
    invoke_now(session, switch_name, batch);
  });
}

void RemotePeers::attach_switch(const std::string& switch_name, AttachTable::Lost lost) {
  {
    const std::lock_guard lock(mutex_);
    const auto wanted = attachments_.attach(switch_name, steady_now(),
                                            attach_jitter(options_.manager, switch_name), lost);
    XB_CHECK(wanted.has_value(), wanted.error().text);  // SwitchDesk has the same bound
  }
  wake_.notify_all();
}

void RemotePeers::run_attaching() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const TimePoint now = steady_now();
    if (const auto due = attachments_.take(now)) {
      lock.unlock();
      attach_now(*due);
      // Wake another thread: a place is free, and the peer's next attempt may be the earliest.
      wake_.notify_all();
      lock.lock();
      continue;
    }
    const TimePoint next = attachments_.next_deadline();
    if (next == kNever) {
      wake_.wait(lock);
    } else {
      wake_.wait_for(lock, next - now);
    }
  }
}

Result<RemotePeers::Attached> RemotePeers::attach_to(const AttachTable::Due& due) {
  const std::string& switch_name = due.name;
  const auto server = switch_server(switch_name);
  if (!server) return tl::make_unexpected(server.error());
  const std::string peer = "switchserver " + switch_name;
  Attached result;
  if (due.patience != Attaching::kUnbounded) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(due.patience).count();
    omniORB::setClientCallTimeout(*server, static_cast<CORBA::ULong>(ms));
  }
  auto attachment = orb::remote(peer, *server, [&] {
    v2::HopAttachment_var attached = (*server)->attach_manager(
        options_.manager.c_str(), options_.epoch.value(), v2::protocol_version, observer_);
    // Opens the connection that batches will use, on this thread, which may wait.
    attached->inbox->submit_hops(attached->session, 0, 0, v2::HopBatch{});
    return attached;
  });
  if (!attachment) return tl::make_unexpected(attachment.error());
  omniORB::setClientCallTimeout(*server, 0);  // pages of hops have the common timeout
  result.attachment = *attachment;
  if (result.attachment->session == 0 || result.attachment->batches_in_flight == 0) {
    return fail(ErrorCode::kProtocol, "{} gave us session {} with a window of {} batches",
                orb::with_address(peer, *server), result.attachment->session,
                result.attachment->batches_in_flight);
  }
  bool new_books = false;
  bool asked = false;
  {
    const std::lock_guard lock(mutex_);
    result.first = !read_.contains(switch_name);
    asked = asked_.contains(switch_name);
    new_books = std::exchange(books_[switch_name], 0) != result.attachment->books;
  }
  // One that joins a network whose calls are all known cannot have lost any.
  const bool awaited = result.first && !asked && result.attachment->claims_awaited;
  result.lost = awaited && !nothing_is_missing();
  auto quarantined = orb::to_core(result.attachment->quarantined);
  if (!quarantined) return tl::make_unexpected(quarantined.error());
  result.quarantined = std::move(*quarantined);
  result.unclaimed_entries = result.attachment->unclaimed_entries;
  // A new epoch that has read nobody else does not know what to claim (lost_ledgers.hpp).
  if (asked || (awaited && !result.lost) || (new_books && !result.first)) {
    auto taken = claim(switch_name, *server, result.attachment->session);
    if (!taken) return tl::make_unexpected(taken.error());
    result.quarantined = std::move(taken->quarantined);
    result.unclaimed_entries = taken->unclaimed_entries;
    if (asked) {
      result.answer = ClaimsAnswer{std::move(taken->refused), std::move(taken->unclaimed),
                                   result.attachment->table_kept};
    }
  }
  if (asked || (result.first && result.attachment->hops_held != 0)) {
    auto held = hops_held(peer, *server, result.attachment->session);
    if (!held) return tl::make_unexpected(held.error());
    result.held = std::move(*held);
  }
  if (result.lost) {
    const auto left =
        orb::remote(peer, *server, [&] { (*server)->detach_manager(result.attachment->session); });
    if (!left) return tl::make_unexpected(left.error());
  }
  return result;
}

void RemotePeers::attach_now(const AttachTable::Due& due) {
  const std::string peer = "switchserver " + due.name;
  auto attached = attach_to(due);
  const TimePoint now = steady_now();
  if (!attached) {
    const bool fenced = attached.error().code == ErrorCode::kFenced && options_.fenced;
    {
      const std::lock_guard lock(mutex_);
      if (fenced) {
        attachments_.give_up(due.name);
      } else {
        attachments_.failed(due.name, due.attempt, now);
      }
    }
    if (fenced) {
      fenced_ = true;
      options_.fenced("manager " + options_.manager + " is fenced: " + attached.error().text);
    } else {
      troubles_.failed(peer, "not attached: " + attached.error().text);
    }
    return;
  }
  bool in_time = false;
  {
    const std::lock_guard lock(mutex_);
    // Registered before the logic learns of the session, because the logic may lose it at once. The
    // session of a late answer is not used: at the SwitchServer the session of the next attempt
    // replaces it.
    in_time = attachments_.attached(due.name, due.attempt, now);
    if (in_time && !attached->lost) {
      read_.insert(due.name);
      if (attached->answer) asked_.erase(due.name);
      books_[due.name] = attached->attachment->books;
    }
  }
  if (!in_time) {
    troubles_.failed(peer, "not attached: " + peer + " has answered too late");
    return;
  }
  troubles_.well(peer);
  const v2::HopAttachment_var& attachment = attached->attachment;
  if (attached->answer) {
    post_([switch_name = due.name, answer = *attached->answer](ConnectionManager& manager) {
      manager.switch_claimed(switch_name, answer);
    });
  }
  if (!attached->lost) {
    post_([this, switch_name = due.name, session = SessionId{attachment->session},
           inbox = v2::HopInbox_var(attachment->inbox), window = attachment->batches_in_flight,
           unclaimed = attached->unclaimed_entries,
           quarantined = std::move(attached->quarantined)](ConnectionManager& manager) {
      inboxes_[session] = inbox;
      manager.note_entries_of_nobody(switch_name, unclaimed, steady_now());
      manager.switch_attached(switch_name, session, window, quarantined, steady_now());
    });
  }
  if (!attached->first && !attached->answer) return;
  const auto as = attached->lost ? Recovery::ReadAs::kLost : Recovery::ReadAs::kWhole;
  if (attached->held.empty()) attached->held.emplace_back();
  for (HeldHops& page : attached->held) {
    post_([switch_name = due.name, page = std::move(page), as](ConnectionManager& manager) {
      manager.switch_holds(switch_name, page, steady_now(), as);
    });
  }
}

void RemotePeers::invoke_now(SessionId session, const std::string& switch_name,
                             const HopBatch& batch) {
  const std::string peer = "switchserver " + switch_name;
  Result<HopResultBatch> answer = fail(ErrorCode::kUnreachable, "not asked");
  bool over = false;  // the session has ended
  const auto server = invoked_server(switch_name);
  if (!server) {
    answer = tl::make_unexpected(server.error());
  } else {
    const auto called = orb::remote(peer, *server, [&] {
      v2::HopBatch out;
      orb::to_idl(batch, out);
      impairments_.sending(batch.commands());
      const v2::HopResultBatch_var results = (*server)->execute(session.value(), out);
      impairments_.received(results->results.length());
      answer = orb::to_core(results.in());
    });
    if (!called) {
      answer = tl::make_unexpected(called.error());
      // Unavailable: the switch has not answered in time; the session continues.
      over = called.error().code != ErrorCode::kExhausted;
      const std::lock_guard lock(references_mutex_);
      // BadRequest: the SwitchServer does not know the session, so the reference is good.
      if (over && called.error().code != ErrorCode::kBadInput) invoked_.erase(switch_name);
    }
  }
  post_([this, session, batch, answer = std::move(answer), over](ConnectionManager& manager) {
    ++requests_sent_;
    const TimePoint now = steady_now();
    manager.on_invoked(session, batch, answer, now);
    if (over) manager.switch_lost(session, answer.error().text, now);
  });
}

Result<v2::SwitchServer_var> RemotePeers::invoked_server(const std::string& name) {
  {
    const std::lock_guard lock(references_mutex_);
    if (const auto known = invoked_.find(name); known != invoked_.end()) return known->second;
  }
  auto resolved = switch_server(name);
  if (resolved) {
    const std::lock_guard lock(references_mutex_);
    invoked_[name] = *resolved;
  }
  return resolved;
}

Result<v2::SwitchServer_var> RemotePeers::switch_server(const std::string& name) {
  auto object = names_.resolve(naming::path_of(naming::kSwitchServers, name));
  if (!object) return tl::make_unexpected(object.error());
  return v2::SwitchServer_var(v2::SwitchServer::_unchecked_narrow(*object));
}

Result<v2::RouteObject_var> RemotePeers::route_object() {
  return kept<v2::RouteObject>(route_object_, naming::kRouteObjects, options_.route_object);
}

Result<void> RemotePeers::at_route_object(const char* what,
                                          const std::function<void(v2::RouteObject_ptr)>& call) {
  const std::string peer = "routeobject " + options_.route_object;
  // One operation may fail permanently while others work.
  const std::string trouble = peer + ", " + what;
  const auto once = [&](const Result<v2::RouteObject_var>& object) -> Result<void> {
    if (!object) return tl::make_unexpected(object.error());
    return orb::remote(peer, *object, [&] { call(*object); });
  };
  const auto forget = [this] {
    const std::lock_guard lock(references_mutex_);
    route_object_ = v2::RouteObject::_nil();
  };
  const auto known = route_object();
  Result<void> called = once(known);
  if (!called && called.error().code == ErrorCode::kUnreachable && known) {
    // RouteObject may have been restarted: look it up again, so that this call need not fail.
    forget();
    const auto found = route_object();
    if (found && !(*found)->_is_equivalent(*known)) called = once(found);
  }
  if (called) {
    troubles_.well(trouble);
    return called;
  }
  troubles_.failed(trouble, called.error().text);
  if (called.error().code != ErrorCode::kBadInput) forget();
  return called;
}

}  // namespace xbind::cmgr
