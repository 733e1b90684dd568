#include "cmgr/route_cache.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace xbind::cmgr {
namespace {

bool uses(const Path& path, const PathElement& element) {
  return std::any_of(path.hops.begin(), path.hops.end(), [&](const PathHop& hop) {
    return hop.switch_name == element.switch_name &&
           (element.output_port == PortId{} || hop.output_port == element.output_port);
  });
}

// Whether `query` avoids all that is in `avoid`.
bool avoids(const RouteNeed& query, const std::vector<PathElement>& avoid) {
  return std::all_of(avoid.begin(), avoid.end(), [&](const PathElement& element) {
    return std::find(query.avoid.begin(), query.avoid.end(), element) != query.avoid.end();
  });
}

bool fits(const RouteReply& reply, const RouteNeed& query) {
  if (reply.cause == Cause::kNone) {
    return query.cells_per_s <= reply.path.free_cells_per_s &&
           std::none_of(query.avoid.begin(), query.avoid.end(),
                        [&](const PathElement& element) { return uses(reply.path, element); });
  }
  if (!avoids(query, reply.query.avoid)) return false;
  // An unknown endpoint, or no path, is that at any rate.
  return reply.cause != Cause::kNoBandwidth || query.cells_per_s >= reply.query.cells_per_s;
}

std::size_t octets_of(const std::pair<std::string, std::string>& pair) {
  // A node of the table holds the pair, its answers and its place in a bucket.
  return 192 + pair.first.size() + pair.second.size();
}

std::size_t octets_of(const RouteReply& reply) {
  std::size_t octets = sizeof reply + 64 + reply.query.from.size() + reply.query.to.size() +
                       reply.element.size() + reply.at.size() * sizeof reply.at[0];
  for (const PathHop& hop : reply.path.hops) octets += sizeof hop + hop.switch_name.size();
  for (const PathElement& avoided : reply.query.avoid) {
    octets += sizeof avoided + avoided.switch_name.size();
  }
  return octets;
}

bool same_avoid(const RouteQuery& one, const RouteQuery& other) {
  return avoids(one, other.avoid) && avoids(other, one.avoid);
}

// Whether `fresh` leaves nothing for `old` to say: it is the same path, or answers what that refused.
bool replaces(const RouteReply& fresh, const RouteReply& old) {
  if (old.cause == Cause::kNone) return fresh.cause == Cause::kNone && fresh.path == old.path;
  return same_avoid(fresh.query, old.query) ||
         (fresh.cause == Cause::kNone && fits(fresh, old.query));
}

}  // namespace

const std::shared_ptr<const RouteReply>& RouteCache::find(const RouteNeed& need, TimePoint now,
                                                          bool stale_too) {
  static const std::shared_ptr<const RouteReply> kNone;
  const auto pair = pairs_.find(PairView{need.from, need.to});
  if (pair != pairs_.end()) {
    for (const Entry& entry : pair->second.entries) {
      if ((stale_too || now < entry.valid_until) && fits(*entry.reply, need)) {
        ++hits_;
        ++pair->second.hits;
        return entry.reply;
      }
    }
    ++pair->second.misses;
  }
  if (const auto* const unknown = find_unknown(need, now)) {
    ++hits_;
    return *unknown;
  }
  ++misses_;
  return kNone;
}

