// The labels of a ledger's ports: for each port a pool for either direction, how many output labels
// each manager has in connections, and how many it declares that it wants.
//
// A hop has its output label from set_up() until it is gone. It comes from the manager's cache; the
// label of the last hop, and of a reserve that names none, is allotted from the output port's own
// range. After a removal the label rests in the manager's quarantine until the manager returns or
// uses it, which means that both ends of the link have confirmed the delete. An egress label is
// free at once: its link ends at an endpoint, so there is no second end to wait for. Input labels
// are in use or free.
//
// When a session ends, the other end of a link may have hops with labels from the manager's cache
// whose commits have not arrived here. These labels are lapsed: nobody gets them. The manager's
// next session finds them in its quarantine, and the manager returns every label that none of its
// hops uses. If the manager stays away for longer than end_rest() allows, they are granted, but
// only when no other label is free.
//
// Labels may be shared out (LabelSharing::kCooperative). Each attached manager declares per port
// how many output labels it wants to be able to hold. It may then hold its proportional share of
// the range in cache, connections and quarantine. A manager without a declaration counts with the
// labels that it holds, and keeps them. There are no shares at a port until some manager declares.
// Egress labels are not shared out: each goes to its own endpoint.
//
// Invariants:
// - Each label is in one place (label_pool.hpp).
// - The ranges of a port change only while none of its labels is held.
// - in_calls() counts the output labels that the manager's hops have, each once however many hops
//   share it, egress labels apart. The ledger adds and removes them with its hops.
//
// Operations on one label take constant time; with shares also by the managers; those on all labels
// of a manager by the ports. `numbers`, `managers` and `options` must outlive this object. One
// thread; no errors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/hop.hpp"
#include "switchserver/ledger/hop_record.hpp"
#include "switchserver/ledger/label_pool.hpp"
#include "switchserver/ledger/manager_table.hpp"
#include "switchserver/ledger/port_numbers.hpp"
#include "switchserver/ledger/values.hpp"

namespace xbind {

class LabelPools {
 public:
  LabelPools(const PortNumbers& numbers, const ManagerTable& managers, const LedgerOptions& options)
      : numbers_(numbers), managers_(managers), options_(options) {}

  // ---- pools ----

  // Gives the port these labels; `at` is a known place or the next new one. Ranges that differ from
  // the present ones take effect only if no label of the port is held. Returns the ranges in
  // effect.
  LabelRanges set_ranges(PortIndex at, const LabelRanges& ranges);
  LabelPool& output(PortIndex at) { return ports_[at.value()].output; }  // transmit direction
  const LabelPool& output(PortIndex at) const { return ports_[at.value()].output; }
  LabelPool& input(PortIndex at) { return ports_[at.value()].input; }  // receive direction
  const LabelPool& input(PortIndex at) const { return ports_[at.value()].input; }
  std::size_t octets() const;  // memory of all labels

  // ---- reads ----

  LabelStock output_stock(PortId id) const;  // an unknown port has none
  // Where an output (input) label is; nullopt for an unknown port or a label outside its range.
  std::optional<LabelPlace> output_label(PortId id, Label label) const;
  std::optional<LabelPlace> input_label(PortId id, Label label) const;
  // The manager's labels that are cached, in quarantine or lapsed, port by port.
  std::vector<PortLabels> list(LabelHolder holder, ManagerIndex manager) const;
  // Whether it has labels in its cache or quarantine, or some that have lapsed.
  bool has_labels(ManagerIndex manager) const;
  std::uint64_t in_calls(ManagerIndex manager, PortIndex out) const {
    return use_of(ports_[out.value()], manager).in_calls;
  }
  // The number of labels that it holds in cache, connections (egress labels apart) and quarantine.
  std::uint64_t held(ManagerIndex manager, PortIndex out) const;
  std::uint64_t held(ManagerIndex manager, PortId id) const;
  // The number of held labels that are in no connection: in cache, or in quarantine, where a
  // released label stays until its next use.
  std::uint64_t loose(ManagerIndex manager, PortIndex out) const;
  std::uint64_t loose(ManagerIndex manager, PortId id) const;
  // The number of output labels of the port that the manager may hold, if it held `more_held` more
  // labels now; nullopt: no limit.
  std::optional<std::uint64_t> share(ManagerIndex manager, PortIndex out,
                                     std::uint64_t more_held = 0) const {
    if (options_.sharing == LabelSharing::kFree) return std::nullopt;
    return shared_out(manager, out, more_held);
  }
  std::optional<std::uint64_t> share(ManagerIndex manager, PortId id) const;
  // Prefetches the places of labels (core/ahead.hpp): of a hop, or of a setup's ports.
  void prefetch(const HopRecord& record) const {
    input(record.input_port()).prefetch(record.input_label());
    output(record.output_port()).prefetch(record.output_label());
  }
  void prefetch(const HopSetup& setup) const {
    if (const auto in = numbers_.find(setup.input_port)) input(*in).prefetch(setup.input_label);
    if (const auto out = numbers_.find(setup.output_port))
      output(*out).prefetch(setup.output_label);
  }

