#include "bench/null/standard_input.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "bench/null/daemon.hpp"
#include "orb/process.hpp"

namespace xbind::callgen::null {

void follow_parent() {
  orb::take_signals();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
}

std::optional<std::string> read_line() {
  std::string line;
  for (char octet = 0;;) {
    const ssize_t got = read(STDIN_FILENO, &octet, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    if (octet == '\n') return line;
    line.push_back(octet);
  }
}

void wait_for_end() {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  std::array<pollfd, 2> sources{pollfd{signalfd(-1, &ending, SFD_CLOEXEC), POLLIN, 0},
                                pollfd{STDIN_FILENO, POLLIN, 0}};
  std::array<char, 256> ignored{};
  for (;;) {
    if (poll(sources.data(), sources.size(), -1) < 0 && errno != EINTR) return;
    if (sources[0].revents != 0) return;
    if (sources[1].revents != 0 && read(STDIN_FILENO, ignored.data(), ignored.size()) <= 0) return;
  }
}

}  // namespace xbind::callgen::null