void RouteCache::store(std::shared_ptr<const RouteReply> reply, TimePoint valid_until,
                       TimePoint now) {
  if (!enabled_) return;
  if (reply->cause == Cause::kUnknownEndpoint) {
    store_unknown(std::move(reply), valid_until, now);
    return;
  }
  const Pair key{reply->query.from, reply->query.to};
  const std::size_t octets = octets_of(*reply) + sizeof(Entry);
  if ((pairs_.size() >= kPairs && !pairs_.contains(key)) || octets_ + octets > kOctets) {
    make_room(now);
  }
  const auto [pair, fresh] = pairs_.try_emplace(key);
  if (fresh) {
    pair->second.misses = 1;
    octets_ += octets_of(key);
  }
  std::vector<Entry>& entries = pair->second.entries;
  // The new answer takes the place of what it makes obsolete and of what is past its time; else it is
  // one more, an alternate making room before a first choice, the oldest first.
  erase_if(entries, [&](const Entry& entry) {
    return entry.valid_until <= now || replaces(*reply, *entry.reply);
  });
  const auto first_alternate = [&] {
    return std::find_if(entries.begin(), entries.end(),
                        [](const Entry& entry) { return !entry.reply->query.avoid.empty(); });
  };
  if (entries.size() >= kAlternates) {
    const auto alternate = first_alternate();
    const auto goes = alternate == entries.end() ? entries.begin() : alternate;
    octets_ -= goes->octets;
    entries.erase(goes);
  }
  const auto place = reply->query.avoid.empty() ? first_alternate() : entries.end();
  entries.insert(place, {std::move(reply), now, valid_until, octets});
  octets_ += octets;
}

// ===== ends that RouteObject does not know =====

void RouteCache::store_unknown(std::shared_ptr<const RouteReply> reply, TimePoint valid_until,
                               TimePoint now) {
  const std::string& name = reply->element;
  if (name != reply->query.from && name != reply->query.to) return;
  const auto [known, fresh] = unknown_.try_emplace(name);
  if (fresh) {
    unknown_order_.push_back(name);
    if (unknown_order_.size() > kUnknownEnds) {
      unknown_.erase(unknown_order_.front());
      unknown_order_.pop_front();
    }
  }
  known->second = {std::move(reply), std::min(valid_until, now + kUnknownFor)};
}

const std::shared_ptr<const RouteReply>* RouteCache::find_unknown(const RouteNeed& need,
                                                                  TimePoint now) const {
  if (unknown_.empty()) return nullptr;
  for (const std::string_view end : {need.from, need.to}) {
    const auto known = unknown_.find(end);
    if (known != unknown_.end() && now < known->second.valid_until) return &known->second.reply;
  }
  return nullptr;
}

std::vector<RouteCache::PairState> RouteCache::pairs(std::size_t limit, TimePoint now) const {
  using Known = std::pair<const Pair, Answers>;
  std::vector<const Known*> order;
  order.reserve(pairs_.size());
  for (const Known& pair : pairs_) order.push_back(&pair);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(limit, order.size()));
  std::partial_sort(order.begin(), end, order.end(), [](const Known* one, const Known* other) {
    const std::uint64_t uses = one->second.hits + one->second.misses;
    const std::uint64_t other_uses = other->second.hits + other->second.misses;
    return std::tie(other_uses, one->first) < std::tie(uses, other->first);
  });
  std::vector<PairState> states;
  for (auto pair = order.begin(); pair != end; ++pair) {
    const auto& [names, answers] = **pair;
    PairState state{names.first, names.second, answers.hits, answers.misses, 0, Duration{0}};
    for (const Entry& entry : answers.entries) {
      if (entry.valid_until <= now) continue;
      ++state.entries;
      state.age = std::max(state.age, now - entry.since);
    }
    states.push_back(std::move(state));
  }
  return states;
}

void RouteCache::make_room(TimePoint now) {
  const auto erase = [&](auto pair) {
    erase_if(pair->second.entries, [](const Entry&) { return true; });
    octets_ -= octets_of(pair->first);
    return pairs_.erase(pair);
  };
  for (auto pair = pairs_.begin(); pair != pairs_.end();) {
    const std::vector<Entry>& entries = pair->second.entries;
    const bool over = std::all_of(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.valid_until <= now; });
    pair = over ? erase(pair) : std::next(pair);
  }
  // More than is needed now, so that a full cache is not searched for each answer.
  const auto crowded = [&] { return pairs_.size() > kPairs / 8 * 7 || octets_ > kOctets / 8 * 7; };
  while (crowded() && !pairs_.empty()) erase(pairs_.begin());
}

}  // namespace xbind::cmgr
