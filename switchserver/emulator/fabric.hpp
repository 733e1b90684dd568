// An ATM switch that is not there: its ports, and the cross-connects between them. What a switch of
// GSMP's model does with the connection messages of RFC 3292 section 4, without a single cell.
//
// A connection is known by input port and input label and has one branch or more, each an output
// port and output label. Adding a branch that is there already changes its QoS and succeeds;
// several connections may share an output branch (multipoint-to-point).
//
// Modelled: label range and port session number of each port, priorities and services,
// point-to-multipoint, both directions at once (B), the bounds below. Left out: cells, bandwidth
// admission, virtual paths, reservations, connection replace, port management; a port is always up.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "core/ids.hpp"
#include "core/label.hpp"
#include "switchserver/gsmp/add_branch.hpp"
#include "switchserver/gsmp/failure_code.hpp"
#include "switchserver/gsmp/port_configuration.hpp"
#include "switchserver/gsmp/report_connection_state.hpp"

namespace xbind::emulator {

struct FabricOptions {
  std::uint32_t ports = 2;                           // numbered 1..ports; at most 65535
  LabelRange labels;                                 // of every port's input
  std::uint32_t link_cells_per_s = 353207;           // of every port that is not named below
  std::map<PortId, std::uint32_t> port_cells_per_s;  // ports with a rate of their own
  std::uint8_t priorities = 4;                       // 0, the best, to priorities - 1
  // CBR.1, nrt-VBR.1 and UBR.1, each with capability set 1.
  std::vector<gsmp::ServiceSpec> services = {{1, 1}, {5, 1}, {8, 1}};
  std::size_t branches_max = std::size_t{1} << 20;  // in the whole table
  std::size_t branches_per_connection_max = gsmp::kReportBranchesMax;
};

// Model and selector of one direction, as Add Branch gave them.
struct Qos {
  gsmp::QosModel model = gsmp::QosModel::kPriority;
  std::uint32_t selector = 0;
  friend bool operator==(Qos, Qos) = default;
};

struct Branch {
  PortId output_port;
  Label output_label;
  Qos input_qos;
  Qos output_qos;

  bool same_place(PortId port, Label label) const {
    return output_port == port && output_label == label;
  }
};

struct Connection {
  bool bidirectional = false;    // made together with its reverse, and the reverse is still there
  std::vector<Branch> branches;  // by output port and label; never empty
};

class Fabric {
 public:
  // `random` gives the ports their session numbers: one call per port, 0 is passed over.
  Fabric(FabricOptions options, const std::function<std::uint32_t()>& random);

  // ----- ports -----
  std::uint32_t ports() const { return options_.ports; }
  bool has(PortId port) const { return port.value() >= 1 && port.value() <= options_.ports; }
  // `port` exists.
  std::uint32_t port_session(PortId port) const { return at(port).session; }
  gsmp::PortRecord port_record(PortId port) const;

  // ----- connections -----
  // kNone, or kNoSuchPort, kInvalidPortSession: what every request on ports is asked first.
  gsmp::FailureCode check_ports(PortId input, PortId output, std::uint32_t session) const;
  // The rest of the rules, in the order of precedence of RFC 3292 section 12. The ports have been
  // checked. kNone: done. Anything else: nothing has changed.
  gsmp::FailureCode add_branch(const gsmp::AddBranch& request);
  // kNone, kNoSuchConnection or kNoSuchBranch. The last branch takes its connection along.
  gsmp::FailureCode delete_branch(PortId input_port, Label input_label, PortId output_port,
                                  Label output_label);
  void clear();

  const Connection* find(PortId input_port, Label input_label) const;
  struct Entry {
    Label input_label;
    const Connection* connection;
  };
  // In order of labels; good until the table changes. `port` exists.
  std::vector<Entry> connections_of(PortId port) const;
  std::size_t branches() const { return branches_; }

 private:
  struct Port {
    std::uint32_t session = 0;
    std::unordered_map<Label, Connection> connections;
  };

  const Port& at(PortId port) const { return ports_[port.value() - 1]; }
  Port& at(PortId port) { return ports_[port.value() - 1]; }
  Connection* find_to_change(PortId input_port, Label input_label);
  bool serves(Qos qos) const;
  gsmp::FailureCode judge(const gsmp::AddBranch& request, Label input, Label output) const;
  void put(PortId input_port, Label input_label, const Branch& branch, bool bidirectional);

  FabricOptions options_;
  std::vector<Port> ports_;
  std::size_t branches_ = 0;
};

}  // namespace xbind::emulator
