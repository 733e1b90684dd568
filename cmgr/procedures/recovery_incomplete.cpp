// Recovery: calls that cannot be put together, and why.
#include <optional>

#include "cmgr/parts/found_gaps.hpp"
#include "cmgr/procedures/path_watch.hpp"
#include "cmgr/procedures/recovery.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {
namespace {

// The first switch for which `is_wanted` is true that a hop of the call leads to, or comes from.
template <class IsWanted>
std::optional<SwitchIndex> switch_beside(const std::vector<FoundHop>& call, const KnownLinks& links,
                                         IsWanted&& is_wanted) {
  for (const FoundHop& hop : call) {
    const CrossConnect& here = hop.hop.cross_connect;
    for (const PortId port : {here.input_port, here.output_port}) {
      const auto end = links.far_end(hop.at, port);
      if (end && is_wanted(end->first)) return end->first;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Recovery::Lack> Recovery::lack_of(const Call& call) const {
  if (planted(Bug::kUnreadTakenForGone)) return std::nullopt;
  if (planted(Bug::kIncompleteUndone) && unread() == 0) return std::nullopt;
  if (!done_) {
    if (never_read() != 0) return Lack{unread_beside(call), Missing::kNotRead};
    if (const auto lost = lost_.missing(call, links_)) return lost;
    return Lack{call.front().at, Missing::kNotClaimed};
  }
  if (planted(Bug::kLinksTrusted)) return std::nullopt;
  if (const auto lost = lost_.missing(call, links_)) return lost;
  if (leaves_known_network(call, links_)) return Lack{call.front().at, Missing::kUnknownSwitch};
  // It has waited for a switch that the topology lacked, and that is there now.
  if (unread() == 0) return std::nullopt;
  const auto behind =
      switch_beside(call, links_, [&](SwitchIndex at) { return !ledgers_.whole(at); });
  return behind ? std::optional{Lack{*behind, Missing::kNotRead}} : std::nullopt;
}

SwitchIndex Recovery::unread_beside(const Call& call) const {
  auto unread = switch_beside(call, links_, [&](SwitchIndex at) { return !ledgers_.seen(at); });
  context_.switches.for_each_switch([&](SwitchIndex at) {
    if (!unread && !ledgers_.seen(at)) unread = at;
  });
  return unread.value_or(call.front().at);
}

// ===== incomplete calls =====

void Recovery::note_incomplete(ConnectionId id, const Call& call, const Lack& lack) {
  const auto [told, fresh] = incomplete_.try_emplace(id, lack);
  if (!fresh && told->second == lack) return;
  told->second = lack;
  const IncompleteCall about = described(id, call);
  const FoundHop* const owned = owned_hop(call);
  if (owned == nullptr) return;
  const CallEndsRef ends = context_.connections.ends(owned->owner().from, owned->owner().to);
  context_.log.notice(NoticeKind::kIncomplete, about.shown, owned->owner().client, ends.get(),
                      {Cause::kIncomplete, about.element, 0, 0, about.words()});
  tell(about, owned->owner().client);
}

void Recovery::tell(const IncompleteCall& call, const std::string& client) {
  const auto index = context_.clients.find(client);
  if (!index || *index == ClientDesk::kLocal) return;
  context_.clients.notify(*index,
                          {call.shown, NoticeKind::kIncomplete, Cause::kIncomplete, call.element});
}

void Recovery::client_attached(const std::string& client) {
  for (const auto& [id, lack] : incomplete_) {
    const auto call = calls_.find(id);
    if (call == calls_.end()) continue;
    const FoundHop* const owned = owned_hop(call->second);
    if (owned != nullptr && owned->owner().client == client) {
      tell(described(id, call->second), client);
    }
  }
}

// It stands now.
void Recovery::note_whole(ConnectionId id, const Connection& made) {
  if (incomplete_.erase(id) == 0) return;
  context_.paths.notify_mended(made);
}

IncompleteCall Recovery::described(ConnectionId id, const Call& call) const {
  const auto told = incomplete_.find(id);
  const Lack lack =
      told != incomplete_.end() ? told->second : Lack{unread_beside(call), Missing::kNotRead};
  return {id, FoundNames::shown(id, call), call, context_.switches.name(lack.first), lack.second};
}

}  // namespace xbind::cmgr
