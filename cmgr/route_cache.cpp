#include "cmgr/route_cache.hpp"

#include <algorithm>

namespace xbind::cmgr {
namespace {

bool fits(const RouteReply& reply, const RouteQuery& query) {
  if (reply.cause == Cause::kNone) return query.cells_per_s <= reply.path.free_cells_per_s;
  if (reply.cause == Cause::kNoBandwidth) return query.cells_per_s >= reply.query.cells_per_s;
  return true;  // an unknown endpoint, or no path, is that at any rate
}

}  // namespace

std::shared_ptr<const RouteReply> RouteCache::find(const RouteQuery& query, TimePoint now,
                                                   bool stale_too) {
  const auto pair = pairs_.find(Pair{query.from, query.to});
  if (pair != pairs_.end()) {
    for (const Entry& entry : pair->second) {
      if ((stale_too || now < entry.valid_until) && fits(*entry.reply, query)) {
        ++hits_;
        return entry.reply;
      }
    }
  }
  ++misses_;
  return nullptr;
}

void RouteCache::store(std::shared_ptr<const RouteReply> reply, TimePoint valid_until,
                       TimePoint now) {
  const Pair key{reply->query.from, reply->query.to};
  if (pairs_.size() >= kPairs && !pairs_.contains(key)) make_room(now);
  std::vector<Entry>& entries = pairs_[key];
  // The new answer takes the place of what it makes obsolete: the same path, or an answer past its
  // time; else it becomes an alternate, the oldest making room.
  std::erase_if(entries, [&](const Entry& entry) {
    return entry.valid_until <= now || entry.reply->cause != Cause::kNone ||
           entry.reply->path == reply->path;
  });
  if (entries.size() >= kAlternates) entries.erase(entries.begin());
  entries.push_back({std::move(reply), valid_until});
}

void RouteCache::make_room(TimePoint now) {
  std::erase_if(pairs_, [&](const auto& pair) {
    return std::all_of(pair.second.begin(), pair.second.end(),
                       [&](const Entry& entry) { return entry.valid_until <= now; });
  });
  if (pairs_.size() >= kPairs) pairs_.erase(pairs_.begin());
}

}  // namespace xbind::cmgr
