#include "client/open_requests.hpp"

#include <algorithm>
#include <utility>

namespace xbind::client {

bool OpenRequests::add(RequestId request) {
  const auto fresh = static_cast<std::uint32_t>(slots_.size());
  const std::uint32_t slot = free_slots_.empty() ? fresh : free_slots_.back();
  if (!by_number_.insert(request, slot + 1)) return false;
  if (free_slots_.empty()) {
    slots_.emplace_back();
  } else {
    free_slots_.pop_back();
  }
  slots_[slot].request = request;
  slots_[slot].order = next_order_++;
  return true;
}

void OpenRequests::sent(const std::shared_ptr<const RequestBatch>& batch) {
  for_each_number(*batch, [&](RequestId request, Place place) {
    const std::uint32_t slot = by_number_.find(request);
    if (slot == 0) return;  // answered while a repeat of it waited for credit
    Open& open = slots_[slot - 1];
    open.was_sent = true;
    if (!repeats_) return;
    open.batch = batch;
    open.place = place;
  });
}

bool OpenRequests::answered(RequestId request) {
  const std::uint32_t slot = by_number_.erase(request);
  if (slot == 0) return false;
  slots_[slot - 1] = {};
  free_slots_.push_back(slot - 1);
  return true;
}

std::vector<std::uint32_t> OpenRequests::in_order() const {
  std::vector<std::uint32_t> slots;
  slots.reserve(size());
  for (const auto& entry : by_number_) slots.push_back(entry.value - 1);
  std::sort(slots.begin(), slots.end(),
            [this](std::uint32_t a, std::uint32_t b) { return slots_[a].order < slots_[b].order; });
  return slots;
}

std::vector<RequestBatch> OpenRequests::copies_of_sent(std::size_t per_batch) {
  std::vector<RequestBatch> batches;
  std::size_t in_last = per_batch;
  for (const std::uint32_t slot : in_order()) {
    Open& open = slots_[slot];
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
  for (const std::uint32_t slot : in_order()) {
    const Open& open = slots_[slot];
    (open.was_sent ? left.unknown : left.unsent).push_back(open.request);
  }
  by_number_ = {};
  slots_.clear();
  free_slots_.clear();
  return left;
}

}  // namespace xbind::client
