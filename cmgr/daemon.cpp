#include "cmgr/daemon.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <thread>
#include <utility>

#include "cmgr/epoch_file.hpp"
#include "cmgr/parts/timers.hpp"
#include "cmgr/servant_metrics.hpp"
#include "core/log.hpp"
#include "core/log_about.hpp"
#include "core/steady_now.hpp"
#include "core/timers.hpp"
#include "orb/peer_faults.hpp"
#include "orb/process.hpp"

namespace xbind::cmgr {
namespace {

// Pause between the looks of an audit. Messages in transit at one look have arrived at the next
// one, or at the one after if a message and its repeats were lost.
constexpr std::chrono::milliseconds kBetweenLooks = kManagerTimers.ms("audit-look");
constexpr int kLooks = 4;
constexpr std::size_t kLooksAtOnce = 8;  // SwitchServers

// Whether another look may clear up one of the findings.
bool doubtful(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.kind != FindingKind::kOwed && finding.kind != FindingKind::kUnreadable;
  });
}

// Calls `work` with 0 to `count` - 1, side by side: a SwitchServer that does not answer must not
// delay the report of the others.
template <class Work>
void side_by_side(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < std::min(count, kLooksAtOnce); ++i) threads.emplace_back(run);
  for (std::thread& thread : threads) thread.join();
}

// Requests and results that a step may take in before it sends. Of 16, 32 and 64, this is the value
// with which adaptive aggregation is nowhere far from the best fixed threshold (bench/model,
// docs/performance.md).
constexpr std::size_t kJobsPerStep = 32;

// Whether the outcome leaves a connection or hold that must be released one day.
bool made_connection(const Outcome& outcome) {
  return outcome.kind == OutcomeKind::kConnected || outcome.kind == OutcomeKind::kHeld;
}

}  // namespace

ManagerDaemon::ManagerDaemon(CORBA::ORB_ptr orb, const Config& config,
                             const RemotePeers::Options& peers)
    : config_(config),
      name_(peers.manager),
      longest_call_(cmgr::longest_call(config)),
      dispatch_("xbind-cmgr " + peers.manager),
      supervision_(timers_, "manager " + peers.manager, true,
                   [this, counts = std::make_shared<AlarmCounts>()](
                       std::function<void(orb::Supervision::Conditions)> done) {
                     post([this, counts, done = std::move(done)](ConnectionManager& manager) {
                       done(conditions(manager, *counts));
                     });
                   }),
      peers_(
          orb, peers, [this](std::function<void(ConnectionManager&)> job) { post(std::move(job)); },
          [this](RequestId token, Outcome outcome) { complete(token, std::move(outcome)); }),
      manager_(config, peers_),
      started_(steady_now()),
      serial_([this] { after_drain(); }, {.jobs = kJobsPerStep, .items = Serial::kItemsPerStep}),
      timer_(timers_,
             [this] { post([](ConnectionManager& manager) { manager.tick(steady_now()); }); }) {
  manager_.report_sessions(supervision_.events());
}

ManagerDaemon::~ManagerDaemon() { stop(); }

void ManagerDaemon::end_sessions() {
  ask([](ConnectionManager& manager) {
    manager.end_client_sessions();
    return true;
  });
}

void ManagerDaemon::stop() {
  supervision_.stop();
  peers_.stop();
  timer_.stop();
}

void ManagerDaemon::after_drain() {
  const TimePoint now = steady_now();
  manager_.finish_step(now);
  peers_.send_collected(now);
  timer_.set(std::min(manager_.next_deadline(), peers_.next_deadline()));
}

Result<void> ManagerDaemon::change_settings(const Config& wanted) {
  return ask([&](ConnectionManager& manager) -> Result<void> {
    if (auto changed = manager.change_settings(wanted, steady_now()); !changed) return changed;
    take_live_settings(config_, wanted);
    longest_call_ = cmgr::longest_call(config_);
    return {};
  });
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
  const log::AboutCall about(connection.value());
  log::calls.warn("connection {} is released: its two-way caller gave up", connection);
  const RequestId token{next_token_++};  // no call waits for the outcome of this token
  post([token, connection](ConnectionManager& manager) {
    manager.release_local(token, connection, steady_now(), EndWhy::kAbandoned);
  });
}

