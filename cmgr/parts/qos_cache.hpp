// What a QOSMapper in another process has answered: what a service takes and what switches are told
// of it (paper, item C7; the collocated one is asked afresh). A mapping is a formula, so that an answer
// never grows old, but for services that have a name: what it stands for may be another after the QOSMapper
// has been started with another catalogue. Their answers serve for kNamedFor. The bound is on the number
// of entries, the one that came first making room.
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

  // A newer answer for a service that is known takes the old one's place in the queue for room.
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
  // Of the oldest entry; 0 when there is none.
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
