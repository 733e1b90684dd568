// The operations that fuzz_upcalls invokes. An input names them by their place in this table, so
// new ones are added at its end.
//
// Operations that take or return a reference (attach_manager, attach_client, watch, ...) are
// missing: a reference may name any host, and the servant would connect to it. So are
// audit_network, repair_network, validate_call and sync_call, which take a second look after a
// pause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xbind::fuzz {

enum class ServantKind : std::uint8_t {
  kHopInbox,
  kSwitchServer,
  kSwitchOperations,
  kRequestInbox,
  kHopObserver,
  kTopologyObserver,
  kManager,
  kManagerOperations,
  kRouteObject,
  kRouteOperations,
  kQosMapper,
  kEchoOfHops,  // these convert the batch to core and back, which must give the same
  kEchoOfResults,
  kEchoOfOutcomes,
};

struct Operation {
  ServantKind servant;
  const char* name;
};

inline constexpr Operation kOperations[] = {
    {ServantKind::kHopInbox, "submit_hops"},
    {ServantKind::kRequestInbox, "submit_requests"},
    {ServantKind::kHopObserver, "deliver_results"},
    {ServantKind::kSwitchServer, "execute"},
    {ServantKind::kSwitchServer, "claim_hops"},
    {ServantKind::kSwitchServer, "held_hops"},
    {ServantKind::kSwitchServer, "grant"},
    {ServantKind::kSwitchServer, "give_back"},
    {ServantKind::kSwitchServer, "epochs_of"},
    {ServantKind::kSwitchServer, "detach_manager"},
    {ServantKind::kSwitchServer, "audit_switch"},
    {ServantKind::kSwitchServer, "audit_page"},
    {ServantKind::kSwitchServer, "status"},
    {ServantKind::kSwitchOperations, "managers"},
    {ServantKind::kSwitchOperations, "clear_hops"},
    {ServantKind::kSwitchOperations, "forget_manager"},
    {ServantKind::kSwitchOperations, "renew_epoch"},
    {ServantKind::kSwitchOperations, "repair"},
    {ServantKind::kSwitchOperations, "ports"},
    {ServantKind::kSwitchOperations, "count_cells"},
    {ServantKind::kSwitchOperations, "report_now"},
    {ServantKind::kHopObserver, "manager_session_ended"},
    {ServantKind::kTopologyObserver, "topology_changed"},
    {ServantKind::kManager, "connect"},
    {ServantKind::kManager, "connect_as"},
    {ServantKind::kManager, "commit"},
    {ServantKind::kManager, "modify"},
    {ServantKind::kManager, "add_leaf"},
    {ServantKind::kManager, "drop_leaf"},
    {ServantKind::kManager, "release"},
    {ServantKind::kManager, "outcome_of"},
    {ServantKind::kManager, "describe"},
    {ServantKind::kManager, "list_connections"},
    {ServantKind::kManager, "detach_client"},
    {ServantKind::kManager, "status"},
    {ServantKind::kManagerOperations, "set_aggregation"},
    {ServantKind::kManagerOperations, "aggregation_now"},
    {ServantKind::kManagerOperations, "caches"},
    {ServantKind::kManagerOperations, "prepare"},
    {ServantKind::kManagerOperations, "clear"},
    {ServantKind::kRouteObject, "find_paths"},
    {ServantKind::kRouteObject, "find_alternates"},
    {ServantKind::kRouteObject, "report_ports"},
    {ServantKind::kRouteObject, "unwatch"},
    {ServantKind::kRouteObject, "unusable_elements"},
    {ServantKind::kRouteObject, "switches"},
    {ServantKind::kRouteObject, "endpoints"},
    {ServantKind::kRouteObject, "demands"},
    {ServantKind::kRouteOperations, "drain"},
    {ServantKind::kRouteOperations, "links"},
    {ServantKind::kRouteOperations, "plan_network"},
    {ServantKind::kRouteOperations, "change_network"},
    {ServantKind::kRouteOperations, "network_text"},
    {ServantKind::kQosMapper, "video_to_network"},
    {ServantKind::kQosMapper, "network_to_frame_size"},
    {ServantKind::kQosMapper, "network_to_frame_rate"},
    {ServantKind::kQosMapper, "service_to_network"},
    {ServantKind::kQosMapper, "describe_service"},
    {ServantKind::kQosMapper, "network_to_service"},
    {ServantKind::kEchoOfOutcomes, "deliver_outcomes"},
    {ServantKind::kEchoOfHops, "submit_hops"},
    {ServantKind::kEchoOfResults, "deliver_results"},
    {ServantKind::kSwitchServer, "look_at_call"},
    {ServantKind::kSwitchOperations, "mend_call"},
    {ServantKind::kSwitchOperations, "would_take"},
};
inline constexpr std::size_t kOperationCount = sizeof kOperations / sizeof *kOperations;

// The first operation of that name, from place `index` on. An unknown name is no constant
// expression.
constexpr std::size_t operation_index(std::string_view name, std::size_t index = 0) {
  while (kOperations[index].name != name) ++index;
  return index;
}

inline constexpr std::size_t kFirstEcho = operation_index("deliver_outcomes");

// The sessions with which an input begins, for seeds.
inline constexpr std::uint64_t kManagerSession = 1;              // of "m1" at the SwitchServer
inline constexpr std::uint64_t kClientSession = 1ULL << 32 | 1;  // of "c1" at the manager
inline constexpr std::uint64_t kSwitchSession = 7;               // of the manager at "sw1"
inline constexpr std::uint64_t kFirstConnection = 1ULL << 40 | 1;

}  // namespace xbind::fuzz
