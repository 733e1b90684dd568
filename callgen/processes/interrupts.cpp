#include "callgen/processes/interrupts.hpp"

#include <signal.h>

#include <array>
#include <atomic>

namespace xbind::callgen {
namespace {

constexpr std::array kNoted{SIGINT, SIGTERM, SIGHUP};

std::atomic<int> signal_noted{0};
std::array<struct sigaction, kNoted.size()> earlier;

void note(int number) {
  int none = 0;
  signal_noted.compare_exchange_strong(none, number);
}

}  // namespace

Interrupts::Interrupts() {
  signal_noted = 0;
  struct sigaction action {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kNoted.size(); ++i) sigaction(kNoted[i], &action, &earlier[i]);
}

Interrupts::~Interrupts() {
  for (std::size_t i = 0; i < kNoted.size(); ++i) sigaction(kNoted[i], &earlier[i], nullptr);
}

int Interrupts::seen() { return signal_noted; }

Interrupts::Pause::Pause() : noted_(signal_noted.exchange(0)) {}

Interrupts::Pause::~Pause() {
  if (noted_ != 0) signal_noted = noted_;
}

}  // namespace xbind::callgen
