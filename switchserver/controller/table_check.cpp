#include "switchserver/controller/table_check.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/log.hpp"
#include "core/planted.hpp"
#include "switchserver/controller/parts.hpp"
#include "switchserver/ledger/ledger_audit.hpp"

namespace xbind::controller {
namespace {

// What a comparison of one port says about entries of hops.
TableRounds::Look look_of(const std::vector<CrossConnect>& there,
                          const std::vector<TableDifference>& differences) {
  TableRounds::Look look;
  look.entries = there.size();
  // An input with an entry whose output is not reported (version 1.1) has what it should, as far as
  // the switch says.
  std::vector<CrossConnect> untold;
  for (const CrossConnect& entry : there) {
    if (entry.output_port == PortId{}) untold.push_back(entry);
  }
  look.outputs_unknown = untold.size();
  for (const TableDifference& one : differences) {
    if (!one.missing || planted(Bug::kDriftNotSeen)) continue;
    const bool hidden = std::ranges::any_of(untold, [&](const CrossConnect& entry) {
      return entry.input_port == one.missing->input_port &&
             entry.input_label == one.missing->input_label;
    });
    if (!hidden) (one.extra ? look.displaced : look.missing).push_back(*one.missing);
  }
  std::ranges::sort(look.missing);
  std::ranges::sort(look.displaced);
  return look;
}

void note_drift(const TableRounds& rounds, std::string_view name, std::size_t put_back,
                std::size_t left_before, SwitchCounters& counters) {
  if (put_back != 0) {
    log::gsmp.warn("{} port {} has lost {} cross-connects of standing calls; they are put back",
                   name, rounds.port(), put_back);
  }
  if (rounds.left() > left_before) {
    log::gsmp.warn(
        "{} lacks {} cross-connects of standing calls that are not put back: they were lost again, "
        "or other entries are on their inputs",
        name, rounds.left());
  }
  const TableRounds::Round& last = rounds.last();
  counters.drift_left = rounds.left();
  counters.table_round_ms = static_cast<std::uint64_t>(last.took / std::chrono::milliseconds{1});
  counters.table_round_entries = last.entries;
  counters.table_round_missing = last.missing;
  counters.table_round_outputs_unknown = last.outputs_unknown;
}

}  // namespace

TableCheck::TableCheck(Parts& parts) : parts_(parts), rounds_(parts.options.table_round) {}

void TableCheck::switch_up(TimePoint now) {
  rounds_.switch_up(parts_.ledger.ports().present().size(), now);
}

void TableCheck::on_time(TimePoint now) {
  const Ledger& ledger = parts_.ledger;
  if (now < rounds_.due() || !parts_.link.up()) return;
  // What managers may still claim is compared when they have.
  if (parts_.settling.pending()) return switch_up(now);
  const auto port = rounds_.next_port(ledger.ports().present(), now);
  if (!port) return;
  rounds_.asked(parts_.link.read_port(*port), ledger.hops().clock());
  parts_.link.flush();
}

bool TableCheck::take(const driver::Table& table, TimePoint now) {
  if (!rounds_.waits_for(table.cookie)) return false;
  if (table.cause != Cause::kNone || parts_.ended.overflow()) {
    ++parts_.counters.table_ports_unread;
    rounds_.unread(now);
    return true;
  }
  const Ledger& ledger = parts_.ledger;
  const PortId port = rounds_.port();
  std::vector<CrossConnect> there;
  std::ranges::copy_if(table.cross_connects, std::back_inserter(there),
                       [&](const CrossConnect& entry) { return entry.input_port == port; });
  TableExpectation expected;
  std::uint64_t hops = 0;
  ledger.hops().for_each([&](HopRef ref, const HopRecord& record) {
    ++hops;
    if (ledger.hops().cross_connect(record).input_port == port) {
      expect(ledger, ref, rounds_.since(), expected);
    }
  });
  parts_.ended.append_since(rounds_.since(), expected.moving);
  plant_mistakes(there, expected);
  const auto differences = differences_of(parts_.options.name, there, std::move(expected));
  TableRounds::Look look = look_of(there, differences);
  look.hops = hops;
  parts_.counters.table_entries_compared += there.size();
  const std::uint64_t rounds = rounds_.last().number;
  const std::uint64_t left = rounds_.left();
  const std::vector<CrossConnect> lost = rounds_.looked(std::move(look), now);
  for (const CrossConnect& entry : lost) put_back_lost(entry);
  note_drift(rounds_, parts_.options.name, lost.size(), left, parts_.counters);
  parts_.counters.table_rounds += rounds_.last().number - rounds;
  return true;
}

// Adds the entry once more, unless its hop has changed since the look.
void TableCheck::put_back_lost(const CrossConnect& entry) {
  const Ledger& ledger = parts_.ledger;
  std::optional<HopRef> lost;
  ledger.users().for_each_on_input(
      entry.input_port, entry.input_label, [&](HopRef ref, const HopRecord& record) {
        const bool live = record.settled() && !ledger.stacks().above(ref);
        if (live && ledger.hops().cross_connect(record) == entry) lost = ref;
      });
  if (!lost) return;
  ++parts_.counters.drift_put_back;
  parts_.hops.put_back(*lost);
}

void TableCheck::plant_mistakes(const std::vector<CrossConnect>& there,
                                const TableExpectation& expected) {
  if (planted(Bug::kDriftMendedAtOnce)) {
    for (const auto* entries : {&expected.settled, &expected.moving}) {
      for (const CrossConnect& entry : *entries) {
        if (std::ranges::find(there, entry) != there.end()) continue;
        parts_.link.add_stray(entry);
      }
    }
  }
  if (planted(Bug::kNobodysRemoved)) {
    for (const TableDifference& one : differences_of(parts_.options.name, there, expected)) {
      if (one.extra && !one.missing) parts_.repairs.remove_stray(*one.extra);
    }
  }
}

}  // namespace xbind::controller
