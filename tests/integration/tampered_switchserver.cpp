// xbind-switchserver, with a ledger that goes wrong when it is told to: the audit must say so.
//   SIGUSR1: the next free label of port 2 vanishes from the books
//   SIGUSR2: port 2's account says that 1234 cells/s more are taken than are
// Each is followed by a line on standard output: "tampered: ...".
#include <signal.h>

#include <cstdio>
#include <thread>

#include "switchserver/daemon.hpp"
#include "switchserver/ledger_tamper.hpp"
#include "switchserver/program.hpp"

namespace {

using namespace xbind;

constexpr PortId kPort{2};

void tamper(SwitchServerDaemon& daemon, int signal_number) {
  const std::string done = daemon.ask([&](SwitchServer& server) {
    LedgerTamper ledger(server.controller());
    if (signal_number == SIGUSR1)
      return "withheld label " + to_string(ledger.withhold_label(kPort));
    ledger.falsify_bandwidth(kPort, Resources{1234, 0});
    return std::string{"falsified the bandwidth"};
  });
  std::printf("tampered: %s\n", done.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigaddset(&signals, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // every thread inherits it
  return run_switch_server(argc, argv, [signals](SwitchServerDaemon& daemon) {
    std::thread([signals, &daemon] {
      for (int signal_number = 0; sigwait(&signals, &signal_number) == 0;) {
        tamper(daemon, signal_number);
      }
    }).detach();  // ends with the process
  });
}
