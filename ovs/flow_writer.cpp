#include "ovs/flow_writer.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace xbind::ovs {

using gsmp::FailureCode;
using openflow::FlowCommand;
using openflow::FlowMod;
using openflow::GroupCommand;
using openflow::GroupMod;
using openflow::MeterCommand;
using openflow::MeterMod;

BucketsOf buckets_of(const std::vector<openflow::GroupDesc>& groups) {
  BucketsOf buckets;
  for (const openflow::GroupDesc& group : groups) {
    if (!group.foreign) buckets[group.id] = group.buckets;
  }
  return buckets;
}

FlowWriter::FlowWriter(const switchagent::Fabric& fabric, const Layout& layout, Bridge& bridge,
                       NumberRange groups, NumberRange meters)
    : fabric_(fabric),
      layout_(layout),
      bridge_(bridge),
      groups_(groups.first, groups.last),
      meters_(meters.first, meters.last) {}

FlowMod FlowWriter::flow_at(const Place& input) const {
  FlowMod flow;
  const Input at = input_of(layout_, input);
  flow.cookie = layout_.cookie;
  flow.cookie_mask = kCookieMask;
  flow.table = layout_.table;
  flow.priority = at.priority;
  flow.match = at.match;
  return flow;
}

Places FlowWriter::outputs_in_service(const dataplane::Connection& connection) const {
  Places outputs;
  if (!in_service(connection.input.port)) return outputs;
  for (const dataplane::Branch& branch : connection.branches) {
    if (in_service(branch.port))
      outputs.push_back({branch.port, fabric_.label_at(branch.port, branch.vpi, branch.vci)});
  }
  std::ranges::sort(outputs);
  return outputs;
}

FailureCode FlowWriter::write(const Place& input, bool sure) {
  if (!has_meaning(layout_, input)) return FailureCode::kNone;  // never written
  const auto* const raw = fabric_.find_raw(input.port, input.label);
  const bool taken = taken_by_others(input);
  const Places outputs = raw == nullptr || taken ? Places{} : outputs_in_service(*raw);
  if (outputs.empty()) {
    erase(input);
    return FailureCode::kNone;
  }
  const Extras before = extras_at(input);
  const auto extras = extras_for(input, outputs.size(),
                                 fabric_.branch_table().profile_at(raw->branches.front()), sure);
  if (!extras) return FailureCode::kOutOfResources;
  FlowMod flow = flow_at(input);
  flow.command = FlowCommand::kAdd;
  flow.cookie_mask = 0;
  if (extras->meter != 0) flow.meter = extras->meter;
  Forwarding forwarding = forwarding_of(layout_, input, outputs, extras->group);
  flow.actions = std::move(forwarding.actions);
  if (extras->group != 0) {
    GroupMod group;
    group.command = before.group == 0 || !sure ? GroupCommand::kAdd : GroupCommand::kModify;
    group.id = extras->group;
    group.buckets = std::move(forwarding.buckets);
    written_.emplace_back(group);
    if (!sure) {
      group.command = GroupCommand::kModify;
      written_.emplace_back(std::move(group));
    }
  }
  written_.emplace_back(std::move(flow));
  drop_extras({.group = extras->group == 0 ? before.group : 0,
               .meter = extras->meter == 0 ? before.meter : 0,
               .rate = {}});
  set_extras(input, *extras);
  return FailureCode::kNone;
}

Extras FlowWriter::extras_at(const Place& input) const {
  const auto known = extras_.find(key_of(input));
  return known == extras_.end() ? Extras{} : known->second;
}

void FlowWriter::set_extras(const Place& input, const Extras& extras) {
  if (extras.group != 0 || extras.meter != 0) {
    extras_[key_of(input)] = extras;
  } else {
    extras_.erase(key_of(input));
  }
}

std::optional<MeterRate> FlowWriter::rate_at(const Place& input,
                                             const switchagent::QosProfile& profile) const {
  return layout_.polices(input.port) ? meter_of(profile) : std::nullopt;
}

