#include "core/idle_connections.hpp"

#include <algorithm>
#include <tuple>

namespace xbind {

std::vector<int> connections_to_close(std::vector<AcceptedConnection> accepted,
                                      const IdleLimits& limits) {
  std::sort(accepted.begin(), accepted.end(), [](const auto& one, const auto& other) {
    return std::tie(one.heard, other.idle) < std::tie(other.heard, one.idle);
  });
  std::vector<int> closed;
  for (const AcceptedConnection& it : accepted) {
    const bool crowded = accepted.size() - closed.size() > limits.connections_max;
    const Duration patience = !it.heard ? (crowded ? limits.silent_for_crowded : limits.silent_for)
                              : crowded ? limits.idle_for_crowded
                                        : Duration::max();
    if (it.idle >= patience) closed.push_back(it.descriptor);
  }
  return closed;
}

}  // namespace xbind
