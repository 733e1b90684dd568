// A SwitchServer's view of its switch, as values; commands.hpp declares the commands that print it.
#pragma once

#include <cstdint>
#include <string>

#include "core/ids.hpp"
#include "core/label.hpp"
#include "orb/name_client.hpp"
#include "switch_server.hh"
#include "xbindctl/failure.hpp"

namespace xbind::ctl {

// Whether the SwitchServer controls its switch; if not, its data are the last that it received.
struct Control {
  bool has = true;
  bool ever_had = true;
  std::uint64_t away_ms = 0;
};

// The last round in which the SwitchServer compared the switch's table with its ledger in the
// background.
struct Comparison {
  std::uint64_t rounds = 0;  // so far; 0: the figures below are of no round
  std::uint64_t took_ms = 0;
  std::uint64_t entries = 0;
  std::uint64_t missing = 0;          // in two looks
  std::uint64_t outputs_unknown = 0;  // entries of a switch that cannot list outputs
  // Since the SwitchServer began, and now.
  std::uint64_t put_back = 0;
  std::uint64_t not_put_back = 0;
  std::uint64_t controllers = 0;  // of the switch; 0: not known
};

struct PortReports {
  Control control;
  Comparison comparison;
  v2::PortReportSeq_var reports;
};

// Waits for the SwitchServer and its switch.
OrFailure<PortReports> port_reports(orb::NameClient& names, const std::string& switch_name);
OrFailure<v2::CellCounters> counted_cells(orb::NameClient& names, const std::string& switch_name,
                                          PortId port, Label label);

}  // namespace xbind::ctl