// ===== audits =====

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
    summary.findings = seen_twice(summary.findings, look());
  }
  note_entries_of_nobody(summary.findings);
  return summary;
}

// Of every switch that could be read, the entries that neither ledger nor manager has.
void ManagerDaemon::note_entries_of_nobody(const std::vector<Finding>& findings) {
  ask([&](ConnectionManager& manager) {
    std::map<std::string, std::uint64_t> entries;
    for (std::string& name : manager.switch_names()) entries.emplace(std::move(name), 0);
    for (const Finding& one : findings) {
      // "switch-1 port 2", "switch-1"
      const auto at = entries.find(one.element.substr(0, one.element.find(' ')));
      if (at == entries.end()) continue;
      if (one.kind == FindingKind::kStrayCrossConnect) ++at->second;
      if (one.kind == FindingKind::kUnreadable) entries.erase(at);
    }
    for (const auto& [name, count] : entries) {
      manager.note_entries_of_nobody(name, count, steady_now());
    }
    return true;
  });
}

std::vector<Finding> ManagerDaemon::look() {
  const auto names = ask([](ConnectionManager& manager) { return manager.switch_names(); });
  std::vector<std::vector<Finding>> found(names.size());
  side_by_side(names.size(), [&](std::size_t i) { found[i] = look_at(names[i]); });
  std::vector<Finding> findings;
  for (std::vector<Finding>& here : found) {
    std::move(here.begin(), here.end(), std::back_inserter(findings));
  }
  return findings;
}

Result<ManagerDaemon::Reading> ManagerDaemon::read(const std::string& name) {
  const auto view = [&] {
    return ask([&](ConnectionManager& manager) { return manager.view_of(name); });
  };
  ManagerView before = view();
  const bool attached = ask([&](ConnectionManager& manager) { return manager.reaches(name); });
  auto report = peers_.audit_switch(name, attached);
  if (!report) return tl::make_unexpected(report.error());
  return Reading{std::move(before), std::move(*report), view()};
}

std::vector<Finding> ManagerDaemon::look_at(const std::string& name) {
  const auto here = read(name);
  if (!here) return {{FindingKind::kUnreadable, name, here.error().text}};
  return compare(name, here->before, here->report, here->after);
}

AuditSummary ManagerDaemon::repair(const std::vector<Finding>& seen) {
  const auto names = ask([](ConnectionManager& manager) { return manager.switch_names(); });
  for (const std::string& name : names) {
    // "switch-1 port 2", "switch-1"
    const bool here = std::any_of(seen.begin(), seen.end(), [&](const Finding& finding) {
      return finding.element == name || finding.element.starts_with(name + " ");
    });
    if (here) repair_at(name, seen);
  }
  return audit();
}

void ManagerDaemon::repair_at(const std::string& name, const std::vector<Finding>& seen) {
  const auto here = read(name);
  if (!here) return;  // the audit that follows reports it
  const OwnRepairs repairs = repairs_of(name, here->before, here->report, here->after, seen);
  ask([&](ConnectionManager& manager) {
    manager.repair(name, repairs, steady_now());
    return true;
  });
  if (repairs.for_switch_server.empty()) return;
  const auto acted = peers_.repair_switch(name, repairs.for_switch_server);
  if (!acted) {
    log::audit.warn("switchserver {} has repaired nothing: {}", name, acted.error().text);
  } else {
    log::audit.info("switchserver {} has acted on {} findings", name, *acted);
  }
}

// ===== one call =====

std::optional<CallCheck> ManagerDaemon::look_at_call(ConnectionId connection) {
  const auto view = [&] {
    return ask([&](ConnectionManager& manager) { return manager.view_of_call(connection); });
  };
  const auto before = view();
  if (!before) return std::nullopt;
  const std::vector<std::string> names = switches_of(*before);
  std::vector<Result<CallAtSwitch>> answers(names.size(), CallAtSwitch{});
  side_by_side(names.size(), [&](std::size_t i) {
    const bool attached = ask([&](ConnectionManager& it) { return it.reaches(names[i]); });
    answers[i] = peers_.look_at_call(names[i], question_about(*before, names[i]), attached);
  });
  CallLooks looks;
  for (std::size_t i = 0; i < names.size(); ++i) looks.emplace(names[i], std::move(answers[i]));
  const auto after = view();
  if (!after) return std::nullopt;
  return compare(*before, looks, *after);
}

