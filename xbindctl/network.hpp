// Reads from RouteObject what several commands need. The functions let the ORB's exceptions pass:
// call them within guarded() or call_peer().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/path.hpp"
#include "route_object.hh"
#include "xbindctl/call_filter.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl/paths_of_nobody.hpp"

namespace xbind::ctl {

// The query without `disjoint` and `alternates`.
v2::RouteQuery query_of(const RouteWish& wish);

struct RoutesFound {
  std::vector<v2::RouteFound> paths;   // the best first
  std::optional<v2::Refusal> refused;  // there is no path, or no second one as wished
  std::uint64_t topology_version = 0;
  std::uint32_t validity_ms = 0;
};
RoutesFound find_routes(v2::RouteObject_ptr route_object, const RouteWish& wish);

// From RouteObject's status, by switch name: for how many milliseconds an unknown switch has been
// unknown, and the age of each one's last report.
using BySwitch = std::map<std::string, std::uint64_t>;

struct OfSwitches {
  BySwitch unknown_ms;
  BySwitch report_age_ms;
};

OfSwitches ask_of_switches(v2::RouteObject_ptr route_object);

// The older of the two ends' reports; nullopt: one of them has not reported.
std::optional<std::uint64_t> report_age_ms(const v2::LinkState& link, const BySwitch& ages);

// "up", "down", "drained", "down, drained", "unknown".
std::string state_text(const v2::LinkState& link);

// All links and endpoints.
PortPlan port_plan(v2::RouteObject_ptr route_object);

// In the order of the topology.
void for_each_link(v2::RouteObject_ptr route_object,
                   const std::function<void(const v2::LinkState&)>& visit);

void for_each_switch(v2::RouteObject_ptr route_object,
                     const std::function<void(const std::string&)>& visit);
void for_each_endpoint(v2::RouteObject_ptr route_object,
                       const std::function<void(const std::string&)>& visit);

// What is down, drained or unknown now. kExhausted: it changes faster than it is read. Lets the
// ORB's exceptions pass.
OrFailure<UnusableElements> unusable_elements(v2::RouteObject_ptr route_object);

// RouteObject ignores unknown elements to avoid, because the caller's topology may be older. In an
// operator's command an unknown element is a typing error. Returns the first one as text.
std::optional<std::string> unknown_among(v2::RouteObject_ptr route_object,
                                         const std::vector<PathElement>& elements);

}  // namespace xbind::ctl
