#include "xbindctl/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace xbind::ctl {
namespace {

constexpr CORBA::ULong kLinksPage = 1'000;
constexpr int kReadingsMax = 16;

void fill(const std::vector<PathElement>& elements, v2::RouteElementSeq& out) {
  out.length(static_cast<CORBA::ULong>(elements.size()));
  for (CORBA::ULong i = 0; i < out.length(); ++i) {
    out[i].switch_name = elements[i].switch_name.c_str();
    out[i].output_port = elements[i].output_port.value();
  }
}

// `page_from` returns the names from a number on; none: that was all.
template <class PageFrom>
void for_each_name(const PageFrom& page_from,
                   const std::function<void(const std::string&)>& visit) {
  for (CORBA::ULong first = 0;;) {
    const v2::NameSeq_var page = page_from(first);
    if (page->length() == 0) return;
    for (CORBA::ULong i = 0; i < page->length(); ++i) visit(page.in()[i].in());
    first += page->length();
  }
}

}  // namespace

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

RoutesFound find_routes(v2::RouteObject_ptr route_object, const RouteWish& wish) {
  v2::RouteQuery query = query_of(wish);
  const v2::RouteAnswers_var found = route_object->find_alternates(query, wish.alternates);
  RoutesFound routes;
  routes.topology_version = found->topology_version;
  routes.validity_ms = found->validity_ms;
  const auto take = [&](const v2::RouteAnswer& answer) {
    if (answer._d()) {
      routes.paths.push_back(answer.found());
    } else {
      routes.refused = answer.why();
    }
  };
  for (CORBA::ULong i = 0; i < found->answers.length() && !routes.refused; ++i) {
    take(found->answers[i]);
  }
  if (wish.disjoint == v2::disjoint_no || routes.paths.empty()) return routes;
  query.disjoint = wish.disjoint;
  query.disjoint_from = routes.paths.front().hops;
  v2::RouteQuerySeq queries;
  queries.length(1);
  queries[0] = query;
  const v2::RouteAnswers_var other = route_object->find_paths(queries);
  routes.paths.resize(1);
  for (CORBA::ULong i = 0; i < other->answers.length(); ++i) take(other->answers[i]);
  return routes;
}

std::optional<std::uint64_t> report_age_ms(const v2::LinkState& link, const BySwitch& ages) {
  const auto first = ages.find(link.first_end.switch_name.in());
  const auto second = ages.find(link.second_end.switch_name.in());
  if (first == ages.end() || second == ages.end()) return std::nullopt;
  return std::max(first->second, second->second);
}

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

void for_each_link(v2::RouteObject_ptr route_object,
                   const std::function<void(const v2::LinkState&)>& visit) {
  const v2::RouteOperations_var operations = route_object->route_operations();
  for (CORBA::ULong first = 0;;) {
    const v2::LinkStateSeq_var page = operations->links(first, kLinksPage);
    if (page->length() == 0) return;  // a page may be shorter than requested
    for (CORBA::ULong i = 0; i < page->length(); ++i) visit(page.in()[i]);
    first += page->length();
  }
}

PortPlan port_plan(v2::RouteObject_ptr route_object) {
  PortPlan plan;
  for_each_link(route_object, [&](const v2::LinkState& link) {
    const auto end = [](const v2::RouteElement& it) {
      return PortPlan::End{it.switch_name.in(), PortId{it.output_port}};
    };
    plan.far_ends[end(link.first_end)] = end(link.second_end);
    plan.far_ends[end(link.second_end)] = end(link.first_end);
  });
  for (CORBA::ULong first = 0;;) {
    const v2::NameSeq_var page = route_object->endpoints(first, kLinksPage);
    if (page->length() == 0) return plan;
    for (CORBA::ULong i = 0; i < page->length(); ++i) plan.endpoints.insert(page.in()[i].in());
    first += page->length();
  }
}

void for_each_switch(v2::RouteObject_ptr route_object,
                     const std::function<void(const std::string&)>& visit) {
  for_each_name([&](CORBA::ULong first) { return route_object->switches(first, kLinksPage); },
                visit);
}

void for_each_endpoint(v2::RouteObject_ptr route_object,
                       const std::function<void(const std::string&)>& visit) {
  for_each_name([&](CORBA::ULong first) { return route_object->endpoints(first, kLinksPage); },
                visit);
}

OrFailure<UnusableElements> unusable_elements(v2::RouteObject_ptr route_object) {
  UnusableElements elements;
  std::uint64_t version = 0;
  int changes = 0;  // between two pages: from the beginning
  for (CORBA::ULong first = 0; changes < kReadingsMax;) {
    const v2::TopologyState_var page = route_object->unusable_elements(first, kLinksPage);
    if (first != 0 && page->topology_version != version) {
      elements.clear();
      first = 0;
      ++changes;
      continue;
    }
    version = page->topology_version;
    if (page->unusable.length() == 0) return elements;
    for (CORBA::ULong i = 0; i < page->unusable.length(); ++i) {
      const v2::UnusableElement& it = page->unusable[i];
      elements[{it.element.switch_name.in(), PortId{it.element.output_port}}] = it.why;
    }
    first += page->unusable.length();
  }
  return failed(ErrorCode::kExhausted,
                fmt::format("the network has changed {} times while it was read", changes),
                "try again");
}

std::optional<std::string> unknown_among(v2::RouteObject_ptr route_object,
                                         const std::vector<PathElement>& elements) {
  if (elements.empty()) return std::nullopt;
  std::set<PathElement> known;
  for_each_switch(route_object, [&](const std::string& name) { known.insert({name, PortId{}}); });
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

}  // namespace xbind::ctl
