// Follows the network as the operator changes it: has the manager attach to the SwitchServers of
// new switches before a call needs them, and lets go of those of removed switches once nothing of
// this manager is left there.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <string>
#include <vector>

#include "cmgr/procedures/context.hpp"
#include "cmgr/procedures/recovery.hpp"

namespace xbind::cmgr {

class NetworkDesk {
 public:
  // The pause between looks whether a removed switch is free of connections.
  static constexpr Duration kLook = kManagerTimers["removed-switch-look"];

  explicit NetworkDesk(Context& context) : context_(context) {}

  // All switches of the network and its links. Switches that are known and not among them are
  // removed ones. Switches beyond SwitchDesk::kSwitches names are left out: routes over them are
  // refused.
  void set(const std::vector<std::string>& switches, const std::vector<NetworkLink>& links,
           TimePoint now);
  // Of the last set(): switches that are not used, because no more names can be known.
  std::size_t refused() const { return refused_; }
  void tick(TimePoint now);
  TimePoint next_deadline() const { return leaving_.empty() ? kNever : look_at_; }

 private:
  bool in_use(SwitchIndex at) const;

  Context& context_;
  std::vector<SwitchIndex> leaving_;  // removed, and something may be left there
  TimePoint look_at_{};
  std::size_t refused_ = 0;
};

}  // namespace xbind::cmgr
