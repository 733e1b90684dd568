#include "smds/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <random>
#include <utility>

#include "core/durable_file.hpp"
#include "core/log.hpp"
#include "core/output.hpp"
#include "core/resident_memory.hpp"
#include "core/steady_now.hpp"
#include "smds/timers.hpp"

namespace xbind::smds {
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

keeper::Limits keeper_limits(const Options& options) {
  keeper::Limits limits;
  limits.check = std::chrono::milliseconds(options.check_ms);
  limits.retry = {std::chrono::milliseconds(options.retry_min_ms),
                  std::chrono::milliseconds(options.retry_max_ms)};
  return limits;
}

std::vector<std::string> clients_of(const std::string& name, const std::vector<Port>& ports) {
  std::vector<std::string> clients{name};
  for (const Port& port : ports) {
    if (port.kind == PortKind::kTrunk) clients.push_back(port.name);
  }
  return clients;
}

}  // namespace

PduLimits Options::limits() const {
  return {.information_max = jumbo ? kJumboInformationMax : kInformationMax};
}

Program::Program(orb::Runtime& runtime, const Options& options, const Network& network,
                 std::uint32_t server, std::unique_ptr<Daemon> daemon)
    : options_(options),
      server_(network.servers[server]),
      clients_(clients_of(server_.name, daemon->ports())),
      names_(runtime.orb(), options.common.name_service),
      ports_(daemon->ports()),
      daemon_(std::move(daemon)),
      keeper_(keeper_limits(options), std::random_device{}()),  // differs from earlier runs
      labels_(ports_.size()),
      status_at_(steady_now()),
      explain_at_(steady_now() + kSmdsTimers["unattached-pause"]),
      serial_([this] { after_drain(); }),
      timer_([this] { post([](TimePoint) {}); }) {
  keeper_.want(wanted_calls(ports_, server_.endpoint,
                            kEnvelopeOctets + kHeaderOctets + options.limits().information_max +
                                kCrcOctets + kTrailerOctets),
               steady_now());
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
  daemon_.reset();  // before the worker, to which it passes snapshots
  worker_.finish();
  last_.ports.resize(ports_.size());
  if (!options_.status_dir.empty()) store(keeper_.wanted(), labels_, false, false);
}

orb::Ending Program::run() { return orb::wait_for_end(); }

exporter::Part Program::exposed_part() {
  return {.name = "the server",
          .labels = {},
          .ask =
              [this](std::function<void(exporter::Reading)> done) {
                daemon_->ask([this, done = std::move(done)](const Snapshot& snapshot) {
                  post([this, done, snapshot](TimePoint) { done(reading(snapshot)); });
                });
              },
          .append = [](Metrics& metrics) { append_process_metrics(own_resident_kib(), metrics); }};
}

// ===== within the Serial =====

LineCount Program::line_count() const {
  LineCount count{.lines = ports_.size(), .connected = 0};
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    if (line_state(ports_[index], labels_[index], keeper_.wanted()) == "connected") {
      ++count.connected;
    }
  }
  return count;
}

exporter::Reading Program::reading(const Snapshot& snapshot) const {
  const LineCount count = line_count();
  exporter::Reading read{metrics_of(keeper_, count, snapshot), {}, {}};
  if (!keeper_.attached()) {
    read.not_ready.push_back(fmt::format("no session with manager {}", options_.manager));
  }
  if (count.connected < count.lines) {
    read.not_ready.push_back(
        fmt::format("{} of {} lines are connected", count.connected, count.lines));
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
    if (code == ErrorCode::kFenced) orb::end_process(orb::kExitReplaced, change.error().text);
    if (code == ErrorCode::kVersion || code == ErrorCode::kBadInput) {
      orb::end_process(1, change.error().text);
    }
  }
  post([this, attached = change.has_value(),
        text = change ? "" : change.error().text](TimePoint now) {
    if (closing_) return;
    if (attached) {
      log::info("attached to manager {} as client {}", options_.manager, options_.common.name);
      keeper_.attached(now);
    } else {
      log::warn("no session with manager {}: {}; the lines stay as they are", options_.manager,
                text);
      keeper_.detached();
    }
  });
}

