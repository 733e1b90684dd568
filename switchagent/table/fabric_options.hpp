// What an emulated switch is built from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/ids.hpp"
#include "core/label.hpp"
#include "core/port_buffer.hpp"
#include "gsmp/messages/report_connection_state.hpp"
#include "gsmp/messages/service_configuration.hpp"

namespace xbind::switchagent {

// CBR.1, rt-VBR.1, nrt-VBR.1, UBR.1 and GFR.1, each with capability set 1.
std::vector<gsmp::ServiceRecord> default_services();

struct FabricOptions {
  std::uint32_t ports = 2;  // numbered 1..ports; at most 65535
  AtmBounds labels;         // initial input range of every ATM port
  // Ports with their own labels: an ATM port has one range, an MPLS port 1 to kLabelRangesMax, as
  // checked_ranges() returns them. Their kind is the port's kind and never changes.
  std::map<PortId, LabelRanges> port_labels;
  bool one_kind = false;  // no branch may join ports of different kinds
  // The range that Label Range may set at an ATM port.
  AtmBounds labels_grantable{0, 4095, 32, 65535};
  std::uint32_t link_cells_per_s = 353207;           // of every port not listed below
  std::map<PortId, std::uint32_t> port_cells_per_s;  // ports with a rate of their own
  bool rate_settable = true;                         // by Port Management, up to the port's default
  // 0, the highest, to priorities - 1. UBR has a queue below them.
  std::uint8_t priorities = 4;
  std::vector<gsmp::ServiceRecord> services = default_services();
  bool vp_switching = true;
  bool connection_replace = true;  // Port Management may enable it
  std::size_t connections_max = std::size_t{1} << 20;
  std::size_t branches_max = std::size_t{1} << 20;  // in the whole table
  std::size_t branches_per_connection_max = gsmp::kReportBranchesMax;
  std::uint32_t max_reservations = 1024;        // 0: no reservations
  std::size_t buffer_cells = kPortBufferCells;  // of each output port, shared by its queues
};

}  // namespace xbind::switchagent
