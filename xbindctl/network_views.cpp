// How `network` shows a change, and the network as a topology file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "core/config/toml_reader.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/network_change.hpp"

namespace xbind::ctl {
namespace {

constexpr std::size_t kTextParts = 64;  // of 512 KiB: more than a topology file may have

const char* mark(v2::NetworkChangeKind kind) {
  if (kind == v2::network_added) return "add";
  return kind == v2::network_removed ? "remove" : "change";
}

const char* past(v2::NetworkChangeKind kind) {
  if (kind == v2::network_added) return "added";
  return kind == v2::network_removed ? "removed" : "changed";
}

std::string end_words(const v2::RouteElement& end) {
  return fmt::format("{}:{}", end.switch_name.in(), end.output_port);
}

// "353207", "353207 -> 1000"
std::string values(v2::NetworkChangeKind kind, std::uint64_t before, std::uint64_t after) {
  if (kind == v2::network_added) return fmt::format("{}", after);
  if (kind == v2::network_removed || before == after) return fmt::format("{}", before);
  return fmt::format("{} -> {}", before, after);
}

std::string role(bool endpoint) { return endpoint ? "endpoint" : "no endpoint"; }

void print_difference(const v2::NetworkDifference& difference) {
  std::vector<Row> rows{{"what", "element", "other end", "cells/s", "delay us", "used"}};
  for (CORBA::ULong i = 0; i < difference.switches.length(); ++i) {
    const v2::NetworkSwitchChange& at = difference.switches[i];
    std::string state =
        role(at.kind == v2::network_removed ? at.endpoint_before : at.endpoint_after);
    if (at.kind == v2::network_changed) state = role(at.endpoint_before) + " -> " + state;
    rows.push_back({fmt::format("{} node", mark(at.kind)), at.switch_name.in(), state, "", "", ""});
  }
  for (CORBA::ULong i = 0; i < difference.links.length(); ++i) {
    const v2::NetworkLinkChange& link = difference.links[i];
    rows.push_back({fmt::format("{} link", mark(link.kind)), end_words(link.first_end),
                    end_words(link.second_end),
                    values(link.kind, link.cells_per_s_before, link.cells_per_s_after),
                    values(link.kind, link.delay_us_before, link.delay_us_after),
                    fmt::format("{}", link.used_cells_per_s)});
  }
  if (rows.size() > 1) print_table(3, std::move(rows));
  if (difference.demands_changed) say("the demands between the endpoints change");
  for (CORBA::ULong i = 0; i < difference.notes.length(); ++i) {
    say(fmt::format("note: {}", difference.notes[i].in()));
  }
}

void print_calls(const std::vector<ManagerCalls>& managers) {
  std::vector<Row> rows{{"manager", "connection", "from", "to", "client", "would", "cells/s"}};
  std::uint64_t all = 0;
  std::uint64_t moving = 0;
  std::map<std::string, std::uint64_t> reasons;
  for (const ManagerCalls& of : managers) {
    all += of.affected.all;
    for (const AffectedCall& call : of.affected.calls) {
      moving += call.moves ? 1 : 0;
      if (!call.moves) ++reasons[call.why];
      rows.push_back({of.manager, fmt::format("{}", call.row.id), call.row.from,
                      call.row.to.empty() ? "-" : call.row.to, call.row.client,
                      call.moves ? "move" : "be lost", fmt::format("{}", call.row.cells_per_s)});
    }
  }
  const std::size_t affected = rows.size() - 1;
  if (affected > 0) print_table(6, std::move(rows));
  for (const auto& [why, count] : reasons) {
    say(fmt::format("{} cannot move: {}", counted(count, "call"), why));
  }
  say(fmt::format("{} of {} lead over what is removed, {} of them cannot move", affected,
                  counted(all, "call"), affected - moving));
}

Json json_of_difference(const v2::NetworkDifference& difference) {
  Json switches = Json::array();
  for (CORBA::ULong i = 0; i < difference.switches.length(); ++i) {
    const v2::NetworkSwitchChange& at = difference.switches[i];
    switches.push_back({{"change", past(at.kind)},
                        {"switch", text(at.switch_name.in())},
                        {"endpoint_before", static_cast<bool>(at.endpoint_before)},
                        {"endpoint_after", static_cast<bool>(at.endpoint_after)}});
  }
  Json links = Json::array();
  for (CORBA::ULong i = 0; i < difference.links.length(); ++i) {
    const v2::NetworkLinkChange& link = difference.links[i];
    links.push_back({{"change", past(link.kind)},
                     {"first_switch", text(link.first_end.switch_name.in())},
                     {"first_port", link.first_end.output_port},
                     {"second_switch", text(link.second_end.switch_name.in())},
                     {"second_port", link.second_end.output_port},
                     {"cells_per_s_before", link.cells_per_s_before},
                     {"cells_per_s_after", link.cells_per_s_after},
                     {"delay_us_before", link.delay_us_before},
                     {"delay_us_after", link.delay_us_after},
                     {"used_cells_per_s", link.used_cells_per_s}});
  }
  Json notes = Json::array();
  for (CORBA::ULong i = 0; i < difference.notes.length(); ++i) {
    notes.push_back(text(difference.notes[i].in()));
  }
  return {{"network_version", digits(difference.network_version)},
          {"switches", std::move(switches)},
          {"links", std::move(links)},
          {"demands_changed", static_cast<bool>(difference.demands_changed)},
          {"notes", std::move(notes)}};
}

bool nothing(const v2::NetworkDifference& difference) {
  return difference.switches.length() == 0 && difference.links.length() == 0 &&
         !difference.demands_changed;
}

}  // namespace

OrFailure<std::string> network_text(v2::RouteObject_ptr route_object) {
  return call_peer(peer_of(route_object), route_object, [&]() -> OrFailure<std::string> {
    const v2::RouteOperations_var operations = route_object->route_operations();
    std::string whole;
    std::uint64_t version = 0;
    for (std::size_t parts = 0; parts < kTextParts; ++parts) {
      const v2::NetworkText_var part = operations->network_text(whole.size());
      // It has changed between two parts: from the beginning.
      if (!whole.empty() && part->network_version != version) {
        whole.clear();
        continue;
      }
      version = part->network_version;
      whole += part->text.in();
      if (!part->more) return whole;
    }
    return failed(
        ErrorCode::kExhausted,
        fmt::format("the network's text has more than {} octets, or keeps changing", whole.size()));
  });
}

std::vector<std::string> bridges_in(const std::string& topology) {
  std::vector<std::string> found;
  const auto root = config::parse_toml(topology, "network", topology.size());
  if (!root) return found;
  const auto* const switches = (*root)["switch"].as_array();
  if (switches == nullptr) return found;
  for (const toml::node& node : *switches) {
    const auto* const one = node.as_table();
    if (one == nullptr || (*one)["kind"].value_or(std::string_view{}) != "ovs") continue;
    found.emplace_back((*one)["name"].value_or(std::string_view{}));
  }
  return found;
}

int network_change(orb::NameClient& names, v2::RouteObject_ptr route_object,
                   const NetworkWish& wish, const Pause& pause) {
  const auto done = changed_network(names, route_object, wish, pause);
  if (!done) return explain(done.error());
  print_difference(done->difference.in());
  if (!done->managers.empty()) print_calls(done->managers);
  if (!done->ended.empty()) {
    say(fmt::format("{} ended by force: {}", counted(done->ended.size(), "call"),
                    fmt::join(done->ended, ", ")));
  }
  for (const std::string& warning : done->warnings) explain("warning: " + warning);
  if (!done->refused.empty()) {
    say(fmt::format("dry run: without --force it is refused: {}", done->refused));
    return 1;
  }
  if (!done->applied) {
    say("dry run: nothing is changed");
  } else {
    say(nothing(done->difference.in()) ? "the network is like this already"
                                       : "the network is changed");
  }
  return 0;
}

DocumentOrFailure network_change_document(orb::NameClient& names, v2::RouteObject_ptr route_object,
                                          const NetworkWish& wish, const Pause& pause) {
  const auto done = changed_network(names, route_object, wish, pause);
  if (!done) return tl::make_unexpected(done.error());
  Json calls = Json::array();
  std::uint64_t all = 0;
  for (const ManagerCalls& of : done->managers) {
    all += of.affected.all;
    for (const AffectedCall& call : of.affected.calls) {
      calls.push_back({{"manager", text(of.manager)},
                       {"id", digits(call.row.id)},
                       {"from", text(call.row.from)},
                       {"to", text(call.row.to)},
                       {"client", text(call.row.client)},
                       {"cells_per_s", call.row.cells_per_s},
                       {"moves", call.moves},
                       {"why_not", text(call.why)}});
    }
  }
  Json ended = Json::array();
  for (const std::uint64_t id : done->ended) ended.push_back(digits(id));
  Json warnings = Json::array();
  for (const std::string& warning : done->warnings) warnings.push_back(text(warning));
  return Document{{{"applied", done->applied},
                   {"refused", done->refused.empty() ? Json(nullptr) : Json(text(done->refused))},
                   {"difference", json_of_difference(done->difference.in())},
                   {"all_calls", all},
                   {"calls", std::move(calls)},
                   {"ended", std::move(ended)},
                   {"warnings", std::move(warnings)}},
                  done->refused.empty() ? 0 : 1};
}

int network_show(v2::RouteObject_ptr route_object) {
  const auto whole = network_text(route_object);
  if (!whole) return explain(whole.error());
  std::string_view rest = *whole;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    say(std::string{rest.substr(0, end)});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return 0;
}

DocumentOrFailure network_show_document(v2::RouteObject_ptr route_object) {
  const auto whole = network_text(route_object);
  if (!whole) return tl::make_unexpected(whole.error());
  return Document{{{"topology", *whole}}};
}

}  // namespace xbind::ctl
