// The bridge comes and goes: what it has is adopted or made to match, and its ports.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "ovs/ovs_table.hpp"

namespace xbind::ovs {

using gsmp::FailureCode;
using openflow::FlowStats;

namespace {

BucketsOf buckets_of(const BridgeContents& contents) {
  BucketsOf buckets;
  for (const openflow::GroupDesc& group : contents.groups) {
    if (!group.foreign) buckets[group.id] = group.buckets;
  }
  return buckets;
}

}  // namespace

void OvsTable::bridge_ready(BridgeContents contents) {
  std::erase_if(contents.flows,
                [&](const FlowStats& flow) { return flow.table != options_.layout.table; });
  learn_strangers(contents);
  // No new group or meter may get a number that the bridge still has.
  for (const openflow::GroupDesc& group : contents.groups) groups_.set_aside(group.id);
  for (const openflow::MeterConfig& meter : contents.meters) meters_.set_aside(meter.id);
  if (std::exchange(started_, true)) {
    restore(contents);
  } else {
    adopt(contents);
  }
  remove_unused(contents);
  give_back(send_written(false));
  bridge_.barrier();
  std::set<std::uint32_t> up;
  for (const openflow::PortDesc& port : contents.ports) {
    if (port.up()) up.insert(port.port);
  }
  for (std::uint32_t number = 1; number <= ports(); ++number)
    set_line(PortId(number), up.contains(number));
}

// What is open may have taken effect or not: the fabric goes back, and the bridge follows when it
// is there again.
void OvsTable::bridge_lost() {
  const auto lost = std::exchange(open_, {});
  busy_.clear();
  for (auto one = lost.rbegin(); one != lost.rend(); ++one) {
    undo_in_fabric(*one);
    undo_numbers(*one);
    answer(one->ticket, FailureCode::kUnspecified);
  }
  run_waiting();
  for (std::uint32_t number = 1; number <= ports(); ++number) set_line(PortId(number), false);
}

void OvsTable::bridge_port(const openflow::PortStatus& status) {
  if (status.port.port < 1 || status.port.port > ports()) return;
  const bool up = status.reason != openflow::PortReason::kDelete && status.port.up();
  set_line(PortId(status.port.port), up);
}

// Flows of others that take an input, and the numbers that they use in our ranges.
void OvsTable::learn_strangers(const BridgeContents& contents) {
  strangers_.clear();
  for (const FlowStats& flow : contents.flows) {
    if (ours(flow)) continue;
    if (flow.meter) meters_.set_aside(*flow.meter);
    if (const auto group = group_in(flow.actions)) groups_.set_aside(*group);
    const auto input = place_of(options_.layout, flow.match, flow.priority);
    if (!input) continue;
    strangers_.insert(key(*input));
    notices_.push_back(
        fmt::format("{} is taken by a flow of others with our priority", to_string(*input)));
  }
}

// ----- the first contents -----------------------------------------------------------------------

void OvsTable::adopt(const BridgeContents& contents) {
  const BucketsOf buckets = buckets_of(contents);
  for (const FlowStats& flow : contents.flows) {
    if (!ours(flow)) continue;
    if (adopt(flow, contents, buckets)) {
      ++counters_.adopted;
    } else {
      remove_flow(flow);
    }
  }
}

bool OvsTable::adopt(const FlowStats& flow, const BridgeContents& contents,
                     const BucketsOf& buckets) {
  const auto input = place_of(options_.layout, flow.match, flow.priority);
  if (!input || flow.foreign || input->port.value() > ports()) return false;
  const auto outputs = outputs_of(options_.layout, *input, flow.actions, buckets);
  if (!outputs) return false;
  for (const Place& output : *outputs) {
    gsmp::AddBranch add;
    add.input_port = input->port;
    add.input_label = gsmp::label_field(input->label);
    add.output_port = output.port;
    add.output_label = gsmp::label_field(output.label);
    const bool there = output.port.value() >= 1 && output.port.value() <= ports();
    if (!there || fabric_.add_branch(add) != FailureCode::kNone) {
      fabric_.delete_tree(input->port, input->label);
      return false;
    }
  }
  Extras extras;
  if (const auto group = group_in(flow.actions)) {
    extras.group = *group;
    groups_.set_aside(*group);
  }
  if (flow.meter) {
    extras.meter = *flow.meter;
    meters_.set_aside(*flow.meter);
    for (const openflow::MeterConfig& meter : contents.meters) {
      if (meter.id == *flow.meter) extras.rate = {meter.rate_kbps, meter.burst_kbit};
    }
  }
  if (extras.group != 0 || extras.meter != 0) extras_[key(*input)] = extras;
  return true;
}

// ----- later contents ---------------------------------------------------------------------------

void OvsTable::restore(const BridgeContents& contents) {
  const BucketsOf buckets = buckets_of(contents);
  forget_lost_extras(contents);
  std::unordered_set<std::uint64_t> good;
  for (const FlowStats& flow : contents.flows) {
    if (!ours(flow)) continue;
    const auto input = place_of(options_.layout, flow.match, flow.priority);
    if (!input || input->port.value() > ports()) {
      remove_flow(flow);
    } else if (as_written(flow, *input, buckets)) {
      good.insert(key(*input));
    } else if (fabric_.find_raw(input->port, input->label) == nullptr) {
      remove_flow(flow);
    }
  }
  for (const Place& one : all()) {
    if (good.contains(key(one))) continue;
    if (write(one) != FailureCode::kNone) {
      notices_.push_back(
          fmt::format("{} cannot be restored: no number is left for its group or "
                      "meter",
                      to_string(one)));
      continue;
    }
    if (!strangers_.contains(key(one))) ++counters_.restored;
  }
}

// A bridge that restarted has no groups and meters: their numbers are free again. Those of
// connections that were deleted meanwhile are removed as unused.
void OvsTable::forget_lost_extras(const BridgeContents& contents) {
  std::set<std::uint32_t> groups;
  std::map<std::uint32_t, MeterRate> meters;
  for (const openflow::GroupDesc& group : contents.groups) groups.insert(group.id);
  for (const openflow::MeterConfig& meter : contents.meters)
    meters[meter.id] = {meter.rate_kbps, meter.burst_kbit};
  for (auto& [input, extras] : extras_) {
    if (extras.group != 0 && !groups.contains(extras.group)) {
      groups_.give_back(extras.group);
      extras.group = 0;
    }
    if (extras.meter == 0) continue;
    const auto found = meters.find(extras.meter);
    if (found == meters.end()) {
      meters_.give_back(extras.meter);
      extras.meter = 0;
      extras.rate = {};
    } else {
      extras.rate = found->second;  // write() changes it if it differs
    }
  }
  std::unordered_set<std::uint64_t> connected;
  for (const Place& one : all()) connected.insert(key(one));
  std::erase_if(extras_, [&](const auto& one) { return !connected.contains(one.first); });
}

bool OvsTable::as_written(const FlowStats& flow, const Place& input,
                          const BucketsOf& buckets) const {
  const auto* const raw = fabric_.find_raw(input.port, input.label);
  if (raw == nullptr || flow.foreign) return false;
  const Places outputs = outputs_in_service(*raw);
  const auto found = outputs_of(options_.layout, input, flow.actions, buckets);
  if (!found || *found != outputs) return false;
  const auto known = extras_.find(key(input));
  const Extras extras = known == extras_.end() ? Extras{} : known->second;
  const auto rate = rate_at(input, fabric_.profile_at(raw->branches.front()));
  return flow.meter.value_or(0) == extras.meter && (!rate || *rate == extras.rate) &&
         rate.has_value() == (extras.meter != 0) &&
         group_in(flow.actions).value_or(0) == extras.group;
}

// A flow of ours that belongs to no connection.
void OvsTable::remove_flow(const FlowStats& flow) {
  if (flow.match.foreign) {
    notices_.push_back("a flow has our cookie, but a match that is not ours: it is left alone");
    return;
  }
  openflow::FlowMod removal;
  removal.command = openflow::FlowCommand::kDeleteStrict;
  removal.cookie = options_.layout.cookie;
  removal.cookie_mask = kCookieMask;
  removal.table = options_.layout.table;
  removal.priority = flow.priority;
  removal.match = flow.match;
  written_.emplace_back(std::move(removal));
  ++counters_.removed;
}

// Groups and meters in our ranges that neither our connections nor flows of others use.
void OvsTable::remove_unused(const BridgeContents& contents) {
  std::set<std::uint32_t> groups;
  std::set<std::uint32_t> meters;
  for (const auto& [input, extras] : extras_) {
    groups.insert(extras.group);
    meters.insert(extras.meter);
  }
  for (const FlowStats& flow : contents.flows) {
    if (ours(flow)) continue;
    if (flow.meter) meters.insert(*flow.meter);
    if (const auto group = group_in(flow.actions)) groups.insert(*group);
  }
  for (const openflow::GroupDesc& group : contents.groups) {
    if (groups_.contains(group.id) && !groups.contains(group.id)) {
      drop_extras({.group = group.id, .meter = 0, .rate = {}});
    }
  }
  for (const openflow::MeterConfig& meter : contents.meters) {
    if (meters_.contains(meter.id) && !meters.contains(meter.id))
      drop_extras({.group = 0, .meter = meter.id, .rate = {}});
  }
}

}  // namespace xbind::ovs
