#include "callgen/corba/corba_target.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "callgen/timers.hpp"
#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "naming/names.hpp"
#include "orb/remote_error.hpp"

namespace xbind::callgen {
namespace {

// The minimum time between looks for due requests. Requests due within it travel together, because
// a message and a wake-up cost many times as much as a request. The slip shows the delay.
constexpr Duration kBetweenSends = kCallgenTimers["send-pause"];

// Of endpoints and demands in one page of the topology.
constexpr CORBA::ULong kPage = 10'000;

// The longest time until a request to stop is noticed.
constexpr Duration kLookForStop = kCallgenTimers["stop-look"];

// A manager that can reach this process confirms the first batch within milliseconds. After a
// silence of this length the rest of the run would be unanswered as well.
constexpr Duration kFirstAnswer = kCallgenTimers["first-answer"];

// By default the kernel lets a thread sleep up to 50 us longer than requested.
void wake_exactly() {
  thread_local const int ignored = prctl(PR_SET_TIMERSLACK, 1UL);
  static_cast<void>(ignored);
}

client::Limits limits_of_a_run(OnLoss on_loss) {
  client::Limits limits;
  limits.open_max = RunPlan{}.max_open_calls;  // each has one request under way
  limits.requests_per_batch = 4096;            // the limit of --client-batch
  limits.reattach = on_loss == OnLoss::kReattach;
  if (!limits.reattach) limits.reach_within = client::kForever;
  limits.first_answer = kFirstAnswer;
  limits.session.lease = kCallgenTimers["lease"];
  limits.session = orb::within_connection(limits.session);
  return limits;
}

}  // namespace

CorbaTarget::Manager::Manager(CorbaTarget& target, std::size_t place, const std::string& its_name,
                              CORBA::Object_ptr reference, const client::Identity& identity)
    : index(place),
      name(its_name),
      peer("manager " + its_name),
      object(v2::ConnectionManager::_unchecked_narrow(reference)),
      requester(identity, limits_of_a_run(target.on_loss_)),
      sender(peer),
      observer(target.runtime_, [&target, this](client::ManagerMessage message) {
        target.serial_.post([&target, this, message = std::move(message)]() mutable {
          target.on_message(*this, std::move(message));
        });
      }) {}

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
                         const ImpairmentOptions& impairments, OnLoss on_loss)
    : runtime_(runtime),
      names_(runtime.orb(), name_service),
      on_loss_(on_loss),
      impairments_(impairments, "xbind-callgen"),
      outbox_(impairments_, "client-to-manager", "to_managers"),
      serial_([this] { after_drain(); }),
      timer_([this] {
        wake_exactly();
        serial_.post([] {});
      }) {}

CorbaTarget::~CorbaTarget() {
  reattaching_.finish();
  for (const auto& manager : managers_) manager->observer.forget();
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
  auto manager = std::make_unique<Manager>(*this, managers_.size(), name, object,
                                           client::Identity{client_name, name});
  const client::Attach wanted = within([&] {
    const TimePoint now = steady_now();
    manager->requester.start(now);
    manager->requester.flush(now, actions_);
    return *actions_.attach;
  });
  const auto attachment =
      client::attach(manager->peer, manager->object, wanted, manager->observer.reference());
  const std::optional<Error> failed = within([&] {
    const TimePoint now = steady_now();
    client::Requester& requester = manager->requester;
    if (attachment) {
      manager->sender.open(attachment->inbox);
      requester.attached(wanted.attempt, attachment->session, attachment->window, attachment->epoch,
                         now);
    } else {
      requester.attach_failed(wanted.attempt, attachment.error(), now);
      return std::optional{attachment.error()};  // a run does not begin without a manager
    }
    return requester.ended();
  });
  if (failed) {
    manager->observer.forget();
    within([] {});  // after the messages that it has posted
    return tl::make_unexpected(*failed);
  }
  within([&] { managers_.push_back(std::move(manager)); });
  return {};
}

