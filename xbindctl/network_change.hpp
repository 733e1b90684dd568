// `network`: changes of the network while it runs.
//
//   edit ──▶ RouteObject compares ──▶ the calls over what is removed ──▶ (--dry-run: shown)
//        ──▶ drained: managers move the calls ──▶ none is left ──▶ changed ──▶ SwitchServers give
//            lines their new rates
//
// The change is applied whole or not at all: if calls are left, or RouteObject refuses it, the
// elements that were drained for it are undrained again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "orb/name_client.hpp"
#include "route_object.hh"
#include "xbindctl/affected.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl/documents.hpp"

namespace xbind::ctl {

struct NetworkWish {
  v2::NetworkEdit edit;
  bool dry_run = false;
  bool force = false;  // ends calls that cannot move
  double wait_s = 0;   // for calls to leave what is removed
};

// The calls of one manager.
struct ManagerCalls {
  std::string manager;
  AffectedCalls affected;
};

struct NetworkChanged {
  v2::NetworkDifference_var difference;
  bool applied = false;
  std::string refused;  // of a dry run: why the change would be refused; empty: not by the calls
  std::vector<ManagerCalls> managers;  // their calls over what is removed, before the change
  std::vector<std::uint64_t> ended;    // calls that were ended by force
  std::vector<std::string> warnings;   // a sentence each
};

// Waits for RouteObject, the managers and SwitchServers; `pause` between looks.
OrFailure<NetworkChanged> changed_network(orb::NameClient& names, v2::RouteObject_ptr route_object,
                                          const NetworkWish& wish, const Pause& pause);

// --- network_views.cpp ---------------------------------------------------------------------------

int network_change(orb::NameClient& names, v2::RouteObject_ptr route_object,
                   const NetworkWish& wish, const Pause& pause);
DocumentOrFailure network_change_document(orb::NameClient& names, v2::RouteObject_ptr route_object,
                                          const NetworkWish& wish, const Pause& pause);
// The network as a topology file, in several parts from RouteObject.
OrFailure<std::string> network_text(v2::RouteObject_ptr route_object);
// The names of its bridges of Open vSwitch (kind = "ovs"); none of a text that is not TOML.
std::vector<std::string> bridges_in(const std::string& topology);
int network_show(v2::RouteObject_ptr route_object);
DocumentOrFailure network_show_document(v2::RouteObject_ptr route_object);

}  // namespace xbind::ctl
