// What an operator sees of a cache (idl/connection_manager.idl, CacheState).
#pragma once

#include <cstdint>
#include <string>

namespace xbind::cmgr {

enum class CacheKind : std::uint8_t {
  kLabels = 0,
  kRoutes = 1,
  kQos = 2,
  kQuota = 3,
  kConnections = 4,
  kPrepared = 5,
};

struct CacheState {
  CacheKind kind = CacheKind::kLabels;
  std::string element;  // "switch-1 port 2", "host-a -> host-b"
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t size = 0;
  std::uint64_t wanted = 0;  // target size; 0: none
  std::uint64_t age_ms = 0;  // of the oldest entry
};

}  // namespace xbind::cmgr