RunFigures CorbaTarget::run(const RunPlan& plan, Workload workload, Media* media,
                            Duration progress_interval,
                            const std::function<void(const Progress&)>& progress, RecordSink* sink,
                            TimePoint begin, const Steering& steering) {
  serial_.post([&] {
    media_ = media;
    offering_ = std::make_unique<Offering>(plan, std::move(workload),
                                           media != nullptr ? &media->check : nullptr, sink);
    // One at a time: a call that waits for the previous one must not wait for anything else.
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
  wait_until_finished(progress_interval, progress, steering);
  if (media != nullptr) {
    if (const auto stopped = media->lines.stop(); !stopped) log::error("{}", stopped.error().text);
  }
  return within([this] {
    media_ = nullptr;
    return offering_->runner.figures();
  });
}

// From the thread that waits for the run.
class CorbaTarget::Hands final : public Conduct {
 public:
  explicit Hands(CorbaTarget& target) : target_(target) {}
  OfferView offer() override {
    return target_.within([this] { return target_.offering_->runner.offer(steady_now()); });
  }
  Result<std::string> perform(const RunCommand& command) override {
    return target_.within([&] { return target_.offering_->runner.perform(command, steady_now()); });
  }

 private:
  CorbaTarget& target_;
};

void CorbaTarget::play(Player& player, const std::function<bool()>& stop) {
  serial_.post([&] {
    player.start(steady_now());
    player_ = &player;
  });
  wait_until_finished(Duration::zero(), {}, {.stop = stop, .operate = {}});
  within([this] { player_ = nullptr; });  // the caller owns it
}

void CorbaTarget::wait_until_finished(Duration progress_interval,
                                      const std::function<void(const Progress&)>& progress,
                                      const Steering& steering) {
  Hands hands(*this);
  std::unique_lock lock(finish_.mutex);
  const bool show = progress_interval > Duration::zero() && progress;
  TimePoint show_at = show ? steady_now() + progress_interval : kNever;
  bool stopped = false;
  while (!finish_.reached) {
    if (!show && !steering) {
      finish_.wake.wait(lock);
      continue;
    }
    const TimePoint now = steady_now();
    finish_.wake.wait_for(lock, steering ? std::min(show_at - now, kLookForStop) : show_at - now);
    if (finish_.reached) break;
    lock.unlock();
    if (steering.operate) steering.operate(hands);
    if (!stopped && steering.stop && steering.stop()) {
      stopped = true;
      serial_.post([this] { player_->stop(steady_now()); });
    }
    if (show && steady_now() >= show_at) {
      progress(within([this] { return offering_->runner.progress(steady_now()); }));
      show_at = steady_now() + progress_interval;
    }
    lock.lock();
  }
}

void CorbaTarget::detach() {
  const std::vector<SessionOf> sessions = within([this] {
    lost_ = true;  // no more answers are needed
    const TimePoint now = steady_now();
    for (const auto& manager : managers_) {
      manager->requester.end(now);
      manager->requester.flush(now, actions_);
      for (const auto& frame : actions_.transmit) {
        // A confirmation: without it the manager remembers the last outcomes for longer.
        (void)manager->sender.send(actions_.session, frame);
      }
      actions_.transmit.clear();
      keep_for_transport(*manager);
    }
    return std::move(to_detach_);
  });
  for (const SessionOf& each : sessions) {
    const Manager& manager = *managers_[each.manager];
    const auto detached = client::detach(manager.peer, object_of(manager), each.session);
    if (!detached) log::warn("{}", detached.error().text);
  }
}

// --- on the thread of reattaching_ -----------------------------------------------------------

void CorbaTarget::reattach(Manager& manager, const client::Attach& wanted) {
  const auto object = names_.resolve(naming::path_of(naming::kConnectionManagers, manager.name));
  v2::ConnectionManager_var found;
  Result<client::Attachment> attachment;
  if (object) {
    found = v2::ConnectionManager::_unchecked_narrow(*object);
    attachment = client::attach(manager.peer, found, wanted, manager.observer.reference());
  } else {
    attachment = tl::make_unexpected(object.error());
  }
  const bool unused = within([&] {
    const TimePoint now = steady_now();
    client::Requester& requester = manager.requester;
    if (!attachment) {
      requester.attach_failed(wanted.attempt, attachment.error(), now);
      return false;
    }
    requester.attached(wanted.attempt, attachment->session, attachment->window, attachment->epoch,
                       now);
    if (requester.session() == attachment->session) {
      manager.object = found;
      manager.sender.open(attachment->inbox);
      if (player_ != nullptr && !lost_) perform(manager, now);
    }
    return requester.ended().has_value();
  });
  if (!unused) return;
  const auto detached = client::detach(manager.peer, found, attachment->session);
  if (!detached) log::warn("{}", detached.error().text);
}

// --- within the Serial ---------------------------------------------------------------------------

void CorbaTarget::after_drain() {
  if (player_ == nullptr) return;
  const TimePoint now = steady_now();
  for (const auto& manager : managers_) {
    if (lost_) break;
    if (manager->requester.next_deadline() > now) continue;
    manager->requester.tick(now);
    perform(*manager, now);
  }
  advance_media(now);
  if (now >= next_send_) {
    for (Dispatch& dispatch : player_->advance(now)) {
      submit(dispatch, now);
      next_send_ = now + between_sends_;
    }
  }
  transmit(now);
  if (player_->finished() && media_ != nullptr && !media_->check.idle(now)) {
    timer_.set(std::min({media_deadline(now), lost_ ? kNever : links_deadline(),
                         lost_ ? kNever : outbox_.next_deadline()}));
    return;
  }
  if (player_->finished()) {
    const std::lock_guard lock(finish_.mutex);
    finish_.reached = true;
    finish_.wake.notify_all();
    timer_.set(lost_ ? kNever : std::min(links_deadline(), outbox_.next_deadline()));
    return;
  }
  const TimePoint run_deadline =
      std::min(std::max(player_->next_deadline(), next_send_), media_deadline(now));
  timer_.set(lost_ ? run_deadline
                   : std::min({run_deadline, links_deadline(), outbox_.next_deadline()}));
}

// Before the runner's turn, so that a call whose check is over can be released in the same turn.
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

void CorbaTarget::on_message(Manager& manager, client::ManagerMessage&& message) {
  // Answers are stamped with the time of arrival, before any queue of this process.
  const TimePoint arrived = message.arrived;
  std::move(message).tell(manager.requester, arrived);
  // Before and after a play answers stay with the requester. It does not confirm them, so that at
  // most its window arrives.
  if (player_ != nullptr && !lost_) perform(manager, arrived);
}

void CorbaTarget::submit(Dispatch& dispatch, TimePoint now) {
  if (lost_) return;
  Manager& manager = *managers_[dispatch.manager];
  const auto taken = manager.requester.submit(std::move(dispatch.batch));
  if (!taken) {
    lose(manager, taken.error(), now);
    return;
  }
  perform(manager, now);
}

void CorbaTarget::perform(Manager& manager, TimePoint now) {
  manager.requester.flush(now, actions_);
  keep_for_transport(manager);
  for (const auto& batch : actions_.deliveries) player_->answered(*batch, manager.index, now);
  if (!actions_.unexpected.empty()) {  // the player uses them to check the manager
    OutcomeBatch unexpected;
    unexpected.outcomes.swap(actions_.unexpected);
    player_->answered(unexpected, manager.index, now);
  }
  for (const client::SessionChange& change : actions_.changes) {
    if (change.lost && !actions_.ended)
      log::warn("{}; attaching again", change.lost->text);
    else if (!change.lost && manager.requester.counters().attached > 1)
      log::warn("manager {}: session {} is open", manager.name, manager.requester.session());
  }
  if (actions_.attach) {
    reattaching_.post([this, &manager, wanted = *actions_.attach] { reattach(manager, wanted); });
  }
  if (actions_.ended)
    lose(manager, *actions_.ended, now);
  else if (!actions_.failed.empty())
    lose(manager, actions_.failed.front().why, now);
}

void CorbaTarget::keep_for_transport(const Manager& manager) {
  for (auto& frame : actions_.transmit)
    outbox_.put({manager.index, actions_.session, std::move(frame)});
  for (const SessionId session : actions_.detach) to_detach_.push_back({manager.index, session});
}

TimePoint CorbaTarget::links_deadline() const {
  TimePoint deadline = kNever;
  for (const auto& manager : managers_)
    deadline = std::min(deadline, manager->requester.next_deadline());
  return deadline;
}

void CorbaTarget::transmit(TimePoint now) {
  if (lost_) {
    outbox_.clear();
    return;
  }
  outbox_.send(now, [this, now](const Outgoing& outgoing) {
    if (lost_) return;
    Manager& manager = *managers_[outgoing.manager];
    // Frames of a lost session: their requests are repeated in the next one.
    if (outgoing.session != manager.requester.session()) return;
    const auto sent = manager.sender.send(outgoing.session, outgoing.frame);
    if (sent) return;
    manager.requester.session_failed(outgoing.session, sent.error(), now);
    perform(manager, now);  // without a session it sends nothing
  });
}

void CorbaTarget::lose(const Manager& manager, const Error& why, TimePoint now) {
  if (lost_) return;
  const bool never_reached_us = why.code == ErrorCode::kTimeout && is_unheard(manager);
  log::error("the run ends early: {}",
             never_reached_us
                 ? no_answer_from(manager.name, orb::address_of(manager.observer.reference()))
                 : why.text);
  lost_ = true;
  player_->target_lost(now);
}

bool CorbaTarget::is_unheard(const Manager& manager) {
  const client::Requester& requester = manager.requester;
  return !requester.heard() && requester.counters().answered == 0 &&
         requester.session_counters().sent > 0;
}

}  // namespace xbind::callgen
