// The commands of xbindctl, one function each. Results are printed on standard output, failures on
// standard error. Exit code 0: done. 1: refused, or the peer did not answer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/corba/two_way.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"
#include "core/path.hpp"
#include "dataplane/links/link_spec.hpp"
#include "dataplane/oam/ping.hpp"
#include "orb/name_client.hpp"
#include "qos_mapper.hh"
#include "route_object.hh"
#include "xbindctl/failure.hpp"
#include "xbindctl/paths_of_nobody.hpp"

namespace xbind::ctl {

// --- calls.cpp: one request, one outcome ---------------------------------------------------------

// `quiet`: of a connection that is set up, prints the id alone.
int connect(const client::TwoWay& manager, const ConnectRequest& request, bool quiet);
int commit(const client::TwoWay& manager, ConnectionId connection);
int modify(const client::TwoWay& manager, ConnectionId connection, const ServiceSpec& service,
           const std::optional<ServiceSpec>& reverse);
int add_leaf(const client::TwoWay& manager, ConnectionId connection, const std::string& end);
int drop_leaf(const client::TwoWay& manager, ConnectionId connection, const std::string& end);
int release(const client::TwoWay& manager, ConnectionId connection);
// What release_each() has done.
struct ReleasedMany {
  std::uint64_t released = 0;
  std::uint64_t gone = 0;  // had ended meanwhile
  std::uint64_t left = 0;  // refused
};
struct ReleaseWatcher {
  std::function<void(const Outcome& released)> owed;  // released, but removals are owed
  std::function<void(ConnectionId, const std::string& why)> left;  // refused
};
// As release_many(), without printing. An Error ends it: the manager did not answer.
Result<ReleasedMany> release_each(const client::TwoWay& manager,
                                  const std::optional<std::string>& client,
                                  const ReleaseWatcher& watcher);
// Releases every connection and hold of `client`, or of all clients, one after another. Connections
// prepared in advance belong to no client and stay. Returns 0 only when none was refused.
int release_many(const client::TwoWay& manager, const std::optional<std::string>& client);
// Ends a connection in whatever state it is, and releases it.
int clear(const client::TwoWay& manager, ConnectionId connection);
// Prints the outcome of an earlier request. A refusal is an outcome too, and returns 0; 1 when the
// manager has none.
int outcome(const client::TwoWay& manager, const std::string& client, RequestId request);

// --- views.cpp: present state --------------------------------------------------------------------

int describe(const client::TwoWay& manager, ConnectionId connection);
// What describe() prints.
void print_state(const v2::ConnectionState& state);
// Only those of `client`, if it is given.
int list(const client::TwoWay& manager, const std::optional<std::string>& client = {});
int status(const client::TwoWay& manager);
int caches(const client::TwoWay& manager);
int clients(const client::TwoWay& manager);
// Reads the topology, for the paths of entries that are in no ledger; used only if there are any.
using PlanReader = std::function<OrFailure<PortPlan>()>;
// Returns 0 only if the audit is clean; else one of kAudit* (answers.hpp), or 1 when it failed.
int audit(const client::TwoWay& manager, const PlanReader& plan);
// Audits, shows what is done about each finding, does it unless `dry_run`, and shows the audit
// afterwards. Returns as audit().
int repair(const client::TwoWay& manager, const PlanReader& plan, bool dry_run);

// --- ping.cpp: cells through a connection --------------------------------------------------------

struct PingWish {
  std::vector<dataplane::NamedLink> lines;  // ends of hosts' lines
  std::uint32_t count = 1;                  // cells to each point
  Duration interval{};                      // between two cells
  Duration timeout{};                       // for an answer
  std::uint64_t session = 0;                // random
  // Reads the names of the network's bridges; none also if RouteObject does not answer. Empty: as
  // if there were none.
  std::function<std::vector<std::string>()> bridges{};
};

struct PingReport {
  std::vector<dataplane::PingPoint> points;    // in the order of the path
  std::vector<dataplane::PingResult> results;  // one for each point
  dataplane::PingVerdict verdict;
  bool path_changed = false;  // cells were lost, and the connection is on another path now
};
// As ping(), without printing.
OrFailure<PingReport> pinged(const client::TwoWay& manager, ConnectionId connection,
                             const PingWish& wish);
// Sends OAM loopback cells from the caller's end to both sides of each hop. Shows round trips and
// losses, and where cells stop. Returns 0 only if every cell came back.
int ping(const client::TwoWay& manager, ConnectionId connection, const PingWish& wish);

// --- ports.cpp: a SwitchServer's view of its switch ----------------------------------------------

// Shows every port with its accounts and the cells that the switch has counted.
int ports(orb::NameClient& names, const std::string& switch_name);
// Shows the cell count of the connection with that input port and label.
int count(orb::NameClient& names, const std::string& switch_name, PortId port, Label label);

// --- log_level.cpp: the log of a running daemon --------------------------------------------------

// The names of the options of the daemons that are meant.
struct DaemonNames {
  std::string manager;
  std::string route_object;
  std::string qos_mapper;
};

// `words`: log-level, DAEMON, the name of a switchserver, SUBSYSTEM, LEVEL, the last two of which
// may be missing. Returns a sentence about what is wrong with them; nullopt: nothing, or it is
// another command.
std::optional<std::string> fault_of_log_level(const std::vector<std::string>& words);
// Changes the levels, or shows them.
int log_level(orb::NameClient& names, const std::vector<std::string>& words, const DaemonNames& of);

// --- reload.cpp: the options of running daemons --------------------------------------------------

// Whether the verb is options, reload or tune.
bool concerns_options(std::string_view verb);
// `words`: the verb, DAEMON, the name of a switchserver, OPTION=VALUE. As fault_of_log_level().
std::optional<std::string> fault_of_reload(const std::vector<std::string>& words);
// Loads a daemon's options again, sets one, or shows those in use.
int reload(orb::NameClient& names, const std::vector<std::string>& words, const DaemonNames& of);

// --- services.cpp: services by name --------------------------------------------------------------

v2::ServiceSpec service_named(const char* name);
// Shows every service of the catalogue and the resources that it requires.
int services(v2::QOSMapper_ptr mapper);

// --- routes.cpp: paths and links as RouteObject sees them ----------------------------------------

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
  // One of disjoint_*: requests a second path, disjoint from the best one.
  CORBA::Octet disjoint = v2::disjoint_no;
};

