#include "client/open_requests.hpp"

#include <algorithm>
#include <utility>

namespace xbind::client {

bool OpenRequests::add(RequestId request) {
  ++added_;
  if (!repeats_) return by_number_.insert(request, added_);
  const std::uint64_t slot = free_slots_.empty() ? slots_.size() : free_slots_.back();
  if (!by_number_.insert(request, slot + 1)) return false;
  if (free_slots_.empty()) {
    slots_.emplace_back();
  } else {
    free_slots_.pop_back();
  }
  slots_[slot].request = request;
  slots_[slot].order = added_;
  return true;
}

void OpenRequests::sent(const std::shared_ptr<const RequestBatch>& batch) {
  if (!repeats_) {
    sent_ += count(*batch);
    return;
  }
  for_each_number(*batch, [&](RequestId request, Place place) {
    const std::uint64_t slot = by_number_.find(request);
    if (slot == 0) return;  // answered while its repeat waited for credit
    Open& open = slots_[slot - 1];
    open.batch = batch;
    open.place = place;
    open.was_sent = true;
  });
}

bool OpenRequests::answered(RequestId request) {
  const std::uint64_t found = by_number_.erase(request);
  if (found == 0) return false;
  if (repeats_) {
    slots_[found - 1] = {};
    free_slots_.push_back(found - 1);
  }
  return true;
}

std::vector<OpenRequests::Known> OpenRequests::in_order() const {
  std::vector<Known> known;
  known.reserve(size());
  for (const auto& entry : by_number_) {
    if (repeats_) {
      const Open& open = slots_[entry.value - 1];
      known.push_back({open.order, open.request, open.was_sent});
    } else {
      known.push_back({entry.value, entry.key, entry.value <= sent_});
    }
  }
  std::sort(known.begin(), known.end(),
            [](const Known& a, const Known& b) { return a.order < b.order; });
  return known;
}

std::vector<RequestBatch> OpenRequests::copies_of_sent(std::size_t per_batch) {
  std::vector<RequestBatch> batches;
  if (!repeats_) return batches;
  std::size_t in_last = per_batch;
  for (const Known& each : in_order()) {
    Open& open = slots_[by_number_.find(each.request) - 1];
    if (!open.batch) continue;
    if (in_last == per_batch) {
      batches.emplace_back();
      in_last = 0;
    }
    append(*open.batch, open.place, batches.back());
    open.batch.reset();
    ++in_last;
  }
  return batches;
}

OpenRequests::Left OpenRequests::clear() {
  Left left;
  for (const Known& each : in_order()) {
    (each.was_sent ? left.unknown : left.unsent).push_back(each.request);
  }
  by_number_ = {};
  slots_.clear();
  free_slots_.clear();
  sent_ = added_;  // the owner also drops its unsent requests
  return left;
}

}  // namespace xbind::client
