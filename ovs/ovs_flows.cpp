// Writing: what the bridge needs for a connection as the fabric has it.
#include <algorithm>
#include <utility>

#include "ovs/ovs_table.hpp"

namespace xbind::ovs {

using gsmp::FailureCode;
using openflow::FlowCommand;
using openflow::FlowMod;
using openflow::GroupCommand;
using openflow::GroupMod;
using openflow::MeterCommand;
using openflow::MeterMod;

FlowMod OvsTable::flow_at(const Place& input) const {
  FlowMod flow;
  const Input at = input_of(options_.layout, input);
  flow.cookie = options_.layout.cookie;
  flow.cookie_mask = kCookieMask;
  flow.table = options_.layout.table;
  flow.priority = at.priority;
  flow.match = at.match;
  return flow;
}

OvsTable::Places OvsTable::outputs_in_service(const dataplane::Connection& connection) const {
  Places outputs;
  if (!in_service(connection.input.port)) return outputs;
  for (const dataplane::Branch& branch : connection.branches) {
    if (in_service(branch.port))
      outputs.push_back({branch.port, fabric_.label_at(branch.port, branch.vpi, branch.vci)});
  }
  std::ranges::sort(outputs);
  return outputs;
}

FailureCode OvsTable::write(const Place& input) {
  if (!has_meaning(options_.layout, input)) return FailureCode::kNone;  // never written
  const auto* const raw = fabric_.find_raw(input.port, input.label);
  const Places outputs = raw == nullptr ? Places{} : outputs_in_service(*raw);
  if (outputs.empty()) {
    erase(input);
    return FailureCode::kNone;
  }
  const auto known = extras_.find(key(input));
  const Extras before = known == extras_.end() ? Extras{} : known->second;
  const auto extras = extras_for(input, outputs.size(), fabric_.profile_at(raw->branches.front()));
  if (!extras) return FailureCode::kOutOfResources;
  FlowMod flow = flow_at(input);
  flow.command = FlowCommand::kAdd;
  flow.cookie_mask = 0;
  if (extras->meter != 0) flow.meter = extras->meter;
  Forwarding forwarding = forwarding_of(options_.layout, input, outputs, extras->group);
  flow.actions = std::move(forwarding.actions);
  if (extras->group != 0) {
    GroupMod group;
    group.command = before.group == 0 ? GroupCommand::kAdd : GroupCommand::kModify;
    group.id = extras->group;
    group.buckets = std::move(forwarding.buckets);
    written_.emplace_back(std::move(group));
  }
  written_.emplace_back(std::move(flow));
  drop_extras({.group = extras->group == 0 ? before.group : 0,
               .meter = extras->meter == 0 ? before.meter : 0,
               .rate = {}});
  if (extras->group != 0 || extras->meter != 0) {
    extras_[key(input)] = *extras;
  } else {
    extras_.erase(key(input));
  }
  return FailureCode::kNone;
}

std::optional<OvsTable::Extras> OvsTable::extras_for(const Place& input, std::size_t outputs,
                                                     const emulator::QosProfile& profile) {
  const auto known = extras_.find(key(input));
  Extras extras = known == extras_.end() ? Extras{} : known->second;
  const bool new_group = outputs > 1 && extras.group == 0;
  if (new_group) {
    const auto number = groups_.take();
    if (!number) return std::nullopt;
    extras.group = *number;
  } else if (outputs == 1) {
    extras.group = 0;
  }
  const auto rate = meter_of(profile);
  if (rate && *rate != extras.rate) {
    MeterMod meter;
    meter.command = extras.meter == 0 ? MeterCommand::kAdd : MeterCommand::kModify;
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
    bridge_.post(meter);
    extras.rate = *rate;
  } else if (!rate && profile.input.model != gsmp::QosModel::kPriority) {
    extras.meter = 0;
    extras.rate = {};
  }  // an adopted connection without a contract keeps its meter
  return extras;
}

// The group's number is free at once, because its messages are executed in order; the meter's when
// its deletion is sent.
void OvsTable::drop_extras(const Extras& extras) {
  if (extras.group != 0) {
    GroupMod group;
    group.command = GroupCommand::kDelete;
    group.id = extras.group;
    written_.emplace_back(std::move(group));
    groups_.give_back(extras.group);
  }
  if (extras.meter != 0) {
    meters_free_.push_back(extras.meter);
  }
}

void OvsTable::erase(const Place& input) {
  FlowMod flow = flow_at(input);
  flow.command = FlowCommand::kDeleteStrict;
  written_.emplace_back(std::move(flow));
  const auto known = extras_.find(key(input));
  if (known == extras_.end()) return;
  drop_extras(known->second);
  extras_.erase(known);
}

void OvsTable::erase_all() {
  FlowMod flow;
  flow.command = FlowCommand::kDelete;
  flow.cookie = options_.layout.cookie;
  flow.cookie_mask = kCookieMask;
  flow.table = options_.layout.table;
  written_.emplace_back(std::move(flow));
  for (const auto& [input, extras] : extras_) drop_extras(extras);
  extras_.clear();
}

// Meters are no part of a bundle: new ones are sent before it, unused ones deleted after it.
void OvsTable::send_written(bool together) {
  if (together && written_.size() > 1) {
    bridge_.post_together(written_);
  } else {
    for (const FlowMessage& one : written_)
      std::visit([this](const auto& message) { bridge_.post(message); }, one);
  }
  written_.clear();
  for (const std::uint32_t number : meters_free_) {
    MeterMod meter;
    meter.command = MeterCommand::kDelete;
    meter.id = number;
    bridge_.post(meter);
    meters_.give_back(number);
  }
  meters_free_.clear();
}

}  // namespace xbind::ovs
