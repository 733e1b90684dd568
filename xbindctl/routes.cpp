// Commands that query RouteObject for paths and links, and drain elements.
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cause.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl/network.hpp"

namespace xbind::ctl {
namespace {

constexpr const char* kRouteObject = "the RouteObject";

int refused_route(const v2::Refusal& why) {
  const auto cause = cause_from(why.cause);
  return explain(
      fmt::format("{}: {}", cause ? to_string(*cause) : "unknown cause", why.reason.in()));
}

void print_path(std::size_t number, const v2::RouteFound& path) {
  say(fmt::format("path {}      {} switches, {} us, lines of {} cells/s", number,
                  path.hops.length(), path.delay_us, path.free_cells_per_s));
  for (CORBA::ULong i = 0; i < path.hops.length(); ++i) {
    const v2::RouteHop& hop = path.hops[i];
    say(fmt::format("  hop {:<2}    {:<16} port {} -> port {}", i, hop.switch_name.in(),
                    hop.input_port, hop.output_port));
  }
}

std::string end_text(const v2::RouteElement& end) {
  return fmt::format("{}:{}", end.switch_name.in(), end.output_port);
}

// "1.4 s ago": the older of the two ends' reports. Until a switch has reported, all its capacity
// counts as free.
std::string age_text(const v2::LinkState& link, const BySwitch& ages) {
  const auto age = report_age_ms(link, ages);
  return age ? fmt::format("{:.1f} s ago", static_cast<double>(*age) / 1e3) : "not reported";
}

Row row_of(const v2::LinkState& link, const OfSwitches& of) {
  Row row{end_text(link.first_end), end_text(link.second_end), state_text(link)};
  for (const auto value : {link.cells_per_s, link.first_free, link.second_free}) {
    row.push_back(fmt::format("{}", value));
  }
  row.push_back(age_text(link, of.report_age_ms));
  row.push_back(fmt::format("{}", link.delay_us));
  return row;
}

}  // namespace

int routes(v2::RouteObject_ptr route_object, const RouteWish& wish) {
  return guarded(PeerKind::kRouteObject, kRouteObject, route_object, [&] {
    if (const auto unknown = unknown_among(route_object, wish.avoid)) {
      return explain(fmt::format("avoid: {}", *unknown));
    }
    const RoutesFound found = find_routes(route_object, wish);
    for (std::size_t i = 0; i < found.paths.size(); ++i) print_path(i + 1, found.paths[i]);
    if (found.refused) return refused_route(*found.refused);
    say(fmt::format("topology version {}, to be kept for {} ms", found.topology_version,
                    found.validity_ms));
    return 0;
  });
}

int links(v2::RouteObject_ptr route_object) {
  return guarded(PeerKind::kRouteObject, kRouteObject, route_object, [&] {
    const OfSwitches of = ask_of_switches(route_object);
    std::vector<Row> rows{
        {"end", "other end", "state", "cells/s", "free", "free back", "reported", "delay us"}};
    for_each_link(route_object,
                  [&](const v2::LinkState& link) { rows.push_back(row_of(link, of)); });
    print_table(3, rows);
    for (const auto& [name, ms] : of.unknown_ms) {
      say(fmt::format("{}: state unknown, no SwitchServer has controlled it for {:.1f} s", name,
                      static_cast<double>(ms) / 1e3));
    }
    return 0;
  });
}

int drain(v2::RouteObject_ptr route_object, const PathElement& element, bool drained) {
  return guarded(PeerKind::kRouteObject, kRouteObject, route_object, [&] {
    v2::RouteElement wire;
    wire.switch_name = element.switch_name.c_str();
    wire.output_port = element.output_port.value();
    v2::RouteOperations_var { route_object->route_operations() } -> drain(wire, drained);
    const std::string words =
        element.output_port == PortId{}
            ? fmt::format("every link of {}", element.switch_name)
            : fmt::format("{} port {}", element.switch_name, element.output_port);
    say(fmt::format("{}: {}", words,
                    drained ? "drained, no new path leads there" : "not drained any more"));
    return 0;
  });
}

}  // namespace xbind::ctl
