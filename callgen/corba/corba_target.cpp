#include "callgen/corba/corba_target.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <shared_mutex>
#include <utility>

#include "core/log.hpp"
#include "core/name.hpp"
#include "core/session/session_end.hpp"
#include "core/steady_now.hpp"
#include "naming/names.hpp"
#include "orb/convert.hpp"
#include "orb/remote_error.hpp"

namespace xbind::callgen {
namespace {

// A run looks so often at what is due, at most: what is due within this time travels together, for a message
// and a wake-up cost many times what a request does. What it makes late is seen in the slip.
constexpr Duration kBetweenSends = std::chrono::microseconds{50};

// Of the topology's ends and demands.
constexpr CORBA::ULong kPage = 10'000;

// How long a wish to stop may go unseen.
constexpr Duration kLookForStop = std::chrono::milliseconds{100};

// A manager that can reach us confirms the first batch within milliseconds. One that has said
// nothing for so long cannot: the rest of the run would be unanswered as well.
constexpr Duration kFirstAnswer = std::chrono::seconds{10};

// The kernel lets a thread sleep 50 us longer than it asks for, unless told otherwise.
void wake_exactly() {
  thread_local const int told = prctl(PR_SET_TIMERSLACK, 1UL);
  static_cast<void>(told);
}

std::size_t octets_of(const RequestBatch& batch) {
  std::size_t octets = 96 + batch.releases.size() * 16;
  for (const ConnectRequest& request : batch.connects) {
    octets += 72 + request.from.size() + request.to.size();
  }
  octets += batch.modifies.size() * 72 + batch.commits.size() * 16;
  for (const LeafRequest& request : batch.leaves) octets += 24 + request.end.size();
  return octets;
}

}  // namespace

// Outcomes come in on the connection's own thread; the time they are stamped with is that of their
// arrival, before any queue of ours.
class CorbaTarget::Observer : public POA_xbind::v2::OutcomeObserver {
 public:
  Observer(CorbaTarget& target, std::size_t manager) : target_(&target), manager_(manager) {}

  // Outcomes of any other session are not ours.
  void expect(SessionId session) {
    const std::unique_lock lock(mutex_);
    session_ = session;
  }
  // No outcome is handed on afterwards.
  void forget_target() {
    const std::unique_lock lock(mutex_);
    target_ = nullptr;
  }

  void deliver_outcomes(v2::SessionId session, v2::BatchSeq seq, v2::BatchSeq confirmed,
                        const v2::OutcomeSeq& outcomes, const v2::NoticeSeq& notices) override {
    const TimePoint now = steady_now();
    session::Frame<OutcomeBatch> frame{BatchSeq{seq}, BatchSeq{confirmed}, nullptr};
    if (seq != 0) {
      auto converted = orb::to_core(outcomes, notices);
      if (!converted) {
        log::error("outcomes of batch {} are not understood: {}", seq, converted.error().text);
        return;  // not confirmed: it will be repeated, and the run will end as unanswered
      }
      frame.batch = std::make_shared<const OutcomeBatch>(std::move(*converted));
    }
    const std::shared_lock lock(mutex_);
    if (target_ == nullptr || SessionId{session} != session_) return;
    target_->serial_.post([target = target_, manager = manager_, frame = std::move(frame),
                           now]() mutable { target->on_outcomes(manager, std::move(frame), now); });
  }

  void client_session_ended(v2::SessionId session, v2::SessionEnd why,
                            const char* reason) override {
    std::string text = fmt::format("the manager has ended the session ({}): {}",
                                   to_string(static_cast<SessionEnd>(why)), printable(reason));
    const std::shared_lock lock(mutex_);
    if (target_ == nullptr || SessionId{session} != session_) return;
    target_->serial_.post([target = target_, text = std::move(text)] {
      if (target->player_ != nullptr) target->lose(text, steady_now());
    });
  }

 private:
  // Shared: while one upcall runs what is queued, the next one queues its outcomes and returns.
  std::shared_mutex mutex_;
  CorbaTarget* target_;
  std::size_t manager_;
  SessionId session_;
};

class CorbaTarget::Offering final : public Player {
 public:
  Offering(const RunPlan& plan, Workload workload, CallInspector* inspector, RecordSink* sink)
      : runner(plan, std::move(workload), inspector, sink) {}

