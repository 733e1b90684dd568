// RouteOperationsServant: changes of the network.
#include <algorithm>
#include <memory>
#include <utility>

#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "orb/raise.hpp"
#include "routeobject/network/topology_text.hpp"
#include "routeobject/servant.hpp"
#include "routeobject/servant_values.hpp"

namespace xbind {
namespace {

constexpr std::size_t kTextPerPart = std::size_t{512} << 10;
constexpr std::size_t kNotesMax = 100;

NetworkEdit edit_of(const v2::NetworkEdit& from) {
  switch (from.kind) {
    case v2::network_load: return edit::Load{from.text.in(), from.file_name.in()};
    case v2::network_add_switch:
      return edit::AddSwitch{from.first_end.switch_name.in(), from.endpoint};
    case v2::network_remove_switch: return edit::RemoveSwitch{from.first_end.switch_name.in()};
    case v2::network_add_link:
      return edit::AddLink{to_core(from.first_end), to_core(from.second_end), from.cells_per_s,
                           from.delay_us};
    case v2::network_remove_link: return edit::RemoveLink{to_core(from.first_end)};
    case v2::network_set_rate: return edit::SetRate{to_core(from.first_end), from.cells_per_s};
    default:
      throw v2::BadRequest(
          fmt::format("{} is no kind of an edit", static_cast<int>(from.kind)).c_str());
  }
}

v2::NetworkChangeKind to_idl(ElementChange change) {
  switch (change) {
    case ElementChange::kAdded: return v2::network_added;
    case ElementChange::kRemoved: return v2::network_removed;
    case ElementChange::kChanged: break;
  }
  return v2::network_changed;
}

v2::NetworkDifference* to_idl(const NetworkPlan& plan) {
  auto out = std::make_unique<v2::NetworkDifference>();
  out->network_version = plan.network_version;
  out->demands_changed = plan.difference.demands;
  const auto& switches = plan.difference.switches;
  out->switches.length(static_cast<CORBA::ULong>(switches.size()));
  for (CORBA::ULong i = 0; i < out->switches.length(); ++i) {
    out->switches[i].kind = to_idl(switches[i].change);
    out->switches[i].switch_name = switches[i].name.c_str();
    out->switches[i].endpoint_before = switches[i].endpoint_before;
    out->switches[i].endpoint_after = switches[i].endpoint_after;
  }
  const auto& links = plan.difference.links;
  out->links.length(static_cast<CORBA::ULong>(links.size()));
  for (CORBA::ULong i = 0; i < out->links.length(); ++i) {
    v2::NetworkLinkChange& link = out->links[i];
    link.kind = to_idl(links[i].change);
    link.first_end = xbind::to_idl(links[i].first_end);
    link.second_end = xbind::to_idl(links[i].second_end);
    link.cells_per_s_before = links[i].cells_per_s_before;
    link.cells_per_s_after = links[i].cells_per_s_after;
    link.delay_us_before = links[i].delay_us_before;
    link.delay_us_after = links[i].delay_us_after;
    link.used_cells_per_s = plan.used[i];
  }
  out->notes.length(static_cast<CORBA::ULong>(std::min(plan.notes.size(), kNotesMax)));
  for (CORBA::ULong i = 0; i < out->notes.length(); ++i) out->notes[i] = plan.notes[i].c_str();
  return out.release();
}

}  // namespace

v2::NetworkDifference* RouteOperationsServant::plan_network(const v2::NetworkEdit& edit) {
  const auto plan = network_.plan(edit_of(edit));
  if (!plan) orb::raise(plan.error());
  return to_idl(*plan);
}

v2::NetworkDifference* RouteOperationsServant::change_network(const v2::NetworkEdit& edit,
                                                              CORBA::ULongLong network_version,
                                                              CORBA::Boolean force) {
  const auto plan = network_.change(edit_of(edit), network_version, force, steady_now());
  if (!plan) orb::raise(plan.error());
  watchers_.tell();
  if (const auto stored = drains_.store(); !stored) log::warn("{}", stored.error().text);
  const auto network = routes_.topology();
  log::info("the operator has changed {} switches and {} links: {} switches, {} links now",
            plan->difference.switches.size(), plan->difference.links.size(),
            network->switches().size(), network->links().size());
  return to_idl(*plan);
}

v2::NetworkText* RouteOperationsServant::network_text(CORBA::ULongLong first) {
  auto out = std::make_unique<v2::NetworkText>();
  out->network_version = routes_.condition()->state.network_version;
  const std::string text = topology_as_toml(*routes_.topology());
  const std::size_t from = std::min<std::size_t>(first, text.size());
  out->text = text.substr(from, kTextPerPart).c_str();
  out->more = text.size() - from > kTextPerPart;
  return out.release();
}

}  // namespace xbind
