#include "client/corba/client.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "client/corba/manager_link.hpp"
#include "client/corba/worker.hpp"
#include "client/timers.hpp"
#include "core/steady_now.hpp"
#include "orb/runtime.hpp"

namespace xbind::client {
namespace {

std::unique_ptr<orb::Runtime> start_orb(const Options& options) {
  std::string program = "xbind-client";
  char* arguments[] = {program.data(), nullptr};
  return std::make_unique<orb::Runtime>(
      1, arguments, orb::RuntimeOptions{options.listen_address, options.call_timeout_ms});
}

Identity identity_of(const Options& options) {
  Identity identity{options.client, options.manager, Epoch{options.epoch}};
  if (identity.client.empty()) identity.client = fmt::format("client-{}", getpid());
  return identity;
}

Limits limits_of(const Options& options) {
  Limits limits = options.limits;
  limits.session = orb::within_connection(limits.session);
  // The low digits of the time are random enough.
  const auto digits = steady_now().time_since_epoch().count() % 1000;
  if (limits.jitter == 0) limits.jitter = static_cast<double>(digits) / 1000;
  return limits;
}

// A caller that waits for an answer, with a time-out.
class Waiting {
 public:
  // Returns the answer; nullopt when none came within `patience`: later answers are refused.
  std::optional<Answer> wait(Duration patience) {
    std::unique_lock lock(mutex_);
    const bool there = came_.wait_for(lock, patience, [this] { return answer_.has_value(); });
    gone_ = !there;
    return std::move(answer_);
  }
  // False: the caller has stopped waiting.
  bool take(const Answer& answer) {
    const std::lock_guard lock(mutex_);
    if (gone_) return false;
    answer_ = answer;
    came_.notify_one();
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::optional<Answer> answer_;
  bool gone_ = false;
};

// Longer waits would overflow a TimePoint.
Duration bounded(Duration patience) {
  return std::clamp(patience, Duration::zero(), kClientTimers["answer-within-max"]);
}

Answer without_outcome(Error why, bool sent) {
  why.text += sent ? "; the outcome is not known" : "; the request was not sent";
  return tl::make_unexpected(std::move(why));
}

}  // namespace

// State that the threads share. The handlers belong to the Serial.
class Client::Work {
 public:
  // Handles an answer within the Serial: must not block.
  using Handler = std::function<void(const Answer&)>;

  Work(orb::Runtime& runtime, const Options& options, const Identity& identity)
      : identity_(identity),
        options_(options),
        limits_(limits_of(options)),
        link_(runtime, options.name_service, identity_, limits_, events()) {}

  // Callbacks may still use the client while the last ones run.
  ~Work() {
    link_.run([this](Requester& requester, TimePoint now) {
      closing_ = true;
      closed_ = requester.state() == Requester::State::kEnded;
      requester.end(now);
    });
    callbacks_.finish();
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  Result<void> wait_until_attached(Duration patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, bounded(patience), [this] { return attached_ || ended_; });
    if (ended_) return tl::make_unexpected(*ended_);
    if (attached_) return {};
    lock.unlock();
    std::string why;
    link_.run([&](Requester& requester, TimePoint) { why = requester.last_failure().text; });
    return fail(ErrorCode::kTimeout, "client {} was not attached to manager {} within {} ms: {}",
                identity_.client, identity_.manager,
                std::chrono::duration_cast<std::chrono::milliseconds>(bounded(patience)).count(),
                why);
  }

