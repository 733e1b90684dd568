// What a hop holds, from its setup until it is gone: an output label, an input label from the
// commit on, bandwidth and buffer of the output port, and bandwidth of the input port's receive
// direction if it enters the network there. Each function here changes all the parts that have a
// share in it.
//
// - Output port: hops that share the output label are charged once, with the needs of the most
//   demanding, and the charge stands in the record of one of them.
// - Input port: the first hop holds bandwidth of the receive direction, so that an access line is
//   not oversold. The cells arrive once, however many branches there are: if the first hop goes
//   before its branches, one of them inherits this bandwidth. Among hops that take over from one
//   another the uppermost has it, and passes it back to the one below.
//
// Constant time, and by the hops on the labels. One thread.
#pragma once

#include <cstdint>

#include "switchserver/ledger/parts.hpp"

namespace xbind {

// Hops with one output label: what they need together, and what they are charged. Only one of their
// inputs carries the connection's cells at a time. `head` begins their list.
struct OutputGroup {
  Resources needs;
  Resources charged;
};
OutputGroup group_of(const LedgerParts& parts, std::uint32_t head);

class HopHoldings {
 public:
  using Spot = LabelPool::Spot;

  explicit HopHoldings(LedgerParts& parts) : parts_(parts) {}

  // What the setup needs in addition to existing charges, if it needs `alone` alone: a hop that
  // joins shares the group's charge.
  Resources additional_charge(PortIndex out, const HopSetup& setup, Resources alone) const;

  // A record with an output label, which adds `charge` to what its output port has promised and
  // needs `alone`. It has no input label yet.
  struct Output {
    PortIndex port;
    Spot spot;
    Resources alone;
    Resources charge;
    bool joins = false;  // the label has another hop already
  };
  HopRef enter(ManagerIndex manager, const HopSetup& setup, std::uint32_t owner, std::uint64_t hash,
               PortIndex in, const Output& out);
  // The hop has that input label now, and takes over from the uppermost hop there if it says so.
  void take_input(HopRef ref, Spot spot);
  // Charges the present needs of the group to its first member. `head` begins their list.
  void charge_group(PortIndex out, std::uint32_t head);
  // Releases everything that the hop holds and ends its record. An egress label is free at once,
  // and so is a label of a forgotten manager, which would never return it. Any other label goes to
  // `output_goes_to`. Labels and bandwidth that other hops share stay with them.
  void give_up(HopRef ref, LabelHolder output_goes_to);

 private:
  static constexpr std::uint32_t kNil = HopRecord::kNil;

  LedgerParts& parts_;
};

}  // namespace xbind
