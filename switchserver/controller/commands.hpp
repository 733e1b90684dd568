// The commands of managers, in batches: which are answered by the ledger alone, and which need the
// switch. Each command gets one answer (answers.hpp).
//
// With more open batches than SwitchControllerOptions::open_batches_max, setups are refused kBusy.
// Only setups: an immediate refusal of another command would overtake the answer to an earlier
// change of the hop, and managers rely on answers in the order of their commands.
//
// No memory once warm. One thread. Refusals are values.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/hop.hpp"
#include "core/hop_room.hpp"
#include "core/result.hpp"
#include "switchserver/controller/values.hpp"

namespace xbind::controller {

struct Parts;

class Commands {
 public:
  explicit Commands(Parts& parts) : parts_(parts) {}

  // See SwitchController.
  Result<void> apply(std::string_view manager, const HopBatch& batch, Token token, TimePoint now);
  std::vector<HopRoom> would_take(std::string_view manager,
                                  std::span<const HopQuestion> hops) const;

 private:
  void set_up(Place place, ManagerIndex manager, const HopSetup& setup);
  void remove(Place place, ManagerIndex manager, const HopKey& key);

  Parts& parts_;
  std::vector<std::uint32_t> owners_;  // the ledger's numbers of the present batch's owners
};

}  // namespace xbind::controller