  void submit(Request request, Handler handler) {
    if (!options_.own_numbers) std::visit([](auto& each) { each.request = RequestId{}; }, request);
    link_.post([this, request = std::move(request), handler = std::move(handler)](
                   Requester& requester, TimePoint) mutable {
      if (callbacks_.waiting() >= limits_.open_max) {
        handler(fail(ErrorCode::kExhausted, "{} callbacks wait to run; no request is accepted",
                     callbacks_.waiting()));
        return;
      }
      const RequestId own = std::visit([](const auto& each) { return each.request; }, request);
      if (handlers_.contains(own)) {
        handler(fail(ErrorCode::kBadInput, "request number {} has no answer yet", own));
        return;
      }
      const auto number = requester.submit(std::move(request));
      if (number) {
        handlers_.emplace(*number, std::move(handler));
      } else {
        handler(tl::make_unexpected(number.error()));
      }
    });
  }

  // Returns a handler that runs `callback` on the callback thread.
  Handler calling(Callback callback) {
    return [this, callback = std::move(callback)](const Answer& answer) {
      if (closed_) return;  // else a callback that resubmits would never end
      callbacks_.post([callback, answer] { callback(answer); });
    };
  }

  // Submits and waits for the answer. `makes_connection`: releases a connection that comes up too
  // late.
  Answer ask(Request request, bool makes_connection = false) {
    const auto waiting = std::make_shared<Waiting>();
    submit(std::move(request), [this, waiting, makes_connection](const Answer& answer) {
      if (!waiting->take(answer) && makes_connection) release_late_connection(answer);
    });
    const Duration patience = bounded(options_.answer_within);
    if (auto answer = waiting->wait(patience)) return std::move(*answer);
    return fail(ErrorCode::kTimeout,
                "no answer of manager {} within {} ms; the outcome is not known", identity_.manager,
                std::chrono::duration_cast<std::chrono::milliseconds>(patience).count());
  }

  void on_notice(std::function<void(const Notice&)> callback) {
    link_.post(
        [this, callback = std::move(callback)](Requester&, TimePoint) { on_notice_ = callback; });
  }
  void on_session(std::function<void(const Result<void>&)> callback) {
    link_.post(
        [this, callback = std::move(callback)](Requester&, TimePoint) { on_session_ = callback; });
  }

  Status status() {
    Status status;
    link_.run([&](Requester& requester, TimePoint) {
      status = {requester.state(),   requester.session(),  requester.open(),
                requester.waiting(), requester.counters(), requester.session_counters(),
                notices_dropped_};
    });
    return status;
  }

 private:
  ManagerLink::Events events() {
    return {
        [this](const Outcome& outcome) { answer(outcome.request, outcome); },
        [this](const Failure& failure) {
          for (const RequestId request : failure.unsent) {
            answer(request, without_outcome(failure.why, false));
          }
          for (const RequestId request : failure.unknown) {
            answer(request, without_outcome(failure.why, true));
          }
        },
        [this](const Notice& notice) { notify(notice); },
        [this](const SessionChange& change) { change_session(change); },
        [this](const Error& why) { end(why); },
    };
  }

  void answer(RequestId request, const Answer& answer) {
    auto handler = handlers_.extract(request);
    if (!handler.empty()) handler.mapped()(answer);
  }

  void notify(const Notice& notice) {
    if (!on_notice_ || callbacks_.waiting() >= 2 * limits_.open_max) {
      ++notices_dropped_;
      return;
    }
    callbacks_.post([callback = on_notice_, notice] { callback(notice); });
  }

  void change_session(const SessionChange& change) {
    {
      const std::lock_guard lock(mutex_);
      attached_ = !change.lost;
      changed_.notify_all();
    }
    if (!on_session_) return;
    Result<void> result;
    if (change.lost) result = tl::make_unexpected(*change.lost);
    callbacks_.post([callback = on_session_, result] { callback(result); });
  }

  // Runs after the answers to the open requests.
  void end(const Error& why) {
    closed_ = closing_;
    {
      const std::lock_guard lock(mutex_);
      attached_ = false;
      ended_ = why;
      changed_.notify_all();
    }
    if (on_session_) {
      callbacks_.post([callback = on_session_, why] { callback(tl::make_unexpected(why)); });
    }
  }

