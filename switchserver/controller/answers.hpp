// The open batches of commands, and what waits for the answers to their commands.
//
// A batch is open until each of its commands has an answer; then its results are among the outputs,
// in the order of its commands. A session that ends drops the results of its open batches, whose
// answers still come. Commands that wait for the same answer of the switch are in one list, whose
// head the owner of the wait keeps (HopRecord, ContractChanges).
//
// No memory once warm. Constant time for each command; end_session() visits every batch. One
// thread; no errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/hop.hpp"
#include "core/trace/sampling.hpp"
#include "switchserver/controller/values.hpp"
#include "switchserver/ledger/hop_record.hpp"

namespace xbind::controller {

struct Shared;

class Answers {
 public:
  static constexpr std::uint32_t kNil = HopRecord::kNil;  // the head of an empty list

  explicit Answers(Shared& shared) : shared_(shared) {}

  // Opens a batch with that many commands. It stays open until close(), whatever is answered.
  std::uint32_t open(ManagerIndex manager, Token token, std::size_t commands);
  void close(std::uint32_t batch) { one_less(batch); }
  std::size_t open_batches() const { return open_batches_; }
  void trace(std::uint32_t batch, const std::vector<ConnectionId>& connections) {
    batches_[batch].traced = trace::ConnectionSet(connections);
  }
  // What the batch returns with its results.
  HopResultBatch& out(std::uint32_t batch) { return batches_[batch].out; }

  void answer(Place place, const HopResult& result);
  void wait(std::uint32_t& head, Place place);
  // Answers every command in the list, which is empty then.
  void answer_all(std::uint32_t& head, const HopResult& result);
  // Those in `more` wait for the same answer.
  void join(std::uint32_t& head, std::uint32_t more);
  // Whether somebody wants the answer.
  bool anybody_waits(std::uint32_t head) const;
  void prefetch(std::uint32_t head) const {
    if (head != kNil) __builtin_prefetch(&waiters_[head], 1);
  }

  void end_session(ManagerIndex manager);
  // The requests of this step have been sent.
  void end_step(TimePoint now);

 private:
  struct Batch {
    ManagerIndex manager;
    bool wanted = false;  // false: the session of the batch is over
    Token token = 0;
    std::uint64_t missing = 0;  // commands without an answer
    HopResultBatch out;
    BatchTimes times{};
    trace::ConnectionSet traced{};  // HopBatch::traced
    std::vector<HopTrace> traces{};
  };
  struct Waiter {
    std::uint32_t batch = kNil;
    std::uint32_t position = 0;
    std::uint32_t next = kNil;
  };

  void one_less(std::uint32_t batch);

  Shared& shared_;
  std::vector<Batch> batches_;
  std::vector<std::uint32_t> vacant_batches_;
  std::vector<std::uint32_t> fresh_batches_;  // opened in this step
  std::size_t open_batches_ = 0;
  std::vector<Waiter> waiters_;
  std::vector<std::uint32_t> vacant_waiters_;
};

}  // namespace xbind::controller