std::optional<Extras> FlowWriter::extras_for(const Place& input, std::size_t outputs,
                                             const switchagent::QosProfile& profile, bool sure) {
  Extras extras = extras_at(input);
  const bool new_group = outputs > 1 && extras.group == 0;
  if (new_group) {
    const auto number = groups_.take();
    if (!number) return std::nullopt;
    extras.group = *number;
  } else if (outputs == 1) {
    extras.group = 0;
  }
  const auto rate = rate_at(input, profile);
  if (rate && (*rate != extras.rate || !sure)) {
    MeterMod meter;
    meter.command = extras.meter == 0 || !sure ? MeterCommand::kAdd : MeterCommand::kModify;
    if (extras.meter == 0) {
      const auto number = meters_.take();
      if (!number) {
        if (new_group) groups_.give_back(extras.group);
        return std::nullopt;
      }
      extras.meter = *number;
    }
    meter.id = extras.meter;
    meter.rate_kbps = rate->kbps;
    meter.burst_kbit = rate->burst_kbit;
    meters_written_.push_back(meter);
    if (!sure) {
      meter.command = MeterCommand::kModify;
      meters_written_.push_back(meter);
    }
    extras.rate = *rate;
  } else if (!rate && profile.input.model != gsmp::QosModel::kPriority) {
    extras.meter = 0;
    extras.rate = {};
  }  // an adopted connection without a contract keeps its meter
  return extras;
}

// The numbers stay taken until the bridge has confirmed the change: if it refuses, they are in use.
void FlowWriter::drop_extras(const Extras& extras) {
  if (extras.group != 0) {
    GroupMod group;
    group.command = GroupCommand::kDelete;
    group.id = extras.group;
    written_.emplace_back(std::move(group));
  }
  if (extras.group != 0 || extras.meter != 0) dropped_.push_back(extras);
}

void FlowWriter::give_back(const std::vector<Extras>& dropped) {
  for (const Extras& extras : dropped) {
    groups_.give_back(extras.group);
    meters_.give_back(extras.meter);
  }
}

void FlowWriter::erase(const Place& input) {
  FlowMod flow = flow_at(input);
  flow.command = FlowCommand::kDeleteStrict;
  written_.emplace_back(std::move(flow));
  drop_extras(extras_at(input));
  extras_.erase(key_of(input));
}

void FlowWriter::erase_all() {
  FlowMod flow;
  flow.command = FlowCommand::kDelete;
  flow.cookie = layout_.cookie;
  flow.cookie_mask = kCookieMask;
  flow.table = layout_.table;
  written_.emplace_back(std::move(flow));
  for (const auto& [input, extras] : extras_) drop_extras(extras);
  extras_.clear();
}

// Meters are no part of a bundle: new ones are sent before it, unused ones deleted after it.
std::vector<Extras> FlowWriter::send(bool together) {
  for (const MeterMod& meter : meters_written_) bridge_.post(meter);
  meters_written_.clear();
  if (together && written_.size() > 1) {
    bridge_.post_together(written_);
  } else {
    for (const FlowMessage& one : written_)
      std::visit([this](const auto& message) { bridge_.post(message); }, one);
  }
  written_.clear();
  for (const Extras& extras : dropped_) {
    if (extras.meter == 0) continue;
    MeterMod meter;
    meter.command = MeterCommand::kDelete;
    meter.id = extras.meter;
    bridge_.post(meter);
  }
  return std::exchange(dropped_, {});
}

// ----- undoing ----------------------------------------------------------------------------------

void FlowWriter::undo_numbers(const std::vector<ExtrasBefore>& before) {
  meters_written_.clear();
  written_.clear();
  dropped_.clear();
  for (const ExtrasBefore& one : before) {
    const Extras now = extras_at(one.input);
    if (now.group != one.extras.group) groups_.give_back(now.group);
    if (now.meter != one.extras.meter) meters_.give_back(now.meter);
    set_extras(one.input, one.extras);
  }
}

