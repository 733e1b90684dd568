#include "bench/processes/interrupts.hpp"

#include <signal.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace xbind::callgen {
namespace {

constexpr std::array kNoted{SIGINT, SIGTERM, SIGHUP};

std::atomic<int> signal_noted{0};
std::array<struct sigaction, kNoted.size()> earlier;

// Read by the handler: whether a second signal ends the process, and when the first one came.
std::atomic<bool> second_ends{false};
std::atomic<std::int64_t> noted_at_ns{0};

std::atomic<void (*)()> restore_first{nullptr};

// timeout(1) signals the process and its group; a terminal signals the group, and a parent may
// forward its own signal. Signals so close together count as one request.
constexpr std::int64_t kOneWish_ns = 500'000'000;

// For the handler: clock_gettime() is async-signal-safe.
std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void note(int number) {
  int none = 0;
  if (signal_noted.compare_exchange_strong(none, number)) {
    noted_at_ns = now_ns();
    return;
  }
  if (!second_ends || now_ns() - noted_at_ns < kOneWish_ns) return;
  if (void (*const restore)() = restore_first) restore();
  signal(number, SIG_DFL);
  raise(number);  // pending until the handler returns
}

}  // namespace

Interrupts::Interrupts(Second second) {
  signal_noted = 0;
  second_ends = second == Second::kEndsTheProcess;
  struct sigaction action {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kNoted.size(); ++i) sigaction(kNoted[i], &action, &earlier[i]);
}

Interrupts::~Interrupts() {
  for (std::size_t i = 0; i < kNoted.size(); ++i) sigaction(kNoted[i], &earlier[i], nullptr);
}

void Interrupts::before_the_end(void (*restore)()) { restore_first = restore; }

int Interrupts::seen() { return signal_noted; }

Interrupts::Pause::Pause() : noted_(signal_noted.exchange(0)) {}

Interrupts::Pause::~Pause() {
  if (noted_ != 0) signal_noted = noted_;
}

}  // namespace xbind::callgen
