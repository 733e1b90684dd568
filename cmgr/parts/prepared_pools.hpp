// Whole connections set up in advance between two endpoints, the paper's alternative to cached
// labels: a call takes one and a release returns it, both without waiting for a switch. A pool
// serves one pair of endpoints and one contract.
//
// A pool that is short is refilled with one setup for each missing connection; after a failure it
// rests for kRest. Not thread-safe; owned by the connection manager.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/timers.hpp"
#include "core/clock.hpp"

namespace xbind::cmgr {

struct PreparedPool {
  std::string from;
  std::string to;
  NetworkService service;
  struct Ready {
    ConnectionId connection;
    TimePoint since;
  };
  std::size_t wanted = 0;
  std::deque<Ready> ready{};  // longest ready first
  std::size_t under_way = 0;  // setups
  TimePoint rests_until{};
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;

  // Removes a ready connection that no call may take any more.
  void drop(ConnectionId connection) {
    std::erase_if(ready, [&](const Ready& it) { return it.connection == connection; });
  }
  std::size_t missing() const {
    const std::size_t have = ready.size() + under_way;
    return wanted > have ? wanted - have : 0;
  }
};

class PreparedPools {
 public:
  static constexpr Duration kRest = kManagerTimers["prepared-rest"];
  static constexpr std::size_t kWantedMax = 1'000;

  // The number of the pool, from 1; 0 if there is none.
  std::uint32_t find(const std::string& from, const std::string& to,
                     const NetworkService& service) const {
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      const PreparedPool& pool = pools_[i];
      if (pool.service == service && pool.from == from && pool.to == to) {
        return static_cast<std::uint32_t>(i + 1);
      }
    }
    return 0;
  }
  std::uint32_t add(const std::string& from, const std::string& to, const NetworkService& service) {
    pools_.push_back({from, to, service});
    return static_cast<std::uint32_t>(pools_.size());
  }
  bool empty() const { return pools_.empty(); }
  std::size_t size() const { return pools_.size(); }
  PreparedPool& at(std::uint32_t number) { return pools_[number - 1]; }
  const std::deque<PreparedPool>& all() const { return pools_; }
  std::deque<PreparedPool>& all() { return pools_; }

  std::size_t ready() const {
    std::size_t sum = 0;
    for (const PreparedPool& pool : pools_) sum += pool.ready.size();
    return sum;
  }
  // When the next resting pool is to be refilled.
  TimePoint next_deadline() const {
    TimePoint due = kNever;
    for (const PreparedPool& pool : pools_) {
      if (pool.missing() != 0) due = std::min(due, pool.rests_until);
    }
    return due;
  }

 private:
  std::deque<PreparedPool> pools_;  // Config::pools_max at most
};

}  // namespace xbind::cmgr
