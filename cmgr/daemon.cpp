#include "cmgr/daemon.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "cmgr/parts/timers.hpp"
#include "cmgr/servant_metrics.hpp"
#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "orb/process.hpp"

namespace xbind::cmgr {
namespace {

// Pause between the looks of an audit. Messages in transit at one look have arrived at the next
// one, or at the one after if a message and its repeats were lost.
constexpr std::chrono::milliseconds kBetweenLooks = kManagerTimers.ms("audit-look");
constexpr int kLooks = 4;

// Requests and results that a step may take in before it sends. Of 16, 32 and 64, this is the value
// with which adaptive aggregation is nowhere far from the best fixed threshold (bench/model,
// docs/performance.md).
constexpr std::size_t kJobsPerStep = 32;

// Whether the outcome leaves a connection or hold that must be released one day.
bool made_connection(const Outcome& outcome) {
  return outcome.kind == OutcomeKind::kConnected || outcome.kind == OutcomeKind::kHeld;
}

// Whether another look may clear up one of the findings.
bool doubtful(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.kind != FindingKind::kOwed && finding.kind != FindingKind::kUnreadable;
  });
}

}  // namespace

ManagerDaemon::ManagerDaemon(CORBA::ORB_ptr orb, const Config& config,
                             const RemotePeers::Options& peers)
    : config_(config),
      dispatch_("xbind-cmgr " + peers.manager),
      peers_(
          orb, peers, [this](std::function<void(ConnectionManager&)> job) { post(std::move(job)); },
          [this](RequestId token, Outcome outcome) { complete(token, std::move(outcome)); }),
      manager_(config, peers_),
      started_(steady_now()),
      serial_([this] { after_drain(); }, {.jobs = kJobsPerStep, .items = Serial::kItemsPerStep}),
      timer_([this] { post([](ConnectionManager& manager) { manager.tick(steady_now()); }); }) {}

ManagerDaemon::~ManagerDaemon() { stop(); }

void ManagerDaemon::end_sessions() {
  ask([](ConnectionManager& manager) {
    manager.end_client_sessions();
    return true;
  });
}

void ManagerDaemon::stop() {
  peers_.stop();
  timer_.stop();
}

void ManagerDaemon::after_drain() {
  const TimePoint now = steady_now();
  manager_.finish_step(now);
  peers_.send_collected(now);
  timer_.set(std::min(manager_.next_deadline(), peers_.next_deadline()));
}

Result<Outcome> ManagerDaemon::call(RequestBody request, Duration timeout, RequestId number) {
  RequestId token;
  std::future<Outcome> outcome;
  {
    const std::lock_guard lock(calls_mutex_);
    token = RequestId{next_token_++};
    LocalCall& call = calls_[token];
    call.number = number;
    outcome = call.outcome.get_future();
  }
  // The step owns the request: it may run after this call has timed out.
  post([request = std::move(request), token](ConnectionManager& manager) mutable {
    manager.request_local(token, std::move(request), steady_now());
  });
  const bool done = outcome.wait_for(timeout) == std::future_status::ready;
  const std::lock_guard lock(calls_mutex_);
  if (!done && outcome.wait_for(Duration::zero()) != std::future_status::ready) {
    calls_.at(token).abandoned = true;  // ends in complete()
    return fail(ErrorCode::kTimeout, "no outcome within {} ms; {}",
                std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count(),
                number == RequestId{} ? "if a connection is set up later, it is released"
                                      : fmt::format("query it later as request {}", number));
  }
  calls_.erase(token);
  return outcome.get();
}

void ManagerDaemon::complete(RequestId token, Outcome outcome) {
  const std::lock_guard lock(calls_mutex_);
  const auto found = calls_.find(token);
  if (found == calls_.end()) return;
  LocalCall& call = found->second;
  if (call.number != RequestId{}) numbered_.remember(call.number, outcome);
  if (!call.abandoned) {
    call.outcome.set_value(std::move(outcome));
    return;
  }
  const bool unclaimed = call.number == RequestId{} && made_connection(outcome);
  calls_.erase(found);
  if (unclaimed) release_unclaimed(outcome.connection);
}

std::optional<Outcome> ManagerDaemon::outcome_of_call(RequestId number) {
  const std::lock_guard lock(calls_mutex_);
  return numbered_.find(number);
}

void ManagerDaemon::release_unclaimed(ConnectionId connection) {
  log::warn("connection {} is released: its two-way caller gave up", connection);
  const RequestId token{next_token_++};  // no call waits for the outcome of this token
  post([token, connection](ConnectionManager& manager) {
    manager.release_local(token, connection, steady_now());
  });
}

AuditSummary ManagerDaemon::audit() {
  const std::lock_guard one_at_a_time(audit_mutex_);
  AuditSummary summary;
  ask([&](ConnectionManager& manager) {
    manager.flush_all(steady_now());
    summary.switches = manager.switch_names().size();
    summary.connections = manager.gauges().connections;
    return true;
  });
  summary.findings = look();
  for (int looks = 1; looks < kLooks && doubtful(summary.findings); ++looks) {
    std::this_thread::sleep_for(kBetweenLooks);
    summary.findings = seen_twice(std::move(summary.findings), look());
  }
  return summary;
}

std::vector<Finding> ManagerDaemon::look() {
  std::vector<Finding> findings;
  const auto names = ask([](ConnectionManager& manager) { return manager.switch_names(); });
  for (const std::string& name : names) {
    const auto view = [&] {
      return ask([&](ConnectionManager& manager) { return manager.view_of(name); });
    };
    const ManagerView before = view();
    const bool attached = ask([&](ConnectionManager& manager) { return manager.reaches(name); });
    const auto report = peers_.audit_switch(name, attached);
    if (!report) {
      findings.push_back({FindingKind::kUnreadable, name, report.error().text});
      continue;
    }
    const std::vector<Finding> here = compare(name, before, *report, view());
    findings.insert(findings.end(), here.begin(), here.end());
  }
  return findings;
}

bool ManagerDaemon::may_serve(Duration patience) {
  const bool patient = steady_now() - started_ < patience;
  if (topology_.empty()) {
    auto names = peers_.switches_of_topology();
    if (!names) {
      if (!patient) log::warn("serving without a topology: {}", names.error().text);
      return !patient;
    }
    topology_ = std::move(*names);
    ask([&](ConnectionManager& manager) {
      for (const std::string& name : topology_) manager.register_switch(name);
      return true;
    });
  }
  const std::size_t attached =
      ask([](ConnectionManager& manager) { return manager.gauges().switches_attached; });
  if (attached >= topology_.size()) return true;
  if (!patient) log::warn("serving with {} of {} switches", attached, topology_.size());
  return !patient;
}

Metrics ManagerDaemon::metrics() {
  Metrics counted =
      ask([this](ConnectionManager& manager) { return status_of(manager, peers_, config_); });
  dispatch_.append_metrics(counted);
  return counted;
}

}  // namespace xbind::cmgr
