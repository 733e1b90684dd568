#include "switchserver/alarm_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace xbind {
namespace {

// "; most by a, b; a holds more than its calls use". Without numbers, which would change always.
std::string largest_holders(const Ledger& ledger, PortId port, AlarmKind kind) {
  struct Holder {
    std::uint64_t calls = 0;
    std::uint64_t unused = 0;
    ManagerIndex manager;
  };
  constexpr std::size_t kNamed = 3;
  std::vector<Holder> all;
  for (std::size_t i = 0; i < ledger.managers().size(); ++i) {
    const ManagerIndex manager{static_cast<std::uint16_t>(i)};
    const PortHolding it = ledger.grants().holding(manager, port);
    const Holder holder = kind == AlarmKind::kLabelsShort
                              ? Holder{it.labels_in_calls, it.labels_unused, manager}
                              : Holder{it.in_calls.cells_per_s, it.unused.cells_per_s, manager};
    if (holder.calls + holder.unused != 0) all.push_back(holder);
  }
  std::ranges::sort(all, std::greater{}, [](const Holder& it) { return it.calls + it.unused; });
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), kNamed); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", ledger.managers().name(all[i].manager));
  }
  if (all.empty()) return "";
  const Holder& most = all.front();
  text += most.unused > most.calls ? fmt::format("; {} holds more than its calls use",
                                                 ledger.managers().name(most.manager))
                                   : "";
  return "; most by " + text;
}

void append_port(const Ledger& ledger, const SwitchPort& port, const std::string& object,
                 std::vector<AlarmCondition>& conditions) {
  if (!port.up) {
    conditions.push_back({AlarmKind::kPortDown, object, "the switch reports that it is down"});
  }
  const PortUsage usage = ledger.usage(port.port).value_or(PortUsage{});
  const std::uint64_t labels = ledger.labels().output_stock(port.port).all;
  const auto add = [&](std::optional<AlarmCondition> condition) {
    if (!condition) return;
    condition->cause += largest_holders(ledger, port.port, condition->kind);
    conditions.push_back(std::move(*condition));
  };
  add(nearly_full(AlarmKind::kLabelsShort, object,
                  labels - std::min(labels, usage.free_output_labels), labels, "labels"));
  add(nearly_full(AlarmKind::kBandwidthShort, object, usage.taken.cells_per_s,
                  usage.capacity.cells_per_s, "cells/s"));
}

std::string words_for_nobody(std::uint64_t entries, const Settling& settling) {
  std::string words = fmt::format(
      "{} in no ledger: {} not known",
      entries == 1 ? "1 cross-connect is" : fmt::format("{} cross-connects are", entries),
      entries == 1 ? "its contract is" : "their contracts are");
  if (const std::size_t awaited = settling.awaited().size(); awaited != 0) {
    words += awaited == 1 ? "; manager " + *settling.awaited().begin() + " has not claimed all"
                          : fmt::format("; {} managers have not claimed all", awaited);
  }
  return words;
}

// "; 2 removals wait for that"
std::string words_for_removals(const SwitchController& controller) {
  const std::size_t waiting = controller.removals_waiting();
  if (waiting == 0) return "";
  return waiting == 1 ? "; 1 removal waits for that"
                      : fmt::format("; {} removals wait for that", waiting);
}

}  // namespace

bool awaits_claims(const SwitchController& controller) {
  const Settling& settling = controller.settling();
  return settling.pending() &&
         (!settling.awaited().empty() || controller.ledger().labels().unclaimed_labels() > 0);
}

std::vector<AlarmCondition> conditions_of(const SwitchController& controller,
                                          const std::string& name) {
  std::vector<AlarmCondition> conditions;
  if (controller.up() && awaits_claims(controller)) {
    conditions.push_back(
        {AlarmKind::kClaimsAwaited, name,
         fmt::format("{} managers that are known have not claimed{}",
                     controller.settling().awaited().size(), words_for_removals(controller))});
  }
  const std::uint64_t entries = controller.entries_of_nobody();
  if (entries != 0 && entries != kEntriesUnknown) {
    conditions.push_back(
        {AlarmKind::kEntriesOfNobody, name,
         words_for_nobody(entries, controller.settling()) + words_for_removals(controller)});
  }
  if (const TableRounds& rounds = controller.rounds(); rounds.drifts()) {
    conditions.push_back(
        {AlarmKind::kSwitchDrift, name,
         fmt::format("cross-connects of standing calls were gone: {} put back, {} not put back",
                     rounds.put_back(), rounds.left())});
  }
  for (const SwitchController::ManagerHoldings& holding : controller.holdings()) {
    if (holding.attached || holding.forgotten || holding.hops == 0) continue;
    conditions.push_back(
        {AlarmKind::kManagerGone, "manager " + holding.manager.name,
         fmt::format("{} of its hops are at {} and it has no session", holding.hops, name)});
  }
  const Ledger& ledger = controller.ledger();
  for (const SwitchPort& port : ledger.ports().present()) {
    append_port(ledger, port, fmt::format("{} port {}", name, port.port), conditions);
  }
  return conditions;
}

std::vector<Event> PortWatch::changes(const std::vector<SwitchPort>& ports,
                                      const std::string& switch_name) {
  std::vector<Event> events;
  const auto changed = [&](PortId port, bool up, const char* text) {
    Event& event = events.emplace_back();
    event.kind = up ? EventKind::kLinkUp : EventKind::kLinkDown;
    event.object = fmt::format("{} port {}", switch_name, port);
    event.text = text;
  };
  std::map<PortId, bool> now;
  for (const SwitchPort& port : ports) {
    now.emplace(port.port, port.up);
    const auto before = up_.find(port.port);
    // A port that is up when it is first seen is no news.
    if (before == up_.end() ? port.up : before->second == port.up) continue;
    changed(port.port, port.up, "as the switch reports");
  }
  for (const auto& [port, up] : up_) {
    if (up && !now.contains(port)) changed(port, false, "the switch has it no longer");
  }
  up_ = std::move(now);
  return events;
}

}  // namespace xbind