std::optional<CallCheck> ManagerDaemon::check_call(ConnectionId connection) {
  ask([&](ConnectionManager& manager) {
    manager.flush_all(steady_now());
    return true;
  });
  // A call that is changing may come to rest; what is found then counts when it is found again.
  std::optional<CallCheck> check;
  int settled = 0;
  for (int looks = 0; looks < 2 * kLooks; ++looks) {
    if (looks != 0) std::this_thread::sleep_for(kBetweenLooks);
    auto next = look_at_call(connection);
    // An incomplete call does not come to rest.
    const bool last = looks + 1 == 2 * kLooks || ask([&](ConnectionManager& manager) {
                        return manager.incomplete(connection).has_value();
                      });
    if (!next || (!next->settled && last)) return next;
    if (!next->settled) continue;
    if (settled++ != 0) next = seen_twice(*check, std::move(*next));
    check = std::move(next);
    if (settled == kLooks || !is_doubtful(*check)) break;
  }
  return check;
}

Result<void> ManagerDaemon::mend_call(ConnectionId connection,
                                      const std::vector<HopFinding>& seen) {
  const auto check = look_at_call(connection);
  if (!check) return fail(ErrorCode::kNotFound, "there is no connection {}", connection);
  if (!check->settled) return fail(ErrorCode::kExhausted, "connection {} is changing", connection);
  for (const CallRepairs& repairs : repairs_of(*check, seen)) {
    const auto own = ask([&](ConnectionManager& manager) {
      manager.repair(repairs.switch_name, {repairs.stray_hops, {}, {}}, steady_now());
      return manager.view_of_call(connection);
    });
    if (repairs.differences.empty() || !own) continue;
    const auto acted = peers_.mend_call(repairs.switch_name, own->id, repairs.differences);
    if (!acted) {
      log::audit.warn("switchserver {} has repaired nothing of connection {}: {}",
                      repairs.switch_name, connection, acted.error().text);
    } else {
      log::audit.info("switchserver {} has acted on {} differences of connection {}",
                      repairs.switch_name, *acted, connection);
    }
  }
  return {};
}

// ===== the network =====

bool ManagerDaemon::learn_network() {
  if (network_) return true;
  auto network = peers_.network();
  if (!network) return false;
  network_ = std::move(*network);
  return true;
}

Result<bool> ManagerDaemon::begin_epoch(const std::string& state_dir, Duration patience,
                                        const std::function<void()>& begun) {
  const bool patient = steady_now() - started_ < patience;
  const std::string file =
      state_dir.empty() ? std::string{} : epoch_file_path(state_dir, peers_.manager_name());
  ManagerEpochs epochs;
  if (!file.empty()) {
    const auto kept = read_epoch(file);
    if (!kept) return tl::make_unexpected(kept.error());
    epochs = epochs_in_file(kept->epoch, kept->renewals);
  }
  std::size_t silent = 0;
  bool all_asked = false;
  if (!learn_network()) {
    if (patient) return false;
    log::warn("the epoch is chosen without a topology, by {} alone",
              file.empty() ? "chance" : "the file");
  } else {
    const RemotePeers::EpochsKnown known = peers_.known_epochs(network_->switches);
    silent = known.silent;
    if (silent != 0) {
      if (patient) return false;
      log::warn("the epoch is chosen without {} of {} switches", silent, network_->switches.size());
    }
    merge(epochs, known.epochs);
    all_asked = silent == 0 && !network_->switches.empty();
  }
  const auto epoch = next_epoch(epochs);
  if (!epoch) {
    // The sessions of an earlier process that was killed end with their lease.
    const bool wait = steady_now() - started_ < patience + kCoreTimers["lease"];
    return renew_epochs(epochs, silent, wait);
  }
  if (const auto kept = write_epoch(file, {*epoch, epochs.renewals}); !kept) {
    if (!all_asked) return tl::make_unexpected(kept.error());
    log::warn("{}; the SwitchServers know the epoch", kept.error().text);
  }
  log::info("epoch {}", *epoch);
  peers_.begin_epoch(*epoch);
  ask([&](ConnectionManager& manager) {
    manager.begin_epoch(*epoch, epochs.renewals != 0);
    return true;
  });
  begun();
  if (network_) peers_.give_network(*network_);
  return true;
}

