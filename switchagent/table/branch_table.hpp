// The cross-connects of the fabric in GSMP terms: the entries of the data plane's table, the only
// table of connections, and the quality-of-service profiles that their branches use.
//
// A branch's tag has the number of its profile, and whether it is half of a bidirectional pair. The
// two halves of a pair lead to each other, and each has one branch. A half that is changed or
// deleted alone leaves the other as an ordinary connection. Each branch is one user of its profile.
//
// Not thread-safe. Pointers are valid until the table changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "core/label.hpp"
#include "dataplane/forwarding_table.hpp"
#include "gsmp/messages/failure_code.hpp"
#include "switchagent/table/port_labels.hpp"
#include "switchagent/table/qos_profiles.hpp"
#include "switchagent/table/service_rules.hpp"

namespace xbind::switchagent {

struct Branch {
  PortId output_port;
  Label output_label;
  Qos input_qos;
  Qos output_qos;

  bool same_place(PortId port, Label label) const {
    return output_port == port && output_label == label;
  }
};

// A copy of the connection at an input label, in GSMP terms.
struct Connection {
  bool bidirectional = false;    // created together with its reverse, which still exists
  bool path = false;             // a virtual path connection
  std::vector<Branch> branches;  // by output port and label; never empty
};

// The keys of the table.
inline dataplane::VirtualLink link_at(PortId port, Label label, bool path) {
  return {port, static_cast<std::uint16_t>(vpi_of(label)),
          static_cast<std::uint16_t>(path ? 0 : vci_of(label)), path};
}
// The output side of a branch of the connection at `input`.
inline dataplane::Branch place_of(const dataplane::VirtualLink& input, PortId output_port,
                                  Label output) {
  return {.port = output_port,
          .vpi = static_cast<std::uint16_t>(vpi_of(output)),
          .vci = static_cast<std::uint16_t>(input.path ? 0 : vci_of(output))};
}
// The input of the other half of a bidirectional pair, and that half's branch.
inline dataplane::VirtualLink reverse_of(const dataplane::VirtualLink& input,
                                         const dataplane::Branch& branch) {
  return {branch.port, branch.vpi, branch.vci, input.path};
}
inline dataplane::Branch back_to(const dataplane::VirtualLink& input) {
  return {.port = input.port, .vpi = input.vpi, .vci = input.vci};
}
// Null: no connection, or no such branch.
inline const dataplane::Branch* branch_at(const dataplane::Connection* connection,
                                          const dataplane::Branch& place) {
  if (connection == nullptr) return nullptr;
  for (const dataplane::Branch& one : connection->branches) {
    if (one.same_place(place)) return &one;
  }
  return nullptr;
}

class BranchTable {
 public:
  // All of them must outlive this object.
  BranchTable(dataplane::ForwardingTable& table, const PortLabels& labels,
              const ServiceRules& services)
      : table_(table), labels_(labels), services_(services) {}

  // ----- look-ups -----
  struct Entry {
    Label input_label;  // of a path with VCI 0
    const dataplane::Connection* connection;
  };
  // In label order. `port` must exist.
  std::vector<Entry> connections_of(PortId port) const;
  // A label with VCI 0 that is no channel names the path of its VPI. Null: no such connection, or
  // no such port.
  const dataplane::Connection* find(PortId port, Label label) const;
  // The same as a copy.
  std::optional<Connection> copy(PortId port, Label label) const;
  std::size_t branches() const { return table_.branches(); }
  std::size_t connections() const { return table_.connections(); }
  // `branch` must be in the table.
  const QosProfile& profile_at(const dataplane::Branch& branch) const {
    return profiles_.at(number_in(branch.tag));
  }
  const QosProfiles& profiles() const { return profiles_; }
  static bool bidirectional(const dataplane::Connection& connection) {
    return bidirectional_in(connection.branches.front().tag);
  }

  // ----- changes; the caller has checked the rules -----
  // `there`: the existing branch at that output, which is added again; null: none. `both_ways`: it
  // is half of a pair.
  void put(const dataplane::VirtualLink& input, dataplane::Branch branch,
           const dataplane::Branch* there, const QosProfile& profile, bool both_ways);
  // Replaces the branch `there` of `connection` by one at `place`, in one step.
  void move(const dataplane::Connection& connection, const dataplane::Branch& there,
            dataplane::Branch place, const QosProfile& profile);
  // `connection` and `branch` must be entries of the table.
  void drop(const dataplane::Connection& connection, const dataplane::Branch& branch);
  // Connection Replace: removes all branches to that output label, except that of `keep`.
  void drop_others_at(const dataplane::VirtualLink& keep, const dataplane::Branch& place);

  // kNone, kNoSuchConnection or kNoSuchBranch. Deleting the last branch deletes the connection.
  gsmp::FailureCode delete_branch(PortId input_port, Label input_label, PortId output_port,
                                  Label output_label);
  gsmp::FailureCode delete_tree(PortId input_port, Label input_label);
  // Return the number of deleted branches. `port` must exist.
  std::size_t delete_all_input(PortId port);
  std::size_t delete_all_output(PortId port);
  void clear();

 private:
  static constexpr std::uint32_t tag_of(QosProfiles::Number number, bool bidirectional) {
    return number << 1 | (bidirectional ? 1 : 0);
  }
  static constexpr QosProfiles::Number number_in(std::uint32_t tag) { return tag >> 1; }
  static constexpr bool bidirectional_in(std::uint32_t tag) { return (tag & 1) != 0; }

  void drop_branch(const dataplane::VirtualLink& input, const dataplane::Branch& place);
  void drop_connection(const dataplane::VirtualLink& input);
  void unpair(const dataplane::Connection& connection);

  dataplane::ForwardingTable& table_;
  const PortLabels& labels_;
  const ServiceRules& services_;
  QosProfiles profiles_;
};

}  // namespace xbind::switchagent
