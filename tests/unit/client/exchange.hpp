// A Requester and the manager at the other end, for tests that read like the exchange. The test
// carries every message itself and advances the clock.
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

  // Ends a step of the requester; its actions stay in `wanted` until the next step.
  Actions& step();
  // Creates the requester from `limits` and starts it.
  void start();
  // start(), and the manager accepts the client.
  void log_in(std::uint32_t window = 256);
  // The manager's answer to the last attempt to attach: opens session `number`, or refuses.
  void take_in(std::uint64_t number, std::uint32_t window = 256);
  void refuse(ErrorCode code, const std::string& text);

  // Delivers a frame of `wanted` to the manager. Returns the numbers of the
  // requests that this made it apply.
  std::vector<std::uint64_t> deliver(const RequestFrame& frame);
  // Delivers every frame of `wanted`.
  std::vector<std::uint64_t> deliver();
  // Sends a batch of the manager; the requester's resulting actions are in `wanted`.
  void say(OutcomeBatch batch);
  void hear(const OutcomeFrame& frame);
  OutcomeFrame frame_of(OutcomeBatch batch);

  // Numbers of the requests whose outcomes are in `wanted`.
  std::vector<std::uint64_t> answered() const;
  std::vector<Notice> noticed() const;

  // Advances the clock; the requester acts at each deadline. `wanted` holds
  // the actions of the last one. Fails if a deadline stays in the past: the client would spin.
  void wait(Duration time);
  // Every test ends with that check.
  void TearDown() override;

  Limits limits;
  TimePoint now{seconds{1000}};
  std::unique_ptr<Requester> requester;
  Actions wanted;
  std::optional<Attach> attempt;  // the last attempt without an answer
  SessionId session;              // the session that the manager has
  std::unique_ptr<ManagerEnd> manager;
};

}  // namespace xbind::client
