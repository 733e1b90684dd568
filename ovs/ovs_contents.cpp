// The bridge comes and goes: what it has is adopted or made to match, and its ports.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "ovs/ovs_table.hpp"

namespace xbind::ovs {

using gsmp::FailureCode;
using openflow::FlowStats;

void OvsTable::bridge_ready(BridgeContents contents) {
  std::erase_if(contents.flows,
                [&](const FlowStats& flow) { return flow.table != options_.layout.table; });
  for (const Place& taken : flows_.learn(contents)) {
    notices_.push_back(
        fmt::format("{} is taken by a flow of others with our priority", to_string(taken)));
  }
  if (std::exchange(started_, true)) {
    restore(contents);
  } else {
    adopt(contents);
  }
  flows_.remove_unused(contents);
  flows_.give_back(flows_.send(false));
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
    flows_.undo_numbers(one->extras);
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

// ----- the first contents -----------------------------------------------------------------------

void OvsTable::adopt(const BridgeContents& contents) {
  const BucketsOf buckets = buckets_of(contents.groups);
  for (const FlowStats& flow : contents.flows) {
    if (!flows_.ours(flow)) continue;
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
  flows_.adopt(*input, flow, contents);
  return true;
}

// ----- later contents ---------------------------------------------------------------------------

void OvsTable::restore(const BridgeContents& contents) {
  const BucketsOf buckets = buckets_of(contents.groups);
  flows_.forget_lost(contents, all());
  std::unordered_set<std::uint64_t> good;
  for (const FlowStats& flow : contents.flows) {
    if (!flows_.ours(flow)) continue;
    const auto input = place_of(options_.layout, flow.match, flow.priority);
    if (!input || input->port.value() > ports()) {
      remove_flow(flow);
    } else if (flows_.as_written(flow, *input, buckets)) {
      good.insert(key_of(*input));
    } else if (fabric_.find_raw(input->port, input->label) == nullptr) {
      remove_flow(flow);
    }
  }
  for (const Place& one : all()) {
    if (good.contains(key_of(one))) continue;
    if (flows_.write(one) != FailureCode::kNone) {
      notices_.push_back(
          fmt::format("{} cannot be restored: no number is left for its group or "
                      "meter",
                      to_string(one)));
      continue;
    }
    if (!flows_.taken_by_others(one)) ++counters_.restored;
  }
}

void OvsTable::remove_flow(const FlowStats& flow) {
  if (flows_.remove(flow)) {
    ++counters_.removed;
  } else {
    notices_.emplace_back("a flow has our cookie, but a match that is not ours: it is left alone");
  }
}

}  // namespace xbind::ovs
