// Recovery: what requests and operators name of the calls that are not in the connection table.
#include <algorithm>
#include <utility>

#include "cmgr/procedures/recovery.hpp"

namespace xbind::cmgr {

// ===== by which ids and requests they are named =====

ConnectionId Recovery::shown_id_of(ConnectionId id, const Call& call) {
  const auto shown = std::ranges::find_if(
      call, [](const FoundHop& hop) { return hop.hop.shown_id != ConnectionId{}; });
  return shown == call.end() ? id : shown->hop.shown_id;
}

void Recovery::note_names(ConnectionId id, const FoundHop& hop) {
  const ConnectionId shown = hop.hop.shown_id;
  if (shown != ConnectionId{} && shown != id) {
    own_ids_[shown] = id;
    // Its owner may have released it before the hop with this id was read.
    if (released_.contains(shown)) released_.insert(id);
  }
  const RequestId request = hop.hop.request;
  if (request == RequestId{}) return;
  const auto [first, last] = requests_.equal_range(request);
  const bool known = std::any_of(first, last, [id](const auto& it) { return it.second == id; });
  if (!known) requests_.emplace(request, id);
}

void Recovery::drop_names(ConnectionId id, const FoundHop& hop) {
  if (const auto own = own_ids_.find(hop.hop.shown_id); own != own_ids_.end() && own->second == id)
    own_ids_.erase(own);
  const auto [first, last] = requests_.equal_range(hop.hop.request);
  const auto named = std::find_if(first, last, [id](const auto& it) { return it.second == id; });
  if (named != last) requests_.erase(named);
}

// ===== what they are =====

std::optional<IncompleteCall> Recovery::incomplete(ConnectionId id) const {
  if (calls_.empty()) return std::nullopt;
  const auto call = calls_.find(own_id(id));
  // Of a call that stands, further hops may have been read that are to be removed.
  if (call == calls_.end() || context_.connections.find(call->first) != nullptr) {
    return std::nullopt;
  }
  return described(call->first, call->second);
}

std::optional<IncompleteCall> Recovery::incomplete_of(const std::string& client, Epoch epoch,
                                                      RequestId request) const {
  const auto [first, last] = requests_.equal_range(request);
  for (auto named = first; named != last; ++named) {
    const auto call = calls_.find(named->second);
    if (call == calls_.end()) continue;
    const bool is_its = std::ranges::any_of(call->second, [&](const FoundHop& hop) {
      return hop.hop.request == request && hop.owner().client == client &&
             hop.owner().epoch == epoch;
    });
    if (is_its) return incomplete(call->first);
  }
  return std::nullopt;
}

std::vector<ConnectionId> Recovery::incomplete_ids(ConnectionId after, std::size_t limit) const {
  std::vector<ConnectionId> ids;
  for (const auto& [id, call] : calls_) {
    const ConnectionId shown = shown_id_of(id, call);
    if (shown > after && context_.connections.find(id) == nullptr) ids.push_back(shown);
  }
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(limit, ids.size()));
  std::partial_sort(ids.begin(), end, ids.end());
  ids.erase(end, ids.end());
  return ids;
}

// ===== ids of which nothing is known =====

void Recovery::note_entries_of_nobody(SwitchIndex at, std::uint64_t entries, TimePoint now) {
  if (entries != 0) {
    entries_of_nobody_[at] = entries;
    return;
  }
  if (entries_of_nobody_.erase(at) != 0 && done()) labels_.return_all(now);
}

Recovery::EntriesOfNobody Recovery::entries_of_nobody() const {
  EntriesOfNobody at;
  for (const auto& [where, entries] : entries_of_nobody_) {
    (entries == kEntriesUnknown ? at.unknown : at.known).push_back(where);
  }
  return at;
}

Recovery::Fate Recovery::fate_of(ConnectionId id) const {
  if (!context_.connections.is_of_earlier_epoch(id)) return Fate::kNeverWas;
  if (!knows_ledgers() || calls_.contains(own_id(id))) return Fate::kNotYetRead;
  return entries_of_nobody_.empty() ? Fate::kReleased : Fate::kUnknown;
}

}  // namespace xbind::cmgr
