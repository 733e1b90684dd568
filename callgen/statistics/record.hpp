// The result of one request of a run: the raw data of all figures. A Runner reports each request
// once, when it is over. statistics.hpp computes from the records, records_file.hpp stores them,
// and a test recomputes the figures from the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/cause.hpp"
#include "core/clock.hpp"

namespace xbind::callgen {

enum class RequestKind : std::uint8_t {
  kSetup,  // of a connection, done when connected
  kRelease,
  kModify,
  kAddLeaf,
  kDropLeaf,
  kHold,    // a setup that only reserves, done when held
  kCommit,  // of a hold, done when connected
};
inline constexpr std::size_t kRequestKinds = 7;
std::string_view to_string(RequestKind kind);  // "setup", "add-leaf", ...

enum class Ended : std::uint8_t {
  kDone,
  kRefused,     // see cause and element
  kBusy,        // a bounded queue was full
  kUnanswered,  // given up: at the end of the drain, or when the manager was lost
  kShed,        // never sent: too many calls were open
};
std::string_view to_string(Ended ended);  // "done", "refused", ...

// Times count from the start of the run, on the steady clock.
struct RequestRecord {
  static constexpr Duration kNever = Duration::min();

  std::uint64_t call = 0;  // from 0, in the order of planned arrivals
  RequestKind kind = RequestKind::kSetup;
  Ended ended = Ended::kDone;
  Cause cause = Cause::kNone;  // kRefused, kBusy
  std::uint32_t manager = 0;
  Duration planned{};          // when it was meant to be sent
  Duration sent = kNever;      // kNever: not sent
  Duration answered = kNever;  // kNever: not answered
  // kRefused: the place, "switch-1 port 2". Valid only while the record is being passed on.
  std::string_view element;
};

class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void take(const RequestRecord& record) = 0;
};

}  // namespace xbind::callgen
