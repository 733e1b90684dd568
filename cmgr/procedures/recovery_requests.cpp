// Recovery: what requests and operators name of the calls that are not in the connection table.
#include <algorithm>
#include <utility>

#include "cmgr/procedures/recovery.hpp"

namespace xbind::cmgr {

// ===== what they are =====

std::optional<IncompleteCall> Recovery::incomplete(ConnectionId id) const {
  if (calls_.empty()) return std::nullopt;
  const auto call = calls_.find(names_.own(id));
  // Of a call that stands, further hops may have been read that are to be removed.
  if (call == calls_.end() || context_.connections.find(call->first) != nullptr) {
    return std::nullopt;
  }
  return described(call->first, call->second);
}

std::optional<IncompleteCall> Recovery::incomplete_of(const std::string& client, Epoch epoch,
                                                      RequestId request) const {
  std::optional<ConnectionId> found;
  names_.find_of(request, [&](ConnectionId id) {
    const auto call = calls_.find(id);
    if (call == calls_.end()) return false;
    const bool is_its = std::ranges::any_of(call->second, [&](const FoundHop& hop) {
      return hop.hop.request == request && hop.owner().client == client &&
             hop.owner().epoch == epoch;
    });
    if (is_its) found = id;
    return is_its;
  });
  return found ? incomplete(*found) : std::nullopt;
}

std::vector<ConnectionId> Recovery::incomplete_ids(ConnectionId after, std::size_t limit) const {
  std::vector<ConnectionId> ids;
  for (const auto& [id, call] : calls_) {
    const ConnectionId shown = FoundNames::shown(id, call);
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
  if (!context_.connections.ids().is_of_earlier_epoch(id)) return Fate::kNeverWas;
  if (!knows_ledgers() || calls_.contains(names_.own(id))) return Fate::kNotYetRead;
  return entries_of_nobody_.empty() ? Fate::kReleased : Fate::kUnknown;
}

}  // namespace xbind::cmgr
