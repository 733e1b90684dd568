// Routes by (source, destination), with alternates and a validity time. They are refreshed on
// demand only, so the number of route invocations is bounded by pairs / validity.
//
// A pair's answers are searched in this order: answers to queries that avoid nothing, then
// alternates that crankbacks found; within each group the oldest first.
//
// An endpoint that RouteObject does not know has no path. Such names are cached separately, few and
// for a short time. A client that tries many of them neither fills the cache nor evicts a path.
//
// Not thread-safe; owned by the connection manager. At most kPairs pairs of kAlternates answers and
// kOctets octets. Beyond that, pairs are evicted one by one; among kLookedAt pairs, expired ones
// first.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cmgr/parts/indices.hpp"
#include "cmgr/parts/timers.hpp"
#include "core/cause.hpp"
#include "core/clock.hpp"
#include "core/name_hash.hpp"
#include "core/path.hpp"

namespace xbind::cmgr {

inline constexpr std::size_t kAvoidMax = 16;  // far below RouteObject's bound of 4096

struct RouteQuery {
  std::string from;
  std::string to;
  std::uint64_t cells_per_s = 0;     // every link has at least this rate free
  std::vector<PathElement> avoid{};  // crankback: elements that have refused; at most kAvoidMax

  friend bool operator==(const RouteQuery&, const RouteQuery&) = default;
};

inline const std::vector<PathElement> kNothingAvoided{};

// A RouteQuery that refers to strings and elements stored elsewhere.
struct RouteNeed {
  RouteNeed(std::string_view from_end, std::string_view to_end, std::uint64_t rate,
            const std::vector<PathElement>& avoided = kNothingAvoided)
      : from(from_end), to(to_end), cells_per_s(rate), avoid(avoided) {}
  RouteNeed(const RouteQuery& query)  // NOLINT(google-explicit-constructor): it is the same
      : RouteNeed(query.from, query.to, query.cells_per_s, query.avoid) {}

  std::string_view from;
  std::string_view to;
  std::uint64_t cells_per_s;
  const std::vector<PathElement>& avoid;
};

// RouteObject's answer to one query: a path, or the reason why there is none.
struct RouteReply {
  RouteQuery query;
  Cause cause = Cause::kNone;
  Path path;                    // set without a cause
  std::uint64_t free = 0;       // with kNoBandwidth: the widest path's rate
  std::string element;          // with a cause: the unknown name, or "host-a -> host-b"
  std::string reason{};         // with kInvalidRequest: the broken rule
  std::vector<SwitchIndex> at;  // switch of each hop of the path; filled in by the manager
};

class RouteCache {
 public:
  static constexpr std::size_t kPairs = 65'536;
  static constexpr std::size_t kAlternates = 4;
  // Approximate size of names and answers with their containers: ten hops of short names take 1
  // KiB.
  static constexpr std::size_t kOctets = 64 * 1024 * 1024;
  static constexpr std::size_t kLookedAt = 16;
  static constexpr std::size_t kUnknownEnds = 1'024;
  static constexpr Duration kUnknownFor = kManagerTimers["unknown-end-kept"];

  // A disabled cache stores nothing and finds nothing.
  explicit RouteCache(bool enabled = true) : enabled_(enabled) {}

  // Returns the valid cached answer that fits the query, or null. A path fits if it has the rate
  // and uses no avoided element. A negative answer fits any query that requests at least as much
  // and avoids at least as much. With `stale_too`, expired answers serve as well (RouteObject is
  // away and a call is waiting). An unknown endpoint fits every query for it, also of another pair.
  // The returned reference is valid until the cache changes; it refers to a null pointer when
  // nothing fits.
  const std::shared_ptr<const RouteReply>& find(const RouteNeed& need, TimePoint now,
                                                bool stale_too = false);

  // An expired path that fits, and that `serves` accepts; null: none. As with find(), the reference
  // is valid until the cache changes. Not counted as a hit, because find() has counted a miss.
  template <class Serves>
  const std::shared_ptr<const RouteReply>& expired_path(const RouteNeed& need, Serves&& serves) {
    for (const Entry& entry : entries_of(need)) {
      if (entry.reply->cause == Cause::kNone && fits(*entry.reply, need) && serves(*entry.reply)) {
        return entry.reply;
      }
    }
    return nothing();
  }

  void store(std::shared_ptr<const RouteReply> reply, TimePoint valid_until, TimePoint now);

