// What SwitchServers store about managers, as values; commands.hpp declares the commands that print
// them. One thread. Every function waits for its peers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "orb/name_client.hpp"
#include "route_object.hh"
#include "switch_server.hh"
#include "xbindctl/commands.hpp"
#include "xbindctl/failure.hpp"

namespace xbind::ctl {

// What one SwitchServer has done.
struct SwitchNote {
  std::string path;                // in the name service
  std::string text;                // a sentence with the path
  std::optional<Failure> failure;  // it was not done
  std::uint64_t hops = 0;          // forgotten: that stay; cleared: that were removed
};
using OnSwitch = std::function<void(const SwitchNote&)>;

struct Holding {
  std::string switchserver;  // its name, without the context
  v2::ManagerHoldings manager;
};
struct HoldingsOfAll {
  std::vector<Holding> rows;
  std::vector<Failure> failures;  // of SwitchServers that did not answer
};

// `switch_name`: of a SwitchServer, or "all".
OrFailure<HoldingsOfAll> holdings(orb::NameClient& names, const std::string& switch_name);
const char* state_of(const v2::ManagerHoldings& manager);  // "attached", "absent", "forgotten"

// As forget_manager(), renew_epoch() and clear_hops() of commands.hpp, without printing. `tell` is
// called for each SwitchServer. false: one of them has not done it.
OrFailure<bool> forget_everywhere(orb::NameClient& names, const std::string& switch_name,
                                  const std::string& manager, bool release, const Pause& pause,
                                  const OnSwitch& tell);
OrFailure<bool> renew_everywhere(orb::NameClient& names, v2::RouteObject_ptr route_object,
                                 const std::string& manager, const OnSwitch& tell);
OrFailure<bool> clear_everywhere(orb::NameClient& names, const std::string& manager,
                                 ConnectionId connection, const Pause& pause, const OnSwitch& tell);

}  // namespace xbind::ctl
