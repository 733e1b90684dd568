// Why a request is refused, and where its answer goes.
#pragma once

#include <cstdint>
#include <string>

#include "cmgr/parts/indices.hpp"
#include "core/cause.hpp"
#include "core/ids.hpp"

namespace xbind::cmgr {

// Why a call failed; the first refusal counts.
struct Refusal {
  Cause cause = Cause::kNone;
  std::string element;
  std::uint64_t asked = 0;
  std::uint64_t free = 0;
  std::string reason{};  // the broken rule, or empty
};

// The client and request that an answer goes to.
struct Asker {
  ClientIndex client;
  RequestId request;
};

// An Asker, or none.
class OptionalAsker {
 public:
  OptionalAsker() = default;
  OptionalAsker(const Asker& asker) : asker_(asker) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return has_value(); }
  bool has_value() const { return asker_.client != kNoClient; }
  const Asker& operator*() const { return asker_; }
  const Asker* operator->() const { return &asker_; }
  Asker value_or(const Asker& other) const { return has_value() ? asker_ : other; }
  void reset() { *this = {}; }

 private:
  Asker asker_{kNoClient, {}};
};

}  // namespace xbind::cmgr
