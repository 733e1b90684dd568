#include "keeper/program.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <optional>
#include <random>
#include <utility>

#include "core/durable_file.hpp"
#include "core/log.hpp"
#include "core/log_output.hpp"
#include "core/output.hpp"
#include "core/resident_memory.hpp"
#include "core/steady_now.hpp"
#include "keeper/alarm_conditions.hpp"
#include "keeper/remote_list.hpp"
#include "keeper/status_document.hpp"

namespace xbind::keeper {
namespace {

client::Options client_options(const Options& options) {
  client::Options made;
  made.manager = options.manager;
  made.client = options.common.name;
  made.name_service = options.common.name_service;
  made.own_numbers = true;
  // A request waits for the manager as long as it takes; a failed one would be set up anew.
  made.limits.reach_within = client::kForever;
  return made;
}

// Waits for one of the signals that take_signals() has blocked; nullopt: `patience` has passed.
std::optional<int> wait_for_signal(std::optional<Duration> patience = {}) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  for (;;) {
    int number = -1;
    if (patience) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*patience);
      const timespec wait{seconds.count(), (*patience - seconds).count()};
      number = sigtimedwait(&signals, nullptr, &wait);
    } else {
      number = sigwaitinfo(&signals, nullptr);
    }
    if (number > 0) return number;
    if (errno != EINTR) return std::nullopt;
  }
}

}  // namespace

Limits Options::limits() const {
  Limits limits;
  limits.check = std::chrono::milliseconds(check_ms);
  limits.retry = {std::chrono::milliseconds(retry_min_ms), std::chrono::milliseconds(retry_max_ms)};
  limits.at_once = at_once;
  return limits;
}

Program::Program(orb::Runtime& runtime, const Options& options, std::vector<Wanted> tables)
    : options_(options),
      names_(runtime.orb(), options.common.name_service),
      file_turns_([this] { return load_file(); },
                  [this](std::vector<Wanted> read) { return take_file(std::move(read)); }),
      keeper_(options.limits(), std::random_device{}()),  // differs from earlier runs
      explain_at_(steady_now() + kKeeperTimers["unattached-pause"]),
      serial_([this] { after_drain(); }),
      timer_([this] { post([](TimePoint) {}); }) {
  keeper_.want(std::move(tables), steady_now());
  client_ = std::make_unique<client::Client>(runtime, client_options(options));
  client_->on_session([this](const Result<void>& change) { session_changed(change); });
  client_->on_notice([this](const Notice& notice) {
    post([this, notice](TimePoint now) { keeper_.noticed(notice, now); });
  });
  // The session may have begun before the callback was set.
  if (client_->status().state == client::Requester::State::kAttached) session_changed({});
  post([](TimePoint) {});  // sets the timer
}

Program::~Program() {
  std::promise<void> closed;
  post([&](TimePoint) {
    closing_ = true;
    keeper_.detached();
    closed.set_value();
  });
  closed.get_future().wait();
  client_.reset();
  timer_.stop();
  worker_.finish();
  if (!options_.status_file.empty()) store(keeper_.wanted(), false);
}

orb::Ending Program::run() {
  for (;;) {
    const auto number = wait_for_signal();
    if (number == SIGHUP) {
      hang_up();
      continue;
    }
    const std::string why = number == SIGINT ? "after SIGINT" : "after SIGTERM";
    orb::Ending ended = ending(why);
    if (ended.exit_code != 0) return ended;
    log::info("shutting down {}", ended.why);
    return options_.release_at_end ? release_all(std::move(ended)) : ended;
  }
}

orb::Ending Program::ending(const std::string& otherwise) const {
  const std::lock_guard lock(mutex_);
  return ending_.value_or(orb::Ending{0, otherwise});
}

void Program::end(int exit_code, std::string why) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return;
    ending_ = orb::Ending{exit_code, std::move(why)};
  }
  kill(getpid(), SIGTERM);  // blocked in every thread: run() gets it
}

void Program::open_log_again() const {
  // Without a file hang_up() would say that the signal changes nothing.
  if (!options_.common.log.file.empty()) log::hang_up();
}

void Program::hang_up() {
  open_log_again();
  if (const auto read = read_file_again(); !read) {
    log::error("{}; the connections stay as they were", read.error().text);
  }
}

Result<FileChange> Program::read_file_again() { return file_turns_.read_again(); }

Result<std::vector<Wanted>> Program::load_file() {
  auto tables = load_connections(options_.connections);
  post([this, refused = !tables](TimePoint) {
    ++file_counters_.read;
    if (refused) ++file_counters_.refused;
  });
  return tables;
}

Result<FileChange> Program::take_file(std::vector<Wanted> tables) {
  std::promise<Result<FileChange>> changed;
  post([&](TimePoint now) {
    if (releasing_) {
      return changed.set_value(fail(ErrorCode::kBadInput, "this keeper releases its calls"));
    }
    changed.set_value(keeper_.want(std::move(tables), now));
  });
  auto change = changed.get_future().get();
  if (!change) return change;
  log::info("{} read again: {} added, {} removed, {} changed, {} as before", options_.connections,
            change->added.size(), change->removed.size(), change->changed.size(), change->kept);
  return change;
}

void Program::ask_conditions(std::function<void(std::vector<AlarmCondition>)> done) {
  post([this, done = std::move(done)](TimePoint) {
    done(conditions_of(keeper_.wanted(), options_.manager, keeper_.attached()));
  });
}

orb::Ending Program::release_all(orb::Ending ended) {
  post([this](TimePoint now) {
    releasing_ = true;
    keeper_.want({}, now);
  });
  while (wait_for_signal(kKeeperTimers["release-patience"]) == SIGHUP) open_log_again();
  ended = ending(ended.why);
  bool left = true;
  std::promise<void> asked;
  post([&](TimePoint) {
    left = !keeper_.nothing_left();
    asked.set_value();
  });
  asked.get_future().wait();
  if (left && ended.exit_code == 0) return {1, "not all calls were released"};
  return ended;
}

