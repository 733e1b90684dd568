// Records the commands of sampled calls at one SwitchServer, and those that were refused or slow
// (core/trace/). The manager says with a batch which of its connections are sampled
// (HopBatch::traced); what is not recorded costs a comparison with each answer.
//
// Of commands that are not sampled, at most trace::kUnsampledPerS a second are recorded. Bounded
// (kRecordsMax). Not thread-safe; owned by the SwitchController. Refusals are also
// debug lines of the log.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/hop.hpp"
#include "core/trace/ring.hpp"
#include "core/trace/sampling.hpp"
#include "core/trace/span.hpp"
#include "switchserver/ledger/ledger.hpp"

namespace xbind {

// A command that was answered.
struct HopTrace {
  ManagerIndex manager;
  std::uint32_t commands = 0;  // of its batch
  bool at_switch = false;      // a later step answered it, so the switch had been asked
  TimePoint applied{};         // its batch was in order, and the ledger decided
  TimePoint answered{};
  HopResult result{};
  TimePoint asked{};  // the requests to the switch were sent
  TimePoint sent{};   // its batch's results reached the manager's session
};

class HopTraces {
 public:
  static constexpr std::size_t kRecordsMax = 10'000;

  explicit HopTraces(Duration slow) : slow_(slow > Duration{} ? slow : Duration::max()) {}

  // Whether an answer may have to be recorded: note() decides. `took`: since its batch was applied.
  // `traced`: of its batch.
  bool may_want(const HopResult& result, Duration took, const trace::ConnectionSet& traced) const {
    return traced.may_contain(result.key.connection) || result.cause != Cause::kNone ||
           took > slow_;
  }
  // Appends the answer to those of its batch, if it is to be recorded. Apart from the caller's
  // code, which runs for every answer.
  template <class Batch>
  [[gnu::cold, gnu::noinline]] void note(Batch& batch, const HopResult& result, TimePoint now) {
    if (!wants(result, now - batch.times.applied, batch.traced, now)) return;
    batch.traces.push_back({batch.manager, static_cast<std::uint32_t>(batch.out.results.size()),
                            batch.times.asked != kNever, batch.times.applied, now, result});
  }
  // The results of these commands, without their last two times, have been passed to the manager's
  // session. Empties `traces`.
  void sent(TimePoint asked, TimePoint now, std::vector<HopTrace>& traces);

  // The manager's newest trace::kSpansMax spans of that connection; the members that name the
  // process and the manager are not set.
  trace::Part spans_of(ManagerIndex manager, ConnectionId connection, std::string_view switch_name,
                       const trace::WallClock& clock) const;

 private:
  bool wants(const HopResult& result, Duration took, const trace::ConnectionSet& traced,
             TimePoint now);

  Duration slow_;
  trace::Ring<HopTrace> records_{kRecordsMax};
  TokenBucket bucket_;
};

}  // namespace xbind
