// Documents of commands that RouteObject, SwitchServers and the QOSMapper answer.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/cause.hpp"
#include "core/label_text.hpp"
#include "naming/names.hpp"
#include "orb/convert.hpp"
#include "xbindctl/documents.hpp"
#include "xbindctl/managers.hpp"
#include "xbindctl/network.hpp"
#include "xbindctl/ports.hpp"

namespace xbind::ctl {
namespace {

Json json_of(const v2::RouteElement& end) {
  return {{"switch", text(end.switch_name.in())}, {"port", end.output_port}};
}

Json json_of(const v2::CellCounters& cells) {
  return {{"input_cells", cells.input_cells},
          {"input_frames", cells.input_frames},
          {"input_cell_discards", cells.input_cell_discards},
          {"input_frame_discards", cells.input_frame_discards},
          {"hec_errors", cells.hec_errors},
          {"invalid_labels", cells.invalid_labels},
          {"output_cells", cells.output_cells},
          {"output_frames", cells.output_frames},
          {"output_cell_discards", cells.output_cell_discards},
          {"output_frame_discards", cells.output_frame_discards}};
}

Json json_of(const v2::PortReport& port) {
  Json labels = Json::array();
  for (CORBA::ULong i = 0; i < port.state.labels.length(); ++i) {
    const v2::LabelRange& range = port.state.labels[i];
    labels.push_back(
        to_word(LabelRange{static_cast<LabelKind>(range.kind), range.first, range.last}));
  }
  return {{"port", port.state.port_number},
          {"up", static_cast<bool>(port.state.up)},
          {"labels", std::move(labels)},
          {"cells_per_s", port.state.cells_per_s},
          {"capacity", ctl::json_of(port.capacity)},
          {"taken", ctl::json_of(port.taken)},
          {"hops", ctl::json_of(port.hops)},
          {"ingress_cells_per_s", port.ingress_cells_per_s},
          {"free_output_labels", port.free_output_labels},
          {"free_input_labels", port.free_input_labels},
          {"cells", port.cells.length() == 0 ? Json(nullptr) : json_of(port.cells[0])}};
}

Json json_of(const v2::OptionalNumber& number) {
  return number.length() == 0 ? Json(nullptr) : Json(number[0]);
}

Json json_of(const SwitchNote& note) {
  Json one{{"switchserver", note.path},
           {"done", !note.failure.has_value()},
           {"text", text(note.text)},
           {"hops", note.hops}};
  if (note.failure) one["error"] = ctl::json_of(*note.failure)["error"];
  return one;
}

// The document of a command that goes from SwitchServer to SwitchServer.
template <class Command>
DocumentOrFailure document_of_notes(const std::string& manager, const Command& command) {
  Json answers = Json::array();
  const OrFailure<bool> done =
      command([&](const SwitchNote& note) { answers.push_back(json_of(note)); });
  if (!done) return tl::make_unexpected(done.error());
  return Document{{{"manager", manager}, {"done", *done}, {"switchservers", std::move(answers)}},
                  *done ? 0 : 1};
}

}  // namespace

Peer peer_of(v2::RouteObject_ptr route_object) {
  return peer_of(PeerKind::kRouteObject, "the RouteObject", route_object);
}

tl::unexpected<Failure> refused_by(const v2::Refusal& why, const Peer& peer) {
  const auto outcome = orb::to_core(why);
  if (!outcome) return failed(outcome.error(), peer);
  auto failure = failed(*outcome, peer);
  failure.value().text =
      fmt::format("{}: {}", to_string(outcome->cause), printable(why.reason.in(), 1'024));
  return failure;
}

Json json_of(const v2::RouteFound& path) {
  Json hops = Json::array();
  for (CORBA::ULong i = 0; i < path.hops.length(); ++i) {
    const v2::RouteHop& hop = path.hops[i];
    hops.push_back({{"switch", text(hop.switch_name.in())},
                    {"input_port", hop.input_port},
                    {"output_port", hop.output_port}});
  }
  return {{"line_cells_per_s", path.free_cells_per_s},
          {"delay_us", path.delay_us},
          {"hops", std::move(hops)}};
}

Json json_of(const v2::LinkState& link) {
  return {{"end", json_of(link.first_end)},
          {"other_end", json_of(link.second_end)},
          {"state", state_text(link)},
          {"cells_per_s", link.cells_per_s},
          {"free_cells_per_s", link.first_free},
          {"free_back_cells_per_s", link.second_free},
          {"delay_us", link.delay_us}};
}

DocumentOrFailure routes_document(v2::RouteObject_ptr route_object, const RouteWish& wish) {
  const Peer peer = peer_of(route_object);
  return call_peer(peer, route_object, [&]() -> DocumentOrFailure {
    if (const auto unknown = unknown_among(route_object, wish.avoid)) {
      return failed(ErrorCode::kNotFound, fmt::format("avoid: {}", *unknown));
    }
    const RoutesFound found = find_routes(route_object, wish);
    if (found.refused) return refused_by(*found.refused, peer);
    Json paths = Json::array();
    for (const v2::RouteFound& path : found.paths) paths.push_back(ctl::json_of(path));
    return Document{{{"topology_version", digits(found.topology_version)},
                     {"validity_ms", found.validity_ms},
                     {"paths", std::move(paths)}}};
  });
}

DocumentOrFailure links_document(v2::RouteObject_ptr route_object) {
  return call_peer(peer_of(route_object), route_object, [&]() -> DocumentOrFailure {
    const OfSwitches of = ask_of_switches(route_object);
    Json links = Json::array();
    for_each_link(route_object, [&](const v2::LinkState& link) {
      Json one = ctl::json_of(link);
      const auto age = report_age_ms(link, of.report_age_ms);
      one["report_age_ms"] = age ? Json(*age) : Json(nullptr);
      links.push_back(std::move(one));
    });
    Json unknown = Json::array();
    for (const auto& [name, ms] : of.unknown_ms) {
      unknown.push_back({{"switch", text(name)}, {"unknown_ms", ms}});
    }
    return Document{{{"links", std::move(links)}, {"unknown_switches", std::move(unknown)}}};
  });
}

DocumentOrFailure drain_document(v2::RouteObject_ptr route_object, const PathElement& element,
                                 bool drained) {
  return call_peer(peer_of(route_object), route_object, [&]() -> DocumentOrFailure {
    v2::RouteElement wire;
    wire.switch_name = element.switch_name.c_str();
    wire.output_port = element.output_port.value();
    v2::RouteOperations_var { route_object->route_operations() } -> drain(wire, drained);
    return Document{{{"switch", element.switch_name},
                     {"port", element.output_port.value()},
                     {"drained", drained}}};
  });
}

DocumentOrFailure ports_document(orb::NameClient& names, const std::string& switch_name) {
  const auto found = port_reports(names, switch_name);
  if (!found) return tl::make_unexpected(found.error());
  Json ports = Json::array();
  for (CORBA::ULong i = 0; i < found->reports->length(); ++i) {
    ports.push_back(json_of(found->reports.in()[i]));
  }
  const Comparison& last = found->comparison;
  Json comparison{{"rounds", last.rounds},
                  {"took_ms", last.took_ms},
                  {"entries", last.entries},
                  {"missing", last.missing},
                  {"outputs_unknown", last.outputs_unknown},
                  {"put_back", last.put_back},
                  {"not_put_back", last.not_put_back}};
  return Document{{{"switch", switch_name},
                   {"controlled", found->control.has},
                   {"away_ms", found->control.away_ms},
                   {"comparison", std::move(comparison)},
                   {"ports", std::move(ports)}}};
}

DocumentOrFailure count_document(orb::NameClient& names, const std::string& switch_name,
                                 PortId port, Label label) {
  const auto cells = counted_cells(names, switch_name, port, label);
  if (!cells) return tl::make_unexpected(cells.error());
  return Document{{{"switch", switch_name},
                   {"port", port.value()},
                   {"label", ctl::json_of(label)},
                   {"cells", json_of(*cells)}}};
}

DocumentOrFailure managers_document(orb::NameClient& names, const std::string& switch_name) {
  const auto found = holdings(names, switch_name);
  if (!found) return tl::make_unexpected(found.error());
  Json managers = Json::array();
  for (const Holding& one : found->rows) {
    managers.push_back({{"switchserver", text(one.switchserver)},
                        {"manager", text(one.manager.manager.in())},
                        {"state", state_of(one.manager)},
                        {"hops", one.manager.hops},
                        {"epoch", digits(one.manager.manager_epoch)}});
  }
  Json errors = Json::array();
  for (const Failure& failure : found->failures) {
    errors.push_back(ctl::json_of(failure)["error"]);
  }
  return Document{{{"managers", std::move(managers)}, {"errors", std::move(errors)}},
                  found->failures.empty() ? 0 : 1};
}

DocumentOrFailure forget_manager_document(orb::NameClient& names, const std::string& switch_name,
                                          const std::string& manager, bool release,
                                          const Pause& pause) {
  return document_of_notes(manager, [&](const OnSwitch& tell) {
    return forget_everywhere(names, switch_name, manager, release, pause, tell);
  });
}

DocumentOrFailure renew_epoch_document(orb::NameClient& names, v2::RouteObject_ptr route_object,
                                       const std::string& manager) {
  return document_of_notes(manager, [&](const OnSwitch& tell) {
    return renew_everywhere(names, route_object, manager, tell);
  });
}

DocumentOrFailure clear_hops_document(orb::NameClient& names, const std::string& manager,
                                      ConnectionId connection, const Pause& pause) {
  return document_of_notes(manager, [&](const OnSwitch& tell) {
    return clear_everywhere(names, manager, connection, pause, tell);
  });
}

DocumentOrFailure services_document(v2::QOSMapper_ptr mapper) {
  const Peer peer = peer_of(PeerKind::kQosMapper, "the QOSMapper", mapper);
  return call_peer(peer, mapper, [&]() -> DocumentOrFailure {
    const v2::NameSeq_var names = mapper->services();
    Json services = Json::array();
    for (CORBA::ULong i = 0; i < names->length(); ++i) {
      const char* const name = names.in()[i].in();
      const v2::ServiceMapping_var mapping = mapper->describe_service(service_named(name), 0);
      const TrafficContract contract = orb::to_core(mapping->network.contract);
      services.push_back({{"service", text(name)},
                          {"category", std::string{to_string(contract.category)}},
                          {"pcr_cells_per_s", contract.pcr_cells_per_s},
                          {"guaranteed_cells_per_s", contract.guaranteed_cells_per_s},
                          {"takes", ctl::json_of(mapping->network.resources)},
                          {"cell_loss_e12", json_of(mapping->whole.clr)},
                          {"delay_us", json_of(mapping->whole.ctd_us)},
                          {"delay_variation_us", json_of(mapping->whole.cdv_us)}});
    }
    return Document{{{"services", std::move(services)}}};
  });
}

}  // namespace xbind::ctl
