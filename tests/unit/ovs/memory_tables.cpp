#include "tests/unit/ovs/memory_tables.hpp"

#include <algorithm>
#include <utility>

namespace xbind::ovs::test {

using namespace openflow;

namespace {

// Codes of section 7.4.4 that the agent treats like any other.
constexpr std::uint16_t kBadOutGroup = 9;         // OFPBAC_BAD_OUT_GROUP
constexpr std::uint16_t kMatchInconsistent = 10;  // OFPBAC_MATCH_INCONSISTENT
constexpr std::uint16_t kBadPrereq = 9;           // OFPBMC_BAD_PREREQ
constexpr std::uint16_t kBadTable = 2;            // OFPFMFC_BAD_TABLE_ID
constexpr std::uint16_t kInvalidMeter = 2;        // OFPMMFC_INVALID_METER

Error failed(ErrorType type, std::uint16_t code) {
  return {static_cast<std::uint16_t>(type), code};
}

// Whether every packet that `narrow` takes is taken by `wide` too, judged by their fields.
bool covers(const Match& wide, const Match& narrow) {
  const auto same = [](const auto& one, const auto& other) { return !one || one == other; };
  if (wide.in_port != 0 && wide.in_port != narrow.in_port) return false;
  if (!same(wide.eth_type, narrow.eth_type) || !same(wide.mpls_label, narrow.mpls_label) ||
      !same(wide.vlan_vid, narrow.vlan_vid)) {
    return false;
  }
  if (!wide.ipv4_dst) return true;
  if (!narrow.ipv4_dst || narrow.ipv4_dst->bits < wide.ipv4_dst->bits) return false;
  const std::uint32_t mask = 0xffffffffU << (32 - wide.ipv4_dst->bits);
  return (narrow.ipv4_dst->address & mask) == (wide.ipv4_dst->address & mask);
}

bool cookie_fits(std::uint64_t cookie, std::uint64_t wanted, std::uint64_t mask) {
  return (cookie & mask) == (wanted & mask);
}

// Whether a flow uses the output and the group that a delete or request names.
template <class Message>
bool leads_there(const FlowStats& flow, const Message& message) {
  const auto has = [&](const Action& wanted) {
    return std::ranges::find(flow.actions, wanted) != flow.actions.end();
  };
  return (message.out_port == kPortAny || has(Output{message.out_port})) &&
         (message.out_group == kGroupAny || has(Group{message.out_group}));
}

}  // namespace

MemoryTables::Outcome MemoryTables::check(const FlowMod& message) {
  const Match& match = message.match;
  if (match.mpls_label && match.eth_type != kEthTypeMpls)
    return failed(ErrorType::kBadMatch, kBadPrereq);
  if (match.ipv4_dst && match.eth_type != kEthTypeIpv4)
    return failed(ErrorType::kBadMatch, kBadPrereq);
  bool labelled = match.eth_type == kEthTypeMpls;
  bool tagged = match.vlan_vid.value_or(kVlanUntagged) != kVlanUntagged;
  for (const Action& one : message.actions) {
    const bool needs_label = std::holds_alternative<SetMplsLabel>(one) ||
                             std::holds_alternative<PopMpls>(one) ||
                             std::holds_alternative<DecMplsTtl>(one);
    if ((needs_label && !labelled) || (std::holds_alternative<SetVlanVid>(one) && !tagged))
      return failed(ErrorType::kBadAction, kMatchInconsistent);
    if (std::holds_alternative<PushMpls>(one)) labelled = true;
    if (const auto* pop = std::get_if<PopMpls>(&one)) labelled = pop->eth_type == kEthTypeMpls;
    if (std::holds_alternative<PushVlan>(one)) tagged = true;
    if (std::holds_alternative<PopVlan>(one)) tagged = false;
  }
  return std::nullopt;
}

template <class Selected>
void MemoryTables::erase(Selected selected) {
  std::erase_if(flows_, selected);
}

MemoryTables::Outcome MemoryTables::add(const FlowMod& message) {
  if (message.table > kTableMax) return failed(ErrorType::kFlowModFailed, kBadTable);
  FlowStats made;
  made.table = message.table;
  made.priority = message.priority;
  made.flags = message.flags;
  made.cookie = message.cookie;
  made.match = message.match;
  made.meter = message.meter;
  made.actions = message.actions;
  for (FlowStats& flow : flows_) {
    if (flow.table != made.table || flow.priority != made.priority || flow.match != made.match)
      continue;
    if ((message.flags & kFlowResetCounts) == 0) {
      made.packets = flow.packets;
      made.octets = flow.octets;
    }
    flow = std::move(made);
    return std::nullopt;
  }
  if (flows_.size() >= flows_max) return failed(ErrorType::kFlowModFailed, kFlowTableFull);
  flows_.push_back(std::move(made));
  return std::nullopt;
}

MemoryTables::Outcome MemoryTables::apply(const FlowMod& message) {
  const bool strict = message.command == FlowCommand::kModifyStrict ||
                      message.command == FlowCommand::kDeleteStrict;
  const auto selected = [&](const FlowStats& flow) {
    if (message.table != kTableAll && flow.table != message.table) return false;
    if (!cookie_fits(flow.cookie, message.cookie, message.cookie_mask)) return false;
    return strict ? flow.priority == message.priority && flow.match == message.match
                  : covers(message.match, flow.match);
  };
  if (message.command == FlowCommand::kDelete || message.command == FlowCommand::kDeleteStrict) {
    erase([&](const FlowStats& flow) { return selected(flow) && leads_there(flow, message); });
    return std::nullopt;
  }
  if (const auto wrong = check(message)) return wrong;
  const auto group = group_in(message.actions);
  if (group && !groups_.contains(*group)) return failed(ErrorType::kBadAction, kBadOutGroup);
  if (message.meter && !meters_.contains(*message.meter))
    return failed(ErrorType::kMeterModFailed, kInvalidMeter);
  if (message.command == FlowCommand::kAdd) return add(message);
  for (FlowStats& flow : flows_) {
    if (!selected(flow)) continue;
    flow.actions = message.actions;
    flow.meter = message.meter;
  }
  return std::nullopt;
}

MemoryTables::Outcome MemoryTables::apply(const GroupMod& message) {
  const bool there = groups_.contains(message.id);
  if (message.command == GroupCommand::kDelete) {
    const bool all = message.id == kGroupAll;
    erase([&](const FlowStats& flow) {
      const auto group = group_in(flow.actions);
      return group && (all || *group == message.id);
    });
    if (all) {
      groups_.clear();
    } else {
      groups_.erase(message.id);
    }
    return std::nullopt;
  }
  if (message.command == GroupCommand::kAdd && there)
    return failed(ErrorType::kGroupModFailed, kGroupExists);
  if (message.command == GroupCommand::kModify && !there)
    return failed(ErrorType::kGroupModFailed, kGroupUnknown);
  groups_[message.id] = message.buckets;
  return std::nullopt;
}

MemoryTables::Outcome MemoryTables::apply(const MeterMod& message) {
  const bool there = meters_.contains(message.id);
  if (message.command == MeterCommand::kDelete) {
    const bool all = message.id == kMeterAll;
    erase([&](const FlowStats& flow) { return flow.meter && (all || *flow.meter == message.id); });
    if (all) {
      meters_.clear();
    } else {
      meters_.erase(message.id);
    }
    return std::nullopt;
  }
  if (message.id == 0) return failed(ErrorType::kMeterModFailed, kInvalidMeter);
  if (message.command == MeterCommand::kAdd && there)
    return failed(ErrorType::kMeterModFailed, kMeterExists);
  if (message.command == MeterCommand::kModify && !there)
    return failed(ErrorType::kMeterModFailed, kMeterUnknown);
  meters_[message.id] = {message.rate_kbps, message.burst_kbit};
  return std::nullopt;
}

std::vector<FlowStats> MemoryTables::find(const FlowStatsRequest& request) const {
  std::vector<FlowStats> found;
  for (const FlowStats& flow : flows_) {
    if ((request.table == kTableAll || flow.table == request.table) &&
        cookie_fits(flow.cookie, request.cookie, request.cookie_mask) &&
        covers(request.match, flow.match) && leads_there(flow, request)) {
      found.push_back(flow);
    }
  }
  return found;
}

FlowStats* MemoryTables::flow(const Match& match, std::uint16_t priority) {
  const auto found = std::ranges::find_if(flows_, [&](const FlowStats& one) {
    return one.table == 0 && one.priority == priority && one.match == match;
  });
  return found == flows_.end() ? nullptr : &*found;
}

}  // namespace xbind::ovs::test
