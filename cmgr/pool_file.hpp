// The pools of prepared connections that operators have asked for (ManagerOperations::prepare()),
// as they are kept in --state-dir, so that the next process of the manager has them again.
//
//   # xbind-cmgr pools 1
//   [[pool]]
//   from = "host-a"
//   to = "host-b"
//   cells_per_s = 100 ...
//   count = 3
//   before = 8
//   # end: 178 octets, CRC-32 89abcdef
//
// A pool serves the contract to which its service was mapped then. `before` is what --prepare gave
// for the same pool; if it gives something else at the next start, the operator has changed it
// since, and the option counts (docs/decisions/0086). It is a state file (core/state_file.hpp).
// Pure but for read_pools() and write_pools().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "core/traffic_contract.hpp"

namespace xbind::cmgr {

struct KeptPool {
  std::string from;
  std::string to;
  NetworkService service;
  std::uint32_t count = 0;   // connections to keep ready
  std::uint32_t before = 0;  // of --prepare; 0: it does not name the pool

  bool same_pool(const KeptPool& other) const {
    return from == other.from && to == other.to && service == other.service;
  }
  friend bool operator==(const KeptPool&, const KeptPool&) = default;
};
using KeptPools = std::vector<KeptPool>;
// "host-a -> host-b, 100 cells/s"
std::string to_string(const KeptPool& pool);
// The count of the same pool; 0: there is none.
std::uint32_t count_in(const KeptPools& pools, const KeptPool& pool);

// DIRECTORY/cmgr-NAME.pools; empty without a directory.
std::string pool_file_path(const std::string& directory, const std::string& name);

std::string pools_as_text(const KeptPools& pools);
// kBadInput: another format, not whole, or a number that no pool has; the text names `path`.
Result<KeptPools> pools_from_text(std::string_view text, const std::string& path);

// Without a path, or a file: none. Errors as above, and of read_state().
Result<KeptPools> read_pools(const std::string& path);
// Nothing without a path. kBadInput: a number is greater than a file can hold; kSystem: writing
// failed. The old file stays.
Result<void> write_pools(const std::string& path, const KeptPools& pools);

// What a manager that starts makes of the kept pools. `options`: those of --prepare.
struct PoolsAtStart {
  KeptPools valid;
  KeptPools superseded;  // --prepare gives another count than when the operator set them
};
PoolsAtStart pools_at_start(const KeptPools& kept, const KeptPools& options);

}  // namespace xbind::cmgr
