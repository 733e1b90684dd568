// When the Router is told how a switch's ports are, and what.
//
//   the switch comes, its ports change ──▶ look at once ──▶ a report at once, if it is news
//   hops come and go ──▶ look, at most once an interval ──▶ a report, if much of a port has moved
//   nothing happens ──▶ a report every refresh: an earlier one, or who heard it, may be gone
//
// A report is whole: every port of the switch. One is under way at a time; one that failed is not repeated,
// the next one takes its place after a pause that doubles (core/attaching.hpp).
//
// While the switch is away nothing is said of its lines: that its control channel is lost says
// nothing about them. What is said, by a report without any port, is that it is away; from the
// beginning on, since there are switches that are never met. When it is back the whole is told.
//
// Pure, for one switch; one thread at a time, the one that runs the switch's logic. The owner hands in the
// ports when look_due() has come, sends what take() gives, says told() of each, and asks again at
// next_deadline().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/attaching.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "switchserver/ledger.hpp"
#include "switchserver/timers.hpp"

namespace xbind {

struct ReportedPort {
  PortId port;
  bool up = true;                      // the line is up and the port in service
  std::uint64_t cells_per_s = 0;       // what may be promised: line rate x overbooking factor
  std::uint64_t free_cells_per_s = 0;  // of it, not taken by hops

  friend bool operator==(const ReportedPort&, const ReportedPort&) = default;
};

// Every port that is there, as the Router is to see it. Quotas that managers have not spent count as free:
// a path may be set up against them, though not by everybody.
std::vector<ReportedPort> reported_ports(const Ledger& ledger);

struct SwitchReport {
  std::uint64_t number = 0;         // rises by one with each report, from 1
  std::vector<ReportedPort> ports;  // none: the switch is away
};

struct PortReporterOptions {
  double threshold =
      0.1;  // 0 to 1: how much of a port's capacity moves before it is worth a report
  Duration interval =
      kSwitchServerTimers["report-interval-ms"];  // least time between looks, and such reports
  Duration refresh = kSwitchServerTimers["report-refresh-ms"];  // longest time between reports
  // The pauses after reports that failed: they spare a RouteObject that is away or busy.
  BackOff::Bounds back_off{kSwitchServerTimers["report-back-off-min"],
                           kSwitchServerTimers["report-back-off-max"]};
};

class PortReporter {
 public:
  explicit PortReporter(PortReporterOptions options);

  // The switch is there, with what it has; or it is away. Before the first of these nothing is
  // reported.
  void switch_up(TimePoint now);
  void switch_down(TimePoint now);
  // A line went up or down, a port came or went, a rate is another one.
  void ports_changed(TimePoint now);
  // Hops may have come or gone. Costs next to nothing.
  void books_moved(TimePoint now);

  // When the owner is to hand in the ports; kNever while the switch is away.
  TimePoint look_due() const;
  void look(std::vector<ReportedPort> ports, TimePoint now);

  // The report that is due, if one is; it is then under way until told().
  std::optional<SwitchReport> take(TimePoint now);
  // What became of it.
  void told(bool arrived, TimePoint now);

  TimePoint next_deadline() const;

 private:
  bool is_news() const;    // what nobody waits an interval for
  bool has_moved() const;  // by more than the threshold
  TimePoint report_due() const;

  PortReporterOptions options_;
  Attaching reporting_;  // an attempt: a report under way; a refresh: the next one in any case
  bool switch_up_ = false;
  bool looked_ = false;             // since the switch is up or away
  bool owes_whole_ = false;         // nothing has arrived since then, or the last one did not
  std::vector<ReportedPort> seen_;  // at the last look
  std::vector<ReportedPort> sent_;  // under way, or the last that was
  TimePoint look_at_ = kNever;
  TimePoint last_look_{};
  TimePoint last_sent_{};
  std::uint64_t number_ = 0;  // of the last report, which is its attempt's
};

}  // namespace xbind
