#include "switchserver/port_reporter.hpp"

#include <algorithm>

#include "core/planted.hpp"

namespace xbind {

std::vector<ReportedPort> reported_ports(const Ledger& ledger) {
  std::vector<ReportedPort> reported;
  for (const SwitchPort& port : ledger.ports().present()) {
    const PortUsage usage = ledger.usage(port.port).value_or(PortUsage{});
    const std::uint64_t capacity = usage.capacity.cells_per_s;
    // A line whose rate has dropped may carry more than its present capacity.
    const std::uint64_t taken = std::min(usage.hops.cells_per_s, capacity);
    reported.push_back({port.port, port.up, capacity, capacity - taken});
  }
  return reported;
}

PortReporter::PortReporter(PortReporterOptions options)
    : options_(options), reporting_({.back_off = options.back_off}) {}

void PortReporter::change(const PortReporterOptions& options) {
  options_.threshold = options.threshold;
  options_.interval = options.interval;
  options_.refresh = options.refresh;
}

void PortReporter::switch_up(TimePoint now) {
  switch_up_ = true;
  looked_ = false;
  full_report_due_ = true;
  look_at_ = now;
}

void PortReporter::switch_down(TimePoint now) {
  if (planted(Bug::kLossNotReported)) return;
  switch_up_ = false;
  look({}, now);
  full_report_due_ = true;
}

void PortReporter::ports_changed(TimePoint now) {
  if (switch_up_) look_at_ = now;
}

void PortReporter::books_moved(TimePoint now) {
  if (switch_up_ && look_at_ == kNever) look_at_ = std::max(now, last_look_ + options_.interval);
}

// While the switch is away the last look, of no ports, is reported again.
void PortReporter::report_now(TimePoint now) {
  full_report_due_ = true;
  if (switch_up_) look_at_ = now;
}

TimePoint PortReporter::look_due() const {
  if (!switch_up_) return kNever;
  return std::min(look_at_, reporting_.next_deadline());
}

void PortReporter::look(std::vector<ReportedPort> ports, TimePoint now) {
  seen_ = std::move(ports);
  looked_ = true;
  last_look_ = now;
  look_at_ = kNever;
}

std::optional<SwitchReport> PortReporter::take(TimePoint now) {
  if (report_due() > now) return std::nullopt;
  reporting_.begin(now);
  number_ = reporting_.take(now).value();
  full_report_due_ = false;
  last_sent_ = now;
  sent_ = seen_;
  return SwitchReport{number_, incarnation_, sent_};
}

void PortReporter::report_answered(bool taken, Epoch incarnation, TimePoint now) {
  if (!taken) {
    incarnation_ = {};
    report_failed(now);
    return;
  }
  incarnation_ = incarnation;
  // The refresh counts from the sending of the report, however late its answer comes.
  const Duration left = options_.refresh - (now - last_sent_);
  if (planted(Bug::kNoRefresh)) {
    reporting_.attached(number_, now);
  } else {
    reporting_.attached(number_, now, std::max(left, Duration::zero()));
  }
}

void PortReporter::report_failed(TimePoint now) {
  // The next report describes the state at its own time: look_due() comes with it.
  reporting_.failed(number_, now);
  full_report_due_ = true;
}

TimePoint PortReporter::next_deadline() const { return std::min(look_due(), report_due()); }

bool PortReporter::is_news() const {
  return !std::ranges::equal(seen_, sent_, [](const ReportedPort& a, const ReportedPort& b) {
    return a.port == b.port && a.up == b.up && a.cells_per_s == b.cells_per_s;
  });
}

bool PortReporter::has_moved() const {
  // Called only for an unchanged set of ports: any other change is reported at once.
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const auto [less, more] = std::minmax(seen_[i].free_cells_per_s, sent_[i].free_cells_per_s);
    const double worth_telling = options_.threshold * static_cast<double>(seen_[i].cells_per_s);
    if (static_cast<double>(more - less) > worth_telling) return true;
  }
  return false;
}

TimePoint PortReporter::report_due() const {
  if (!looked_) return kNever;
  switch (reporting_.state()) {
    case Attaching::State::kAttempting: return kNever;
    case Attaching::State::kWaiting: return reporting_.next_deadline();
    case Attaching::State::kIdle:
    case Attaching::State::kAttached: break;
  }
  if (full_report_due_ || is_news()) return last_look_;
  if (!has_moved()) return reporting_.next_deadline();
  return std::min(last_sent_ + options_.interval, reporting_.next_deadline());
}

}  // namespace xbind
