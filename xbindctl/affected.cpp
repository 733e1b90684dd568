#include "xbindctl/affected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/cause.hpp"
#include "core/config/nearest_name.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/network.hpp"

namespace xbind::ctl {
namespace {

constexpr PortId kAccessPort{1};  // of an endpoint
constexpr std::size_t kQueriesAtATime = 256;
constexpr std::size_t kAvoidedMax = 4'096;  // of one query (idl/route_object.idl)
// Elements to avoid of all queries at a time: below 5 MiB of a message, which may have 16.
constexpr std::size_t kAvoidedAtATime = 65'536;

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

bool leads_over(const v2::ConnectionState& state, const Lost& lost) {
  return std::ranges::any_of(lost, [&](const PathElement& it) { return leads_over(state, it); });
}

// Calls with these in common have the same answer: from, to, cells/s.
using Kind = std::tuple<std::string, std::string, std::uint64_t>;
Kind kind_of(const CallRow& row) {
  return {row.from, row.to, std::max(row.cells_per_s, row.reverse_cells_per_s)};
}

using Reasons = std::map<Kind, std::string>;  // why there is no other path; empty: there is one

Reasons ask_paths(v2::RouteObject_ptr route_object, const std::vector<PathElement>& avoid,
                  Reasons reasons) {
  const std::size_t at_a_time =
      std::min(kQueriesAtATime, kAvoidedAtATime / std::max<std::size_t>(1, avoid.size()));
  for (auto next = reasons.begin(); next != reasons.end();) {
    v2::RouteQuerySeq queries;
    std::vector<std::string*> targets;
    for (; next != reasons.end() && targets.size() < at_a_time; ++next) {
      RouteWish wish{std::get<0>(next->first), std::get<1>(next->first), std::get<2>(next->first)};
      wish.avoid = avoid;
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

// All of `lost`. A link is avoided in both directions by either of its ends.
OrFailure<std::vector<PathElement>> avoided(const std::vector<Lost>& lost) {
  std::vector<PathElement> avoid;
  avoid.reserve(lost.size());
  for (const Lost& it : lost) avoid.push_back(it.front());
  std::ranges::sort(avoid);
  avoid.erase(std::unique(avoid.begin(), avoid.end()), avoid.end());
  if (avoid.size() <= kAvoidedMax) return avoid;
  return failed(ErrorCode::kExhausted,
                fmt::format("{} elements would be lost, paths are found around {} at most",
                            avoid.size(), kAvoidedMax),
                "change the network in several steps");
}

bool is_access_line(v2::RouteObject_ptr route_object, const PathElement& line) {
  bool endpoint = false;
  if (line.output_port != kAccessPort) return false;
  for_each_endpoint(route_object, [&](const std::string& name) {
    endpoint = endpoint || name == line.switch_name;
  });
  return endpoint;
}

// Why the call cannot move, whatever paths there are; empty: it may.
std::string fixed_by(const CallRow& row, const std::vector<const Lost*>& used) {
  for (const Lost* it : used) {
    const bool access_line = it->size() == 1 && it->front().output_port != PortId{};
    if (access_line) return "it is the access line of an end";
  }
  if (row.leaves != 0 || row.to.empty()) return "a call with several destinations does not move";
  for (const Lost* it : used) {
    if (it->front().output_port != PortId{}) continue;
    const std::string& name = it->front().switch_name;
    if (row.from == name || row.to == name) return "it begins or ends there";
  }
  return {};
}

}  // namespace

OrFailure<Lost> lost_element(v2::RouteObject_ptr route_object, const PathElement& lost) {
  Lost elements{lost};
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
  if (elements.size() > 1 || is_access_line(route_object, lost)) return elements;
  return failed(
      ErrorCode::kNotFound,
      fmt::format("port {} of '{}' has no link and no host", lost.output_port, lost.switch_name),
      "`xbindctl links` lists the ports of links; a host is at port 1");
}

OrFailure<AffectedCalls> affected_calls(const client::TwoWay& manager,
                                        v2::RouteObject_ptr route_object,
                                        const std::vector<Lost>& lost) {
  const auto avoid = avoided(lost);
  if (!avoid) return tl::make_unexpected(avoid.error());
  AffectedCalls result;
  const auto listed = manager.for_each_connection({}, [&](const v2::ConnectionState& state) {
    ++result.all;
    std::vector<const Lost*> used;
    for (const Lost& it : lost) {
      if (leads_over(state, it)) used.push_back(&it);
    }
    if (used.empty()) return;
    AffectedCall& call = result.calls.emplace_back();
    call.row = row_of_call(state);
    call.why = state.phase == v2::phase_incomplete ? why_it_stays(state) : fixed_by(call.row, used);
  });
  if (!listed) return failed(listed.error(), peer_of(manager));
  Reasons reasons;
  for (const AffectedCall& call : result.calls) {
    if (call.why.empty()) reasons.emplace(kind_of(call.row), "");
  }
  const Peer peer = peer_of(PeerKind::kRouteObject, "the RouteObject", route_object);
  auto asked = call_peer(peer, route_object, [&]() -> OrFailure<Reasons> {
    return ask_paths(route_object, *avoid, std::move(reasons));
  });
  if (!asked) return tl::make_unexpected(asked.error());
  for (AffectedCall& call : result.calls) {
    if (call.why.empty()) call.why = asked->at(kind_of(call.row));
    call.moves = call.why.empty();
  }
  return result;
}

}  // namespace xbind::ctl
