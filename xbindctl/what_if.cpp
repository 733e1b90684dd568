// `what-if`: which calls would have to move if a switch or link were lost.
#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "xbindctl/affected.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/questions.hpp"

namespace xbind::ctl {
namespace {

struct WhatIf {
  Lost lost;
  AffectedCalls affected;
};

OrFailure<WhatIf> ask_what_if(const client::TwoWay& manager, v2::RouteObject_ptr route_object,
                              const PathElement& lost) {
  auto elements = call_peer(peer_of(route_object), route_object,
                            [&] { return lost_element(route_object, lost); });
  if (!elements) return tl::make_unexpected(elements.error());
  auto affected = affected_calls(manager, route_object, {*elements});
  if (!affected) return tl::make_unexpected(affected.error());
  return WhatIf{std::move(*elements), std::move(*affected)};
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
  for (const AffectedCall& call : result->affected.calls) {
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
  say(fmt::format("without {}: {} of {} would have to move, {} of them cannot", words_of(lost),
                  result->affected.calls.size(), counted(result->affected.all, "call"),
                  result->affected.calls.size() - moving));
  return 0;
}

DocumentOrFailure what_if_document(const client::TwoWay& manager, v2::RouteObject_ptr route_object,
                                   const PathElement& lost) {
  const auto result = ask_what_if(manager, route_object, lost);
  if (!result) return tl::make_unexpected(result.error());
  Json calls = Json::array();
  std::uint64_t moving = 0;
  for (const AffectedCall& call : result->affected.calls) {
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
                   {"all_calls", result->affected.all},
                   {"affected", result->affected.calls.size()},
                   {"without_other_path", result->affected.calls.size() - moving},
                   {"calls", std::move(calls)}}};
}

}  // namespace xbind::ctl
