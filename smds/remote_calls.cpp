#include "smds/remote_calls.hpp"

#include <algorithm>
#include <optional>

#include "client/corba/two_way.hpp"
#include "keeper/remote_list.hpp"
#include "orb/convert.hpp"

namespace xbind::smds {
namespace {

// The label on the first line of a leg, or on its last one.
Label label_at(const v2::ConnectionState& state, std::uint16_t leg, bool first) {
  const v2::HopState* found = nullptr;
  for (CORBA::ULong at = 0; at < state.hops.length(); ++at) {
    const v2::HopState& hop = state.hops[at];
    if (hop.leg != leg) continue;
    if (found == nullptr || (first ? hop.number < found->number : hop.number > found->number)) {
      found = &hop;
    }
  }
  if (found == nullptr) return {};
  return orb::to_core(first ? found->input_label : found->output_label).value_or(Label{});
}

SeenCall seen_call(const v2::ConnectionState& state) {
  SeenCall call{.connection = ConnectionId{state.connection},
                .client = state.client.in(),
                .from = state.from_end.in(),
                .to = state.to_end.in(),
                .ingress = {},
                .egress = {}};
  if (state.phase == v2::phase_incomplete) return call;
  call.ingress = label_at(state, 0, true);
  call.egress = label_at(state, 0, false);
  call.reverse_ingress = label_at(state, 1, true);
  call.reverse_egress = label_at(state, 1, false);
  return call;
}

}  // namespace

Result<CallList> read_calls(orb::NameClient& names, const std::string& manager,
                            const std::vector<std::string>& clients) {
  const auto found = client::TwoWay::find(names, manager, "manager " + manager);
  if (!found) return tl::make_unexpected(found.error());
  CallList list;
  const auto unread = keeper::unread_switches(*found);
  if (!unread) return tl::make_unexpected(unread.error());
  list.unread = *unread;
  for (std::size_t at = 0; at < clients.size(); ++at) {
    const auto read =
        found->for_each_connection(clients[at], [&](const v2::ConnectionState& state) {
          const keeper::ListedCall listed = keeper::listed_call(state);
          if (listed.phase == keeper::ListedCall::Phase::kThere) {
            list.seen.push_back(seen_call(state));
          }
          if (at == 0) list.own.push_back(listed);
        });
    if (!read) return tl::make_unexpected(read.error());
  }
  return list;
}

}  // namespace xbind::smds
