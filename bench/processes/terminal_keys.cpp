#include "bench/processes/terminal_keys.hpp"

#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>

#include "bench/processes/interrupts.hpp"

namespace xbind::callgen {
namespace {

// Signals that end or stop a process. Interrupts handles the others.
constexpr std::array kRestoring{SIGTSTP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// For the handlers, which use async-signal-safe functions only.
termios before{};
std::atomic<bool> changed{false};
std::array<struct sigaction, kRestoring.size()> handlers_before;

void restore() {
  if (changed.exchange(false)) tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

// The default effect follows: the process ends or stops. Once it goes on after a stop, the next
// read() changes the terminal again.
void on_signal(int number) {
  restore();
  struct sigaction ours {};
  struct sigaction theirs {};
  theirs.sa_handler = SIG_DFL;
  sigaction(number, &theirs, &ours);
  raise(number);
  sigaction(number, &ours, nullptr);
}

bool in_foreground() { return tcgetpgrp(STDIN_FILENO) == getpgrp(); }

void change() {
  if (changed || !in_foreground() || tcgetattr(STDIN_FILENO, &before) != 0) return;
  termios keys = before;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  keys.c_cc[VMIN] = 0;
  keys.c_cc[VTIME] = 0;
  changed = true;
  if (tcsetattr(STDIN_FILENO, TCSANOW, &keys) != 0) changed = false;
}

}  // namespace

std::unique_ptr<TerminalKeys> TerminalKeys::open() {
  if (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1) return nullptr;
  return std::unique_ptr<TerminalKeys>(new TerminalKeys());
}

TerminalKeys::TerminalKeys() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kRestoring.size(); ++i)
    sigaction(kRestoring[i], &action, &handlers_before[i]);
  Interrupts::before_the_end(restore);
  static const int at_exit = std::atexit(restore);
  static_cast<void>(at_exit);
  change();
}

TerminalKeys::~TerminalKeys() {
  restore();
  Interrupts::before_the_end(nullptr);
  for (std::size_t i = 0; i < kRestoring.size(); ++i)
    sigaction(kRestoring[i], &handlers_before[i], nullptr);
}

std::string TerminalKeys::read() {
  if (!in_foreground()) return {};
  change();
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (poll(&input, 1, 0) != 1 || (input.revents & POLLIN) == 0) return {};
  std::array<char, kKeysMax> keys{};
  const ssize_t count = ::read(STDIN_FILENO, keys.data(), keys.size());
  return count > 0 ? std::string(keys.data(), static_cast<std::size_t>(count)) : std::string{};
}

}  // namespace xbind::callgen
