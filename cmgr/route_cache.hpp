// Routes by (source, destination), with alternates and a validity time; refreshed on demand only, so
// that route invocations are bounded by pairs / validity (paper, item C6).
//
// Not thread-safe; owned by the connection manager. At most kPairs pairs of kAlternates answers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/cause.hpp"
#include "core/clock.hpp"
#include "core/path.hpp"

namespace xbind::cmgr {

inline constexpr std::size_t kAvoidMax = 16;  // RouteObject's bound

struct RouteQuery {
  std::string from;
  std::string to;
  std::uint64_t cells_per_s = 0;  // every link has at least this rate
  std::vector<PathElement> avoid{};  // crankback: what has refused before; at most kAvoidMax

  friend bool operator==(const RouteQuery&, const RouteQuery&) = default;
};

// RouteObject's answer to one query: a path, or why there is none.
struct RouteReply {
  RouteQuery query;
  Cause cause = Cause::kNone;
  Path path;                      // without a cause
  std::uint64_t free = 0;         // with kNoBandwidth: the widest path's rate
  std::string element;            // with a cause: the unknown name, or "host-a -> host-b"
  std::vector<std::uint32_t> at;  // SwitchIndex of each hop of the path; filled in by the manager
};

class RouteCache {
 public:
  static constexpr std::size_t kPairs = 65'536;
  static constexpr std::size_t kAlternates = 4;

  // The cached answer that fits the query and is still valid, or null. A negative answer fits any
  // query that asks for at least as much. With `stale_too`, answers past their time serve as well
  // (RouteObject is away and a call is waiting).
  std::shared_ptr<const RouteReply> find(const RouteQuery& query, TimePoint now,
                                         bool stale_too = false);

  void store(std::shared_ptr<const RouteReply> reply, TimePoint valid_until, TimePoint now);

  std::size_t size() const { return pairs_.size(); }
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

 private:
  struct Entry {
    std::shared_ptr<const RouteReply> reply;
    TimePoint valid_until;
  };
  using Pair = std::pair<std::string, std::string>;
  struct PairHash {
    std::size_t operator()(const Pair& pair) const {
      const std::hash<std::string> hash;
      return hash(pair.first) * 1'000'003 ^ hash(pair.second);
    }
  };

  void make_room(TimePoint now);

  std::unordered_map<Pair, std::vector<Entry>, PairHash> pairs_;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace xbind::cmgr
