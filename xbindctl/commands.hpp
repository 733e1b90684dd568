// The commands of xbindctl, each a function: what it prints goes to standard output, why it failed to
// standard error; the exit code tells the truth. 0: done. 1: refused, or the peer could not be asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/corba/two_way.hpp"
#include "core/call.hpp"
#include "core/path.hpp"
#include "orb/name_client.hpp"
#include "qos_mapper.hh"
#include "route_object.hh"

namespace xbind::ctl {

// --- calls.cpp: one request, one outcome -----------------------------------------------------------

int connect(const client::TwoWay& manager, const ConnectRequest& request);
int commit(const client::TwoWay& manager, ConnectionId connection);
int modify(const client::TwoWay& manager, ConnectionId connection, const ServiceSpec& service,
           const std::optional<ServiceSpec>& reverse);
int add_leaf(const client::TwoWay& manager, ConnectionId connection, const std::string& end);
int drop_leaf(const client::TwoWay& manager, ConnectionId connection, const std::string& end);
int release(const client::TwoWay& manager, ConnectionId connection);
// Every connection and hold of `client`, or of all clients, one after the other; those that are
// prepared in advance are nobody's and stay. 0 only when none was refused.
int release_many(const client::TwoWay& manager, const std::optional<std::string>& client);
// Of an earlier request: also "refused" is an answer here, and 0; 1 when none is remembered.
int outcome(const client::TwoWay& manager, const std::string& client, RequestId request);

// --- views.cpp: what there is ----------------------------------------------------------------------

int describe(const client::TwoWay& manager, ConnectionId connection);
// Of `client` alone, if one is given.
int list(const client::TwoWay& manager, const std::optional<std::string>& client = {});
int status(const client::TwoWay& manager);
int caches(const client::TwoWay& manager);
// 0 only if the audit is clean; else one of answers.hpp's kAudit*, or 1 when it could not be made.
int audit(const client::TwoWay& manager);

// --- ports.cpp: what a SwitchServer knows of its switch ---------------------------------------------

// Every port with its books and the cells that the switch has counted.
int ports(orb::NameClient& names, const std::string& switch_name);
// The cells of the connection that comes in there.
int count(orb::NameClient& names, const std::string& switch_name, PortId port, Label label);

// --- services.cpp: what may be asked for by name -----------------------------------------------------

// Every service of the catalogue, and what the network has to give for it.
int services(v2::QOSMapper_ptr mapper);

// --- routes.cpp: paths and links, as RouteObject knows them ------------------------------------------

struct RouteWish {
  std::string from;
  std::string to;
  std::uint64_t cells_per_s = 0;
  CORBA::Octet metric = v2::metric_hops;  // one of metric_*
  std::uint64_t delay_us_max = 0;         // 0: no bound
  std::uint32_t links_max = 0;            // 0: no bound
  std::vector<PathElement> avoid{};
  std::vector<PathElement> require{};
  std::uint32_t alternates = 1;
  CORBA::Octet disjoint = v2::disjoint_no;  // one of disjoint_*: a second path, so from the best
};

int routes(v2::RouteObject_ptr route_object, const RouteWish& wish);
// Every link with its state and what is free.
int links(v2::RouteObject_ptr route_object);
// A link or access line, or (no port) every link of a switch.
int drain(v2::RouteObject_ptr route_object, const PathElement& element, bool drained);

// --- settings.cpp: how the manager works, and what is known of managers -----------------------------

// What is not given stays as it is.
struct AggregationChange {
  CORBA::Octet mode = v2::aggregation_fixed;  // one of aggregation_*
  std::optional<std::uint32_t> threshold;     // mode fixed
  std::optional<double> flush_timeout_ms;
};

// Shows the settings in force; with `change` after it was made.
int aggregation(const client::TwoWay& manager, const std::optional<AggregationChange>& change);
int prepare(const client::TwoWay& manager, const std::string& from, const std::string& to,
            const ServiceSpec& service, std::uint32_t count);
// `switch_name`: of a SwitchServer, or "all" for every one in the name service; 0 only if each of
// them has forgotten the manager.
int forget_manager(orb::NameClient& names, const std::string& switch_name,
                   const std::string& manager);

}  // namespace xbind::ctl
