#include "xbindctl/call_filter.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace xbind::ctl {
namespace {

bool is_destination(const v2::ConnectionState& state, const std::string& end) {
  if (end == state.to_end.in()) return true;
  for (CORBA::ULong i = 0; i < state.leaves.length(); ++i) {
    if (end == state.leaves[i].in()) return true;
  }
  return false;
}

bool passes_switch(const v2::ConnectionState& state, const std::string& name, PortId port) {
  for (CORBA::ULong i = 0; i < state.hops.length(); ++i) {
    const v2::HopState& hop = state.hops[i];
    if (name != hop.switch_name.in()) continue;
    if (port == PortId{} || port == PortId{hop.input_port} || port == PortId{hop.output_port}) {
      return true;
    }
  }
  return false;
}

bool passes_unusable(const v2::ConnectionState& state, const UnusableElements& unusable) {
  const v2::HopStateSeq& hops = state.hops;
  const auto meets = [&](const char* name, CORBA::ULong port, bool at_an_end) {
    const auto found = unusable.find({name, PortId{port}});
    return found != unusable.end() && !(at_an_end && found->second == v2::unusable_drained);
  };
  for (CORBA::ULong i = 0; i < hops.length(); ++i) {
    const char* const name = hops[i].switch_name.in();
    const bool first = i == 0 || hops[i - 1].leg != hops[i].leg;
    const bool last = i + 1 == hops.length() || hops[i + 1].leg != hops[i].leg;
    if (meets(name, hops[i].input_port, first) || meets(name, hops[i].output_port, last) ||
        meets(name, 0, false)) {
      return true;
    }
  }
  return false;
}

}  // namespace

CallRow row_of_call(const v2::ConnectionState& state) {
  CallRow row{state.connection,
              state.phase,
              state.condition,
              state.client.in(),
              state.from_end.in(),
              state.to_end.in(),
              state.resources.cells_per_s,
              state.reverse_resources.cells_per_s,
              0,
              state.leaves.length()};
  for (CORBA::ULong i = 0; i < state.hops.length(); ++i) row.hops += state.hops[i].leg == 0 ? 1 : 0;
  return row;
}

bool CallFilter::takes(const v2::ConnectionState& state) const {
  if (!client.empty() && client != state.client.in()) return false;
  if (!from.empty() && from != state.from_end.in()) return false;
  if (phase && *phase != state.phase) return false;
  const std::uint64_t most =
      std::max(state.resources.cells_per_s, state.reverse_resources.cells_per_s);
  if (most < min_cells_per_s) return false;
  if (!to.empty() && !is_destination(state, to)) return false;
  if (unusable && !passes_unusable(state, *unusable)) return false;
  return switch_name.empty() || passes_switch(state, switch_name, port);
}

bool CallPage::before(const CallRow& one, const CallRow& other) const {
  const auto less = [&](const CallRow& a, const CallRow& b) {
    switch (plan_.order) {
      case CallOrder::kId: break;
      // The greatest first.
      case CallOrder::kCells: return std::tie(b.cells_per_s, a.id) < std::tie(a.cells_per_s, b.id);
      case CallOrder::kClient: return std::tie(a.client, a.id) < std::tie(b.client, b.id);
      case CallOrder::kFrom: return std::tie(a.from, a.id) < std::tie(b.from, b.id);
      case CallOrder::kTo: return std::tie(a.to, a.id) < std::tie(b.to, b.id);
    }
    return a.id < b.id;
  };
  return plan_.reverse ? less(other, one) : less(one, other);
}

void CallPage::add(const v2::ConnectionState& state) {
  if (!plan_.filter.takes(state)) return;
  ++passed_;
  const bool by_id = plan_.order == CallOrder::kId;
  if (by_id && plan_.after != 0 &&
      (plan_.reverse ? state.connection >= plan_.after : state.connection <= plan_.after)) {
    return;
  }
  ++eligible_;
  rows_.push_back(row_of_call(state));
  const bool bounded = plan_.limit != 0 && (by_id || plan_.after == 0);
  if (bounded && rows_.size() >= 2U * plan_.limit) shorten();
}

// Keeps the first `limit` rows.
void CallPage::shorten() {
  const auto order = [&](const CallRow& a, const CallRow& b) { return before(a, b); };
  const auto end = rows_.begin() + plan_.limit;
  std::ranges::nth_element(rows_, end, order);
  rows_.erase(end, rows_.end());
}

CallPage::Result CallPage::take() {
  std::ranges::sort(rows_, [&](const CallRow& a, const CallRow& b) { return before(a, b); });
  Result result;
  result.passed = passed_;
  if (plan_.after != 0 && plan_.order != CallOrder::kId) {
    const auto last = std::ranges::find(rows_, plan_.after, &CallRow::id);
    result.after_unknown = last == rows_.end();
    if (!result.after_unknown) rows_.erase(rows_.begin(), last + 1);
    eligible_ = rows_.size();
  }
  if (plan_.limit != 0 && rows_.size() > plan_.limit) {
    rows_.erase(rows_.begin() + plan_.limit, rows_.end());
  }
  result.more = eligible_ > rows_.size();
  result.rows = std::move(rows_);
  return result;
}

}  // namespace xbind::ctl
