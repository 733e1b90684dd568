#include "cmgr/parts/route_cache.hpp"

#include <algorithm>
#include <iterator>

namespace xbind::cmgr {
namespace {

bool uses(const Path& path, const PathElement& element) {
  return std::any_of(path.hops.begin(), path.hops.end(), [&](const PathHop& hop) {
    return hop.switch_name == element.switch_name &&
           (element.output_port == PortId{} || hop.output_port == element.output_port);
  });
}

// Whether `query` avoids every element of `avoid`.
bool avoids(const RouteNeed& query, const std::vector<PathElement>& avoid) {
  return std::all_of(avoid.begin(), avoid.end(), [&](const PathElement& element) {
    return std::find(query.avoid.begin(), query.avoid.end(), element) != query.avoid.end();
  });
}

std::size_t octets_of(const std::pair<std::string, std::string>& pair) {
  // A table node holds the pair, its answers and its bucket entry.
  return 192 + pair.first.size() + pair.second.size();
}

std::size_t octets_of(const RouteReply& reply) {
  std::size_t octets = sizeof reply + 64 + reply.query.from.size() + reply.query.to.size() +
                       reply.element.size() + reply.reason.size() +
                       reply.at.size() * sizeof reply.at[0];
  for (const PathHop& hop : reply.path.hops) octets += sizeof hop + hop.switch_name.size();
  for (const PathElement& avoided : reply.query.avoid) {
    octets += sizeof avoided + avoided.switch_name.size();
  }
  return octets;
}

bool same_avoid(const RouteQuery& one, const RouteQuery& other) {
  return avoids(one, other.avoid) && avoids(other, one.avoid);
}

}  // namespace

bool RouteCache::fits(const RouteReply& reply, const RouteNeed& query) {
  if (reply.cause == Cause::kNone) {
    return query.cells_per_s <= reply.path.free_cells_per_s &&
           std::none_of(query.avoid.begin(), query.avoid.end(),
                        [&](const PathElement& element) { return uses(reply.path, element); });
  }
  if (!avoids(query, reply.query.avoid)) return false;
  // An unknown endpoint or a missing path fits any rate; kNoBandwidth only the same rate or more.
  return reply.cause != Cause::kNoBandwidth || query.cells_per_s >= reply.query.cells_per_s;
}

// Whether `fresh` makes `old` obsolete: it has the same path, or answers the query that `old`
// refused.
bool RouteCache::replaces(const RouteReply& fresh, const RouteReply& old) {
  if (old.cause == Cause::kNone) return fresh.cause == Cause::kNone && fresh.path == old.path;
  return same_avoid(fresh.query, old.query) ||
         (fresh.cause == Cause::kNone && fits(fresh, old.query));
}

const std::shared_ptr<const RouteReply>& RouteCache::nothing() {
  static const std::shared_ptr<const RouteReply> kNone;
  return kNone;
}

const std::vector<RouteCache::Entry>& RouteCache::entries_of(const RouteNeed& need) {
  static const std::vector<Entry> kNone;
  const auto pair = pairs_.find(PairView{need.from, need.to});
  if (pair == pairs_.end()) return kNone;
  if (pair->second.doubts != doubts_) judge(pair->second);
  return pair->second.entries;
}

const std::shared_ptr<const RouteReply>& RouteCache::find(const RouteNeed& need, TimePoint now,
                                                          bool stale_too) {
  const auto pair = pairs_.find(PairView{need.from, need.to});
  if (pair != pairs_.end()) {
    if (pair->second.doubts != doubts_) judge(pair->second);
    for (const Entry& entry : pair->second.entries) {
      if ((stale_too || now < entry.valid_until) && fits(*entry.reply, need)) {
        ++hits_;
        ++uses_[pair->second.use].hits;
        return entry.reply;
      }
    }
    ++uses_[pair->second.use].misses;
  }
  if (const auto* const unknown = find_unknown(need, now)) {
    ++hits_;
    return *unknown;
  }
  ++misses_;
  return nothing();
}

void RouteCache::store(std::shared_ptr<const RouteReply> reply, TimePoint valid_until,
                       TimePoint now) {
  if (!enabled_) return;
  if (reply->cause == Cause::kUnknownEndpoint) {
    store_unknown(std::move(reply), valid_until, now);
    return;
  }
  // A table that never grows is never rehashed; rehashing so many entries would be a long step.
  if (pairs_.bucket_count() < kPairs) {
    pairs_.reserve(kPairs);
    uses_.reserve(kPairs);
  }
  const Pair key{reply->query.from, reply->query.to};
  const std::size_t octets = octets_of(*reply) + sizeof(Entry);
  const std::size_t with_pair = octets + octets_of(key);
  if ((pairs_.size() >= kPairs && !pairs_.contains(key)) || octets_ + with_pair > kOctets) {
    make_room(with_pair, now);
  }
  const auto [pair, fresh] = pairs_.try_emplace(key);
  if (fresh) {
    pair->second.use = uses_.size();
    uses_.push_back({&*pair, 0, 1});
    pair->second.judged = news_;
    pair->second.doubts = doubts_;
    octets_ += octets_of(key);
  }
  if (pair->second.doubts != doubts_) judge(pair->second);
  std::vector<Entry>& entries = pair->second.entries;
  // The new answer replaces obsolete and expired ones. Otherwise it is added; if there is no room,
  // the oldest alternate is evicted before the oldest first choice.
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

bool RouteCache::is_gone(const RouteReply& reply, std::uint64_t since) const {
  if (gone_ && gone_(reply, since)) return true;
  return follows_ && reply.cause == Cause::kNone && !follows_(reply);
}

void RouteCache::judge(Answers& answers) {
  erase_if(answers.entries,
           [&](const Entry& entry) { return is_gone(*entry.reply, answers.judged); });
  answers.judged = news_;
  answers.doubts = doubts_;
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
  std::vector<Use> order = uses_;
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(limit, order.size()));
  // Equally used pairs rank in any order; names are read only for the pairs that are returned.
  if (end != order.end()) {
    std::nth_element(order.begin(), end, order.end(), [](const Use& one, const Use& other) {
      return one.hits + one.misses > other.hits + other.misses;
    });
  }
  std::sort(order.begin(), end, [](const Use& one, const Use& other) {
    const std::uint64_t uses = one.hits + one.misses;
    const std::uint64_t other_uses = other.hits + other.misses;
    return uses != other_uses ? uses > other_uses : one.pair->first < other.pair->first;
  });
  std::vector<PairState> states;
  for (auto pair = order.begin(); pair != end; ++pair) {
    const auto& [names, answers] = *pair->pair;
    PairState state{names.first, names.second, pair->hits, pair->misses, 0, Duration{0}};
    const bool doubtful = answers.doubts != doubts_;
    for (const Entry& entry : answers.entries) {
      if (entry.valid_until <= now || (doubtful && is_gone(*entry.reply, answers.judged))) continue;
      ++state.entries;
      state.age = std::max(state.age, now - entry.since);
    }
    states.push_back(std::move(state));
  }
  return states;
}

// Works like the hand of a clock: evicts expired pairs, and after kLookedAt pairs the whole next
// bucket.
void RouteCache::make_room(std::size_t octets, TimePoint now) {
  const auto over = [&](const std::vector<Entry>& entries) {
    return std::all_of(entries.begin(), entries.end(),
                       [&](const Entry& entry) { return entry.valid_until <= now; });
  };
  const auto crowded = [&] { return pairs_.size() >= kPairs || octets_ + octets > kOctets; };
  std::size_t looked_at = 0;
  std::vector<Pair> go;
  for (std::size_t buckets = 0; crowded() && buckets < pairs_.bucket_count(); ++buckets) {
    hand_ = (hand_ + 1) % pairs_.bucket_count();
    go.clear();
    for (auto pair = pairs_.begin(hand_); pair != pairs_.end(hand_); ++pair) {
      if (++looked_at > kLookedAt || over(pair->second.entries)) go.push_back(pair->first);
    }
    for (const Pair& key : go) {
      const auto pair = pairs_.find(key);
      erase_if(pair->second.entries, [](const Entry&) { return true; });
      octets_ -= octets_of(key);
      Use& hole = uses_[pair->second.use];
      hole = uses_.back();
      hole.pair->second.use = pair->second.use;
      uses_.pop_back();
      pairs_.erase(pair);
    }
  }
}

}  // namespace xbind::cmgr
