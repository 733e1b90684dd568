// An Open vSwitch bridge in memory, at its management socket: OpenFlow 1.4, octets in and out. It
// answers as Open vSwitch 3.1 does (tests/integration/openflow_bridge_test.py runs a real one):
//
//   - it sends Hello first, and PortStatus only after a SetConfig with a miss_send_len above 0;
//   - it executes messages in order and answers a change only if it refuses it;
//   - a message that it refuses when a bundle is committed makes the whole bundle fail: its Error
//     has the xid of that message, and a second one, OFPBFC_MSG_FAILED, that of the commit;
//   - a message that it refuses already when it reads it (MemoryTables::check) is not added to the
//     bundle, and the commit executes the others;
//   - bundles cannot hold changes of meters;
//   - long multipart replies have several parts.
//
// Tests read and change the tables directly, as others do who use the same bridge. No clock; not
// thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "core/wire/writer.hpp"
#include "ovs/openflow/framing.hpp"
#include "tests/unit/ovs/memory_tables.hpp"

namespace xbind::ovs::test {

class MemoryBridge {
 public:
  // Ports 1 to `ports`, all up.
  explicit MemoryBridge(std::uint32_t ports);

  // ----- the connection -----
  // A new controller; an earlier one is forgotten. Sends Hello.
  void connect();
  void disconnect();
  void receive(std::span<const std::byte> octets);
  wire::Buffer take_output();
  // Of complete messages that were received since the connection began.
  std::size_t received() const { return received_; }

  // ----- the bridge -----
  MemoryTables& tables() { return tables_; }
  const MemoryTables& tables() const { return tables_; }
  // Starts again with empty tables: the connection is lost.
  void restart();
  // The line of a port goes down or up. Adds the port if it was removed.
  void set_port(std::uint32_t port, bool up);
  void remove_port(std::uint32_t port);
  // Frames came in at the port, and the flow with this match and priority took them.
  void count(const openflow::Match& match, std::uint16_t priority, std::uint64_t octets);

  // ----- faults -----
  void set_hello(const openflow::Hello& hello) { hello_ = hello; }  // of later connections
  // Nothing is answered until the answers are released.
  void hold_answers() { holding_ = true; }
  void release_answers() { holding_ = false; }
  // Entries in a part of a multipart reply; never 0.
  void set_part_entries(std::size_t entries) { part_entries_ = entries; }
  // Refuses the next `count` changes of a kind: adds of flows, adds and modifications of groups or
  // meters. A bridge never refuses a delete.
  enum class Kind : std::uint8_t { kFlow, kGroup, kMeter };
  enum class When : std::uint8_t { kExecuted, kRead };
  void refuse_next(Kind kind, openflow::ErrorType type, std::uint16_t code,
                   When when = When::kExecuted, std::uint64_t count = 1);
  void refuse_none() { refusing_.clear(); }
  // Refuses the next request for meters: a bridge that has none.
  void refuse_meter_queries() { no_meters_ = true; }

 private:
  using Change = std::variant<openflow::FlowMod, openflow::GroupMod>;
  struct Added {
    std::uint32_t xid = 0;
    Change change;
    std::vector<std::byte> octets;
  };
  struct Refusing {
    Kind kind;
    When when;
    std::uint64_t count;
    openflow::Error error;
  };
  using Frame = std::span<const std::byte>;

  template <class M>
  void send(const M& message, std::uint32_t xid) {
    openflow::encode(message, xid, out_);
  }
  void refuse(openflow::Error error, std::uint32_t xid, Frame refused);
  void on(const openflow::Message& message, Frame frame);
  template <class M>
  void on_change(const M& message, std::uint32_t xid, Frame frame);
  void on_bundle(const openflow::BundleControl& message, std::uint32_t xid, Frame frame);
  void on_bundle_add(const openflow::BundleAdd& message, std::uint32_t xid, Frame frame);
  bool commit(const std::vector<Added>& bundle);
  void on_query(const openflow::MeterConfigRequest& request, std::uint32_t xid, Frame frame);
  // `entries` is the member of Reply that holds them.
  template <class Reply, class Entries>
  void reply(std::uint32_t xid, const Entries& found, Entries Reply::*entries);
  template <class M>
  MemoryTables::Outcome refused_on_purpose(const M& message, When when);
  void send_status(openflow::PortReason reason, const openflow::PortDesc& port);

  MemoryTables tables_;
  std::map<std::uint32_t, openflow::PortDesc> ports_;
  std::map<std::uint32_t, openflow::PortStats> counters_;
  openflow::Hello hello_;
  openflow::Framer framer_;
  std::map<std::uint32_t, std::vector<Added>> bundles_;
  bool connected_ = false;
  bool asynchronous_ = false;
  bool holding_ = false;
  bool no_meters_ = false;
  std::size_t part_entries_ = 500;
  std::size_t received_ = 0;
  std::deque<Refusing> refusing_;
  wire::Buffer out_;
};

}  // namespace xbind::ovs::test
