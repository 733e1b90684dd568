#include "switchserver/controller/answers.hpp"

#include <utility>

#include "core/check.hpp"
#include "switchserver/controller/shared.hpp"

namespace xbind::controller {

std::uint32_t Answers::open(ManagerIndex manager, Token token, std::size_t commands) {
  if (vacant_batches_.empty()) {
    batches_.emplace_back();
    vacant_batches_.push_back(static_cast<std::uint32_t>(batches_.size() - 1));
  }
  const std::uint32_t index = vacant_batches_.back();
  vacant_batches_.pop_back();
  Batch& batch = batches_[index];
  batch.manager = manager;
  batch.wanted = true;
  batch.token = token;
  batch.missing = commands + 1;
  batch.out.results.resize(commands);
  batch.times = {shared_.now, kNever, kNever};
  fresh_batches_.push_back(index);
  ++open_batches_;
  return index;
}

void Answers::answer(Place place, const HopResult& result) {
  if (result.cause != Cause::kNone) {
    ++shared_.counters.refusals[static_cast<std::size_t>(result.cause)];
  }
  Batch& batch = batches_[place.batch];
  batch.out.results[place.position] = result;
  const TimePoint now = shared_.now;
  if (shared_.traces.may_want(result, now - batch.times.applied, batch.traced)) [[unlikely]] {
    shared_.traces.note(batch, result, now);
  }
  one_less(place.batch);
}

void Answers::one_less(std::uint32_t index) {
  Batch& batch = batches_[index];
  XB_CHECK(batch.missing != 0, index);
  if (--batch.missing != 0) return;
  --open_batches_;
  vacant_batches_.push_back(index);
  if (!batch.traced.empty()) batch.traced.clear();
  if (!batch.wanted) {
    batch.out = {};
    batch.traces.clear();
    return;
  }
  batch.times.answered = shared_.now;
  shared_.outputs.results.push_back({shared_.ledger.managers().name(batch.manager), batch.token,
                                     std::exchange(batch.out, {}), batch.times,
                                     std::exchange(batch.traces, {})});
}

void Answers::wait(std::uint32_t& head, Place place) {
  if (vacant_waiters_.empty()) {
    waiters_.emplace_back();
    vacant_waiters_.push_back(static_cast<std::uint32_t>(waiters_.size() - 1));
  }
  const std::uint32_t index = vacant_waiters_.back();
  vacant_waiters_.pop_back();
  waiters_[index] = {place.batch, place.position, head};
  head = index;
}

void Answers::answer_all(std::uint32_t& head, const HopResult& result) {
  while (head != kNil) {
    const Waiter waiter = waiters_[head];
    vacant_waiters_.push_back(head);
    head = waiter.next;
    answer({waiter.batch, waiter.position}, result);
  }
}

void Answers::join(std::uint32_t& head, std::uint32_t more) {
  std::uint32_t* end = &head;
  while (*end != kNil) end = &waiters_[*end].next;
  *end = more;
}

bool Answers::anybody_waits(std::uint32_t head) const {
  for (; head != kNil; head = waiters_[head].next) {
    if (batches_[waiters_[head].batch].wanted) return true;
  }
  return false;
}

void Answers::end_session(ManagerIndex manager) {
  for (Batch& batch : batches_) {
    if (batch.manager == manager) batch.wanted = false;
  }
}

void Answers::end_step(TimePoint now) {
  for (const std::uint32_t fresh : fresh_batches_) batches_[fresh].times.asked = now;
  fresh_batches_.clear();
  for (Results& results : shared_.outputs.results) {
    if (results.times.asked == kNever) results.times.asked = results.times.answered = now;
  }
}

}  // namespace xbind::controller