  // The caller of connect() has timed out, so nothing else would release the connection.
  void release_late_connection(const Answer& answer) {
    const bool up =
        answer && (answer->kind == OutcomeKind::kConnected || answer->kind == OutcomeKind::kHeld);
    if (up) submit(ReleaseRequest{{}, answer->connection}, [](const Answer&) {});
  }

  const Identity identity_;
  const Options options_;
  const Limits limits_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool attached_ = false;
  std::optional<Error> ended_;

  // Used within the Serial.
  std::unordered_map<RequestId, Handler> handlers_;  // of the open requests
  std::function<void(const Notice&)> on_notice_;
  std::function<void(const Result<void>&)> on_session_;
  std::uint64_t notices_dropped_ = 0;
  bool closing_ = false;  // the client is being destroyed
  bool closed_ = false;   // and its open requests are answered

  Worker callbacks_;
  // Declared last, so destroyed first: its events use the other members.
  ManagerLink link_;
};

Client::Client(const Options& options) : own_runtime_(start_orb(options)) {
  work_ = std::make_unique<Work>(*own_runtime_, options, identity_of(options));
}

Client::Client(orb::Runtime& runtime, const Options& options)
    : work_(std::make_unique<Work>(runtime, options, identity_of(options))) {}

Client::~Client() = default;

Result<void> Client::wait_until_attached(Duration patience) {
  return work_->wait_until_attached(patience);
}

std::future<Answer> Client::submit(Request request) {
  const auto promise = std::make_shared<std::promise<Answer>>();
  std::future<Answer> answer = promise->get_future();
  work_->submit(std::move(request), [promise](const Answer& it) { promise->set_value(it); });
  return answer;
}

void Client::submit(Request request, Callback callback) {
  work_->submit(std::move(request), work_->calling(std::move(callback)));
}

void Client::on_notice(std::function<void(const Notice&)> callback) {
  work_->on_notice(std::move(callback));
}

void Client::on_session(std::function<void(const Result<void>&)> callback) {
  work_->on_session(std::move(callback));
}

Result<Connected> Client::connect(const std::string& from, const std::string& to,
                                  const ServiceSpec& service) {
  ConnectRequest request;
  request.from = from;
  request.to = to;
  request.service = service;
  return connect(std::move(request));
}

Result<Connected> Client::connect(ConnectRequest request) {
  if (request.hold_ms != 0) {
    return fail(ErrorCode::kBadInput, "a hold of {} ms is no connection: use hold()",
                request.hold_ms);
  }
  return connected(work_->ask(std::move(request), true));
}

Result<ConnectionId> Client::hold(ConnectRequest request) {
  if (request.hold_ms == 0) return fail(ErrorCode::kBadInput, "a hold lasts 0 ms");
  return held(work_->ask(std::move(request), true));
}

Result<Connected> Client::commit(ConnectionId connection) {
  return connected(work_->ask(CommitRequest{{}, connection}));
}

Result<void> Client::release(ConnectionId connection) {
  return done(OutcomeKind::kReleased, work_->ask(ReleaseRequest{{}, connection}));
}

Result<void> Client::modify(ConnectionId connection, const ServiceSpec& service,
                            const std::optional<ServiceSpec>& reverse) {
  return done(OutcomeKind::kModified, work_->ask(ModifyRequest{{}, connection, service, reverse}));
}

Result<Label> Client::add_leaf(ConnectionId connection, const std::string& end) {
  const Answer answer =
      expect(OutcomeKind::kLeafAdded, work_->ask(LeafRequest{{}, connection, end, false}));
  if (!answer) return tl::make_unexpected(answer.error());
  return answer->egress;
}

Result<void> Client::drop_leaf(ConnectionId connection, const std::string& end) {
  return done(OutcomeKind::kLeafDropped, work_->ask(LeafRequest{{}, connection, end, true}));
}

Status Client::status() { return work_->status(); }

}  // namespace xbind::client
