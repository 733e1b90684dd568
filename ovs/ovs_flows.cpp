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

FailureCode OvsTable::write(const Place& input, bool sure) {
  if (!has_meaning(options_.layout, input)) return FailureCode::kNone;  // never written
  const auto* const raw = fabric_.find_raw(input.port, input.label);
  const bool taken = strangers_.contains(key(input));  // an add would replace the flow of others
  const Places outputs = raw == nullptr || taken ? Places{} : outputs_in_service(*raw);
  if (outputs.empty()) {
    erase(input);
    return FailureCode::kNone;
  }
  const Extras before = extras_at(input);
  const auto extras =
      extras_for(input, outputs.size(), fabric_.profile_at(raw->branches.front()), sure);
  if (!extras) return FailureCode::kOutOfResources;
  FlowMod flow = flow_at(input);
  flow.command = FlowCommand::kAdd;
  flow.cookie_mask = 0;
  if (extras->meter != 0) flow.meter = extras->meter;
  Forwarding forwarding = forwarding_of(options_.layout, input, outputs, extras->group);
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

OvsTable::Extras OvsTable::extras_at(const Place& input) const {
  const auto known = extras_.find(key(input));
  return known == extras_.end() ? Extras{} : known->second;
}

void OvsTable::set_extras(const Place& input, const Extras& extras) {
  if (extras.group != 0 || extras.meter != 0) {
    extras_[key(input)] = extras;
  } else {
    extras_.erase(key(input));
  }
}

std::optional<MeterRate> OvsTable::rate_at(const Place& input,
                                           const emulator::QosProfile& profile) const {
  return options_.layout.polices(input.port) ? meter_of(profile) : std::nullopt;
}

std::optional<OvsTable::Extras> OvsTable::extras_for(const Place& input, std::size_t outputs,
                                                     const emulator::QosProfile& profile,
                                                     bool sure) {
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
void OvsTable::drop_extras(const Extras& extras) {
  if (extras.group != 0) {
    GroupMod group;
    group.command = GroupCommand::kDelete;
    group.id = extras.group;
    written_.emplace_back(std::move(group));
  }
  if (extras.group != 0 || extras.meter != 0) dropped_.push_back(extras);
}

void OvsTable::give_back(const std::vector<Extras>& dropped) {
  for (const Extras& extras : dropped) {
    groups_.give_back(extras.group);
    meters_.give_back(extras.meter);
  }
}

void OvsTable::erase(const Place& input) {
  FlowMod flow = flow_at(input);
  flow.command = FlowCommand::kDeleteStrict;
  written_.emplace_back(std::move(flow));
  drop_extras(extras_at(input));
  extras_.erase(key(input));
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
std::vector<OvsTable::Extras> OvsTable::send_written(bool together) {
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

// Nothing of the change was sent, or the bridge is gone: what it has is read when it is back.
void OvsTable::undo_numbers(const Open& open) {
  meters_written_.clear();
  written_.clear();
  dropped_.clear();
  for (const Before& one : open.before) {
    const Extras now = extras_at(one.input);
    if (now.group != one.extras.group) groups_.give_back(now.group);
    if (now.meter != one.extras.meter) meters_.give_back(now.meter);
    set_extras(one.input, one.extras);
  }
}

// A bridge that refuses a part of a change may have made the rest: it adds no message to a bundle
// that it refuses when it reads it, and it makes the others. So nothing is known about the groups
// and meters of the change. Errors of these messages are ignored.
void OvsTable::undo_on_bridge(const Open& open) {
  std::vector<Extras> added;
  for (const Before& one : open.before) {
    const Extras now = extras_at(one.input);
    added.push_back({.group = now.group == one.extras.group ? 0 : now.group,
                     .meter = now.meter == one.extras.meter ? 0 : now.meter,
                     .rate = {}});
    set_extras(one.input, one.extras);
  }
  for (const Before& one : open.before) write(one.input, false);
  for (const Extras& one : added) drop_extras(one);
  give_back(send_written(false));
}

}  // namespace xbind::ovs