  // The network has changed for the `news`-th time (from 1). Forgets the answers for which `gone`
  // returns true. An answer is judged when its pair is looked up, so the change itself costs no
  // scan. `gone` gets the number of the news after which the answer was judged last, because some
  // may have come and been revoked since. `gone` is kept until the next call.
  using Gone = std::function<bool(const RouteReply&, std::uint64_t since)>;
  void doubt(std::uint64_t news, Gone gone) {
    gone_ = std::move(gone);
    news_ = news;
    ++doubts_;
    unknown_.clear();
    unknown_order_.clear();
  }

  // The links of the network have changed: forgets the paths that do not `follow` them, however
  // long they are valid. Judged when its pair is looked up, as above; `follows` is kept as well.
  using Follows = std::function<bool(const RouteReply&)>;
  void doubt_paths(Follows follows) {
    follows_ = std::move(follows);
    ++doubts_;
  }

  // How often a pair has been used.
  struct PairState {
    std::string from;
    std::string to;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;  // the first look-up of a pair counts as one
    std::size_t entries = 0;   // valid answers
    Duration age{0};           // of the oldest valid answer
  };
  // The `limit` most used pairs (hits and misses), the most used first.
  std::vector<PairState> pairs(std::size_t limit, TimePoint now) const;

  std::size_t size() const { return pairs_.size(); }
  std::size_t octets() const { return octets_; }
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

 private:
  struct Entry {
    std::shared_ptr<const RouteReply> reply;
    TimePoint since;
    TimePoint valid_until;
    std::size_t octets = 0;
  };
  struct Answers {
    std::vector<Entry> entries;
    std::uint64_t judged = 0;  // news_ when its entries were judged last
    std::uint64_t doubts = 0;  // doubts_ at that time
    std::size_t use = 0;       // its place in uses_
  };
  using Pair = std::pair<std::string, std::string>;
  // Stored contiguously, so that ranking all pairs does not load each pair.
  struct Use {
    std::pair<const Pair, Answers>* pair = nullptr;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
  };
  using PairView = std::pair<std::string_view, std::string_view>;
  struct PairHash {
    using is_transparent = void;
    std::size_t operator()(const PairView& pair) const {
      return name_hash(pair.first, pair.second);
    }
  };
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return name_hash(name); }
  };
  struct PairEqual {
    using is_transparent = void;
    bool operator()(const PairView& a, const PairView& b) const { return a == b; }
  };

  struct UnknownEnd {
    std::shared_ptr<const RouteReply> reply;
    TimePoint valid_until;
  };

  static const std::shared_ptr<const RouteReply>& nothing();
  static bool fits(const RouteReply& reply, const RouteNeed& need);
  static bool replaces(const RouteReply& fresh, const RouteReply& old);
  // The pair's answers, after changes of the network; empty if it has none.
  const std::vector<Entry>& entries_of(const RouteNeed& need);

  template <class Gone>
  void erase_if(std::vector<Entry>& entries, Gone&& gone) {
    std::erase_if(entries, [&](const Entry& entry) {
      if (!gone(entry)) return false;
      octets_ -= entry.octets;
      return true;
    });
  }
  // Forgets the answers that changes of the network have invalidated since the last look-up.
  void judge(Answers& answers);
  bool is_gone(const RouteReply& reply, std::uint64_t since) const;
  // Evicts until another pair and `octets` octets fit.
  void make_room(std::size_t octets, TimePoint now);
  void store_unknown(std::shared_ptr<const RouteReply> reply, TimePoint valid_until, TimePoint now);
  const std::shared_ptr<const RouteReply>* find_unknown(const RouteNeed& need, TimePoint now) const;

  bool enabled_;
  std::unordered_map<Pair, Answers, PairHash, PairEqual> pairs_;
  std::vector<Use> uses_;   // of pairs_, unordered
  std::size_t octets_ = 0;  // of pairs_
  Gone gone_;
  Follows follows_;
  std::uint64_t news_ = 0;
  std::uint64_t doubts_ = 0;  // how often the network has changed
  std::size_t hand_ = 0;      // the bucket of pairs_ where make_room() continues
  std::unordered_map<std::string, UnknownEnd, NameHash, std::equal_to<>> unknown_;
  std::deque<std::string> unknown_order_;  // of unknown_, oldest first
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace xbind::cmgr
