// Single keys from the terminal of this process, without Enter and without an echo.
//
// The terminal is restored by the destructor, before SIGTSTP stops the process, before a deadly
// signal ends it, and on exit(). After SIGKILL nothing restores it: `stty sane` does. Signals of
// the terminal (Ctrl-C, Ctrl-Z) keep their meaning. A process in the background reads nothing and
// leaves the terminal alone.
#pragma once

#include <memory>
#include <string>

namespace xbind::callgen {

// One object at a time; one thread.
class TerminalKeys {
 public:
  // nullptr: standard input or standard error is no terminal.
  static std::unique_ptr<TerminalKeys> open();
  ~TerminalKeys();
  TerminalKeys(const TerminalKeys&) = delete;
  TerminalKeys& operator=(const TerminalKeys&) = delete;

  // Longest result of read(), in keys; further ones come next time.
  static constexpr std::size_t kKeysMax = 64;
  // The keys pressed since the last call. Never waits.
  std::string read();

 private:
  TerminalKeys();
};

}  // namespace xbind::callgen
