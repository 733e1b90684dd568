// What a browser asks for: a call, as the body of POST or as the parameters of a question. Pure.
//
//   {"manager": "default", "from": "host-a", "to": "host-b", "cells_per_s": 1000}
//   {"from": "host-a", "to": "host-b", "service": "voice-g711", "both": true, "hold_s": 60}
#pragma once

#include <cstdint>
#include <string>

#include "console/problem.hpp"
#include "console/query.hpp"
#include "core/call.hpp"

namespace xbind::console {

inline constexpr std::uint64_t kBufferMax = 1'000'000'000;  // cells

struct CallWish {
  std::string manager = "default";
  std::string from;
  std::string to;
  std::uint64_t cells_per_s = 0;
  std::uint64_t buffer_cells = 0;
  std::string service;  // of the catalogue; empty: cells_per_s
  bool both = false;    // the same back
  std::uint64_t hold_s = 0;

  ServiceSpec spec() const;
  ConnectRequest request(RequestId number) const;
};

// Who has taken notice of an alarm:
//   {"alarm": "switchserver/node-1#1795673564", "by": "ada", "note": "the line is being mended"}
struct Acknowledgement {
  std::string alarm;
  std::string by;     // 1 to kAcknowledgedByMax octets; may be empty with `undo`
  std::string note;   // at most kAcknowledgedNoteMax octets
  bool undo = false;  // take it back
};
inline constexpr std::size_t kAcknowledgedByMax = 64;
inline constexpr std::size_t kAcknowledgedNoteMax = 256;

// A refusal is a Problem with name "bad-body" or "bad-parameter", which says which member.
tl::expected<CallWish, Problem> call_wish_of(const std::string& body);
tl::expected<Acknowledgement, Problem> acknowledgement_of(const std::string& body);
// Takes `manager`, `from`, `to`, `cells_per_s`, `buffer_cells` and `service`.
tl::expected<CallWish, Problem> call_wish_of(Parameters& parameters);

}  // namespace xbind::console