int routes(v2::RouteObject_ptr route_object, const RouteWish& wish);
// Shows every link with its state and its free resources.
int links(v2::RouteObject_ptr route_object);
// Drains or undrains a link or access line, or (no port) every link of a switch.
int drain(v2::RouteObject_ptr route_object, const PathElement& element, bool drained);

// --- settings.cpp: a manager's settings ----------------------------------------------------------

// Members that are not set keep their value.
struct AggregationChange {
  CORBA::Octet mode = v2::aggregation_fixed;  // one of aggregation_*
  std::optional<std::uint32_t> threshold;     // mode fixed
  std::optional<double> flush_timeout_ms;
};

// The settings in force; with `change` after the change.
Result<v2::Aggregation> aggregation_after(const client::TwoWay& manager,
                                          const std::optional<AggregationChange>& change);
// Shows the settings in force; with `change` after the change.
int aggregation(const client::TwoWay& manager, const std::optional<AggregationChange>& change);
int prepare(const client::TwoWay& manager, const std::string& from, const std::string& to,
            const ServiceSpec& service, std::uint32_t count);

// --- managers.cpp: what SwitchServers store about managers ---------------------------------------

// `switch_name`: of a SwitchServer, or "all" for every one in the name service.

// Waits before a SwitchServer is asked again.
using Pause = std::function<void()>;

// Shows every manager that the SwitchServers know, with its hops.
int managers(orb::NameClient& names, const std::string& switch_name);
// Returns 0 only if each of them has forgotten the manager. `release`: first all its connections
// are removed; if that fails at one of them, none forgets it.
int forget_manager(orb::NameClient& names, const std::string& switch_name,
                   const std::string& manager, bool release, const Pause& pause);
// Renews the epochs of a manager that has ended (core/manager_epochs.hpp), at every SwitchServer of
// the network: at all of them, or at none if one does not answer.
int renew_epoch(orb::NameClient& names, v2::RouteObject_ptr route_object,
                const std::string& manager);
// Removes a connection of a manager that is not attached, at every SwitchServer.
int clear_hops(orb::NameClient& names, const std::string& manager, ConnectionId connection,
               const Pause& pause);

}  // namespace xbind::ctl
