// Hosts, cores and processes on virtual time.
//
//   message ──▶ inbox of a process ──▶ core ──▶ step(): the logic ──▶ messages, one after another
//
// A process is one serial server. When it gets a core it takes all messages that have arrived,
// works for as long as they cost, runs its logic once, and sends the results. Each message leaves
// when its own cost has been paid (core/serial.hpp does the same). Messages that arrive meanwhile
// belong to the next run. A process that drains (drain_up_to) first takes what has arrived while it
// worked, so that a busy one sends less often.
// A process without work sleeps. When a message wakes it, it takes an idle core, which costs a
// latency and more processor time than a switch on a busy core; or it waits for a core, first come
// first served. A process that always has work gives up its core at the end of a slice if others
// wait.
//
// Hosts of the paper's time work differently: they take one message at a time (`messages_a_run`),
// pay a part of a message's sending cost after it has left (`before_leaving`), and pause now and
// then (`pause_chance`, from the machine's seed).
//
// Events of equal time happen in the order in which they were scheduled (core/event_queue.hpp), so
// a run depends on its plan alone. Single-threaded; processes must outlive the machine's runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/message.hpp"
#include "callgen/load/random.hpp"
#include "core/clock.hpp"
#include "core/event_queue.hpp"

namespace xbind::model {

struct HostCosts {
  Duration
      wake_latency{};    // from a message's arrival to the start on an idle core; no processor time
  Duration idle_wake{};  // processor time before the process's first instruction on an idle core
  Duration switch_in{};  // the same on a core that another process has just left
  Duration slice{};      // how long a process may keep a core that others wait for
  std::size_t messages_a_run = 0;  // 0: all available ones
  double before_leaving = 1;       // fraction of a message's cost that its sender pays first; 0..1
  double pause_chance = 0;         // probability of a pause with each received message, 0..1
  Duration pause_mean{};           // exponential
};

class Process;

struct Outgoing {
  Process* to = nullptr;
  Message message;
  Duration cost{};   // paid by the sender, before the message leaves
  Duration delay{};  // of the network
};

class Process {
 public:
  explicit Process(std::string name) : name_(std::move(name)) {}
  virtual ~Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  const std::string& name() const { return name_; }
  Duration busy() const { return busy_; }         // processor time so far
  std::uint64_t wakes() const { return wakes_; }  // times it got a core

  // The cost of receiving this message.
  virtual Duration cost_of(const Message& message) const = 0;
  // Handles the messages and every deadline up to `now`; appends the messages to send.
  virtual void step(std::vector<Message>& messages, TimePoint now, std::vector<Outgoing>& out) = 0;
  virtual TimePoint next_deadline() const { return kNever; }

  // A run takes messages as they arrive until none is left or it has taken this many; 0: only those
  // that are there when the run begins.
  void drain_up_to(std::size_t messages) { drain_up_to_ = messages; }

 private:
  friend class Machine;
  enum class State : std::uint8_t { kAsleep, kReady, kOnCore };

  std::string name_;
  std::size_t host_ = 0;
  State state_ = State::kAsleep;
  std::deque<Message> inbox_;
  std::vector<Message> taken_;  // of the current run
  std::size_t drain_up_to_ = 0;
  TimePoint slice_began_{};
  TimePoint run_began_{};
  TimePoint timer_ = kNever;  // the earliest timer
  Duration busy_{};
  std::uint64_t wakes_ = 0;
};

class Machine {
 public:
  explicit Machine(std::uint64_t seed = 1);
  Machine(const Machine&) = delete;  // now_ refers to a member
  Machine& operator=(const Machine&) = delete;

  // Returns the number of the host. At least one core.
  std::size_t add_host(std::size_t cores, HostCosts costs);
  void add(Process& process, std::size_t host);
  bool same_host(const Process& a, const Process& b) const { return a.host_ == b.host_; }

  // From outside the model: `message` reaches `to` at that time.
  void deliver(Process& to, TimePoint at, Message message);
  // Reads the process's deadline; call once, before the first run.
  void start(Process& process);

  TimePoint now() const { return queue_.now(); }
  // One event. False: none is left, or the next one lies after `end`.
  bool advance(TimePoint end);
  std::uint64_t events() const { return events_; }

 private:
  enum class Kind : std::uint8_t { kArrival, kRun, kTaken, kEnd, kTimer };
  struct Event {
    Process* process;
    std::uint32_t slot;  // of the message
    Kind kind;
  };
  struct Host {
    std::size_t idle_cores;
    HostCosts costs;
    std::deque<Process*> ready;
  };

  void push(TimePoint at, Kind kind, Process& process, std::uint32_t slot = 0);
  void arrive(Process& process, std::uint32_t slot);
  void wake(Process& process);
  void run(Process& process);
  void take(Process& process);
  void step(Process& process);
  void ended(Process& process);
  void set_timer(Process& process);
  std::uint32_t keep(Message message);

  EventQueue<Event> queue_;
  const TimePoint& now_ = queue_.now();
  std::uint64_t events_ = 0;
  std::vector<Message> messages_;  // on their way, by slot
  std::vector<std::uint32_t> free_slots_;
  std::vector<Host> hosts_;
  std::vector<Outgoing> out_;  // of the current step
  callgen::RandomBits pauses_;
};

}  // namespace xbind::model
