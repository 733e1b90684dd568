// Shared by the files that serve requests.
#pragma once

#include <span>
#include <utility>

#include "gsmp/failure_response.hpp"
#include "switchagent/switch_agent.hpp"

namespace xbind::switchagent {

struct SwitchAgent::Request {
  std::span<const std::byte> octets;
  gsmp::HeaderAndBody message;
  Controller& controller;
  ControllerId from;
  TimePoint now;  // arrival time of the request; unset in a late answer

  wire::Buffer& output = controller.output;
  const gsmp::Adjacency& adjacency = controller.adjacency;

  const gsmp::Header& header() const { return message.header; }
  bool in_partition() const { return header().partition == adjacency.partition(); }
  // Whether the controller requests an answer to a success.
  bool wants_success() const { return header().result != gsmp::ResultField::kNoSuccessAck; }
};

template <class M>
void SwitchAgent::fail_with(Request& request, M& message, gsmp::FailureCode code) {
  count_failure(code);
  ++counters_.failures_of[static_cast<std::uint8_t>(request.header().type)];
  message.header.result = gsmp::ResultField::kFailure;
  message.header.code = code;
  gsmp::append_frame(request.output, message);
}

template <class M, class Ask>
void SwitchAgent::ask_table(Request& request, M& message, std::uint32_t parts, bool reads,
                            Ask&& ask) {
  if (request.controller.open_requests >= options_.window ||
      open_.size() >= options_.open_requests_max) {
    ++counters_.refused_open;
    return fail_request(request, gsmp::FailureCode::kOutOfResources);
  }
  asked_.begin(parts, reads);
  asking_ = ++last_request_;
  ask();
  const std::uint64_t id = std::exchange(asking_, 0);
  if (asked_.complete()) return finish(request, message, asked_);
  ++request.controller.open_requests;
  open_.keep(id, {request.from, wire::Buffer(request.octets.begin(), request.octets.end()),
                  std::move(asked_)});
}

}  // namespace xbind::switchagent
