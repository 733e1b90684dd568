// The hops that use one label, as a list for each input label and each output label in a
// connection. The pool has the head of a list, the records have the links.
//
// An input label belongs to one hop from its commit on: the upstream hop's output label, or at the
// first hop one that was allotted from the input port's own range. No other hop may commit with it,
// since a second cross-connect on it would silently become a branch of the first. Only a hop of the
// same connection that declares so shares it (HopSetup::branch, each to another output port;
// HopSetup::takes_over). A commit that joins (HopSetup::joins) shares the output label of an
// earlier hop of its leg, from another input. A label is in use until the last of its hops is gone.
//
// Invariants: a label is kConnection in its pool exactly while its list is not empty; all hops of a
// list are of one manager and one connection. Who may share is decided elsewhere (setup_checks.hpp,
// claim.hpp).
//
// enter() takes constant time, leave() time by the hops on the label (on an input at most the
// number of ports). `hops` and `labels` must outlive this object. One thread. XB_CHECK: leave() of
// a hop that is not on the list.
#pragma once

#include <cstdint>
#include <utility>

#include "switchserver/ledger/hop_table.hpp"
#include "switchserver/ledger/label_pool.hpp"
#include "switchserver/ledger/label_pools.hpp"

namespace xbind {

class LabelUsers {
 public:
  static constexpr std::uint32_t kNil = HopRecord::kNil;
  using Spot = LabelPool::Spot;

  LabelUsers(HopTable& hops, LabelPools& labels) : hops_(hops), labels_(labels) {}

  // Visits the hops that share the input label, in no particular order. Visits none if the label is
  // in no connection.
  template <class Visitor>
  void for_each_on_input(PortId port, Label label, Visitor&& visit) const {
    const auto place = labels_.input_label(port, label);
    if (!place || place->holder != LabelHolder::kConnection) return;
    for (std::uint32_t i = place->hop.value(); i != kNil; i = hops_[i].next_on_input()) {
      visit(HopRef{i}, std::as_const(hops_)[i]);
    }
  }
  // Other hops use its output label as well: the label does not become free with this hop.
  bool shares_output(HopRef ref) const;
  // The head of the list that the hop's output label has. The pool contains the label.
  std::uint32_t head_on_output(const HopRecord& record) const {
    return labels_.output(record.output_port()).place_of(record.output_label()).hop.value();
  }

  // Puts the hop at the head of the list of the label. `pool`: of its input (output) port;
  // `record`: of the hop.
  static void enter_input(LabelPool& pool, Spot spot, HopRef ref, HopRecord& record) {
    enter(pool, spot, ref, record, record.next_on_input_);
  }
  static void enter_output(LabelPool& pool, Spot spot, HopRef ref, HopRecord& record) {
    enter(pool, spot, ref, record, record.next_on_output_);
  }
  // Takes the hop off the list. Returns the head of the remaining list. If none is left, the label
  // keeps its place: the caller moves it.
  std::uint32_t leave_input(LabelPool& pool, Spot spot, HopRef ref) {
    return leave(pool, spot, ref, &HopRecord::next_on_input_);
  }
  std::uint32_t leave_output(LabelPool& pool, Spot spot, HopRef ref) {
    return leave(pool, spot, ref, &HopRecord::next_on_output_);
  }
  // For repairs: no hop is on a list. The caller relists the pools and enters the hops again.
  void clear();

 private:
  using Link = std::uint32_t HopRecord::*;  // to the next hop with the same label

  static void enter(LabelPool& pool, Spot spot, HopRef ref, const HopRecord& record,
                    std::uint32_t& next) {
    const LabelPlace place = pool.place_of(spot);
    next = place.holder == LabelHolder::kConnection ? place.hop.value() : kNil;
    pool.move(spot, {LabelHolder::kConnection, record.manager, ref});
  }
  std::uint32_t leave(LabelPool& pool, Spot spot, HopRef ref, Link link);

  HopTable& hops_;
  LabelPools& labels_;
};

}  // namespace xbind