void Program::after_drain() {
  if (closing_) return;
  const TimePoint now = steady_now();
  keeper::Keeper::Work work = keeper_.step(now);
  for (client::Request& request : work.requests) {
    const RequestId number = std::visit([](const auto& each) { return each.request; }, request);
    client_->submit(std::move(request), [this, number](const client::Answer& answer) {
      post([this, number, answer](TimePoint at) { keeper_.answered(number, answer, at); });
    });
  }
  if (work.look) worker_.post([this] { look(); });
  TimePoint next = keeper_.next_deadline();
  if (keeper_.attached() || now >= explain_at_) {
    if (!keeper_.attached()) worker_.post([this] { explain_absence(); });
    explain_at_ = now + kSmdsTimers["unattached-pause"];
  }
  if (!keeper_.attached()) next = std::min(next, explain_at_);
  if (!options_.status_dir.empty()) {
    if (now >= status_at_) write_status(now);
    next = std::min(next, status_at_);
  }
  timer_.set(next);
}

void Program::looked(const CallList& list, TimePoint now) {
  if (closing_) return;
  keeper_.looked(list.own, list.unread, now);
  labels_ = labels_of(ports_, server_.name, server_.endpoint, list.seen, labels_);
  // Also when nothing has changed: the daemon may have dropped an earlier message.
  daemon_->set_labels(labels_);
  const LineCount count = line_count();
  if (!ready_) {
    ready_ = true;
    announce(fmt::format("xbind-smds {} ready: {} lines, of which {} are connected", server_.name,
                         count.lines, count.connected));
  }
  const bool complete = count.connected == count.lines;
  if (complete != complete_) {
    log::info("{} of {} lines are connected", count.connected, count.lines);
  }
  complete_ = complete;
}

void Program::write_status(TimePoint now) {
  status_at_ = now + kSmdsTimers["status-pause"];
  if (writing_) return;
  writing_ = true;
  const auto wanted = std::make_shared<const keeper::WantedCalls>(keeper_.wanted());
  // Called, or only destroyed when the daemon drops the question.
  const auto ended = std::shared_ptr<void>(
      nullptr, [this](void*) { post([this](TimePoint) { writing_ = false; }); });
  daemon_->ask([this, wanted, ended, labels = labels_,
                attached = keeper_.attached()](const Snapshot& snapshot) {
    worker_.post([this, wanted, ended, labels, attached, snapshot] {
      last_ = snapshot;
      store(*wanted, labels, attached, true);
    });
  });
}

// ===== on the worker's thread =====

void Program::look() {
  const std::string peer = "manager " + options_.manager;
  auto list = read_calls(names_, options_.manager, clients_);
  if (!list) {
    log_.failed(peer, list.error().text);
    post([this](TimePoint now) { keeper_.look_failed(now); });
    return;
  }
  log_.well(peer);
  post([this, list = std::move(*list)](TimePoint now) { looked(list, now); });
}

// The client tries to attach without a word.
void Program::explain_absence() {
  const std::string peer = "manager " + options_.manager;
  const auto list = read_calls(names_, options_.manager, {});
  log_.failed(peer, list ? fmt::format("{} answers, but there is no session with it", peer)
                         : list.error().text);
}

void Program::store(const keeper::WantedCalls& wanted, const std::vector<LineLabels>& labels,
                    bool attached, bool running) {
  StatusHead head{
      .manager = options_.manager, .attached = attached, .running = running, .wall = {}};
  const auto document = [&] {
    return status_document(head, server_, ports_, labels, wanted, last_);
  };
  std::string without_time = document();
  if (without_time == stored_) return;
  head.wall = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const std::string file = fmt::format("{}/{}.json", options_.status_dir, server_.name);
  const auto stored = replace_file(file, document());
  if (!stored) {
    log_.failed(file, stored.error().text);
    return;
  }
  log_.well(file);
  stored_ = std::move(without_time);
}

}  // namespace xbind::smds