  void start(TimePoint now) override { runner.start(now); }
  std::vector<Dispatch> advance(TimePoint now) override { return runner.advance(now); }
  void answered(const OutcomeBatch& batch, std::size_t manager, TimePoint now) override {
    for (const Outcome& outcome : batch.outcomes) runner.outcome(outcome, now, manager);
    for (const Notice& notice : batch.notices) runner.notice(notice, now);
  }
  void target_lost(TimePoint now) override { runner.target_lost(now); }
  void stop(TimePoint now) override { runner.stop(now); }
  TimePoint next_deadline() const override { return runner.next_deadline(); }
  bool finished() const override { return runner.finished(); }

  Runner runner;
};

CorbaTarget::CorbaTarget(orb::Runtime& runtime, const std::string& name_service,
                         const faults::FaultOptions& faults)
    : runtime_(runtime),
      names_(runtime.orb(), name_service),
      faults_(faults, "client-to-manager"),
      serial_([this] { after_drain(); }),
      timer_([this] {
        wake_exactly();
        serial_.post([] {});
      }) {}

CorbaTarget::~CorbaTarget() {
  for (const Manager& manager : managers_) manager.observer->forget_target();
  timer_.stop();
}

Result<KnownEnds> CorbaTarget::ends_from(const std::string& route_object) {
  auto object = names_.resolve(naming::path_of(naming::kRouteObjects, route_object));
  if (!object) return tl::make_unexpected(object.error());
  const v2::RouteObject_var routes = v2::RouteObject::_unchecked_narrow(*object);
  KnownEnds known;
  const auto asked = orb::remote("routeobject " + route_object, routes, [&] {
    for (;;) {
      const v2::TrafficDemandSeq_var page =
          routes->demands(static_cast<CORBA::ULong>(known.demands.size()), kPage);
      if (page->length() == 0) break;
      for (CORBA::ULong i = 0; i < page->length(); ++i) {
        const v2::TrafficDemand& demand = page.in()[i];
        known.demands.push_back({demand.from_end.in(), demand.to_end.in(), demand.weight});
      }
    }
    for (;;) {
      const v2::NameSeq_var page =
          routes->endpoints(static_cast<CORBA::ULong>(known.endpoints.size()), kPage);
      if (page->length() == 0) break;
      for (CORBA::ULong i = 0; i < page->length(); ++i) known.endpoints.emplace_back(page.in()[i]);
    }
  });
  if (!asked) return tl::make_unexpected(asked.error());
  return known;
}

Result<void> CorbaTarget::attach(const std::string& name, const std::string& client_name) {
  auto object = names_.resolve(naming::path_of(naming::kConnectionManagers, name));
  if (!object) return tl::make_unexpected(object.error());
  return attach_to(name, *object, client_name);
}

Result<void> CorbaTarget::attach_to(const std::string& name, CORBA::Object_ptr object,
                                    const std::string& client_name) {
  Manager& manager = managers_.emplace_back();
  manager.name = name;
  manager.peer = "manager " + name;
  manager.object = v2::ConnectionManager::_unchecked_narrow(object);
  manager.observer = new Observer(*this, managers_.size() - 1);
  const PortableServer::Servant_var<Observer> servant = manager.observer;
  const CORBA::Object_var reference = runtime_.activate(manager.observer);
  manager.observer_reference = v2::OutcomeObserver::_unchecked_narrow(reference);
  const auto epoch =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  return orb::remote(manager.peer, object, [&] {
    const v2::ClientAttachment_var attachment = manager.object->attach_client(
        client_name.c_str(), epoch, v2::protocol_version, manager.observer_reference);
    manager.session = SessionId{attachment->session};
    manager.observer->expect(manager.session);
    manager.inbox = v2::RequestInbox::_duplicate(attachment->inbox);
    manager.inbox->submit_requests(attachment->session, 0, 0,
                                   v2::RequestBatch{});  // opens the connection
    session::Limits limits =
        orb::within_connection(session::Limits{}.agreed(attachment->batches_in_flight));
    limits.lease = std::chrono::seconds{60};
    manager.link = std::make_unique<ClientSession>(limits, steady_now());
  });
}

RunFigures CorbaTarget::run(const RunPlan& plan, Workload workload, Media* media,
                            Duration progress_interval,
                            const std::function<void(const Progress&)>& progress, RecordSink* sink,
                            TimePoint begin, const std::function<bool()>& stop) {
  serial_.post([&] {
    media_ = media;
    offering_ = std::make_unique<Offering>(plan, std::move(workload),
                                           media != nullptr ? &media->check : nullptr, sink);
    // A call that waits for the one before is not to wait for anything else.
    between_sends_ = plan.arrivals == Arrivals::kOneAtATime ? Duration::zero() : kBetweenSends;
    offering_->start(std::max(begin, steady_now()));
    player_ = offering_.get();
  });
  if (media != nullptr) {
    media->lines.start([this, media](const std::string& endpoint,
                                     std::vector<dataplane::Cell> cells, TimePoint when) {
      serial_.post([media, endpoint, cells = std::move(cells), when] {
        for (const dataplane::Cell& cell : cells) media->check.arrived(endpoint, cell, when);
      });
    });
  }
  wait_until_finished(progress_interval, progress, stop);
  if (media != nullptr) {
    if (const auto stopped = media->lines.stop(); !stopped) log::error("{}", stopped.error().text);
  }
  std::promise<RunFigures> figures;
  serial_.post([&] {
    media_ = nullptr;
    figures.set_value(offering_->runner.figures());
  });
  return figures.get_future().get();
}

void CorbaTarget::play(Player& player, const std::function<bool()>& stop) {
  serial_.post([&] {
    player.start(steady_now());
    player_ = &player;
  });
  wait_until_finished(Duration::zero(), {}, stop);
  std::promise<void> over;
  serial_.post([&] {
    player_ = nullptr;  // it is the caller's
    over.set_value();
  });
  over.get_future().wait();
}

void CorbaTarget::wait_until_finished(Duration progress_interval,
                                      const std::function<void(const Progress&)>& progress,
                                      const std::function<bool()>& stop) {
  std::unique_lock lock(finished_mutex_);
  const bool show = progress_interval > Duration::zero() && progress;
  TimePoint show_at = show ? steady_now() + progress_interval : kNever;
  bool stopped = false;
  while (!finished_) {
    if (!show && !stop) {
      finished_wake_.wait(lock);
      continue;
    }
    const TimePoint now = steady_now();
    finished_wake_.wait_for(lock, stop ? std::min(show_at - now, kLookForStop) : show_at - now);
    if (finished_) break;
    lock.unlock();
    if (!stopped && stop && stop()) {
      stopped = true;
      serial_.post([this] { player_->stop(steady_now()); });
    }
    if (show && steady_now() >= show_at) {
      std::promise<Progress> told;
      serial_.post([&] { told.set_value(offering_->runner.progress(steady_now())); });
      progress(told.get_future().get());
      show_at = steady_now() + progress_interval;
    }
    lock.lock();
  }
}

void CorbaTarget::detach() {
  std::promise<void> ended;
  serial_.post([&] {
    lost_ = true;  // nothing is sent any more
    ended.set_value();
  });
  ended.get_future().wait();
  for (Manager& manager : managers_) {
    const auto detached = orb::remote("manager " + manager.name, manager.object, [&] {
      manager.object->detach_client(manager.session.value());
    });
    if (!detached) log::warn("{}", detached.error().text);
  }
}

// --- within the Serial ------------------------------------------------------------------------------

void CorbaTarget::after_drain() {
  if (player_ == nullptr) return;
  const TimePoint now = steady_now();
  for (std::size_t manager = 0; manager < managers_.size(); ++manager) {
    tick(manager, now);
    send_waiting(manager, now);
  }
  advance_media(now);
  if (now >= next_send_) {
    for (Dispatch& dispatch : player_->advance(now)) {
      send_or_keep(dispatch, now);
      next_send_ = now + between_sends_;
    }
  }
  transmit(now);
  if (player_->finished() && media_ != nullptr && !media_->check.idle(now)) {
    timer_.set(std::min({media_deadline(now), lost_ ? kNever : links_deadline(),
                         lost_ ? kNever : faults_.next_deadline()}));
    return;
  }
  if (player_->finished()) {
    const std::lock_guard lock(finished_mutex_);
    finished_ = true;
    finished_wake_.notify_all();
    timer_.set(lost_ ? kNever : std::min(links_deadline(), faults_.next_deadline()));
    return;
  }
  const TimePoint run_deadline =
      std::min(std::max(player_->next_deadline(), next_send_), media_deadline(now));
  timer_.set(lost_ ? run_deadline
                   : std::min({run_deadline, links_deadline(), faults_.next_deadline()}));
}

// Before the runner's turn: a call whose check is over may be released in the same turn.
void CorbaTarget::advance_media(TimePoint now) {
  if (media_ == nullptr) return;
  for (const CellsOut& out : media_->check.advance(now))
    media_->lines.send(out.endpoint, out.cells);
  for (const std::uint64_t call : media_->check.take_inspected())
    offering_->runner.inspected(call, now);
}

TimePoint CorbaTarget::media_deadline(TimePoint now) const {
  if (media_ == nullptr) return kNever;
  const TimePoint quiet = media_->check.quiet_at();
  const bool waits_for_silence = player_->finished() && quiet > now;
  return std::min(media_->check.next_deadline(), waits_for_silence ? quiet : kNever);
}

TimePoint CorbaTarget::silence_ends(const Manager& manager) {
  return manager.heard || manager.first_sent == kNever ? kNever : manager.first_sent + kFirstAnswer;
}

void CorbaTarget::tick(std::size_t manager, TimePoint now) {
  if (lost_) return;
  if (silence_ends(managers_[manager]) <= now) {
    lose(no_answer_from(managers_[manager].name,
                        orb::address_of(managers_[manager].observer_reference)),
         now);
    return;
  }
  std::vector<RequestFrame> frames;
  if (const auto ticked = managers_[manager].link->tick(now, frames); !ticked) {
    lose(ticked.error().text, now);
    return;
  }
  for (RequestFrame& frame : frames) outbox_.push_back({manager, std::move(frame)});
}

void CorbaTarget::send_waiting(std::size_t manager, TimePoint now) {
  auto& waiting = managers_[manager].waiting;
  while (!waiting.empty() && !lost_ && managers_[manager].link->has_credit()) {
    hand_to_link(manager, std::move(waiting.front()), now);
    waiting.pop_front();
  }
}

void CorbaTarget::send_or_keep(Dispatch& dispatch, TimePoint now) {
  if (lost_) return;
  Manager& manager = managers_[dispatch.manager];
  if (manager.waiting.empty() && manager.link->has_credit())
    hand_to_link(dispatch.manager, std::move(dispatch.batch), now);
  else
    manager.waiting.push_back(std::move(dispatch.batch));
}

void CorbaTarget::hand_to_link(std::size_t manager, RequestBatch&& batch, TimePoint now) {
  const std::size_t octets = octets_of(batch);
  managers_[manager].first_sent = std::min(managers_[manager].first_sent, now);
  outbox_.push_back({manager, managers_[manager].link->send(std::move(batch), octets, now)});
}

TimePoint CorbaTarget::links_deadline() const {
  TimePoint deadline = kNever;
  for (const Manager& manager : managers_) {
    deadline = std::min({deadline, manager.link->next_deadline(), silence_ends(manager)});
  }
  return deadline;
}

void CorbaTarget::on_outcomes(std::size_t manager, session::Frame<OutcomeBatch> frame,
                              TimePoint now) {
  managers_[manager].heard = true;
  if (player_ == nullptr || lost_) return;
  if (const auto received = managers_[manager].link->receive(std::move(frame), now, in_order_);
      !received) {
    in_order_.clear();
    lose(received.error().text, now);
    return;
  }
  for (const auto& batch : in_order_) player_->answered(*batch, manager, now);
  in_order_.clear();
}

void CorbaTarget::transmit(TimePoint now) {
  if (!lost_) {
    faults_.pass(
        outbox_, [](const Outgoing& outgoing) { return std::uint64_t{outgoing.manager}; }, now);
  }
  for (const Outgoing& outgoing : outbox_) {
    if (!lost_) send(outgoing, now);
  }
  outbox_.clear();
}

void CorbaTarget::send(const Outgoing& outgoing, TimePoint now) {
  static const RequestBatch kNothing;
  const RequestFrame& frame = outgoing.frame;
  Manager& manager = managers_[outgoing.manager];
  orb::to_idl(frame.batch ? *frame.batch : kNothing, on_the_wire_);
  const auto sent = orb::remote(manager.peer, manager.inbox, [&] {
    manager.inbox->submit_requests(manager.session.value(), frame.seq.value(),
                                   frame.confirmed.value(), on_the_wire_);
  });
  if (!sent) lose(sent.error().text, now);
}

void CorbaTarget::lose(const std::string& reason, TimePoint now) {
  if (lost_) return;
  log::error("the run ends early: {}", reason);
  lost_ = true;
  for (Manager& manager : managers_) manager.waiting.clear();
  player_->target_lost(now);
}

}  // namespace xbind::callgen
