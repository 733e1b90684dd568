// The controller's end of an OpenFlow connection to one bridge. It negotiates the version, reads
// the bridge's contents, and then sends changes and queries.
//
//   connected() ─▶ Hello, SetConfig, ports, flows, groups, meters ─▶ bridge_ready(contents)
//   post(FlowMod), post(GroupMod) ..., barrier() ─▶ batch_done(end, refused)
//   read_flows(...) ─▶ its callback
//   port status at any time ─▶ bridge_port()
//
// Changes are pipelined: nothing waits for an answer. A barrier ends a batch; when the bridge
// answers it, every change before it is done or refused. Changes and queries take effect in the
// order of their calls.
//
// If the connection ends, every open query fails and bridge_lost() is called: posted changes
// without a batch_done() may or may not have taken effect. The owner connects again.
//
// Octets in, octets out; no clock, no socket. Not thread-safe. Callbacks may call post(), barrier()
// and the queries. Bounds: the owner limits open changes and queries; contents and answers are
// limited by `flows_max`.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "core/wire/writer.hpp"
#include "ovs/openflow/framing.hpp"
#include "ovs/openflow/messages.hpp"
#include "ovs/timers.hpp"

namespace xbind::ovs {

// What a bridge has when its connection is ready.
struct BridgeContents {
  std::vector<openflow::PortDesc> ports;
  std::vector<openflow::FlowStats> flows;  // of the table, also those of others
  std::vector<openflow::GroupDesc> groups;
  std::vector<openflow::MeterConfig> meters;
};

// A change that the bridge has refused.
struct Refused {
  std::uint32_t xid = 0;
  openflow::Error error;
};

class BridgeClient {
 public:
  virtual void bridge_ready(BridgeContents contents) = 0;
  // Only after bridge_ready().
  virtual void bridge_lost() = 0;
  // All changes with a number before `end` are done, except the refused ones, in ascending order.
  virtual void batch_done(std::uint32_t end, std::span<const Refused> refused) = 0;
  // Only after bridge_ready(): earlier changes are in the contents.
  virtual void bridge_port(const openflow::PortStatus& status) = 0;

 protected:
  ~BridgeClient() = default;
};

struct BridgeOptions {
  std::uint8_t table = 0;             // whose flows the contents have
  std::size_t flows_max = 2'000'000;  // more flows in an answer end the connection
  std::size_t refused_max = 100'000;  // more refusals in a batch end the connection
  std::uint32_t first_number = 1;     // of the first message; above 0
};

struct BridgeCounters {
  std::uint64_t changes = 0;  // posted
  std::uint64_t refused = 0;  // of these
  std::uint64_t batches = 0;  // barriers answered
  std::uint64_t bundles = 0;  // posted
  std::uint64_t bundles_failed = 0;
  std::uint64_t connections = 0;
  std::uint64_t ignored = 0;  // messages that nothing waited for
};

class Bridge {
 public:
  using Flows = std::vector<openflow::FlowStats>;
  using Groups = std::vector<openflow::GroupDesc>;
  using PortCounters = std::vector<openflow::PortStats>;
  template <class Answer>
  using Then = std::function<void(Result<Answer>)>;

  // `client` must outlive the bridge.
  Bridge(BridgeClient& client, BridgeOptions options) : client_(client), options_(options) {}
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;

  // ----- the connection -----
  void connected(TimePoint now);
  void receive(std::span<const std::byte> octets, TimePoint now);
  // The connection has ended, for whatever reason. Idempotent.
  void closed();
  void tick(TimePoint now);
  TimePoint next_deadline() const;
  void take_output(wire::Buffer& into);  // swaps buffers
  // The reason to close the connection; then call closed().
  const std::optional<std::string>& to_close() const { return to_close_; }
  bool ready() const { return state_ == State::kReady; }

  // ----- only while ready -----
  // Numbers ascend by one, over 2^32 - 1 to 1.
  std::uint32_t next_number() const { return next_xid_; }
  template <class Change>
  std::uint32_t post(const Change& change) {
    ++counters_.changes;
    unconfirmed_ = true;
    return send(change);
  }
  // The same for several changes of flows and groups as one atomic bundle (OpenFlow 1.4 section
  // 6.8): the bridge makes all of them or none.
  using BundledChange = std::variant<openflow::FlowMod, openflow::GroupMod>;
  void post_together(std::span<const BundledChange> changes);
  // Ends the batch, if it has any change.
  void barrier();
  // The answer, or kUnreachable: the connection ended first; kSystem: the bridge refuses.
  void read_flows(const openflow::FlowStatsRequest& request, Then<Flows> then);
  void read_groups(Then<Groups> then);
  void read_port(std::uint32_t port, Then<PortCounters> then);

  const BridgeCounters& counters() const { return counters_; }

 private:
  enum class State : std::uint8_t { kDown, kHello, kReading, kReady };
  template <class Answer>
  struct Query {
    Answer found;
    Then<Answer> then;
  };
  using Meters = std::vector<openflow::MeterConfig>;
  using Ports = std::vector<openflow::PortDesc>;
  using AnyQuery =
      std::variant<Query<Flows>, Query<Groups>, Query<PortCounters>, Query<Meters>, Query<Ports>>;

  template <class Message>
  std::uint32_t send(const Message& message) {
    const std::uint32_t xid = take_number();
    openflow::encode(message, xid, out_);
    return xid;
  }
  std::uint32_t take_number() {
    const std::uint32_t xid = next_xid_;
    next_xid_ = xid == 0xffffffff ? 1 : xid + 1;
    return xid;
  }
  template <class Request, class Answer>
  void ask(const Request& request, Then<Answer> then);
  // Adds a part of an answer; calls the query's callback after the last part.
  template <class Answer>
  void answer(std::uint32_t xid, bool more, Answer part);
  void on(const openflow::Message& message, TimePoint now);
  void on_hello(const openflow::Hello& hello);
  void on_error(std::uint32_t xid, const openflow::Error& error);
  void on_port(const openflow::PortStatus& status);
  void on_barrier(std::uint32_t xid);
  void read_contents();
  // Counts the parts of the contents; the last one makes the bridge ready.
  template <class Answer>
  Then<Answer> content(Answer BridgeContents::*member);
  void give_up(std::string why) {
    if (!to_close_) to_close_ = std::move(why);
  }

  BridgeClient& client_;
  BridgeOptions options_;
  State state_ = State::kDown;
  openflow::Framer framer_;
  wire::Buffer out_;
  std::uint32_t next_xid_ = options_.first_number;
  std::uint32_t next_bundle_ = 1;
  bool unconfirmed_ = false;
  std::deque<std::uint32_t> barriers_;
  std::vector<Refused> refused_;  // since the last answered barrier
  std::map<std::uint32_t, AnyQuery> queries_;
  BridgeContents contents_;
  std::vector<openflow::PortStatus> early_;  // changes of ports while the contents are read
  unsigned contents_missing_ = 0;
  TimePoint heard_;
  TimePoint connected_at_;
  bool echo_sent_ = false;
  std::optional<std::string> to_close_;
  BridgeCounters counters_;
};

}  // namespace xbind::ovs
