#include "bench/model/machine.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace xbind::model {
namespace {

// The delay before a deadline in the past is looked at.
constexpr Duration kTimerStep = std::chrono::microseconds{1};
// Separates the pauses from every other stream of the same seed.
constexpr std::uint64_t kPauses = 0x7061'7573'6573;

Duration share_of(Duration cost, double share) {
  return share == 1 ? cost : Duration{std::llround(share * static_cast<double>(cost.count()))};
}

}  // namespace

Machine::Machine(std::uint64_t seed)
    : pauses_(callgen::splitmix64(callgen::splitmix64(seed) ^ kPauses)) {}

std::size_t Machine::add_host(std::size_t cores, HostCosts costs) {
  XB_CHECK(cores > 0);
  hosts_.push_back({cores, costs, {}});
  return hosts_.size() - 1;
}

void Machine::add(Process& process, std::size_t host) {
  XB_CHECK(host < hosts_.size(), host, hosts_.size());
  process.host_ = host;
}

void Machine::deliver(Process& to, TimePoint at, Message message) {
  push(at, Kind::kArrival, to, keep(std::move(message)));
}

void Machine::start(Process& process) { set_timer(process); }

bool Machine::advance(TimePoint end) {
  if (queue_.empty() || queue_.next() > end) return false;
  const Event event = queue_.take();
  ++events_;
  Process& process = *event.process;
  switch (event.kind) {
    case Kind::kArrival: arrive(process, event.slot); break;
    case Kind::kRun: run(process); break;
    case Kind::kTaken:
      if (!process.inbox_.empty() && process.taken_.size() < process.drain_up_to_) {
        take(process);
      } else {
        step(process);
      }
      break;
    case Kind::kEnd: ended(process); break;
    case Kind::kTimer:
      if (process.timer_ != now_) break;  // a later setting replaced this timer
      process.timer_ = kNever;
      if (process.state_ != Process::State::kAsleep)
        break;  // it looks at its deadline itself when it is done
      if (process.next_deadline() <= now_) {
        wake(process);
      } else {
        set_timer(process);
      }
      break;
  }
  return true;
}

void Machine::push(TimePoint at, Kind kind, Process& process, std::uint32_t slot) {
  queue_.schedule(at, {&process, slot, kind});
}

void Machine::arrive(Process& process, std::uint32_t slot) {
  process.inbox_.push_back(std::move(messages_[slot]));
  free_slots_.push_back(slot);
  if (process.state_ == Process::State::kAsleep) wake(process);
}

void Machine::wake(Process& process) {
  Host& host = hosts_[process.host_];
  if (host.idle_cores == 0) {
    process.state_ = Process::State::kReady;
    host.ready.push_back(&process);
    return;
  }
  --host.idle_cores;
  process.state_ = Process::State::kOnCore;
  process.busy_ += host.costs.idle_wake;
  ++process.wakes_;
  process.slice_began_ = now_ + host.costs.wake_latency;
  push(process.slice_began_ + host.costs.idle_wake, Kind::kRun, process);
}

void Machine::run(Process& process) {
  process.run_began_ = now_;
  take(process);
}

void Machine::take(Process& process) {
  const HostCosts& costs = hosts_[process.host_].costs;
  Duration work{};
  const std::size_t most = costs.messages_a_run == 0 ? process.inbox_.size() : costs.messages_a_run;
  for (std::size_t taken = 0; taken < most && !process.inbox_.empty(); ++taken) {
    Message& message = process.inbox_.front();
    work += process.cost_of(message);
    if (costs.pause_chance > 0 && callgen::unit_interval(pauses_) <= costs.pause_chance) {
      const auto mean = static_cast<double>(costs.pause_mean.count());
      work += Duration{std::llround(callgen::exponential(pauses_, mean))};
    }
    process.taken_.push_back(std::move(message));
    process.inbox_.pop_front();
  }
  process.busy_ += work;
  push(now_ + work, Kind::kTaken, process);
}

void Machine::step(Process& process) {
  out_.clear();
  process.step(process.taken_, now_, out_);
  process.taken_.clear();
  TimePoint at = now_;
  const double first = hosts_[process.host_].costs.before_leaving;
  for (Outgoing& outgoing : out_) {
    const TimePoint leaves = at + share_of(outgoing.cost, first);
    at += outgoing.cost;
    push(leaves + outgoing.delay, Kind::kArrival, *outgoing.to, keep(std::move(outgoing.message)));
  }
  process.busy_ += at - now_;
  push(at, Kind::kEnd, process);
}

void Machine::ended(Process& process) {
  Host& host = hosts_[process.host_];
  // Deadlines are checked only when the run has taken time: otherwise a deadline that the logic
  // cannot act on would stop the clock.
  const bool due = now_ > process.run_began_ && process.next_deadline() <= now_;
  const bool more = !process.inbox_.empty() || due;
  const bool may_stay = host.ready.empty() || now_ - process.slice_began_ < host.costs.slice;
  if (more && may_stay) {
    run(process);
    return;
  }
  if (more) {
    process.state_ = Process::State::kReady;
    host.ready.push_back(&process);
  } else {
    process.state_ = Process::State::kAsleep;
    set_timer(process);
  }
  if (host.ready.empty()) {
    ++host.idle_cores;
    return;
  }
  Process& next = *host.ready.front();
  host.ready.pop_front();
  next.state_ = Process::State::kOnCore;
  next.busy_ += host.costs.switch_in;
  ++next.wakes_;
  next.slice_began_ = now_;
  push(now_ + host.costs.switch_in, Kind::kRun, next);
}

void Machine::set_timer(Process& process) {
  const TimePoint due = process.next_deadline();
  if (due == kNever) return;
  const TimePoint at = std::max(due, now_ + kTimerStep);
  if (process.timer_ != kNever && process.timer_ <= at) return;
  process.timer_ = at;
  push(at, Kind::kTimer, process);
}

std::uint32_t Machine::keep(Message message) {
  if (free_slots_.empty()) {
    messages_.push_back(std::move(message));
    return static_cast<std::uint32_t>(messages_.size() - 1);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  messages_[slot] = std::move(message);
  return slot;
}

}  // namespace xbind::model
