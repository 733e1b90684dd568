#include "callgen/run/due_requests.hpp"

#include <string>
#include <utility>

namespace xbind::callgen {

DueRequests::DueRequests(std::size_t managers, std::size_t max_batch,
                         std::vector<ServiceSpec> services, ServiceSpec modified_service,
                         bool both_ways)
    : max_batch_(max_batch),
      services_(std::move(services)),
      modified_service_(std::move(modified_service)),
      both_ways_(both_ways),
      open_(managers, kNone) {
  if (both_ways) modified_reverse_ = modified_service_;
}

std::vector<Dispatch> DueRequests::take() {
  std::vector<Dispatch> dispatches(batches_.size());
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    dispatches[i].manager = batches_[i].manager;
    dispatches[i].batch.connects.reserve(batches_[i].connects);
    dispatches[i].batch.releases.reserve(batches_[i].releases);
    open_[batches_[i].manager] = kNone;
  }
  for (const Due& due : due_) build(due, dispatches[due.batch].batch);
  due_.clear();
  batches_.clear();
  return dispatches;
}

void DueRequests::build(const Due& due, RequestBatch& into) const {
  switch (due.kind) {
    case RequestKind::kSetup:
    case RequestKind::kHold: {
      ConnectRequest& request = into.connects.emplace_back();
      request.request = due.request;
      request.from = due.ends.from;
      request.to = due.ends.to;
      request.service = services_[due.contract.call_class];
      if (both_ways_) request.reverse = request.service;
      request.priority = due.contract.priority;
      request.hold_ms = due.hold_ms;
      return;
    }
    case RequestKind::kRelease: into.releases.push_back({due.request, due.connection}); return;
    case RequestKind::kModify:
      into.modifies.push_back({due.request, due.connection, modified_service_, modified_reverse_});
      return;
    case RequestKind::kAddLeaf:
    case RequestKind::kDropLeaf:
      into.leaves.push_back({due.request, due.connection, std::string(due.ends.from),
                             due.kind == RequestKind::kDropLeaf});
      return;
    case RequestKind::kCommit: into.commits.push_back({due.request, due.connection}); return;
  }
}

}  // namespace xbind::callgen
