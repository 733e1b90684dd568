#include "switchserver/port_reporter.hpp"

#include <algorithm>

namespace xbind {

std::vector<ReportedPort> reported_ports(const Ledger& ledger) {
  std::vector<ReportedPort> reported;
  for (const SwitchPort& port : ledger.ports()) {
    const PortUsage usage = ledger.usage(port.port).value_or(PortUsage{});
    const std::uint64_t capacity = usage.capacity.cells_per_s;
    // A line that has shrunk may carry more than it has now.
    const std::uint64_t taken = std::min(usage.hops.cells_per_s, capacity);
    reported.push_back({port.port, port.up, capacity, capacity - taken});
  }
  return reported;
}

void PortReporter::switch_up(TimePoint now) {
  switch_up_ = true;
  looked_ = false;
  owes_whole_ = true;
  look_at_ = now;
}

void PortReporter::switch_down(TimePoint now) {
  switch_up_ = false;
  look({}, now);
  owes_whole_ = true;
}

void PortReporter::ports_changed(TimePoint now) {
  if (switch_up_) look_at_ = now;
}

void PortReporter::books_moved(TimePoint now) {
  if (switch_up_ && look_at_ == kNever) look_at_ = std::max(now, last_look_ + options_.interval);
}

TimePoint PortReporter::look_due() const {
  if (!switch_up_) return kNever;
  return std::min(look_at_, refresh_due());
}

void PortReporter::look(std::vector<ReportedPort> ports, TimePoint now) {
  seen_ = std::move(ports);
  looked_ = true;
  last_look_ = now;
  look_at_ = kNever;
}

std::optional<PortReport> PortReporter::take(TimePoint now) {
  if (report_due() > now) return std::nullopt;
  under_way_ = true;
  owes_whole_ = false;
  last_sent_ = now;
  sent_ = seen_;
  return PortReport{++number_, sent_};
}

void PortReporter::told(bool arrived, TimePoint now) {
  under_way_ = false;
  if (arrived) {
    back_off_ = Duration::zero();
    return;
  }
  back_off_ = std::clamp(back_off_ * 2, options_.back_off_min, options_.back_off_max);
  not_before_ = now + back_off_;
  owes_whole_ = true;
  if (switch_up_)
    look_at_ = std::min(look_at_, not_before_);  // what is told then is what is true then
}

TimePoint PortReporter::next_deadline() const { return std::min(look_due(), report_due()); }

bool PortReporter::is_news() const {
  return !std::ranges::equal(seen_, sent_, [](const ReportedPort& a, const ReportedPort& b) {
    return a.port == b.port && a.up == b.up && a.cells_per_s == b.cells_per_s;
  });
}

bool PortReporter::has_moved() const {
  // Only asked of the same ports: anything else is news.
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const auto [less, more] = std::minmax(seen_[i].free_cells_per_s, sent_[i].free_cells_per_s);
    const double worth_telling = options_.threshold * static_cast<double>(seen_[i].cells_per_s);
    if (static_cast<double>(more - less) > worth_telling) return true;
  }
  return false;
}

TimePoint PortReporter::refresh_due() const {
  if (under_way_) return kNever;
  return std::max(last_sent_ + options_.refresh, not_before_);
}

TimePoint PortReporter::report_due() const {
  if (!looked_ || under_way_) return kNever;
  if (owes_whole_ || is_news()) return not_before_;
  if (!has_moved()) return refresh_due();
  return std::min(std::max(last_sent_ + options_.interval, not_before_), refresh_due());
}

}  // namespace xbind
