// The bound of open requests, and what is known of those that end without an outcome.
#include <vector>

#include "exchange.hpp"

namespace xbind::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class OpenRequestsTest : public ExchangeTest {
 protected:
  void ask(std::size_t requests) {
    for (std::size_t i = 0; i < requests; ++i) {
      ASSERT_TRUE(requester->submit(call()).has_value());
    }
  }
  static std::vector<std::uint64_t> values(const std::vector<RequestId>& requests) {
    std::vector<std::uint64_t> out;
    for (const RequestId request : requests) out.push_back(request.value());
    return out;
  }
};

// A repeat that waits for credit is kept although its outcome has come.
TEST_F(OpenRequestsTest, RepeatsThatWaitCountForTheBoundAlsoAfterTheirOutcomes) {
  limits.open_max = 3;
  limits.requests_per_batch = 1;
  log_in();
  ask(3);
  step();
  EXPECT_THAT(deliver(), ElementsAre(1, 2, 3));
  requester->session_failed(session, {ErrorCode::kUnreachable, "the connection broke"}, now);
  step();
  wait(limits.back_off.max);
  take_in(2, 1);
  EXPECT_THAT(deliver(), ElementsAre(1)) << "the window is one batch";
  EXPECT_EQ(requester->waiting(), 2U);
  // The manager answers all three with the outcomes that it had for the first session.
  say(outcomes({connected(1), connected(2), connected(3)}));
  EXPECT_EQ(requester->open(), 0U);
  const std::size_t kept = requester->waiting();
  ASSERT_LE(kept, 2U);
  ask(limits.open_max - kept);
  EXPECT_EQ(requester->waiting(), limits.open_max);
  EXPECT_EQ(requester->submit(call()).error().code, ErrorCode::kExhausted);
}

TEST_F(OpenRequestsTest, TheBoundIsReachedByOneRequestAndByABatch) {
  limits.open_max = 3;
  start();
  ask(1);
  RequestBatch batch;
  batch.connects = {call(10), call(11), call(12)};
  EXPECT_EQ(requester->submit(std::move(batch)).error().code, ErrorCode::kExhausted);
  batch.connects = {call(10), call(11)};
  EXPECT_TRUE(requester->submit(std::move(batch)).has_value());
  EXPECT_EQ(requester->submit(call()).error().code, ErrorCode::kExhausted);
}

// Without repeats, requests are only counted. Those that failed before they were sent count as
// sent; otherwise the later ones would seem to be unsent.
TEST_F(OpenRequestsTest, ARequestThatIsSentAfterOthersFailedIsUnknownNotUnsent) {
  limits.reattach = false;
  limits.reach_within = milliseconds{100};
  start();
  ask(2);
  requester->tick(now + limits.reach_within);
  now += limits.reach_within;
  step();
  ASSERT_THAT(wanted.failed, SizeIs(1));
  EXPECT_THAT(values(wanted.failed[0].unsent), ElementsAre(1, 2));
  EXPECT_THAT(wanted.failed[0].unknown, IsEmpty());
  take_in(1);
  ask(1);
  step();
  EXPECT_THAT(deliver(), ElementsAre(3));
  ask(1);
  requester->session_failed(session, {ErrorCode::kUnreachable, "the connection broke"}, now);
  step();
  ASSERT_THAT(wanted.failed, SizeIs(1));
  EXPECT_THAT(values(wanted.failed[0].unknown), ElementsAre(3));
  EXPECT_THAT(values(wanted.failed[0].unsent), ElementsAre(4));
}

}  // namespace
}  // namespace xbind::client
