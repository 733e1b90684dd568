// Answers of a QOSMapper in another process: a service's resources and its contract for the
// switches (the collocated mapper is not cached). A mapping is a formula, so its answer stays
// valid. Services with a name are the exception: a restarted QOSMapper may have another catalogue,
// so their answers expire after kNamedFor. The number of entries is bounded; the oldest is evicted.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "cmgr/parts/timers.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"
#include "core/traffic_contract.hpp"

namespace xbind::cmgr {

class QosCache {
 public:
  static constexpr std::size_t kServices = 4096;

  static constexpr Duration kNamedFor = kManagerTimers["named-service-kept"];

  std::optional<NetworkService> find(const ServiceSpec& service, TimePoint now) {
    const auto known = services_.find(service);
    if (known == services_.end() ||
        (service.kind == ServiceKind::kClass && now - known->second.answered > kNamedFor)) {
      ++misses_;
      return std::nullopt;
    }
    ++hits_;
    return known->second.mapped;
  }

  // A newer answer for a known service keeps its place in the eviction order.
  void store(const ServiceSpec& service, const NetworkService& mapped, TimePoint now) {
    if (!services_.insert_or_assign(service, Answer{mapped, now}).second) return;
    order_.push_back({service, now});
    if (order_.size() <= kServices) return;
    services_.erase(order_.front().service);
    order_.pop_front();
  }

  std::size_t size() const { return services_.size(); }
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }
  // Age of the oldest entry; 0 when there is none.
  Duration age(TimePoint now) const {
    return order_.empty() ? Duration{0} : now - order_.front().since;
  }

 private:
  struct Answer {
    NetworkService mapped;
    TimePoint answered;
  };
  struct Arrival {
    ServiceSpec service;
    TimePoint since;
  };

  std::map<ServiceSpec, Answer> services_;
  std::deque<Arrival> order_;  // of services_, oldest first
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace xbind::cmgr
