// The GSMP driver over a transport in memory: its handling of a connection that opens, breaks and
// opens again, and its requests to its owner.
#include "switchserver/drivers/running_gsmp_driver.hpp"

#include <gmock/gmock.h>

#include <map>
#include <memory>

#include "switchagent/switch_agent.hpp"
#include "tests/unit/deadlines.hpp"
#include "tests/unit/switchserver/drivers/driver_link.hpp"
#include "tests/unit/switchserver/drivers/memory_transport.hpp"

namespace xbind {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class RunningGsmpDriverTest : public testing::Test {
 protected:
  RunningGsmpDriverTest() {
    driver_.start([this](std::size_t items) {
      ++wakes_;
      items_ += items;
    });
  }

  static gsmp::SessionOptions options() {
    gsmp::SessionOptions options;
    options.adjacency.name = 0x02'00'00'0a'00'01;
    return options;
  }

  // The owner's step: handles every wake-up, then writes once.
  void step() {
    for (; wakes_ > 0; --wakes_) answers_ += driver_.on_wake(now_);
    std::vector<driver::Event> fresh;
    driver_.take_events(fresh);
    events_.insert(events_.end(), fresh.begin(), fresh.end());
    requests_ += driver_.unsent_requests();
    driver_.transmit();
  }
  // Exchanges octets until neither end has more to send.
  void exchange() {
    for (;;) {
      step();
      const wire::Buffer sent = wire_.take_sent();
      if (!sent.empty()) link_.agent_->receive(link_.at_, sent, now_);
      wire::Buffer answers;
      link_.agent_->take_output(link_.at_, answers);
      if (!answers.empty()) wire_.carry_to_driver(answers);
      if (sent.empty() && wakes_ == 0) return;
    }
  }
  void connect() {
    link_.at_ = link_.agent_->connected(now_).value();
    wire_.connect();
    exchange();
  }
  void cut(const std::string& reason) {
    link_.agent_->closed(link_.at_, now_);
    wire_.cut(reason);
    step();
  }
  template <class T>
  std::vector<T> taken() {
    std::vector<T> found;
    std::erase_if(events_, [&](const driver::Event& event) {
      const T* one = std::get_if<T>(&event);
      if (one != nullptr) found.push_back(*one);
      return one != nullptr;
    });
    return found;
  }
  std::uint64_t metric(const std::string& name) {
    RunningDriver::Metrics metrics;
    driver_.append_metrics(metrics);
    for (const auto& [known, value] : metrics) {
      if (known == name) return value;
    }
    ADD_FAILURE() << "no metric " << name;
    return 0;
  }

