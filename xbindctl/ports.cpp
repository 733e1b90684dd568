// Commands that show a SwitchServer's view of its switch.
#include "xbindctl/ports.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/label_text.hpp"
#include "naming/names.hpp"
#include "orb/convert.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"

namespace xbind::ctl {
namespace {

// Resolves the SwitchServer and calls it; `ask` returns an OrFailure.
template <class Ask>
auto at_switch(orb::NameClient& names, const std::string& switch_name, const Ask& ask)
    -> std::invoke_result_t<Ask, v2::SwitchServer_ptr> {
  const std::string path = naming::path_of(naming::kSwitchServers, switch_name);
  const auto object = resolved(names, PeerKind::kSwitchServer, path);
  if (!object) return tl::make_unexpected(object.error());
  const v2::SwitchServer_var server = v2::SwitchServer::_unchecked_narrow(*object);
  return call_peer(peer_of(PeerKind::kSwitchServer, path, server), server,
                   [&] { return ask(server.in()); });
}

std::string labels_of(const v2::PortState& port) {
  std::string text;
  for (CORBA::ULong i = 0; i < port.labels.length(); ++i) {
    const v2::LabelRange& range = port.labels[i];
    if (i != 0) text += ' ';
    text += to_word(LabelRange{static_cast<LabelKind>(range.kind), range.first, range.last});
  }
  return text;
}

void read_status(v2::SwitchServer_ptr server, Control& control, Comparison& comparison) {
  const std::pair<std::string_view, std::uint64_t*> figures[] = {
      {"table_rounds", &comparison.rounds},
      {"table_round_ms", &comparison.took_ms},
      {"table_round_entries", &comparison.entries},
      {"table_round_missing", &comparison.missing},
      {"table_round_outputs_unknown", &comparison.outputs_unknown},
      {"drift_put_back", &comparison.put_back},
      {"drift_left", &comparison.not_put_back},
      {"gsmp_adjacencies", &comparison.controllers}};
  const v2::MetricSeq_var metrics = server->status();
  for (CORBA::ULong i = 0; i < metrics->length(); ++i) {
    const std::string_view name = metrics.in()[i].name.in();
    const std::uint64_t value = metrics.in()[i].value;
    for (const auto& [figure, to] : figures) {
      if (name == figure) *to = value;
    }
    if (name == "switch_up") control.has = value != 0;
    if (name == "switch_met") control.ever_had = value != 0;
    if (name == "switch_away_ms") control.away_ms = value;
  }
}

std::string words_for(const Comparison& it) {
  if (it.rounds == 0)
    return "the table has not been compared with the ledger in the background yet";
  std::string words =
      fmt::format("last comparison with the ledger (round {}): {} entries in {:.1f} s, {} missing",
                  it.rounds, it.entries, static_cast<double>(it.took_ms) / 1e3, it.missing);
  if (it.outputs_unknown != 0) {
    words += fmt::format(", {} whose outputs the switch cannot list", it.outputs_unknown);
  }
  words += fmt::format("; put back so far {}, not put back {}", it.put_back, it.not_put_back);
  if (it.controllers > 1) words += fmt::format("; the switch has {} controllers", it.controllers);
  return words;
}

Row row_of(const v2::PortReport& port, const Control& control) {
  const char* const line = port.state.up ? "up" : "down";
  Row row{fmt::format("{}", port.state.port_number),
          control.has ? line : "unknown",
          labels_of(port.state),
          fmt::format("{}", port.state.cells_per_s),
          fmt::format("{}", port.taken.cells_per_s),
          fmt::format("{}", port.taken.buffer_cells),
          fmt::format("{}", port.free_output_labels)};
  if (port.cells.length() == 0) {
    row.insert(row.end(), {"-", "-", "-", "-", "-"});
    return row;
  }
  const v2::CellCounters& cells = port.cells[0];
  for (const auto value : {cells.input_cells, cells.output_cells,
                           cells.input_cell_discards + cells.output_cell_discards, cells.hec_errors,
                           cells.invalid_labels}) {
    row.push_back(fmt::format("{}", value));
  }
  return row;
}

}  // namespace

OrFailure<PortReports> port_reports(orb::NameClient& names, const std::string& switch_name) {
  return at_switch(names, switch_name, [&](v2::SwitchServer_ptr server) -> OrFailure<PortReports> {
    PortReports found;
    read_status(server, found.control, found.comparison);
    const v2::SwitchOperations_var operations = server->switch_operations();
    found.reports = operations->ports();
    return found;
  });
}

OrFailure<v2::CellCounters> counted_cells(orb::NameClient& names, const std::string& switch_name,
                                          PortId port, Label label) {
  return at_switch(names, switch_name,
                   [&](v2::SwitchServer_ptr server) -> OrFailure<v2::CellCounters> {
                     const v2::SwitchOperations_var operations = server->switch_operations();
                     return operations->count_cells(port.value(), orb::to_idl(label));
                   });
}

int ports(orb::NameClient& names, const std::string& switch_name) {
  const auto found = port_reports(names, switch_name);
  if (!found) {
    explain(found.error());
    return explain(fmt::format("the ports of {} are unknown", switch_name));
  }
  const Control& control = found->control;
  std::vector<Row> rows{{"port", "line", "labels", "cells/s", "taken", "buffer taken",
                         "labels free", "cells in", "cells out", "discarded", "hec errors",
                         "unknown labels"}};
  for (CORBA::ULong i = 0; i < found->reports->length(); ++i) {
    rows.push_back(row_of(found->reports.in()[i], control));
  }
  print_table(3, rows);
  say(words_for(found->comparison));
  if (!control.has) {
    const double seconds = static_cast<double>(control.away_ms) / 1e3;
    say(control.ever_had
            ? fmt::format("{} is unknown: its SwitchServer has not controlled it for {:.1f} s; "
                          "the table shows the last known state",
                          switch_name, seconds)
            : fmt::format("{} is unknown: its SwitchServer has not reached it for {:.1f} s",
                          switch_name, seconds));
  }
  return 0;
}

int count(orb::NameClient& names, const std::string& switch_name, PortId port, Label label) {
  const auto cells = counted_cells(names, switch_name, port, label);
  if (!cells) return explain(cells.error());
  say(fmt::format("port {} label {}: {} cells in, {} out, {} and {} discarded", port,
                  to_string(label), cells->input_cells, cells->output_cells,
                  cells->input_cell_discards, cells->output_cell_discards));
  return 0;
}

}  // namespace xbind::ctl