void FlowWriter::undo_on_bridge(const std::vector<ExtrasBefore>& before) {
  std::vector<Extras> added;
  for (const ExtrasBefore& one : before) {
    const Extras now = extras_at(one.input);
    added.push_back({.group = now.group == one.extras.group ? 0 : now.group,
                     .meter = now.meter == one.extras.meter ? 0 : now.meter,
                     .rate = {}});
    set_extras(one.input, one.extras);
  }
  for (const ExtrasBefore& one : before) write(one.input, false);
  for (const Extras& one : added) drop_extras(one);
  give_back(send(false));
}

// ----- the bridge's contents --------------------------------------------------------------------

Places FlowWriter::learn(const BridgeContents& contents) {
  strangers_.clear();
  Places taken;
  for (const openflow::FlowStats& flow : contents.flows) {
    if (ours(flow)) continue;
    if (flow.meter) meters_.set_aside(*flow.meter);
    if (const auto group = group_in(flow.actions)) groups_.set_aside(*group);
    const auto input = place_of(layout_, flow.match, flow.priority);
    if (input && strangers_.insert(key_of(*input)).second) taken.push_back(*input);
  }
  // No new group or meter may get a number that the bridge still has.
  for (const openflow::GroupDesc& group : contents.groups) groups_.set_aside(group.id);
  for (const openflow::MeterConfig& meter : contents.meters) meters_.set_aside(meter.id);
  return taken;
}

void FlowWriter::adopt(const Place& input, const openflow::FlowStats& flow,
                       const BridgeContents& contents) {
  Extras extras;
  extras.group = group_in(flow.actions).value_or(0);
  extras.meter = flow.meter.value_or(0);
  groups_.set_aside(extras.group);
  meters_.set_aside(extras.meter);
  for (const openflow::MeterConfig& meter : contents.meters) {
    if (meter.id == extras.meter) extras.rate = {meter.rate_kbps, meter.burst_kbit};
  }
  set_extras(input, extras);
}

void FlowWriter::forget_lost(const BridgeContents& contents, const Places& connected) {
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
  std::unordered_set<std::uint64_t> keys;
  for (const Place& one : connected) keys.insert(key_of(one));
  std::erase_if(extras_, [&](const auto& one) { return !keys.contains(one.first); });
}

bool FlowWriter::as_written(const openflow::FlowStats& flow, const Place& input,
                            const BucketsOf& buckets) const {
  const auto* const raw = fabric_.find_raw(input.port, input.label);
  if (raw == nullptr || flow.foreign) return false;
  const Places outputs = outputs_in_service(*raw);
  const auto found = outputs_of(layout_, input, flow.actions, buckets);
  if (!found || *found != outputs) return false;
  const Extras extras = extras_at(input);
  const auto rate = rate_at(input, fabric_.branch_table().profile_at(raw->branches.front()));
  return flow.meter.value_or(0) == extras.meter && (!rate || *rate == extras.rate) &&
         rate.has_value() == (extras.meter != 0) &&
         group_in(flow.actions).value_or(0) == extras.group;
}

bool FlowWriter::remove(const openflow::FlowStats& flow) {
  if (flow.match.foreign) return false;
  FlowMod removal;
  removal.command = FlowCommand::kDeleteStrict;
  removal.cookie = layout_.cookie;
  removal.cookie_mask = kCookieMask;
  removal.table = layout_.table;
  removal.priority = flow.priority;
  removal.match = flow.match;
  written_.emplace_back(std::move(removal));
  return true;
}

void FlowWriter::remove_unused(const BridgeContents& contents) {
  std::set<std::uint32_t> groups;
  std::set<std::uint32_t> meters;
  for (const auto& [input, extras] : extras_) {
    groups.insert(extras.group);
    meters.insert(extras.meter);
  }
  for (const openflow::FlowStats& flow : contents.flows) {
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