  TimePoint now_{std::chrono::seconds{1}};
  Link link_;  // the emulated switch; the driver inside it stays unused
  MemoryWire wire_;
  int wakes_ = 0;
  std::size_t items_ = 0;
  std::size_t answers_ = 0;
  std::size_t requests_ = 0;
  std::vector<driver::Event> events_;
  RunningGsmpDriver driver_{options(), [] { return 0x0a1b2cU; }, wire_.transport()};
};

TEST_F(RunningGsmpDriverTest, ConnectedTheSwitchComesUpAndRequestsLeaveInOneWrite) {
  connect();
  EXPECT_THAT(taken<driver::Up>(), SizeIs(1));
  const int writes = wire_.writes();
  const std::size_t answers = answers_;
  const std::size_t requests = requests_;
  for (std::uint32_t i = 0; i < 100; ++i) {
    driver_.requests().add(cross(100 + i, 200 + i), {}, i);
  }
  driver_.requests().flush();
  EXPECT_EQ(wire_.writes(), writes) << "nothing leaves before the step ends";
  exchange();
  EXPECT_EQ(wire_.writes(), writes + 1);
  EXPECT_THAT(taken<driver::Done>(), SizeIs(100));
  EXPECT_EQ(answers_, answers + 100);
  EXPECT_EQ(requests_, requests + 100);
  EXPECT_EQ(link_.fabric_->branches(), 100U);
}

TEST_F(RunningGsmpDriverTest, ALossAmidRequestsAnswersThemAllAndTheNextConnectionComesUp) {
  connect();
  taken<driver::Up>();
  driver_.requests().add(cross(100, 200), {}, 1);
  driver_.requests().add(cross(101, 201), {}, 2);
  driver_.requests().flush();
  step();                                 // the requests leave ...
  cut("read: Connection reset by peer");  // ... and do not arrive
  ASSERT_THAT(events_, SizeIs(3));
  EXPECT_THAT(std::get<driver::Done>(events_[0]), Answered(1U, Cause::kSwitchUnreachable));
  EXPECT_THAT(std::get<driver::Done>(events_[1]), Answered(2U, Cause::kSwitchUnreachable));
  EXPECT_TRUE(std::holds_alternative<driver::Down>(events_[2]));
  events_.clear();
  EXPECT_EQ(driver_.why_away(), "read: Connection reset by peer");

  driver_.requests().add(cross(102, 202), {}, 3);
  driver_.requests().flush();
  step();
  EXPECT_THAT(taken<driver::Done>(), ElementsAre(Answered(3U, Cause::kSwitchUnreachable)));

  wire_.refuse("memory:1: connect: Connection refused");
  step();
  EXPECT_EQ(driver_.why_away(), "memory:1: connect: Connection refused");
  EXPECT_THAT(events_, IsEmpty());

  connect();
  EXPECT_EQ(driver_.why_away(), "");
  const auto up = taken<driver::Up>();
  ASSERT_THAT(up, SizeIs(1));
  EXPECT_TRUE(up[0].kept);
  driver_.requests().add(cross(100, 200), {}, 4);
  driver_.requests().flush();
  exchange();
  EXPECT_THAT(taken<driver::Done>(), ElementsAre(Answered(4U, Cause::kNone)));
  EXPECT_EQ(metric("gsmp_connections"), 2U);
  EXPECT_EQ(metric("gsmp_failed_attempts"), 1U);
  // Any number: the tests of the codec have the sizes of messages.
  EXPECT_GT(metric("gsmp_octets_in"), 0U);
  EXPECT_GT(metric("gsmp_octets_out"), 0U);
}

TEST_F(RunningGsmpDriverTest, AMessageInTwoPiecesIsOneAnswer) {
  connect();
  driver_.requests().add(cross(100, 200), {}, 1);
  driver_.requests().flush();
  step();
  link_.agent_->receive(link_.at_, wire_.take_sent(), now_);
  wire::Buffer answer;
  link_.agent_->take_output(link_.at_, answer);
  wire_.carry_to_driver(std::span(answer).first(7));
  wire_.carry_to_driver(std::span(answer).subspan(7));
  ASSERT_EQ(wakes_, 2) << "a wake for each upcall";
  EXPECT_EQ(driver_.on_wake(now_), 0U);
  EXPECT_EQ(driver_.on_wake(now_), 1U);
  EXPECT_EQ(driver_.on_wake(now_), 0U) << "a wake that finds nothing";
  wakes_ = 0;
  step();
  EXPECT_THAT(taken<driver::Done>(), ElementsAre(Answered(1U, Cause::kNone)));
}

TEST_F(RunningGsmpDriverTest, GarbageHasTheConnectionDropped) {
  connect();
  const wire::Buffer garbage(64, std::byte{0x42});
  wire_.carry_to_driver(garbage);
  step();
  EXPECT_TRUE(wire_.take_drop());
}

TEST_F(RunningGsmpDriverTest, OctetsThatNobodyTakesAreBounded) {
  connect();
  const wire::Buffer flood(std::size_t{16} << 20);
  for (int i = 0; i < 4; ++i) wire_.carry_to_driver(flood);
  EXPECT_FALSE(wire_.take_drop()) << "as much as the bound";
  EXPECT_EQ(wakes_, 4);
  const wire::Buffer more(1);
  wire_.carry_to_driver(more);
  EXPECT_EQ(wire_.take_drop(), "more than 67108864 octets of the switch wait to be read");
  wire_.carry_to_driver(more);
  EXPECT_EQ(wakes_, 4) << "nothing of a stream that has a hole";
}

TEST_F(RunningGsmpDriverTest, ATimeoutIsDueAtTheDeadline) {
  connect();
  driver_.requests().add(cross(100, 200), {}, 1);
  driver_.requests().flush();
  step();
  wire_.take_sent();  // lost
  EXPECT_LE(driver_.next_deadline(), now_ + std::chrono::seconds{2});
  now_ += std::chrono::seconds{2};
  driver_.tick(now_);
  EXPECT_TRUE(sleeps(driver_.next_deadline(), now_));
  step();
  EXPECT_THAT(taken<driver::Done>(), ElementsAre(Answered(1U, Cause::kTimeout)));
  EXPECT_EQ(metric("gsmp_timeouts"), 1U);
}

TEST_F(RunningGsmpDriverTest, NoWakeAfterStop) {
  connect();
  driver_.stop();
  wakes_ = 0;
  wire_.connect();
  wire_.carry_to_driver(wire::Buffer(8));
  wire_.refuse("nobody listens");
  EXPECT_EQ(wakes_, 0);
  driver_.requests().add(cross(100, 200), {}, 1);
  driver_.requests().flush();
  driver_.transmit();
  EXPECT_THAT(wire_.take_sent(), IsEmpty());
}

}  // namespace
}  // namespace xbind
