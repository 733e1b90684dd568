// SwitchController: whether it would take hops.
#include "switchserver/switch_controller.hpp"

namespace xbind {

bool SwitchController::admits_new(PortId input, PortId output) const {
  return up() && !waits_for_claims(input) && !waits_for_claims(output);
}

std::vector<HopRoom> SwitchController::would_take(std::string_view manager,
                                                  std::span<const HopQuestion> hops) const {
  std::vector<HopQuestion> admitted;
  for (const HopQuestion& hop : hops) {
    if (admits_new(hop.input_port, hop.output_port)) admitted.push_back(hop);
  }
  const auto known = ledger_.managers().find(manager);
  const std::vector<HopRoom> rooms = ledger_.would_take(known.value_or(kNoManager), admitted);
  std::vector<HopRoom> all;
  auto next = rooms.begin();
  for (const HopQuestion& hop : hops) {
    const bool asked = admits_new(hop.input_port, hop.output_port);
    all.push_back(asked ? *next++ : HopRoom{.cause = Cause::kSwitchUnreachable});
  }
  return all;
}

}  // namespace xbind
