// What refuses a setup, and which labels an admitted one gets. Changes nothing.
//
// Each check returns the refusal, or nullopt. An input label is checked by choose_input(), an
// output label by choose_output(), an account by admit_resources(); set_up.hpp calls them in that
// order and room.hpp repeats the order. A label that is shared needs more: a branch needs a hop of
// its connection on the input that is not being removed, a hop that takes over the uppermost hop of
// its leg there with nothing under way, a hop that joins an earlier generation of its leg on the
// output.
//
// Time by the hops on the label; with shared-out labels by the managers. One thread.
#pragma once

#include <cstdint>
#include <optional>

#include "core/hop.hpp"
#include "switchserver/ledger/parts.hpp"
#include "switchserver/ledger/refusals.hpp"

namespace xbind {

class SetupChecks {
 public:
  using Spot = LabelPool::Spot;

  explicit SetupChecks(const LedgerParts& parts) : parts_(parts) {}

  // Contract, ports and the number of hops. `in`, `out`: of the setup's ports; nullopt: unknown.
  // `more_hops`: taken by a dry run.
  Refusal check_request(const HopSetup& setup, std::optional<PortIndex> in,
                        std::optional<PortIndex> out, std::uint64_t more_hops) const;
  // Whether the ledger's room for hops is used up.
  Refusal check_hops(std::uint64_t more_hops) const;
  // The manager's share of the labels. `more_labels`: allotted by a dry run.
  Refusal check_share(ManagerIndex manager, const HopSetup& setup, PortIndex out,
                      std::uint64_t more_labels) const;
  // The input label: at the first hop the wanted or the next free one, otherwise the given one.
  // `pool`: of the input port.
  Refusal choose_input(ManagerIndex manager, const HopSetup& setup, LabelPool& pool,
                       Spot& chosen) const;
  // The output label: at the last hop the wanted or the next free one, for a reserve that names
  // none the next free one, otherwise the given one. `pool`: of the output port.
  Refusal choose_output(ManagerIndex manager, const HopSetup& setup, PortIndex out, LabelPool& pool,
                        Spot& chosen) const;
  // Bandwidth and buffer. `charge`: what the hop adds to the output port's account.
  Refusal admit_resources(ManagerIndex manager, const HopSetup& setup, PortIndex in, PortIndex out,
                          Resources charge) const;
  // Input bandwidth is counted once, for the uppermost hop: a higher demand of the new hop needs
  // more.
  Refusal admit_taken_input(const HopSetup& setup, PortIndex in, std::uint64_t demand) const;

  // Whether the commit matches its reservation. The labels come with the commit; everything else
  // must be equal. The client may have restarted since the reservation was held.
  bool same_hop(HopRef ref, const HopSetup& commit, std::uint32_t owner) const;
  // The answer to a setup with the key of a hop that is there, and is not a reservation's commit.
  Admission repeat(HopRef ref, const HopSetup& setup, std::uint32_t owner) const;

 private:
  static constexpr std::uint32_t kNil = HopRecord::kNil;

  Refusal check_input_owner(ManagerIndex manager, const HopSetup& setup, LabelPlace at) const;
  Refusal choose_shared_input(ManagerIndex manager, const HopSetup& setup, LabelPlace at) const;
  Refusal choose_taken_input(ManagerIndex manager, const HopSetup& setup, LabelPlace at) const;
  Refusal choose_joined_output(ManagerIndex manager, const HopSetup& setup,
                               const LabelPool& pool) const;
  Refusal allot_output(ManagerIndex manager, const HopSetup& setup, PortIndex out, LabelPool& pool,
                       Spot& chosen) const;
  bool same_setup(HopRef ref, const HopSetup& again, std::uint32_t owner) const;

  const LedgerParts& parts_;
};

// A contract that no port can be given.
Refusal refused_contract(const TrafficContract& contract);
// The answer to a repetition: nothing was changed.
Admission repeated(HopRef ref);

}  // namespace xbind
