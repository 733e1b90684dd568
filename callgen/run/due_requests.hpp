// Gathers the requests that are due at one moment and forms batches of them: for each manager as
// few as the size limit allows, the earliest requests in the first. Gathered entries are small. A
// batch is built once its content is known, so that no request is copied twice and no vector grows.
//
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "callgen/load/workload.hpp"
#include "callgen/statistics/record.hpp"
#include "core/call.hpp"

namespace xbind::callgen {

// One batch and its manager.
struct Dispatch {
  std::size_t manager = 0;  // below RunPlan::managers
  RequestBatch batch;
};

class DueRequests {
 public:
  // The services of all requests: of setups and holds by the class of the call, at least one, and
  // of modifies. `both_ways`: the same for the reverse direction.
  DueRequests(std::size_t managers, std::size_t max_batch, std::vector<ServiceSpec> services,
              ServiceSpec modified_service, bool both_ways);

  struct Contract {
    std::uint16_t call_class = 0;
    std::uint8_t priority = 0;
  };

  // hold_ms above 0: a hold. The names of the ends must stay valid until take().
  void connect(std::size_t manager, RequestId request, Ends ends, Contract contract,
               std::uint32_t hold_ms) {
    Batch& batch = room(manager);
    ++batch.connects;
    due_.push_back({RequestKind::kSetup, contract, number_of(batch), hold_ms, request, {}, ends});
  }
  // Any request except a setup or hold, for a connection. `leaf` (leaf requests) must stay valid
  // until take().
  void ask(std::size_t manager, RequestKind kind, RequestId request, ConnectionId connection,
           std::string_view leaf) {
    Batch& batch = room(manager);
    if (kind == RequestKind::kRelease) ++batch.releases;
    due_.push_back({kind, {}, number_of(batch), 0, request, connection, {leaf, {}}});
  }

  // Returns all gathered requests, in the order of the batches' first requests, and clears them.
  std::vector<Dispatch> take();

 private:
  struct Due {
    RequestKind kind;  // a hold is a setup here
    Contract contract;
    std::uint32_t batch;
    std::uint32_t hold_ms;
    RequestId request;
    ConnectionId connection;
    Ends ends;  // a leaf request: the leaf is `from`
  };
  // The sizes of a batch to be built.
  struct Batch {
    std::size_t manager = 0;
    std::size_t requests = 0;
    std::size_t connects = 0;
    std::size_t releases = 0;
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // The batch for the next request to this manager.
  Batch& room(std::size_t manager) {
    std::uint32_t& open = open_[manager];
    if (open == kNone || batches_[open].requests == max_batch_) {
      open = static_cast<std::uint32_t>(batches_.size());
      batches_.push_back({.manager = manager});
    }
    ++batches_[open].requests;
    return batches_[open];
  }
  std::uint32_t number_of(const Batch& batch) const {
    return static_cast<std::uint32_t>(&batch - batches_.data());
  }
  void build(const Due& due, RequestBatch& into) const;

  std::size_t max_batch_;
  std::vector<ServiceSpec> services_;
  ServiceSpec modified_service_;
  bool both_ways_;
  std::optional<ServiceSpec> modified_reverse_;
  std::vector<Due> due_;             // in the order of gathering
  std::vector<Batch> batches_;       // in the order of the result
  std::vector<std::uint32_t> open_;  // the last batch of each manager
};

}  // namespace xbind::callgen
