// A controller that asks one thing at a time and looks closely at what comes back. Expectations are
// GoogleTest's; each names the request it was about.
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

// One branch of a connection, or half a bidirectional one.
struct TableBranch {
  PortId input_port;
  Label input_label;
  PortId output_port;
  Label output_label;
  friend auto operator<=>(const TableBranch&, const TableBranch&) = default;
};
using Table = std::set<TableBranch>;
std::string to_string(const Table& table);

// What is on the switch and is not ours: found by the first case of a suite, and to be there after the
// last one. Only version 3 can tell; in version 1.1 everything is ours.
struct Others {
  bool known = false;
  Table table;
};

struct Answer {
  bool came = false;
  gsmp::ResultField result = gsmp::ResultField::kEvent;
  gsmp::FailureCode code = gsmp::FailureCode::kNone;
  std::vector<gsmp::Message> parts;  // the last one is the final one
  wire::Buffer octets;               // of the last part, without frame header

  std::string words() const;
  bool success() const { return came && result == gsmp::ResultField::kSuccess; }
  // The last part as what it should be; a fresh one, and a failed expectation, if it is not.
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
  // Until ESTAB, or until nothing comes any more; true: established.
  bool establish();
  // Forgets the link and begins anew over the same connection, as a restarted controller would.
  void forget();
  const gsmp::Adjacency& adjacency() const { return *adjacency_; }
  std::uint8_t version() const { return version_; }

  // After establish(): asks for the configuration of the switch and its ports, and takes away what is
  // ours. False: it would not, or has not three ports of one kind of label.
  bool prepare();
  // Takes away what is ours: connections, and what was done to ports at which others have none.
  bool clean();
  const std::shared_ptr<Others>& others() const { return others_; }
  // Whether others have no connection in or out at the ports in places 0 to 2, or anywhere at all.
  bool ports_are_ours() const;
  bool switch_is_ours() const { return others_->table.empty(); }
  std::size_t ports() const { return records_.size(); }
  // The ports by place. 0 to 2 have one kind of label, and are ours if three are. Their sessions are
  // kept up to date by refresh().
  PortId port(std::size_t place) const { return records_.at(place).port; }
  std::uint32_t session(std::size_t place) const { return records_.at(place).port_session; }
  const gsmp::PortRecord& record(std::size_t place) const { return records_.at(place); }
  const gsmp::SwitchConfiguration& configuration() const { return configuration_; }
  void refresh();
  // A port number that no port has.
  PortId no_port() const;
  LabelKind kind() const;  // of the labels in places 0 to 2
  gsmp::LabelType label_type() const;
  // The k-th label that the ports in places 0 to 2 have in common and others do not use; 10 are needed.
  Label label(std::uint32_t k) const;
  std::uint32_t labels(std::uint32_t most) const;  // how many there are, `most` at the most
  // One of that kind which the port does not take.
  Label label_beyond(std::size_t place) const;
  LabelRange label_range() const;  // those in common, of the first range of each

  // ----- asking; header fields other than type and result are filled in -----
  Answer ask(gsmp::Message message);
  // Octets of a message, without frame header; the transaction in them is replaced. `behind`: what
  // the frame has beyond the message.
  Answer ask_octets(wire::Buffer message, std::span<const std::byte> behind = {});
  wire::Buffer encoded(gsmp::Message message);
  // Success; for what answers with a copy of the request, exactly that.
  Answer succeeds(const gsmp::Message& message);
  Answer succeeds_with_copy(const gsmp::Message& message);
  // Failure with this code, and the request copied.
  void fails(const gsmp::Message& message, gsmp::FailureCode code);
  // No answer to it, although the switch answers the next request.
  void is_not_answered(wire::Buffer message);
  void sent_with_no_success_ack(gsmp::Message message);

  // What the switch has to say unasked; takes them. `wanted`: waits for so many at most.
  std::vector<gsmp::Event> events(std::size_t wanted);

  // ----- the table -----
  // Every connection of every port (version 3), of others too.
  Table whole_table();
  // What is ours is this, and what is others' is still there. In version 1.1, which cannot be asked for
  // it: each of these connections is there with that many branches, and no other that this controller
  // has ever named (Verify Tree).
  void table_is(const Table& expected);

  Transport& transport() { return *transport_; }

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
  std::vector<wire::Buffer> inbox_;  // answers nobody has asked for yet
  std::vector<gsmp::Event> events_;
  std::uint32_t transaction_ = 0;
  gsmp::SwitchConfiguration configuration_;
  std::vector<gsmp::PortRecord> records_;
  std::set<std::pair<PortId, Label>> named_;
  std::shared_ptr<Others> others_;
  mutable std::vector<Label> labels_;  // label(0), label(1), ... as far as they were asked for
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
