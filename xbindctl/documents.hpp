// The JSON document of each command (document.hpp), one function each. They print nothing; the exit
// code in the document is that of the command without --json. Every function waits for its peers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/corba/two_way.hpp"
#include "core/call.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl/document.hpp"

namespace xbind::ctl {

Peer peer_of(const client::TwoWay& manager);

// --- documents_manager.cpp -----------------------------------------------------------------------

// The outcome of connect, commit, modify, add-leaf, drop-leaf, release and clear; a refusal is a
// failure. `request`: the number under which `outcome` finds a connect.
DocumentOrFailure outcome_document(const client::TwoWay& manager, const client::Answer& answer,
                                   RequestId request = {});
// Of `outcome`: a refusal is an outcome, too.
DocumentOrFailure stored_outcome_document(const client::TwoWay& manager, const std::string& client,
                                          RequestId request);
DocumentOrFailure release_many_document(const client::TwoWay& manager,
                                        const std::optional<std::string>& client);
DocumentOrFailure describe_document(const client::TwoWay& manager, ConnectionId connection);
DocumentOrFailure list_document(const client::TwoWay& manager,
                                const std::optional<std::string>& client);
DocumentOrFailure status_document(const client::TwoWay& manager);
DocumentOrFailure caches_document(const client::TwoWay& manager);
DocumentOrFailure clients_document(const client::TwoWay& manager);
DocumentOrFailure audit_document(const client::TwoWay& manager, const PlanReader& plan);
DocumentOrFailure repair_document(const client::TwoWay& manager, const PlanReader& plan,
                                  bool dry_run);
DocumentOrFailure aggregation_document(const client::TwoWay& manager,
                                       const std::optional<AggregationChange>& change);
DocumentOrFailure prepare_document(const client::TwoWay& manager, const std::string& from,
                                   const std::string& to, const ServiceSpec& service,
                                   std::uint32_t count);
DocumentOrFailure ping_document(const client::TwoWay& manager, ConnectionId connection,
                                const PingWish& wish);

// --- documents_network.cpp -----------------------------------------------------------------------

DocumentOrFailure routes_document(v2::RouteObject_ptr route_object, const RouteWish& wish);
DocumentOrFailure links_document(v2::RouteObject_ptr route_object);
DocumentOrFailure drain_document(v2::RouteObject_ptr route_object, const PathElement& element,
                                 bool drained);
DocumentOrFailure ports_document(orb::NameClient& names, const std::string& switch_name);
DocumentOrFailure count_document(orb::NameClient& names, const std::string& switch_name,
                                 PortId port, Label label);
DocumentOrFailure managers_document(orb::NameClient& names, const std::string& switch_name);
DocumentOrFailure renew_epoch_document(orb::NameClient& names, v2::RouteObject_ptr route_object,
                                       const std::string& manager);
DocumentOrFailure forget_manager_document(orb::NameClient& names, const std::string& switch_name,
                                          const std::string& manager, bool release,
                                          const Pause& pause);
// Of `clear` when the manager does not answer.
DocumentOrFailure clear_hops_document(orb::NameClient& names, const std::string& manager,
                                      ConnectionId connection, const Pause& pause);
DocumentOrFailure services_document(v2::QOSMapper_ptr mapper);

// --- log_level.cpp -------------------------------------------------------------------------------

// As log_level() (commands.hpp).
DocumentOrFailure log_level_document(orb::NameClient& names, const std::vector<std::string>& words,
                                     const DaemonNames& of);

// --- reload.cpp ----------------------------------------------------------------------------------

// As reload() (commands.hpp).
DocumentOrFailure reload_document(orb::NameClient& names, const std::vector<std::string>& words,
                                  const DaemonNames& of);

Json json_of(const v2::RouteFound& path);
Json json_of(const v2::LinkState& link);
// A refusal of RouteObject as a failure.
tl::unexpected<Failure> refused_by(const v2::Refusal& why, const Peer& peer);
Peer peer_of(v2::RouteObject_ptr route_object);

}  // namespace xbind::ctl
