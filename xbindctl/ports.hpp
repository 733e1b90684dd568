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

struct PortReports {
  Control control;
  v2::PortReportSeq_var reports;
};

// Waits for the SwitchServer and its switch.
OrFailure<PortReports> port_reports(orb::NameClient& names, const std::string& switch_name);
OrFailure<v2::CellCounters> counted_cells(orb::NameClient& names, const std::string& switch_name,
                                          PortId port, Label label);

}  // namespace xbind::ctl
