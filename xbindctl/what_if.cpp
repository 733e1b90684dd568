// `what-if`: which calls would have to move if a switch or link were lost.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/cause.hpp"
#include "core/config/nearest_name.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/network.hpp"
#include "xbindctl/questions.hpp"

namespace xbind::ctl {
namespace {

constexpr std::size_t kQueriesAtATime = 256;

struct AffectedCall {
  CallRow row;
  bool moves = false;  // another path was found
  std::string why;     // it does not: the reason
};

struct WhatIf {
  std::vector<PathElement> lost;  // both ends of a link; one element otherwise
  std::vector<AffectedCall> calls;
  std::uint64_t all = 0;  // calls of the manager
};

// Both ends of the link, or the element alone: a switch, or an access line.
OrFailure<std::vector<PathElement>> elements_of(v2::RouteObject_ptr route_object,
                                                const PathElement& lost) {
  std::vector<PathElement> elements{lost};
  std::set<std::string> switches;
  for_each_switch(route_object, [&](const std::string& name) { switches.insert(name); });
  if (!switches.contains(lost.switch_name)) {
    const std::vector<std::string> known(switches.begin(), switches.end());
    const auto nearest = config::nearest_name(lost.switch_name, known);
    return failed(ErrorCode::kNotFound, fmt::format("there is no switch '{}'", lost.switch_name),
                  nearest ? fmt::format("did you mean '{}'?", *nearest) : "");
  }
  if (lost.output_port == PortId{}) return elements;
  for_each_link(route_object, [&](const v2::LinkState& link) {
    const PathElement first{link.first_end.switch_name.in(), PortId{link.first_end.output_port}};
    const PathElement second{link.second_end.switch_name.in(), PortId{link.second_end.output_port}};
    if (first == lost) elements.push_back(second);
    if (second == lost) elements.push_back(first);
  });
  return elements;
}

bool leads_over(const v2::ConnectionState& state, const PathElement& lost) {
  for (CORBA::ULong i = 0; i < state.hops.length(); ++i) {
    const v2::HopState& hop = state.hops[i];
    if (lost.switch_name != hop.switch_name.in()) continue;
    const PortId port = lost.output_port;
    if (port == PortId{} || port == PortId{hop.input_port} || port == PortId{hop.output_port}) {
      return true;
    }
  }
  return false;
}

// Calls with these in common have the same answer.
using Kind = std::tuple<std::string, std::string, std::uint64_t>;  // from, to, cells/s
Kind kind_of(const CallRow& row) {
  return {row.from, row.to, std::max(row.cells_per_s, row.reverse_cells_per_s)};
}

// By kind: why there is no other path; empty: there is one.
std::map<Kind, std::string> ask_paths(v2::RouteObject_ptr route_object, const WhatIf& result) {
  std::map<Kind, std::string> reasons;
  for (const AffectedCall& call : result.calls) reasons.emplace(kind_of(call.row), "");
  for (auto next = reasons.begin(); next != reasons.end();) {
    v2::RouteQuerySeq queries;
    std::vector<std::string*> targets;
    for (; next != reasons.end() && targets.size() < kQueriesAtATime; ++next) {
      RouteWish wish{std::get<0>(next->first), std::get<1>(next->first), std::get<2>(next->first)};
      wish.avoid = result.lost;
      queries.length(queries.length() + 1);
      queries[queries.length() - 1] = query_of(wish);
      targets.push_back(&next->second);
    }
    const v2::RouteAnswers_var answers = route_object->find_paths(queries);
    for (CORBA::ULong i = 0; i < targets.size(); ++i) {
      if (i >= answers->answers.length()) {
        *targets[i] = "RouteObject gave no answer";
      } else if (!answers->answers[i]._d()) {
        const v2::Refusal& why = answers->answers[i].why();
        const auto cause = cause_from(why.cause);
        *targets[i] = fmt::format("{}: {}", cause ? to_string(*cause) : "unknown cause",
                                  printable(why.reason.in(), 400));
      }
    }
  }
  return reasons;
}

OrFailure<WhatIf> ask_what_if(const client::TwoWay& manager, v2::RouteObject_ptr route_object,
                              const PathElement& lost) {
  const Peer peer = peer_of(route_object);
  auto elements = told_by(peer, route_object, [&] { return elements_of(route_object, lost); });
  if (!elements) return tl::make_unexpected(elements.error());
  WhatIf result;
  result.lost = std::move(*elements);
  const auto listed = manager.for_each_connection({}, [&](const v2::ConnectionState& state) {
    ++result.all;
    if (leads_over(state, lost) || leads_over(state, result.lost.back())) {
      result.calls.push_back({row_of_call(state), false, {}});
    }
  });
  if (!listed) return failed(listed.error(), peer_of(manager));
  const auto reasons = told_by(peer, route_object, [&]() -> OrFailure<std::map<Kind, std::string>> {
    return ask_paths(route_object, result);
  });
  if (!reasons) return tl::make_unexpected(reasons.error());
  const bool whole_switch = lost.output_port == PortId{};
  const bool line = !whole_switch && result.lost.size() == 1;
  for (AffectedCall& call : result.calls) {
    if (line) {
      call.why = "it is the access line of an end";
    } else if (call.row.leaves != 0 || call.row.to.empty()) {
      call.why = "a call with several destinations does not move";
    } else if (whole_switch &&
               (call.row.from == lost.switch_name || call.row.to == lost.switch_name)) {
      call.why = "it begins or ends there";
    } else {
      call.why = reasons->at(kind_of(call.row));
    }
    call.moves = call.why.empty();
  }
  return result;
}

std::string words_of(const PathElement& lost) {
  return lost.output_port == PortId{}
             ? lost.switch_name
             : fmt::format("{} port {}", lost.switch_name, lost.output_port);
}

}  // namespace

int what_if(const client::TwoWay& manager, v2::RouteObject_ptr route_object,
            const PathElement& lost) {
  const auto result = ask_what_if(manager, route_object, lost);
  if (!result) return explain(result.error());
  std::vector<Row> rows{{"connection", "from", "to", "client", "would", "cells/s"}};
  std::uint64_t moving = 0;
  std::map<std::string, std::uint64_t> reasons;  // number of calls by reason
  for (const AffectedCall& call : result->calls) {
    moving += call.moves ? 1 : 0;
    if (!call.moves) ++reasons[call.why];
    rows.push_back({fmt::format("{}", call.row.id), call.row.from,
                    call.row.to.empty() ? "-" : call.row.to, call.row.client,
                    call.moves ? "move" : "be lost", fmt::format("{}", call.row.cells_per_s)});
  }
  if (rows.size() > 1) print_table(5, std::move(rows));
  for (const auto& [why, count] : reasons) {
    say(fmt::format("{} would be lost: {}", counted(count, "call"), why));
  }
  say(fmt::format("without {}: {} of {} would have to move, {} of them find no other path",
                  words_of(lost), result->calls.size(), counted(result->all, "call"),
                  result->calls.size() - moving));
  return 0;
}

Told what_if_document(const client::TwoWay& manager, v2::RouteObject_ptr route_object,
                      const PathElement& lost) {
  const auto result = ask_what_if(manager, route_object, lost);
  if (!result) return tl::make_unexpected(result.error());
  Json calls = Json::array();
  std::uint64_t moving = 0;
  for (const AffectedCall& call : result->calls) {
    moving += call.moves ? 1 : 0;
    calls.push_back({{"id", digits(call.row.id)},
                     {"from", text(call.row.from)},
                     {"to", text(call.row.to)},
                     {"client", text(call.row.client)},
                     {"cells_per_s", call.row.cells_per_s},
                     {"moves", call.moves},
                     {"why_not", text(call.why)}});
  }
  Json elements = Json::array();
  for (const PathElement& element : result->lost) {
    elements.push_back(
        {{"switch", text(element.switch_name)}, {"port", element.output_port.value()}});
  }
  return Document{{{"lost", std::move(elements)},
                   {"all_calls", result->all},
                   {"affected", result->calls.size()},
                   {"without_other_path", result->calls.size() - moving},
                   {"calls", std::move(calls)}}};
}

}  // namespace xbind::ctl
