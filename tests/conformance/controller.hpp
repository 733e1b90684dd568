// A controller that sends one request at a time and checks the answer. Its expectations are
// GoogleTest's; each names its request.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/label.hpp"
#include "gsmp/adjacency_fsm.hpp"
#include "gsmp/framing.hpp"

#include "gsmp/message.hpp"
#include "tests/conformance/transport.hpp"

namespace xbind::conformance {

// One branch of a connection, or one direction of a bidirectional one.
struct TableBranch {
  PortId input_port;
  Label input_label;
  PortId output_port;
  Label output_label;
  friend auto operator<=>(const TableBranch&, const TableBranch&) = default;
};
using Table = std::set<TableBranch>;
std::string to_string(const Table& table);

// The connections of others on the switch. The first case of a suite reads them; they must still
// exist after the last case. Only version 3 can report them: in version 1.1 the controller owns
// everything.
struct Others {
  bool known = false;
  Table table;
};

struct Answer {
  bool came = false;
  gsmp::ResultField result = gsmp::ResultField::kEvent;
  gsmp::FailureCode code = gsmp::FailureCode::kNone;
  std::vector<gsmp::Message> parts;  // of the answer, in order
  wire::Buffer octets;               // of the last part, without frame header

  std::string words() const;
  bool success() const { return came && result == gsmp::ResultField::kSuccess; }
  // The last part as a T. When it is of another type, an expectation fails and a default T is
  // returned.
  template <class T>
  T as() const {
    const T* const found = parts.empty() ? nullptr : std::get_if<T>(&parts.back());
    EXPECT_NE(found, nullptr) << "the answer is of another form";
    return found == nullptr ? T{} : *found;
  }
};

class Controller {
 public:
  // `others` is shared by all controllers of a switch.
  Controller(std::unique_ptr<Transport> transport, std::uint8_t version, std::uint64_t name,
             std::shared_ptr<Others> others);

  // ----- adjacency -----
  void start();  // SYN
  // Returns true when ESTAB is reached, false when nothing more arrives.
  bool establish();
  // Forgets the link and starts again over the same connection, like a restarted controller.
  void forget();
  const gsmp::Adjacency& adjacency() const { return *adjacency_; }
  std::uint8_t version() const { return version_; }

  // Call after establish(). Requests the configuration of switch and ports, then calls clean().
  // Returns false when a request fails or fewer than three ports have one kind of label.
  bool prepare();
  // Removes this controller's connections, and resets ports at which others have no connections.
  bool clean();
  const std::shared_ptr<Others>& others() const { return others_; }
  // Whether others have no connection in or out at the ports in places 0 to 2, or anywhere.
  bool ports_are_ours() const;
  bool switch_is_ours() const { return others_->table.empty(); }
  std::size_t ports() const { return records_.size(); }
  // The ports by place. Places 0 to 2 have one kind of label; others have no connections there if
  // three such ports exist. refresh() updates their sessions.
  PortId port(std::size_t place) const { return records_.at(place).port; }
  std::uint32_t session(std::size_t place) const { return records_.at(place).port_session; }
  const gsmp::PortRecord& record(std::size_t place) const { return records_.at(place); }
  const gsmp::SwitchConfiguration& configuration() const { return configuration_; }
  void refresh();
  // A port number that no port has.
  PortId no_port() const;
  LabelKind kind() const;  // of the labels in places 0 to 2
  gsmp::LabelType label_type() const;
  // The k-th label that the ports in places 0 to 2 share and others do not use; 10 are needed.
  Label label(std::uint32_t k) const;
  std::uint32_t labels(std::uint32_t most) const;  // how many there are, up to `most`
  // A label of that kind that the port does not accept.
  Label label_beyond(std::size_t place) const;
  LabelRange label_range() const;  // common to the first range of each of these ports

  // ----- requests; ask() fills in header fields other than type and result -----
  Answer ask(gsmp::Message message);
  // Sends the octets of a message (without frame header) and replaces the transaction in them.
  // `behind` follows the message in its frame.
  Answer ask_octets(wire::Buffer message, std::span<const std::byte> behind = {});
  wire::Buffer encoded(gsmp::Message message);
  // Expects success. A message whose answer copies the request must come back unchanged.
  Answer succeeds(const gsmp::Message& message);
  Answer succeeds_with_copy(const gsmp::Message& message);
  // Expects failure with this code and a copy of the request.
  void fails(const gsmp::Message& message, gsmp::FailureCode code);
  // Expects no answer to the message, while the next request is answered.
  void is_not_answered(wire::Buffer message);
  void sent_with_no_success_ack(gsmp::Message message);

  // Takes the events that have arrived. Waits until there are `wanted` of them or nothing more
  // arrives.
  std::vector<gsmp::Event> events(std::size_t wanted);

  // ----- the table -----
  // Every connection of every port, including those of others (version 3).
  Table whole_table();
  // Expects exactly these connections of this controller, and all connections of others. Version
  // 1.1 cannot report its table: Verify Tree then checks that each connection has its number of
  // branches, and that no other connection which this controller ever named exists.
  void table_is(const Table& expected);

  Transport& transport() const { return *transport_; }

 private:
  void stamp(gsmp::Message& message);
  void note_labels(const gsmp::Message& message);
  Answer await(std::uint32_t transaction, std::span<const std::byte> sent);
  bool pump();
  void tick();
  void flush(wire::Buffer& out);
  bool alone(PortId port) const;
  void find_labels(std::size_t count) const;

  std::unique_ptr<Transport> transport_;
  std::uint8_t version_;
  gsmp::AdjacencyOptions options_;
  std::uint32_t instances_;
  std::unique_ptr<gsmp::Adjacency> adjacency_;
  gsmp::FrameReader frames_;
  std::vector<wire::Buffer> inbox_;  // answers that no request has collected yet
  std::vector<gsmp::Event> events_;
  std::uint32_t transaction_ = 0;
  gsmp::SwitchConfiguration configuration_;
  std::vector<gsmp::PortRecord> records_;
  std::set<std::pair<PortId, Label>> named_;
  std::shared_ptr<Others> others_;
  mutable std::vector<Label> labels_;  // label(0), label(1), ... as far as they were looked up
  mutable std::uint32_t next_place_ = 0;
};

// ----- requests, the way the cases write them -----

gsmp::AddBranch add_branch(const Controller& c, std::size_t in, Label in_label, std::size_t out,
                           Label out_label);
gsmp::DeleteElement element(const Controller& c, std::size_t in, Label in_label, std::size_t out,
                            Label out_label);
gsmp::DeleteBranches delete_branches(std::vector<gsmp::DeleteElement> elements);
TableBranch branch(const Controller& c, std::size_t in, Label in_label, std::size_t out,
                   Label out_label);

}  // namespace xbind::conformance
