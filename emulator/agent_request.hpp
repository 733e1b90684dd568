// What the files that serve requests share.
#pragma once

#include <span>

#include "emulator/switch_agent.hpp"
#include "gsmp/failure_response.hpp"

namespace xbind::emulator {

struct SwitchAgent::Request {
  std::span<const std::byte> octets;
  gsmp::HeaderAndBody message;
  wire::Buffer& output;
  ControllerId from;
  const gsmp::Adjacency& adjacency;
  TimePoint now;

  const gsmp::Header& header() const { return message.header; }
  bool in_partition() const { return header().partition == adjacency.partition(); }
  // Whether a success is to be told.
  bool wants_success() const { return header().result != gsmp::ResultField::kNoSuccessAck; }
};

template <class M>
void SwitchAgent::fail_with(Request& request, M& message, gsmp::FailureCode code) {
  ++counters_.failures_sent;
  ++counters_.failures_of[static_cast<std::uint8_t>(request.header().type)];
  message.header.result = gsmp::ResultField::kFailure;
  message.header.code = code;
  gsmp::append_frame(request.output, message);
}

}  // namespace xbind::emulator
