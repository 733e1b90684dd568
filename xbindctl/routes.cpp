// Commands that ask RouteObject for paths and links, and tell it what to keep free.
#include <cstdio>
#include <string>
#include <vector>

#include "core/cause.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"

namespace xbind::ctl {
namespace {

constexpr const char* kRouteObject = "the RouteObject";
constexpr CORBA::ULong kLinksPage = 1'000;

void fill(const std::vector<PathElement>& elements, v1::RouteElementSeq& out) {
  out.length(static_cast<CORBA::ULong>(elements.size()));
  for (CORBA::ULong i = 0; i < out.length(); ++i) {
    out[i].switch_name = elements[i].switch_name.c_str();
    out[i].output_port = elements[i].output_port.value();
  }
}

v1::RouteQuery query_of(const RouteWish& wish) {
  v1::RouteQuery query;
  query.from_end = wish.from.c_str();
  query.to_end = wish.to.c_str();
  query.cells_per_s = wish.cells_per_s;
  fill(wish.avoid, query.avoid);
  query.metric = wish.metric;
  query.delay_us_max = wish.delay_us_max;
  query.links_max = wish.links_max;
  fill(wish.require, query.require);
  query.disjoint = v1::disjoint_no;
  return query;
}

int refused(const v1::RouteAnswer& answer) {
  const auto cause = cause_from(answer.cause);
  return explain(
      fmt::format("{}: {}", cause ? to_string(*cause) : "unknown cause", answer.reason.in()));
}

void print_path(std::size_t number, const v1::RouteAnswer& answer) {
  std::printf("%s\n", fmt::format("path {}      {} switches, {} us, lines of {} cells/s", number,
                                  answer.hops.length(), answer.delay_us, answer.free_cells_per_s)
                          .c_str());
  for (CORBA::ULong i = 0; i < answer.hops.length(); ++i) {
    std::printf("  hop %-2u    %-16s port %u -> port %u\n", i, answer.hops[i].switch_name.in(),
                answer.hops[i].input_port, answer.hops[i].output_port);
  }
}

std::string end_text(const v1::RouteElement& end) {
  return fmt::format("{}:{}", end.switch_name.in(), end.output_port);
}

std::string state_text(const v1::LinkState& link) {
  if (link.up) return link.drained ? "drained" : "up";
  return link.drained ? "down, drained" : "down";
}

Row row_of(const v1::LinkState& link) {
  Row row{end_text(link.first_end), end_text(link.second_end), state_text(link)};
  for (const auto value : {link.cells_per_s, link.first_free, link.second_free, link.delay_us}) {
    row.push_back(fmt::format("{}", value));
  }
  return row;
}

}  // namespace

int routes(v1::RouteObject_ptr route_object, const RouteWish& wish) {
  return guarded(kRouteObject, [&] {
    v1::RouteQuery query = query_of(wish);
    const v1::RouteAnswers_var found = route_object->find_alternates(query, wish.alternates);
    for (CORBA::ULong i = 0; i < found->answers.length(); ++i) {
      const v1::RouteAnswer& answer = found->answers[i];
      if (answer.cause != 0) return refused(answer);
      print_path(i + 1, answer);
    }
    if (wish.disjoint != v1::disjoint_no && found->answers.length() != 0) {
      query.disjoint = wish.disjoint;
      query.disjoint_from = found->answers[0].hops;
      v1::RouteQuerySeq queries;
      queries.length(1);
      queries[0] = query;
      const v1::RouteAnswers_var other = route_object->find_paths(queries);
      if (other->answers.length() != 1) return explain("one query has not one answer");
      if (other->answers[0].cause != 0) return refused(other->answers[0]);
      print_path(2, other->answers[0]);
    }
    std::printf("%s\n", fmt::format("topology version {}, to be kept for {} ms",
                                    found->topology_version, found->validity_ms)
                            .c_str());
    return 0;
  });
}

int links(v1::RouteObject_ptr route_object) {
  return guarded(kRouteObject, [&] {
    std::vector<Row> rows{
        {"end", "other end", "state", "cells/s", "free", "free back", "delay us"}};
    for (CORBA::ULong first = 0;; first += kLinksPage) {
      const v1::LinkStateSeq_var page = route_object->links(first, kLinksPage);
      for (CORBA::ULong i = 0; i < page->length(); ++i) rows.push_back(row_of(page.in()[i]));
      if (page->length() < kLinksPage) break;
    }
    print_table(3, rows);
    return 0;
  });
}

int drain(v1::RouteObject_ptr route_object, const PathElement& element, bool drained) {
  return guarded(kRouteObject, [&] {
    v1::RouteElement wire;
    wire.switch_name = element.switch_name.c_str();
    wire.output_port = element.output_port.value();
    route_object->drain(wire, drained);
    const std::string words =
        element.output_port == PortId{}
            ? fmt::format("every link of {}", element.switch_name)
            : fmt::format("{} port {}", element.switch_name, element.output_port);
    std::printf("%s\n",
                fmt::format("{}: {}", words,
                            drained ? "drained, no new path leads there" : "not drained any more")
                    .c_str());
    return 0;
  });
}

}  // namespace xbind::ctl
