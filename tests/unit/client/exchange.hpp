// A Requester and the manager at the other end, for tests that read like the exchange: the test carries
// every message itself, and time passes only when it says so.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/requester.hpp"

namespace xbind::client {

using std::chrono::milliseconds;
using std::chrono::seconds;
using RequestFrame = session::Frame<RequestBatch>;
using OutcomeFrame = session::Frame<OutcomeBatch>;

inline ConnectRequest call(std::uint64_t number = 0) {
  ConnectRequest request;
  request.request = RequestId{number};
  request.from = "ann";
  request.to = "bob";
  request.service.cells_per_s = 100;
  return request;
}

inline ReleaseRequest release(std::uint64_t connection, std::uint64_t number = 0) {
  return {RequestId{number}, ConnectionId{connection}};
}

inline Outcome connected(std::uint64_t number) {
  Outcome outcome;
  outcome.request = RequestId{number};
  outcome.kind = OutcomeKind::kConnected;
  outcome.connection = ConnectionId{1000 + number};
  return outcome;
}

inline OutcomeBatch outcomes(std::vector<Outcome> outcomes, std::vector<Notice> notices = {}) {
  OutcomeBatch batch;
  batch.outcomes = std::move(outcomes);
  batch.notices = std::move(notices);
  return batch;
}

inline Notice rerouted(std::uint64_t connection) {
  Notice notice;
  notice.connection = ConnectionId{connection};
  notice.kind = NoticeKind::kRerouted;
  notice.element = "sw2 port 3";
  return notice;
}

// The numbers of all requests in a batch.
std::vector<std::uint64_t> numbers(const RequestBatch& batch);

class ExchangeTest : public ::testing::Test {
 protected:
  using ManagerEnd = session::Session<OutcomeBatch, RequestBatch>;

  // Ends a step of the requester; what it wants is in `wanted` until the next one.
  Actions& step();
  // Makes the requester from `limits` and begins.
  void start();
  // start(), and the manager takes the client in.
  void log_in(std::uint32_t window = 256);
  // The manager's answer to the last attempt: opens session `number`, or refuses.
  void take_in(std::uint64_t number, std::uint32_t window = 256);
  void refuse(ErrorCode code, const std::string& text);

  // The manager gets a frame of `wanted`; the numbers of the requests that it applies on account of it.
  std::vector<std::uint64_t> deliver(const RequestFrame& frame);
  // Every frame of `wanted` arrives.
  std::vector<std::uint64_t> deliver();
  // The manager says something; what the requester makes of it is in `wanted`.
  void say(OutcomeBatch batch);
  void hear(const OutcomeFrame& frame);
  OutcomeFrame frame_of(OutcomeBatch batch);

  // Numbers of the requests whose outcomes are in `wanted`.
  std::vector<std::uint64_t> answered() const;
  std::vector<Notice> noticed() const;

  // Time passes, and the requester does what is due on the way; `wanted` is that of the last deadline.
  void wait(Duration time);

  Limits limits;
  TimePoint now{seconds{1000}};
  std::unique_ptr<Requester> requester;
  Actions wanted;
  std::optional<Attach> attempt;  // the last one that is not answered
  SessionId session;              // the one that the manager knows
  std::unique_ptr<ManagerEnd> manager;
};

}  // namespace xbind::client
