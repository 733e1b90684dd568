// Decides when to report a switch's ports to the Router, and what.
//
//   the switch comes, its ports change ──▶ look at once ──▶ report at once, if they changed
//   hops are added or removed ──▶ look, once an interval ──▶ report, if a port's load moved enough
//   nothing happens ──▶ report every refresh: an earlier report or its receiver may be lost
//
// A report is complete: every port of the switch. One is under way at a time. A failed report is
// not repeated; the next one replaces it after a back-off that doubles (core/attaching.hpp).
//
// The first report has incarnation 0, and its answer the incarnation of the next ones. A report
// that was not taken is another process's fault, or nobody's: RouteObject took one of another
// incarnation. This process still has its name (else it would end), so it begins with 0 again.
//
// While the switch is away, a report without ports states only that, also at the start, since some
// switches are never met. It states nothing about lines, because a lost control channel says
// nothing about them. When the switch is back, everything is reported.
//
// Pure, for one switch; one thread at a time, the one that runs the switch's logic. The owner
// passes the ports when look_due() has come, sends what take() returns, calls report_answered() or
// report_failed() for each report, and calls again at next_deadline().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/attaching.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "switchserver/controller/timers.hpp"
#include "switchserver/ledger/ledger.hpp"

namespace xbind {

struct ReportedPort {
  PortId port;
  bool up = true;                      // the line is up and the port in service
  std::uint64_t cells_per_s = 0;       // line rate x overbooking factor
  std::uint64_t free_cells_per_s = 0;  // the part of it that no hop uses

  friend bool operator==(const ReportedPort&, const ReportedPort&) = default;
};

// Every present port, as the Router is to see it. Unused quotas of managers count as free: a path
// may be set up against them, though not by every manager.
std::vector<ReportedPort> reported_ports(const Ledger& ledger);

struct SwitchReport {
  std::uint64_t number = 0;         // rises by one with each report; the first is 1
  Epoch incarnation{};              // 0: this process has none yet
  std::vector<ReportedPort> ports;  // none: the switch is away
};

struct PortReporterOptions {
  double threshold =
      0.1;  // 0 to 1: part of a port's capacity that must change before it is reported
  Duration interval =
      kSwitchServerTimers["report-interval-ms"];  // shortest time between looks, and such reports
  Duration refresh = kSwitchServerTimers["report-refresh-ms"];  // longest time between reports
  // The pauses after failed reports; they spare a RouteObject that is away or busy.
  BackOff::Bounds back_off{kSwitchServerTimers["report-back-off-min"],
                           kSwitchServerTimers["report-back-off-max"]};
};

class PortReporter {
 public:
  explicit PortReporter(PortReporterOptions options);
  // The back-off stays. The next report has the new interval and refresh.
  void change(const PortReporterOptions& options);

  // The switch is up with these ports, or is away. Nothing is reported before the first of these
  // calls.
  void switch_up(TimePoint now);
  void switch_down(TimePoint now);
  // A line went up or down, a port came or went, or a rate changed.
  void ports_changed(TimePoint now);
  // Hops may have been added or removed. Cheap.
  void books_moved(TimePoint now);

  // Somebody wants the next report at once.
  void report_now(TimePoint now);

  // When the owner is to call look(); kNever while the switch is away.
  TimePoint look_due() const;
  void look(std::vector<ReportedPort> ports, TimePoint now);

  // Returns the report that is due, if any. It is then under way until one of the next
  // two.
  std::optional<SwitchReport> take(TimePoint now);
  // The report under way has arrived: whether it was taken, and the incarnation that counts.
  void report_answered(bool taken, Epoch incarnation, TimePoint now);
  // It has not arrived, as far as known.
  void report_failed(TimePoint now);

  TimePoint next_deadline() const;

 private:
  bool is_news() const;    // a change to report at once
  bool has_moved() const;  // by more than the threshold
  TimePoint report_due() const;

  PortReporterOptions options_;
  Attaching reporting_;  // an attempt is a report under way; its refresh forces the next one
  bool switch_up_ = false;
  bool looked_ = false;             // since the switch came up or went away
  bool full_report_due_ = false;    // nothing has arrived since then, or the last report failed
  std::vector<ReportedPort> seen_;  // at the last look
  std::vector<ReportedPort> sent_;  // in the report under way, or in the last one
  TimePoint look_at_ = kNever;
  TimePoint last_look_{};
  TimePoint last_sent_{};
  std::uint64_t number_ = 0;  // of the last report, and of its attempt
  Epoch incarnation_{};
};

}  // namespace xbind