exporter::Part Program::exposed_part() {
  return {.name = "the keeper",
          .labels = {},
          .ask =
              [this](std::function<void(exporter::Reading)> done) {
                post([this, done = std::move(done)](TimePoint now) { done(reading(now)); });
              },
          .append = [](Metrics& metrics) { append_process_metrics(own_resident_kib(), metrics); }};
}

// ===== within the Serial =====

exporter::Reading Program::reading(TimePoint now) const {
  exporter::Reading read{metrics_of(keeper_, file_counters_, now), {}, {}};
  if (!keeper_.attached()) {
    read.not_ready.push_back(fmt::format("no session with manager {}", options_.manager));
  } else if (!keeper_.informed()) {
    read.not_ready.push_back(fmt::format(
        "the calls of manager {} have not been read in this session", options_.manager));
  } else if (keeper_.held_back(now)) {
    read.not_ready.push_back(fmt::format("manager {} has not read {} switches since its restart",
                                         options_.manager, keeper_.unread_switches()));
  }
  return read;
}

void Program::post(std::function<void(TimePoint)> job) {
  serial_.post([job = std::move(job)] { job(steady_now()); });
}

void Program::session_changed(const Result<void>& change) {
  if (!change) {
    const ErrorCode code = change.error().code;
    // The client tries again after every other error.
    if (code == ErrorCode::kFenced) end(orb::kExitReplaced, change.error().text);
    if (code == ErrorCode::kVersion || code == ErrorCode::kBadInput) end(1, change.error().text);
  }
  post([this, attached = change.has_value(),
        text = change ? "" : change.error().text](TimePoint now) {
    if (closing_) return;
    if (attached) {
      log::info("attached to manager {} as client {}", options_.manager, options_.common.name);
      keeper_.attached(now);
    } else {
      log::warn("no session with manager {}: {}", options_.manager, text);
      keeper_.detached();
    }
  });
}

void Program::after_drain() {
  if (closing_) return;
  const TimePoint now = steady_now();
  Keeper::Work work = keeper_.step(now);
  for (client::Request& request : work.requests) {
    const RequestId number = std::visit([](const auto& each) { return each.request; }, request);
    client_->submit(std::move(request), [this, number](const client::Answer& answer) {
      post([this, number, answer](TimePoint at) { keeper_.answered(number, answer, at); });
    });
  }
  if (work.look) worker_.post([this] { look(); });
  if (!ready_ && keeper_.informed()) say_ready();
  if (releasing_ && keeper_.nothing_left()) end(0, "after SIGTERM; every call is released");
  if (!options_.status_file.empty()) write_status(now);
  TimePoint next = keeper_.next_deadline();
  if (keeper_.attached() || now >= explain_at_) {
    if (!keeper_.attached()) worker_.post([this] { explain_absence(); });
    explain_at_ = now + kKeeperTimers["unattached-pause"];
  }
  if (!keeper_.attached()) next = std::min(next, explain_at_);
  if (!options_.status_file.empty()) {
    next = std::min(next, status_pace_.deadline(keeper_.revision()));
  }
  timer_.set(next);
}

void Program::say_ready() {
  ready_ = true;
  const WantedCalls& wanted = keeper_.wanted();
  announce(fmt::format("xbind-keeper {} ready: {} connections of {} calls, of which {} are up",
                       options_.common.name, wanted.entries().size(), wanted.size(),
                       wanted.count(CallState::kUp)));
}

void Program::write_status(TimePoint now) {
  if (!status_pace_.begin(keeper_.revision(), now)) return;
  const auto wanted = std::make_shared<const WantedCalls>(keeper_.wanted());
  worker_.post([this, wanted, attached = keeper_.attached()] {
    store(*wanted, attached);
    post([this](TimePoint) { status_pace_.ended(); });
  });
}

// ===== on the worker's thread =====

void Program::look() {
  const std::string peer = "manager " + options_.manager;
  std::uint64_t unread = 0;
  std::vector<ListedCall> calls;
  const auto read = [&]() -> Result<void> {
    const auto manager = client::TwoWay::find(names_, options_.manager, peer);
    if (!manager) return tl::make_unexpected(manager.error());
    const auto number = unread_switches(*manager);
    if (!number) return tl::make_unexpected(number.error());
    unread = *number;
    return manager->for_each_connection(
        options_.common.name,
        [&](const v2::ConnectionState& state) { calls.push_back(listed_call(state)); });
  }();
  if (!read) {
    log_.failed(peer, read.error().text);
    post([this](TimePoint now) { keeper_.look_failed(now); });
    return;
  }
  log_.well(peer);
  post([this, unread, calls = std::move(calls)](TimePoint now) {
    keeper_.looked(calls, unread, now);
  });
}

// The client tries to attach without a word.
void Program::explain_absence() {
  const std::string peer = "manager " + options_.manager;
  const auto manager = client::TwoWay::find(names_, options_.manager, peer);
  log_.failed(peer, manager ? fmt::format("{} at {} is bound, but there is no session with it",
                                          peer, manager->address())
                            : manager.error().text);
}

void Program::store(const WantedCalls& wanted, bool attached) {
  const StatusHead head{
      .client = options_.common.name,
      .manager = options_.manager,
      .attached = attached,
      .now = steady_now(),
      .wall = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now())};
  const auto stored = replace_file(options_.status_file, status_document(head, wanted));
  if (!stored) {
    log_.failed(options_.status_file, stored.error().text);
  } else {
    log_.well(options_.status_file);
  }
}

}  // namespace xbind::keeper