// The manager of this name has ended: this process has claimed the name, and no SwitchServer renews
// the epochs of a name that is attached. False: look again.
Result<bool> ManagerDaemon::renew_epochs(const ManagerEpochs& epochs, std::size_t silent,
                                         bool wait) {
  Result<void> renewed = fail(ErrorCode::kUnreachable, "the topology is not known");
  const auto newest = renewed_epoch(epochs);
  if (!newest) {
    renewed =
        fail(ErrorCode::kBadInput, "no {} epochs in a row are unused", kEpochsFreeAfterRenewal);
  } else if (silent != 0) {
    renewed = fail(ErrorCode::kUnreachable, "{} of {} SwitchServers do not answer", silent,
                   network_->switches.size());
  } else if (network_) {
    if (!std::exchange(renewal_told_, true)) {
      log::warn(
          "the epochs of manager {} are used up, {} is the newest; they are renewed and go on "
          "after {}, which is the highest one of a standing call or the first one with room",
          peers_.manager_name(), epochs.newest, *newest);
    }
    renewed = peers_.renew_epochs(network_->switches, *newest);
  }
  if (!renewed && !wait) {
    return fail(ErrorCode::kBadInput,
                "the epochs of manager {} are used up, {} is the newest, and cannot be renewed: "
                "{}; `xbindctl renew-epoch {}` does it once every SwitchServer answers",
                peers_.manager_name(), epochs.newest, renewed.error().text, peers_.manager_name());
  }
  return false;
}

bool ManagerDaemon::may_serve(Duration patience) {
  const bool patient = steady_now() - started_ < patience;
  if (!learn_network()) {
    if (!patient) log::warn("serving without a topology");
    return !patient;
  }
  peers_.give_network(*network_);
  struct Progress {
    std::size_t attached = 0;
    bool rebuilt = false;
  };
  const Progress state = ask([](ConnectionManager& manager) {
    return Progress{manager.gauges().switches_attached, manager.recovery().done()};
  });
  if (state.attached >= network_->switches.size() && state.rebuilt) return true;
  if (patient) return false;
  log::warn("serving with {} of {} switches", state.attached, network_->switches.size());
  ask([](ConnectionManager& manager) {
    manager.serve_with_switches_missing(steady_now());
    return true;
  });
  return true;
}

std::vector<AlarmCondition> ManagerDaemon::conditions(const ConnectionManager& manager,
                                                      AlarmCounts& counts) const {
  std::vector<std::string> unattached = manager.switch_names();
  std::erase_if(unattached, [&](const std::string& name) { return manager.reaches(name); });
  std::vector<AlarmCondition> all = conditions_of(manager, peers_.manager_name(), counts);
  std::ranges::move(peers_.unreachable_peers(unattached, steady_now()), std::back_inserter(all));
  return all;
}

EventPage ManagerDaemon::calls_after(std::uint64_t after, std::size_t limit) {
  return ask([&](ConnectionManager& manager) {
    return manager.calls_after(after, limit, {steady_now(), orb::utc_ms_now()});
  });
}

Metrics ManagerDaemon::metrics() {
  Metrics counted =
      ask([this](ConnectionManager& manager) { return status_of(manager, peers_, config_); });
  orb::append_peer_faults(counted);
  dispatch_.append_metrics(counted);
  return counted;
}

exporter::Part ManagerDaemon::exposed_part() {
  return {"manager " + peers_.manager_name(),
          {},
          [this](std::function<void(exporter::Reading)> done) {
            post([this, done = std::move(done)](ConnectionManager& manager) {
              done(reading_of(manager, peers_, config_));
            });
          },
          [this](Metrics& counted) {
            orb::append_peer_faults(counted);
            dispatch_.append_metrics(counted);
            supervision_.append_metrics(counted);
          }};
}

}  // namespace xbind::cmgr
