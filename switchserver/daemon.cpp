#include "switchserver/daemon.hpp"

#include <algorithm>
#include <utility>

#include "core/ahead.hpp"
#include "core/log.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"
#include "orb/peer_faults.hpp"
#include "orb/process.hpp"
#include "switchserver/servant_metrics.hpp"

namespace xbind {
namespace {

// A sum of counters that rises whenever hops may have been added or removed. Switch answers that
// undo hops are included through the counters of their results.
std::uint64_t operations(const SwitchCounters& counters) {
  return counters.batches + counters.executes + counters.reserves + counters.commits +
         counters.removes + counters.modifies + counters.lapses + counters.cleaned +
         counters.refusals[static_cast<std::size_t>(Cause::kSwitchRefused)];
}

SwitchServerOptions with_events(SwitchServerOptions options, EventLog& events) {
  options.events = &events;
  return options;
}

}  // namespace

SwitchServerDaemon::SwitchServerDaemon(const SwitchServerDaemonOptions& options,
                                       std::unique_ptr<RunningDriver> driver,
                                       orb::SharedTimers& timers, RemoteRouter* router)
    : name_(options.server.controller.name),
      dispatch_("xbind-switchserver " + name_),
      supervision_(timers, "switchserver " + name_, options.of_process,
                   [this](std::function<void(orb::Supervision::Conditions)> done) {
                     post([this, done = std::move(done)](SwitchServer&) { done(conditions()); });
                   }),
      watched_{{}, options.of_process},
      name_in_log_(options.name_in_log ? name_ : std::string{}),
      impairments_(options.impairments, "xbind-switchserver " + name_),
      managers_(
          name_, impairments_,
          [this](SessionId session, const std::string& reason) {
            log::sessions.warn("session {}: {}", session, reason);
            post([session](SwitchServer& server) { server.detach(session); });
          },
          [this](std::uint64_t token, LedgerReport report) {
            audits_.complete(token, std::move(report));
          },
          [this](std::uint64_t token, CallAtSwitch there) {
            looks_.complete(token, std::move(there));
          },
          [this](std::uint64_t token, Result<HopResultBatch> results) {
            executes_.complete(token, std::move(results));
          },
          [this](const SwitchController::Counted& counted) {
            statistics_.complete(counted.token, counted);
          }),
      driver_(std::move(driver)),
      server_(with_events(options.server, supervision_.events()), driver_->requests(), managers_),
      keeper_(options.manager_file),
      absence_(driver_->peer()),
      router_(router),
      reporter_(options.reports),
      serial_([this] { after_drain(); }, {.items = Serial::kItemsPerStep}),
      timer_(timers, [this] {
        serial_.post([this] {
          const log::About about(name_in_log_);
          const TimePoint now = steady_now();
          driver_->tick(now);
          server_.tick(now);
        });
      }) {}

SwitchServerDaemon::~SwitchServerDaemon() { stop(); }

void SwitchServerDaemon::start() {
  post([this](SwitchServer&) { switch_away(steady_now()); });
  driver_->start([this](std::size_t items) { serial_.post([this] { wake_driver(); }, items); });
  supervision_.start();
}

void SwitchServerDaemon::end_sessions() {
  ask([](SwitchServer& server) {
    server.end_all();
    return true;
  });
}

void SwitchServerDaemon::stop() {
  supervision_.stop();
  timer_.stop();
  driver_->stop();
}

Result<LedgerReport> SwitchServerDaemon::audit(const std::string& manager, Duration timeout) {
  return answer_of(
      audits_,
      [&](SwitchServer& server, std::uint64_t token) { return server.audit(manager, token); },
      timeout);
}

Result<LedgerReport> SwitchServerDaemon::repair(std::vector<Finding> seen, Duration timeout) {
  return answer_of(
      audits_,
      [&](SwitchServer& server, std::uint64_t token) {
        return server.repair(std::move(seen), token, steady_now());
      },
      timeout);
}

Result<CallAtSwitch> SwitchServerDaemon::look_at_call(const std::string& manager,
                                                      CallQuestion question, Duration timeout) {
  return answer_of(
      looks_,
      [&](SwitchServer& server, std::uint64_t token) {
        return server.controller().look_at_call(manager, std::move(question), token);
      },
      timeout);
}

Result<CallAtSwitch> SwitchServerDaemon::mend_call(const std::string& manager,
                                                   ConnectionId connection,
                                                   std::vector<EntryDifference> seen,
                                                   Duration timeout) {
  return answer_of(
      looks_,
      [&](SwitchServer& server, std::uint64_t token) {
        return server.controller().mend_call(manager, connection, std::move(seen), token,
                                             steady_now());
      },
      timeout);
}

void SwitchServerDaemon::change(const LedgerOptions& ledger, const PortReporterOptions& reports) {
  ask([&](SwitchServer& server) {
    server.controller().change_capacities(ledger);
    reporter_.change(reports);
    reporter_.ports_changed(steady_now());
    return true;
  });
}

template <class Answer, class Start>
Result<Answer> SwitchServerDaemon::answer_of(Awaited<Answer>& awaited, const Start& start,
                                             Duration timeout) {
  auto ticket = awaited.open();
  const Result<void> started =
      ask([&](SwitchServer& server) { return start(server, ticket.token); });
  if (!started) {
    awaited.close(ticket);
    return tl::make_unexpected(started.error());
  }
  if (auto answer = awaited.wait(ticket, timeout)) return std::move(*answer);
  return fail(ErrorCode::kTimeout, "the switch did not report its table within {} ms",
              std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count());
}

Result<HopResultBatch> SwitchServerDaemon::execute(SessionId session, const HopBatch& batch,
                                                   Duration timeout) {
  auto ticket = executes_.open();
  const auto started = ask([&](SwitchServer& server) {
    return server.execute(session, batch, ticket.token, steady_now());
  });
  if (!started) {
    executes_.close(ticket);
    return tl::make_unexpected(started.error());
  }
  if (auto results = executes_.wait(ticket, timeout)) return std::move(*results);
  return fail(ErrorCode::kTimeout, "the switch has not answered all of {} commands within {} ms",
              batch.commands(),
              std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count());
}

std::vector<SwitchServerDaemon::PortReport> SwitchServerDaemon::ports(Duration timeout) {
  struct Asked {
    PortReport report;
    std::optional<Awaited<SwitchController::Counted>::Ticket> ticket;
  };
  std::vector<Asked> asked = ask([this](SwitchServer& server) {
    std::vector<Asked> ports;
    const Ledger& ledger = server.controller().ledger();
    for (const SwitchPort& port : ledger.ports().present()) {
      Asked& one = ports.emplace_back();
      one.report.port = port;
      one.report.usage = ledger.usage(port.port).value_or(PortUsage{});
      auto ticket = statistics_.open();
      if (server.read_statistics(port.port, {}, ticket.token)) {
        one.ticket = std::move(ticket);
      } else {
        statistics_.close(ticket);
      }
    }
    return ports;
  });
  const TimePoint give_up = steady_now() + timeout;
  std::vector<PortReport> reports;
  for (Asked& one : asked) {
    if (one.ticket) {
      const Duration left = std::max(Duration::zero(), give_up - steady_now());
      const auto counted = statistics_.wait(*one.ticket, left);
      if (counted && counted->cause == Cause::kNone) one.report.cells = counted->counters;
    }
    reports.push_back(std::move(one.report));
  }
  return reports;
}

Result<CellCounters> SwitchServerDaemon::count_cells(PortId port, Label label, Duration timeout) {
  auto ticket = statistics_.open();
  const auto started =
      ask([&](SwitchServer& server) { return server.read_statistics(port, label, ticket.token); });
  if (!started) {
    statistics_.close(ticket);
    return tl::make_unexpected(started.error());
  }
  const auto counted = statistics_.wait(ticket, timeout);
  if (!counted || counted->cause == Cause::kTimeout) {
    return fail(ErrorCode::kTimeout, "the switch did not report its counters in time");
  }
  if (counted->cause == Cause::kNone) return counted->counters;
  if (counted->absent) {
    return fail(ErrorCode::kNotFound, "nothing comes in at port {} with label {}", port,
                to_string(label));
  }
  return fail(ErrorCode::kUnreachable, "the counters of port {} label {}: {}, failure {}", port,
              to_string(label), to_string(counted->cause), counted->failure_code);
}

void SwitchServerDaemon::after_drain() {
  const log::About about(name_in_log_);
  const TimePoint now = steady_now();
  drain_driver(now);
  server_.finish_step(now);
  if (const std::size_t requests = driver_->unsent_requests(); requests > 0)
    impairments_.sending(requests);
  driver_->transmit();
  if (absence_.next_deadline() <= now) absence_.failed(driver_->why_away());
  if (const auto words = absence_.complaint(now)) log::gsmp.warn("{}", *words);
  managers_.send_collected(now);
  tell_router(now);
  timer_.set(std::min({driver_->next_deadline(), server_.next_deadline(), managers_.next_deadline(),
                       absence_.next_deadline(),
                       router_ == nullptr ? kNever : reporter_.next_deadline()}));
}

// Answers that arrive together cost one paced message, as requests that are sent together do.
// Messages of the control channel itself cost nothing: they belong to no call.
void SwitchServerDaemon::wake_driver() {
  const log::About about(name_in_log_);
  const std::size_t answers = driver_->on_wake(steady_now());
  if (answers > 0)
    impairments_.receive(
        answers, [] {}, [this] { after_drain(); });
}

void SwitchServerDaemon::drain_driver(TimePoint now) {
  // An event may make the controller send another request, which may be refused at once: repeat
  // until no event is left.
  for (;;) {
    driver_->take_events(events_);
    if (events_.empty()) return;
    const SwitchController& controller = server_.controller();
    for_each_ahead(
        events_,
        [&](const driver::Event& event) {
          server_.on_driver(event, now);
          note_switch(event, now);
        },
        [&](const driver::Event& event) { controller.expect_later(event); },
        [&](const driver::Event& event) { controller.expect_soon(event); });
  }
}

void SwitchServerDaemon::switch_away(TimePoint now) {
  absence_.away(now);
  reporter_.switch_down(now);
}

void SwitchServerDaemon::note_switch(const driver::Event& event, TimePoint now) {
  if (const auto* up = std::get_if<driver::Up>(&event)) {
    if (!up->kept) keeper_.note_table_lost(server_.controller().known_managers());
    if (const auto words = absence_.back(now)) log::gsmp.info("{}", *words);
    reporter_.switch_up(now);
    supervision_.events().add(EventKind::kSwitchUp, name_, "under control");
    note_ports();
  } else if (std::holds_alternative<driver::Ports>(event)) {
    reporter_.ports_changed(now);
    note_ports();
  } else if (std::holds_alternative<driver::Down>(event)) {
    switch_away(now);
    supervision_.events().add(
        EventKind::kSwitchDown, name_,
        "control session lost: " + printable(std::get<driver::Down>(event).reason, 300));
  }
}

void SwitchServerDaemon::note_ports() {
  for (Event& change :
       watched_.ports.changes(server_.controller().ledger().ports().present(), name_)) {
    supervision_.events().add(std::move(change));
  }
}

void SwitchServerDaemon::tell_router(TimePoint now) {
  if (router_ == nullptr) return;
  const std::uint64_t operations_now = operations(server_.controller().counters());
  if (std::exchange(operations_seen_, operations_now) != operations_now) {
    reporter_.books_moved(now);
  }
  if (reporter_.look_due() <= now) {
    reporter_.look(reported_ports(server_.controller().ledger()), now);
  }
  auto report = reporter_.take(now);
  if (!report) return;
  ++reports_sent_;
  router_->tell(name_, std::move(*report), [this](const RemoteRouter::Outcome& outcome) {
    post([this, outcome](SwitchServer&) {
      if (outcome.arrived) {
        driver_->set_rates(outcome.rates);
      } else {
        ++reports_failed_;
      }
      watched_.report_failed = !outcome.arrived;
      if (outcome.arrived) {
        reporter_.report_answered(outcome.taken, outcome.incarnation, steady_now());
      } else {
        reporter_.report_failed(steady_now());
      }
    });
  });
}

std::vector<AlarmCondition> SwitchServerDaemon::conditions() {
  std::vector<AlarmCondition> all = conditions_of(server_.controller(), name_);
  if (!server_.controller().up()) {
    const std::string why = driver_->why_away();
    all.push_back({AlarmKind::kSwitchAway, name_,
                   fmt::format("the switch at {} is not under control: {}", driver_->peer(),
                               why.empty() ? "it does not answer" : why)});
  }
  if (watched_.report_failed && watched_.of_process) {
    all.push_back({AlarmKind::kRouteObjectUnreachable, "reports",
                   "the last report of ports to RouteObject did not arrive"});
  }
  return all;
}

Metrics SwitchServerDaemon::metrics() {
  Metrics counted = ask([this](SwitchServer& server) { return status_of(reading(server)); });
  orb::append_peer_faults(counted);
  dispatch_.append_metrics(counted);
  return counted;
}

exporter::Part SwitchServerDaemon::exposed_part() {
  return {name_,
          {{"switch", name_}},
          [this](std::function<void(exporter::Reading)> done) {
            post([this, done = std::move(done)](SwitchServer& server) {
              done(exposed_reading_of(reading(server)));
            });
          },
          [this](Metrics& counted) {
            orb::append_peer_faults(counted);
            dispatch_.append_metrics(counted);
            supervision_.append_metrics(counted);
          }};
}

SwitchServerReading SwitchServerDaemon::reading(SwitchServer& server) {
  return {server,
          *driver_,
          managers_.requests_sent(),
          managers_.references(),
          absence_.ever_met(),
          absence_.away_for(steady_now()).value_or(Duration::zero()),
          reports_sent_,
          reports_failed_,
          impairments_};
}

}  // namespace xbind
