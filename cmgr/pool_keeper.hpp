// Carries out what operators ask for pools of prepared connections, and keeps it in a file if there
// is one (pool_file.hpp). Any thread; orders are carried out one after the other, and wait for the
// disk. Nothing else waits for them: the pools themselves are the manager's (prepared_desk.hpp).
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include "cmgr/pool_file.hpp"
#include "core/log.hpp"
#include "core/result.hpp"

namespace xbind::cmgr {

class PoolKeeper {
 public:
  // An empty `file`: pools end with the process. `options`: the pools of --prepare.
  PoolKeeper(std::string file, KeptPools options)
      : file_(std::move(file)), options_(std::move(options)) {}

  // Once, before the first order, when no other process has the manager's name: reads the file, and
  // takes superseded pools out of it; a failure to write is logged. Errors of read_pools(): the
  // process must end.
  Result<void> restore() {
    const std::lock_guard order(orders_);
    const auto kept = read_pools(file_);
    if (!kept) return tl::make_unexpected(kept.error());
    start_ = pools_at_start(*kept, options_);
    pools_ = start_.valid;
    if (start_.superseded.empty()) return {};
    if (const auto dropped = write_pools(file_, pools_); !dropped) {
      log::warn("{}; superseded pools are still there", dropped.error().text);
    }
    return {};
  }

  // What the manager begins with: first the pools of --prepare, then the valid ones of this.
  const KeptPools& options() const { return options_; }
  // As restore() found them.
  const PoolsAtStart& start() const { return start_; }

  // Sets the count of a pool. `prepare`: Result<NetworkService>(count), the contract to which the
  // pool's service is mapped. Errors of `prepare` and of write_pools(): the pool has its earlier
  // count again.
  template <class Prepare>
  Result<void> set(const std::string& from, const std::string& to, std::uint32_t count,
                   Prepare&& prepare) {
    const std::lock_guard order(orders_);
    const auto service = prepare(count);
    if (!service) return tl::make_unexpected(service.error());
    KeptPool pool{from, to, *service, count, 0};
    pool.before = count_in(options_, pool);
    const bool known =
        std::ranges::any_of(pools_, [&](const KeptPool& it) { return it.same_pool(pool); });
    const std::uint32_t earlier = known ? count_in(pools_, pool) : pool.before;
    KeptPools pools = pools_;
    std::erase_if(pools, [&](const KeptPool& it) { return it.same_pool(pool); });
    if (count != pool.before) pools.push_back(pool);
    if (pools == pools_) return {};
    if (auto written = write_pools(file_, pools); !written) {
      (void)prepare(earlier);
      return fail(written.error().code, "{}: the pool stays as it was", written.error().text);
    }
    pools_ = std::move(pools);
    return {};
  }

 private:
  const std::string file_;
  const KeptPools options_;
  PoolsAtStart start_;
  std::mutex orders_;
  KeptPools pools_;  // at most as many as the manager has pools
};

}  // namespace xbind::cmgr
