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

namespace xbind::ctl {
namespace {

constexpr const char* kRouteObject = "the RouteObject";
constexpr CORBA::ULong kLinksPage = 1'000;

void fill(const std::vector<PathElement>& elements, v2::RouteElementSeq& out) {
  out.length(static_cast<CORBA::ULong>(elements.size()));
  for (CORBA::ULong i = 0; i < out.length(); ++i) {
    out[i].switch_name = elements[i].switch_name.c_str();
    out[i].output_port = elements[i].output_port.value();
  }
}

v2::RouteQuery query_of(const RouteWish& wish) {
  v2::RouteQuery query;
  query.from_end = wish.from.c_str();
  query.to_end = wish.to.c_str();
  query.cells_per_s = wish.cells_per_s;
  fill(wish.avoid, query.avoid);
  query.metric = wish.metric;
  query.delay_us_max = wish.delay_us_max;
  query.links_max = wish.links_max;
  fill(wish.require, query.require);
  query.disjoint = v2::disjoint_no;
  return query;
}

int refused(const v2::Refusal& why) {
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

// From RouteObject's status, by switch name: for how many milliseconds an unknown switch has been
// unknown, and the age of each one's last report.
using BySwitch = std::map<std::string, std::uint64_t>;

struct OfSwitches {
  BySwitch unknown_ms;
  BySwitch report_age_ms;
};

OfSwitches ask_of_switches(v2::RouteObject_ptr route_object) {
  constexpr std::string_view kAge = "report_age_ms/";
  constexpr std::string_view kUnknown = "unknown_switch_ms/";
  OfSwitches of;
  const v2::MetricSeq_var rows = route_object->status();
  for (CORBA::ULong i = 0; i < rows->length(); ++i) {
    const std::string_view name = rows.in()[i].name.in();
    for (const auto& [prefix, values] :
         {std::pair{kUnknown, &of.unknown_ms}, {kAge, &of.report_age_ms}}) {
      if (name.starts_with(prefix)) {
        values->emplace(name.substr(prefix.size()), rows.in()[i].value);
      }
    }
  }
  return of;
}

std::string state_text(const v2::LinkState& link) {
  if (link.unknown) return link.up ? "unknown" : "down";
  if (link.up) return link.drained ? "drained" : "up";
  return link.drained ? "down, drained" : "down";
}

// "1.4 s ago": the older of the two ends' reports. Until a switch has reported, all its capacity
// counts as free.
std::string age_text(const v2::LinkState& link, const BySwitch& ages) {
  const auto first = ages.find(link.first_end.switch_name.in());
  const auto second = ages.find(link.second_end.switch_name.in());
  if (first == ages.end() || second == ages.end()) return "not reported";
  return fmt::format("{:.1f} s ago",
                     static_cast<double>(std::max(first->second, second->second)) / 1e3);
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

template <class Visit>
void for_each_link(v2::RouteObject_ptr route_object, Visit visit) {
  const v2::RouteOperations_var operations = route_object->route_operations();
  for (CORBA::ULong first = 0;;) {
    const v2::LinkStateSeq_var page = operations->links(first, kLinksPage);
    if (page->length() == 0) return;  // a page may be shorter than requested
    for (CORBA::ULong i = 0; i < page->length(); ++i) visit(page.in()[i]);
    first += page->length();
  }
}

// RouteObject ignores unknown elements to avoid, because the caller's topology may be older. In an
// operator's command an unknown element is a typing error. Returns the first one as text.
std::optional<std::string> unknown_among(v2::RouteObject_ptr route_object,
                                         const std::vector<PathElement>& elements) {
  if (elements.empty()) return std::nullopt;
  std::set<PathElement> known;
  for (CORBA::ULong first = 0;;) {
    const v2::NameSeq_var page = route_object->switches(first, kLinksPage);
    if (page->length() == 0) break;
    for (CORBA::ULong i = 0; i < page->length(); ++i) known.insert({page.in()[i].in(), PortId{}});
    first += page->length();
  }
  for_each_link(route_object, [&](const v2::LinkState& link) {
    for (const v2::RouteElement* end : {&link.first_end, &link.second_end}) {
      known.insert({end->switch_name.in(), PortId{end->output_port}});
    }
  });
  for (const PathElement& element : elements) {
    if (known.contains(element)) continue;
    if (!known.contains({element.switch_name, PortId{}})) {
      return fmt::format("there is no switch '{}'", element.switch_name);
    }
    return fmt::format("no link leaves port {} of '{}'", element.output_port, element.switch_name);
  }
  return std::nullopt;
}

}  // namespace

int routes(v2::RouteObject_ptr route_object, const RouteWish& wish) {
  return guarded(kRouteObject, route_object, [&] {
    if (const auto unknown = unknown_among(route_object, wish.avoid)) {
      return explain(fmt::format("avoid: {}", *unknown));
    }
    v2::RouteQuery query = query_of(wish);
    const v2::RouteAnswers_var found = route_object->find_alternates(query, wish.alternates);
    for (CORBA::ULong i = 0; i < found->answers.length(); ++i) {
      const v2::RouteAnswer& answer = found->answers[i];
      if (!answer._d()) return refused(answer.why());
      print_path(i + 1, answer.found());
    }
    if (wish.disjoint != v2::disjoint_no && found->answers.length() != 0) {
      query.disjoint = wish.disjoint;
      query.disjoint_from = found->answers[0].found().hops;
      v2::RouteQuerySeq queries;
      queries.length(1);
      queries[0] = query;
      const v2::RouteAnswers_var other = route_object->find_paths(queries);
      if (other->answers.length() != 1) return explain("one query has not one answer");
      const v2::RouteAnswer& answer = other->answers[0];
      if (!answer._d()) return refused(answer.why());
      print_path(2, answer.found());
    }
    say(fmt::format("topology version {}, to be kept for {} ms", found->topology_version,
                    found->validity_ms));
    return 0;
  });
}

int links(v2::RouteObject_ptr route_object) {
  return guarded(kRouteObject, route_object, [&] {
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
  return guarded(kRouteObject, route_object, [&] {
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
