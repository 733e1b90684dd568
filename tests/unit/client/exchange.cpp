#include "exchange.hpp"

#include <utility>

namespace xbind::client {

std::vector<std::uint64_t> numbers(const RequestBatch& batch) {
  std::vector<std::uint64_t> out;
  for_each_number(batch, [&out](RequestId request, Place) { out.push_back(request.value()); });
  return out;
}

Actions& ExchangeTest::step() {
  requester->flush(now, wanted);
  if (wanted.attach) attempt = wanted.attach;
  return wanted;
}

void ExchangeTest::start() {
  requester = std::make_unique<Requester>(Identity{"mia", "default", Epoch{7}}, limits);
  requester->start(now);
  step();
}

void ExchangeTest::log_in(std::uint32_t window) {
  start();
  take_in(session.value() + 1, window);
}

void ExchangeTest::take_in(std::uint64_t number, std::uint32_t window) {
  ASSERT_TRUE(attempt.has_value());
  session = SessionId{number};
  session::Limits theirs;
  theirs.batches_in_flight = theirs.batches_held_back = window;
  manager = std::make_unique<ManagerEnd>(theirs, now);
  requester->attached(std::exchange(attempt, {})->attempt, session, window, Epoch{7}, now);
  step();
}

void ExchangeTest::refuse(ErrorCode code, const std::string& text) {
  ASSERT_TRUE(attempt.has_value());
  requester->attach_failed(std::exchange(attempt, {})->attempt, Error{code, text}, now);
  step();
}

std::vector<std::uint64_t> ExchangeTest::deliver(const RequestFrame& frame) {
  std::vector<std::shared_ptr<const RequestBatch>> batches;
  const auto received = manager->receive(frame, now, batches);
  EXPECT_TRUE(received.has_value()) << received.error().text;
  std::vector<std::uint64_t> applied;
  for (const auto& batch : batches) {
    for (const std::uint64_t number : numbers(*batch)) applied.push_back(number);
  }
  return applied;
}

std::vector<std::uint64_t> ExchangeTest::deliver() {
  EXPECT_EQ(wanted.session, session);
  std::vector<std::uint64_t> applied;
  for (const RequestFrame& frame : wanted.transmit) {
    for (const std::uint64_t number : deliver(frame)) applied.push_back(number);
  }
  return applied;
}

OutcomeFrame ExchangeTest::frame_of(OutcomeBatch batch) {
  return manager->send(std::move(batch), 100, now);
}

void ExchangeTest::say(OutcomeBatch batch) { hear(frame_of(std::move(batch))); }

void ExchangeTest::hear(const OutcomeFrame& frame) {
  requester->receive(session, frame, now);
  step();
}

std::vector<std::uint64_t> ExchangeTest::answered() const {
  std::vector<std::uint64_t> out;
  for (const auto& batch : wanted.deliveries) {
    for (const Outcome& outcome : batch->outcomes) out.push_back(outcome.request.value());
  }
  return out;
}

std::vector<Notice> ExchangeTest::noticed() const {
  std::vector<Notice> out;
  for (const auto& batch : wanted.deliveries) {
    out.insert(out.end(), batch->notices.begin(), batch->notices.end());
  }
  return out;
}

void ExchangeTest::wait(Duration time) {
  const TimePoint until = now + time;
  constexpr int kStepsAtOnce = 100;
  int steps = 0;  // at the present moment
  while (requester->next_deadline() <= until) {
    steps = requester->next_deadline() > now ? 0 : steps + 1;
    ASSERT_LT(steps, kStepsAtOnce) << "the requester spins: its next deadline stays in the past";
    now = std::max(now, requester->next_deadline());
    requester->tick(now);
    step();
  }
  now = until;
}

void ExchangeTest::TearDown() {
  if (requester) wait(Duration::zero());
}

}  // namespace xbind::client
