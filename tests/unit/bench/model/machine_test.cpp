#include "bench/model/machine.hpp"

#include <gtest/gtest.h>

#include "callgen/load/pacer.hpp"
#include "core/metrics/histogram.hpp"

namespace xbind::model {
namespace {

using std::chrono::microseconds;

// Works for the same time on every message and records when each was done. The number of the
// reminder is the time at which the message was sent, in nanoseconds.
class Worker final : public Process {
 public:
  Worker(const char* name, Duration work) : Process(name), work_(work) {}

  Duration cost_of(const Message&) const override { return work_; }
  void step(std::vector<Message>& messages, TimePoint now, std::vector<Outgoing>& out) override {
    ++steps;
    for (const Message& message : messages) {
      const Duration sent{static_cast<Duration::rep>(std::get<Reminder>(message.body).number)};
      sojourn.record(now.time_since_epoch() - sent);
      if (next != nullptr) out.push_back({next, message, send_cost, Duration::zero()});
    }
    last = now;
  }

  Process* next = nullptr;
  Duration send_cost{};
  std::uint64_t steps = 0;
  TimePoint last{};
  Histogram sojourn;

 private:
  Duration work_;
};

Message sent_at(TimePoint at) {
  return {{}, Reminder{static_cast<std::uint64_t>(at.time_since_epoch().count())}};
}
void send(Machine& machine, Process& to, TimePoint at) { machine.deliver(to, at, sent_at(at)); }
void run(Machine& machine) {
  while (machine.advance(kNever)) {
  }
}
TimePoint after(Duration time) { return TimePoint{} + time; }

TEST(Machine, AnIdleProcessPaysForItsWakeUpAndThenForTheMessage) {
  Machine machine;
  Worker worker("worker", microseconds{10});
  machine.add(worker, machine.add_host(1, {.wake_latency = microseconds{30},
                                           .idle_wake = microseconds{20},
                                           .switch_in = microseconds{5},
                                           .slice = microseconds{1'000}}));
  send(machine, worker, after(microseconds{100}));
  run(machine);
  EXPECT_EQ(worker.last, after(microseconds{160}));
  EXPECT_EQ(worker.busy(), microseconds{30});
  EXPECT_EQ(worker.wakes(), 1U);
}

TEST(Machine, WhatArrivesDuringARunIsOneMoreRunWithoutAWakeUp) {
  Machine machine;
  Worker worker("worker", microseconds{10});
  machine.add(worker, machine.add_host(1, {.idle_wake = microseconds{20}}));
  for (const int at : {0, 21, 22, 23}) send(machine, worker, after(microseconds{at}));
  run(machine);
  EXPECT_EQ(worker.steps, 2U);
  EXPECT_EQ(worker.wakes(), 1U);
  EXPECT_EQ(worker.last, after(microseconds{60}));
}

TEST(Machine, AProcessThatDrainsTakesWhatArrivesBeforeItSteps) {
  Machine machine;
  Worker worker("worker", microseconds{10});
  worker.drain_up_to(4);
  machine.add(worker, machine.add_host(1, {}));
  for (const int at : {0, 1, 2, 11, 31}) send(machine, worker, after(microseconds{at}));
  run(machine);
  // One arrives at 0, two at 10, one at 30. A run ends after four; the
  // last one is a run of its own.
  EXPECT_EQ(worker.steps, 2U);
  EXPECT_EQ(worker.last, after(microseconds{50}));
  EXPECT_EQ(worker.sojourn.max(), microseconds{40});
}

TEST(Machine, MessagesLeaveOneAfterAnotherEachWhenItHasBeenPaidFor) {
  Machine machine;
  Worker sender("sender", microseconds{1});
  Worker receiver("receiver", microseconds{1});
  sender.next = &receiver;
  sender.send_cost = microseconds{5};
  machine.add(sender, machine.add_host(1, {}));
  machine.add(receiver, machine.add_host(1, {}));
  for (int message = 0; message < 3; ++message) send(machine, sender, after(microseconds{10}));
  run(machine);
  // All are handled in one run until 13; they leave at 18, 23 and 28.
  EXPECT_EQ(sender.steps, 1U);
  EXPECT_EQ(receiver.steps, 3U);
  EXPECT_EQ(receiver.last, after(microseconds{29}));
  EXPECT_EQ(sender.busy(), microseconds{18});
}

TEST(Machine, OfAnotherTimeItTakesAMessageAtATime) {
  Machine machine;
  Worker worker("worker", microseconds{10});
  machine.add(worker, machine.add_host(1, {.messages_a_run = 1}));
  for (int message = 0; message < 3; ++message) send(machine, worker, after(microseconds{5}));
  run(machine);
  EXPECT_EQ(worker.steps, 3U);
  EXPECT_EQ(worker.sojourn.min(), microseconds{10});
  EXPECT_EQ(worker.sojourn.max(), microseconds{30});
}

TEST(Machine, WhatIsPaidAfterwardsDelaysTheNextMessageAndNotTheOneThatLeaves) {
  Machine machine;
  Worker sender("sender", microseconds{1});
  Worker receiver("receiver", microseconds{1});
  sender.next = &receiver;
  sender.send_cost = microseconds{8};
  machine.add(sender, machine.add_host(1, {.before_leaving = 0.25}));
  machine.add(receiver, machine.add_host(1, {}));
  for (int message = 0; message < 2; ++message) send(machine, sender, after(microseconds{10}));
  run(machine);
  // All are handled in one run until 12; they leave at 14 and 22, and the sender is free at 28.
  EXPECT_EQ(receiver.sojourn.min(), microseconds{5});
  EXPECT_EQ(receiver.last, after(microseconds{23}));
  EXPECT_EQ(sender.busy(), microseconds{18});
}

TEST(Machine, PausesComeAsOftenAndAsLongAsTheyAreAskedForAndFromTheSeed) {
  const auto busy_of = [](std::uint64_t seed, double chance) {
    Machine machine(seed);
    Worker worker("worker", microseconds{10});
    machine.add(worker, machine.add_host(1, {.messages_a_run = 1,
                                             .pause_chance = chance,
                                             .pause_mean = microseconds{200}}));
    constexpr int kMessages = 20'000;
    for (int message = 0; message < kMessages; ++message) {
      send(machine, worker, after(microseconds{100 * message}));
    }
    run(machine);
    return std::chrono::duration<double, std::micro>(worker.busy()).count() / kMessages;
  };
  EXPECT_EQ(busy_of(1, 0), 10);
  EXPECT_NEAR(busy_of(1, 0.1), 10 + 0.1 * 200, 2);  // four times the standard error
  EXPECT_NEAR(busy_of(1, 0.1), 30.1449441, 1e-6) << "the same in every build";
  EXPECT_NE(busy_of(1, 0.1), busy_of(2, 0.1));
}

TEST(Machine, OnOneCoreProcessesTakeTurnsFirstComeFirstServed) {
  Machine machine;
  Worker first("first", microseconds{10});
  Worker second("second", microseconds{10});
  Worker third("third", microseconds{10});
  const std::size_t host = machine.add_host(1, {.switch_in = microseconds{2}});
  for (Worker* worker : {&first, &second, &third}) machine.add(*worker, host);
  send(machine, first, after(microseconds{0}));
  send(machine, third, after(microseconds{1}));
  send(machine, second, after(microseconds{2}));
  run(machine);
  EXPECT_EQ(first.last, after(microseconds{10}));
  EXPECT_EQ(third.last, after(microseconds{22}));
  EXPECT_EQ(second.last, after(microseconds{34}));
}

TEST(Machine, ABusyProcessGivesUpItsCoreAtTheEndOfItsSlice) {
  Machine machine;
  Worker busy("busy", microseconds{10});
  Worker other("other", microseconds{10});
  const std::size_t host = machine.add_host(1, {.slice = microseconds{25}});
  machine.add(busy, host);
  machine.add(other, host);
  for (int at = 0; at < 100; at += 10) send(machine, busy, after(microseconds{at}));
  send(machine, other, after(microseconds{1}));
  run(machine);
  EXPECT_EQ(other.last, after(microseconds{40}));
}

// Poisson arrivals at a serial server with constant work. The server takes a whole queue at a time,
// so its messages complete together, when the last one is done. None is earlier than in M/D/1, and
// the work ends at the same time as there.
TEST(Machine, ALoneServerIsBusyAsMuchAsItsLoadAndNoFasterThanMD1) {
  for (const double load : {0.2, 0.5, 0.8}) {
    Machine machine;
    const Duration work = microseconds{100};
    Worker worker("worker", work);
    machine.add(worker, machine.add_host(1, {}));
    callgen::Pacer pacer(callgen::Arrivals::kPoisson, load * 10'000, 7);
    constexpr int kMessages = 100'000;
    Duration lindley{};  // work that an arrival finds, in order of arrival
    Duration before{};
    double waits_ns = 0;
    for (int message = 0; message < kMessages; ++message) {
      const Duration at = pacer.next_start();
      if (message > 0) lindley = std::max(Duration::zero(), lindley + work - (at - before));
      before = at;
      waits_ns += static_cast<double>(lindley.count());
      send(machine, worker, TimePoint{at});
    }
    run(machine);
    const double wait_us = waits_ns / kMessages / 1e3;
    EXPECT_NEAR(wait_us, 100 * load / (2 * (1 - load)), 0.05 * 100 * load / (1 - load)) << load;
    EXPECT_EQ(worker.last, TimePoint{before + lindley + work}) << load;
    EXPECT_EQ(worker.busy(), work * kMessages) << load;
    const double sojourn_us = worker.sojourn.mean_ns() / 1e3;
    EXPECT_GE(sojourn_us, 100 + wait_us) << load;
    EXPECT_LE(sojourn_us, 100 + 2.2 * wait_us) << load;
  }
}

}  // namespace
}  // namespace xbind::model
