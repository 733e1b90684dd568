#include "cmgr/parts/found_names.hpp"

namespace xbind::cmgr {

void FoundNames::note(ConnectionId id, const FoundHop& hop) {
  const ConnectionId shown = hop.hop.shown_id;
  if (shown != ConnectionId{} && shown != id) own_[shown] = id;
  const RequestId request = hop.hop.request;
  if (request == RequestId{}) return;
  const auto [first, last] = requests_.equal_range(request);
  const bool known = std::any_of(first, last, [id](const auto& it) { return it.second == id; });
  if (!known) requests_.emplace(request, id);
}

void FoundNames::drop(ConnectionId id, const FoundHop& hop) {
  if (const auto own = own_.find(hop.hop.shown_id); own != own_.end() && own->second == id)
    own_.erase(own);
  const auto [first, last] = requests_.equal_range(hop.hop.request);
  const auto named = std::find_if(first, last, [id](const auto& it) { return it.second == id; });
  if (named != last) requests_.erase(named);
}

}  // namespace xbind::cmgr
