#include "routeobject/network_keeper.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/log.hpp"

namespace xbind {
namespace {

using LinkReports = std::map<PathElement, LinkReport>;  // by both ends

LinkReports reports_of(const RouteService& routes) {
  LinkReports by_end;
  for (std::size_t first = 0;;) {
    const auto page = routes.links(first, kRouteLinksMax);
    if (!page || page->empty()) return by_end;
    for (const LinkReport& link : *page) {
      by_end.emplace(link.first_end, link);
      by_end.emplace(link.second_end, link);
    }
    first += page->size();
  }
}

std::uint64_t used(const LinkReport& link) {
  const auto part = [](std::uint64_t promised, std::uint64_t free) {
    return promised > free ? promised - free : 0;
  };
  return std::max(part(link.first_promised, link.first_free),
                  part(link.second_promised, link.second_free));
}

std::string words(const LinkDifference& link) {
  return fmt::format("the link {}:{} to {}:{}", link.first_end.switch_name,
                     link.first_end.output_port, link.second_end.switch_name,
                     link.second_end.output_port);
}

bool all_links_drained(const std::string& switch_name, const LinkReports& reports) {
  for (auto link = reports.lower_bound({switch_name, PortId{}});
       link != reports.end() && link->first.switch_name == switch_name; ++link) {
    if (!link->second.condition.drained) return false;
  }
  return true;
}

// A switch is drained as a whole; also, in effect, one whose links are all drained, or that has
// none.
Result<void> check_drained(const SwitchDifference& at, const RouteService& routes,
                           const LinkReports& reports) {
  if (at.change == ElementChange::kAdded) return {};
  if (at.change == ElementChange::kChanged && at.endpoint_after) return {};
  const auto drains = routes.drains();
  const auto drained = [&](PortId port) {
    return std::ranges::find(drains, PathElement{at.name, port}) != drains.end();
  };
  if (drained(PortId{}) || all_links_drained(at.name, reports)) return {};
  if (at.change == ElementChange::kChanged && drained(kEndpointPort)) return {};
  return fail(ErrorCode::kBadInput, "{} is not drained, it cannot {}", at.name,
              at.change == ElementChange::kRemoved ? "be removed" : "lose its endpoint");
}

Result<void> check_link(const LinkDifference& link, std::uint64_t used_now,
                        const LinkReports& reports) {
  if (link.change == ElementChange::kAdded) return {};
  const auto known = reports.find(link.first_end);
  if (link.change == ElementChange::kRemoved) {
    if (known != reports.end() && known->second.condition.drained) return {};
    return fail(ErrorCode::kBadInput, "{} is not drained, it cannot be removed", words(link));
  }
  // The port promises its line's rate times an overbooking factor, which stays.
  double factor = 1;
  if (known != reports.end()) {
    const LinkReport& report = known->second;
    factor = static_cast<double>(std::min(report.first_promised, report.second_promised)) /
             static_cast<double>(report.cells_per_s);
  }
  const double after = std::max(1.0, factor) * static_cast<double>(link.cells_per_s_after);
  if (static_cast<double>(used_now) <= after) return {};
  return fail(ErrorCode::kBadInput, "{} cannot have {} cells/s, its calls use {}", words(link),
              link.cells_per_s_after, used_now);
}

Result<void> check(const NetworkPlan& plan, const RouteService& routes) {
  const LinkReports reports = reports_of(routes);
  for (const SwitchDifference& at : plan.difference.switches) {
    if (auto good = check_drained(at, routes, reports); !good) return good;
  }
  for (std::size_t i = 0; i < plan.difference.links.size(); ++i) {
    if (auto good = check_link(plan.difference.links[i], plan.used[i], reports); !good) return good;
  }
  return {};
}

// Refuses a new line at a port that the switch does not have, as far as it has reported its ports.
Result<void> check_port(const PathElement& end, const RouteService& routes) {
  const std::vector<PortId> ports = routes.reported_ports(end.switch_name);
  if (ports.empty() || std::ranges::binary_search(ports, end.output_port)) return {};
  return fail(ErrorCode::kNotFound, "'{}' has no port {}: its switch reports {}", end.switch_name,
              end.output_port, words_of_ports(ports));
}

Result<void> check_ports(const TopologyDifference& difference, const RouteService& routes) {
  for (const SwitchDifference& at : difference.switches) {
    if (at.endpoint_before || !at.endpoint_after) continue;
    if (auto good = check_port({at.name, kEndpointPort}, routes); !good) return good;
  }
  for (const LinkDifference& link : difference.links) {
    if (link.change != ElementChange::kAdded) continue;
    for (const PathElement& end : {link.first_end, link.second_end}) {
      if (auto good = check_port(end, routes); !good) return good;
    }
  }
  return {};
}

}  // namespace

Result<NetworkKeeper::Planned> NetworkKeeper::planned(const NetworkEdit& edit) const {
  const std::uint64_t version = routes_.condition()->state.network_version;
  const auto network = routes_.topology();
  auto made = edited(*network, edit, options_.import,
                     [&](const std::string& name) { return routes_.reported_ports(name); });
  if (!made) return tl::make_unexpected(std::move(made).error());
  auto differs = difference(*network, made->topology);
  if (!differs) return tl::make_unexpected(std::move(differs).error());
  if (auto good = check_ports(*differs, routes_); !good) {
    return tl::make_unexpected(std::move(good).error());
  }
  NetworkPlan plan{version, std::move(*differs), {}, std::move(made->notes)};
  const LinkReports reports = plan.difference.links.empty() ? LinkReports{} : reports_of(routes_);
  for (const LinkDifference& link : plan.difference.links) {
    const auto known = reports.find(link.first_end);
    const bool stands = link.change != ElementChange::kAdded && known != reports.end();
    plan.used.push_back(stands ? used(known->second) : 0);
  }
  return Planned{std::move(made->topology), std::move(plan)};
}

Result<void> NetworkKeeper::begin(NetworkChoice choice, TopologyFile file, TimePoint now) {
  const std::lock_guard lock(one_at_a_time_);
  topology_file_ = std::move(file);
  stored_as_ = choice.file;
  if (!options_.file.empty()) {
    if (choice.stored_replaced) {
      if (auto aside = set_aside_network(options_.file); !aside) return aside;
    }
    if (const auto kept =
            write_network(options_.file, choice.topology, choice.file, Unwritten::kWanted);
        !kept) {
      log::warn("{}; the network that is served is not stored", kept.error().text);
    }
  }
  if (choice.topology != *routes_.topology()) {
    routes_.replace_network(std::move(choice.topology), now);
  }
  set_lacks(std::move(choice.lacks));
  return {};
}

std::vector<std::string> NetworkKeeper::topology_lacks() const {
  const std::lock_guard lock(lacks_mutex_);
  return lacks_;
}

void NetworkKeeper::set_lacks(std::vector<std::string> lacks) {
  const std::lock_guard lock(lacks_mutex_);
  lacks_ = std::move(lacks);
}

Result<NetworkPlan> NetworkKeeper::plan(const NetworkEdit& edit) const {
  auto made = planned(edit);
  if (!made) return tl::make_unexpected(std::move(made).error());
  NetworkPlan& plan = made->plan;
  const LinkReports reports = plan.difference.links.empty() ? LinkReports{} : reports_of(routes_);
  for (std::size_t i = 0; i < plan.difference.links.size(); ++i) {
    const LinkDifference& link = plan.difference.links[i];
    if (link.change != ElementChange::kChanged) continue;
    if (const auto good = check_link(link, plan.used[i], reports); !good) {
      plan.notes.push_back("it is refused unless it is forced: " + good.error().text);
    }
  }
  return std::move(plan);
}

Result<NetworkPlan> NetworkKeeper::change(const NetworkEdit& edit, std::uint64_t network_version,
                                          bool force, TimePoint now) {
  const std::lock_guard lock(one_at_a_time_);
  auto made = planned(edit);
  if (!made) return tl::make_unexpected(std::move(made).error());
  NetworkPlan& plan = made->plan;
  if (network_version != 0 && network_version != plan.network_version) {
    return fail(ErrorCode::kBadInput,
                "the network has changed: it has version {}, the change is of version {}",
                plan.network_version, network_version);
  }
  if (!force) {
    if (auto good = check(plan, routes_); !good) {
      return tl::make_unexpected(std::move(good).error());
    }
  }
  // Once a file that was not taken lacks nothing of the network, it counts as taken.
  const bool taken = topology_lacks().empty();
  auto lacks =
      taken ? std::vector<std::string>{} : lacking(topology_file_.topology, made->topology);
  if (!options_.file.empty()) {
    if (const auto kept =
            write_network(options_.file, made->topology, mark_for(lacks), Unwritten::kUndone);
        !kept) {
      return fail(ErrorCode::kBadInput, "{}: nothing is changed", kept.error().text);
    }
  }
  stored_as_ = mark_for(lacks);
  set_lacks(std::move(lacks));
  routes_.replace_network(std::move(made->topology), now);
  return std::move(plan);
}

}  // namespace xbind
