// Writes connections to the bridge: what each needs there, with a group where it has several
// branches and a meter where its contract is policed. It knows what the bridge has for them, and
// which numbers of groups and meters are in use.
//
//   write(input) ... send(together) ─▶ the messages, in an order in which the bridge can take them
//
// The numbers that a change frees stay taken until the owner gives them back: only when the bridge
// has confirmed the change are they free. If the bridge has refused it, undo_on_bridge() makes the
// bridge match again.
//
// Not thread-safe. Bounds: the fabric limits connections; the numbers have ranges.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ovs/bridge.hpp"
#include "ovs/forwarding.hpp"
#include "ovs/number_pool.hpp"
#include "switchagent/table/fabric.hpp"

namespace xbind::ovs {

using Places = std::vector<Place>;

// A range of numbers of the bridge that belongs to this agent alone.
struct NumberRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

// What the bridge has for a connection beside its flow.
struct Extras {
  std::uint32_t group = 0;  // 0: none
  std::uint32_t meter = 0;  // 0: none
  MeterRate rate;           // of the meter
};
struct ExtrasBefore {
  Place input;
  Extras extras;
};

// Identifies the connection that enters there: a port has labels of one kind only.
inline std::uint64_t key_of(const Place& input) {
  return std::uint64_t{input.port.value()} << 32 | input.label.value;
}
// The buckets of the groups that a flow of ours can use.
BucketsOf buckets_of(const std::vector<openflow::GroupDesc>& groups);

class FlowWriter {
 public:
  // All must outlive the writer.
  FlowWriter(const switchagent::Fabric& fabric, const Layout& layout, Bridge& bridge,
             NumberRange groups, NumberRange meters);
  FlowWriter(const FlowWriter&) = delete;
  FlowWriter& operator=(const FlowWriter&) = delete;

  // ----- writing; nothing is sent before send() -----
  // Writes the connection as the fabric has it, or removes it if the fabric has none.
  // kOutOfResources: no number is left for its group or meter, and nothing was written. `sure`
  // false: its group and meter may be on the bridge or not, with any contents.
  gsmp::FailureCode write(const Place& input, bool sure = true);
  void erase_all();
  // Removes a flow of ours that belongs to no connection. False: its match is not one of ours, so
  // it is left alone.
  bool remove(const openflow::FlowStats& flow);
  // Sends what was written since the last call: several flows and groups as one bundle, so that no
  // frame meets a part of a change. Returns the numbers that the messages free.
  std::vector<Extras> send(bool together);
  void give_back(const std::vector<Extras>& freed);

  // ----- undoing -----
  Extras extras_at(const Place& input) const;
  // Nothing of the change was sent, or the bridge is gone: the numbers are as before.
  void undo_numbers(const std::vector<ExtrasBefore>& before);
  // A bridge that refuses a part of a change may have made the rest: it adds no message to a bundle
  // that it refuses when it reads it, and it makes the others. So nothing is known about the groups
  // and meters of the change. Errors of the messages that this sends are ignored. The fabric has
  // gone back already.
  void undo_on_bridge(const std::vector<ExtrasBefore>& before);

  // ----- the bridge's contents -----
  bool ours(const openflow::FlowStats& flow) const {
    return (flow.cookie & kCookieMask) == layout_.cookie;
  }
  // Notes the inputs that flows of others take, and the numbers that nobody may get. Returns the
  // inputs.
  Places learn(const BridgeContents& contents);
  // An add there would replace a flow of others.
  bool taken_by_others(const Place& input) const { return strangers_.contains(key_of(input)); }
  // The fabric has the connection of this flow now: its group and meter are in use.
  void adopt(const Place& input, const openflow::FlowStats& flow, const BridgeContents& contents);
  // A bridge that restarted has no groups and meters: their numbers are free again. Those of
  // connections that are not among `connected` are unused.
  void forget_lost(const BridgeContents& contents, const Places& connected);
  // Whether the flow, its group and its meter are what write() would send.
  bool as_written(const openflow::FlowStats& flow, const Place& input,
                  const BucketsOf& buckets) const;
  // Removes groups and meters in our ranges that neither connections nor flows of others use.
  void remove_unused(const BridgeContents& contents);

  // Numbers in use, also by others or until a change is confirmed.
  std::size_t groups_used() const { return groups_.used(); }
  std::size_t meters_used() const { return meters_.used(); }

  bool in_service(PortId port) const {
    return fabric_.port_status(port) == gsmp::PortStatus::kAvailable;
  }

 private:
  using FlowMessage = Bridge::BundledChange;

  void erase(const Place& input);
  // The rate at which frames of the connection are policed here; nullopt: they are not.
  std::optional<MeterRate> rate_at(const Place& input,
                                   const switchagent::QosProfile& profile) const;
  // Takes the numbers that the connection needs, and writes its meter. nullopt: none is left.
  std::optional<Extras> extras_for(const Place& input, std::size_t outputs,
                                   const switchagent::QosProfile& profile, bool sure);
  void set_extras(const Place& input, const Extras& extras);
  void drop_extras(const Extras& extras);
  Places outputs_in_service(const dataplane::Connection& connection) const;
  openflow::FlowMod flow_at(const Place& input) const;  // without actions

  const switchagent::Fabric& fabric_;
  const Layout& layout_;
  Bridge& bridge_;
  std::unordered_map<std::uint64_t, Extras> extras_;  // by key of the input
  NumberPool groups_;
  NumberPool meters_;
  std::unordered_set<std::uint64_t> strangers_;     // inputs that flows of others have taken
  std::vector<openflow::MeterMod> meters_written_;  // not sent yet; before `written_`
  std::vector<FlowMessage> written_;                // not sent yet
  std::vector<Extras> dropped_;  // by `written_`; their meters are deleted after it
};

}  // namespace xbind::ovs