  // ---- changes ----

  void add_in_call(PortIndex out, ManagerIndex manager) {
    ++use(ports_[out.value()], manager).in_calls;
  }
  void remove_in_call(PortIndex out, ManagerIndex manager) {
    --use(ports_[out.value()], manager).in_calls;
  }
  // Moves up to `wanted` free output labels of the port to the manager's cache and to `granted`.
  LabelsMissing grant(ManagerIndex manager, PortIndex out, std::size_t wanted,
                      std::vector<Label>& granted);
  // Frees a label of the manager's cache or quarantine. False for any other label.
  bool give_back(ManagerIndex manager, PortIndex out, Label label);
  // Puts a label into the manager's quarantine, unless a hop, an entry of the switch or another
  // manager has it.
  void claim_resting(ManagerIndex manager, PortIndex out, Label label);
  // Declares the manager's demand for output labels of the port, for the rest of its session.
  void declare(ManagerIndex manager, PortIndex out, std::uint32_t labels);

  // ---- sessions ----

  void open_session(ManagerIndex manager);  // its lapsed labels are in quarantine now
  void lapse(ManagerIndex manager);         // its cached labels lapse, its demands are dropped
  void end_rest(ManagerIndex manager);      // its lapsed labels may be granted
  void forget(ManagerIndex manager);        // frees its lapsed labels and those in quarantine

  // ---- entries of the switch that no hop claims ----

  // Blocks the entry's free labels from being granted or used.
  void block(const CrossConnect& stranger);
  void unblock_all();
  std::uint64_t unclaimed_labels() const;
  // Whether an entry of the switch that no hop claims begins or ends at the port.
  bool has_unclaimed(PortId id) const;

  // For repairs: every label in a connection is free, and no label is counted in calls.
  void relist();

 private:
  struct Use {  // of one manager
    std::uint64_t in_calls = 0;
    std::optional<std::uint32_t> declared;
  };
  struct Port {
    explicit Port(const LabelRanges& ranges) : output(ranges), input(ranges) {}
    LabelPool output;
    LabelPool input;
    std::vector<Use> uses;  // by ManagerIndex, grown when first needed
  };

  std::optional<std::uint64_t> shared_out(ManagerIndex manager, PortIndex out,
                                          std::uint64_t more_held) const;
  static Use& use(Port& port, ManagerIndex manager) {
    if (manager.value() >= port.uses.size()) [[unlikely]]
      grow(port, manager);
    return port.uses[manager.value()];
  }
  // Apart, so that use() stays small: it is called for every hop.
  [[gnu::noinline]] static void grow(Port& port, ManagerIndex manager);
  static Use use_of(const Port& port, ManagerIndex manager) {
    return manager.value() < port.uses.size() ? port.uses[manager.value()] : Use{};
  }

  const PortNumbers& numbers_;
  const ManagerTable& managers_;
  const LedgerOptions& options_;
  std::vector<Port> ports_;  // by PortIndex
};

}  // namespace xbind
