// xbind-switchserver with faults that signals cause; audit, health and alarms must report them.
//   SIGUSR1: removes the next free label of port 2 from the ledger
//   SIGUSR2: adds 1234 cells/s that no hop takes to port 2's account
//   SIGALRM: its logic hangs until the next SIGALRM
// Each prints a line on standard output: "tampered: ...".
#include <signal.h>

#include <cstdio>
#include <thread>

#include "switchserver/daemon.hpp"
#include "switchserver/ledger_tamper.hpp"
#include "switchserver/program.hpp"

namespace {

using namespace xbind;

constexpr PortId kPort{2};

void hang(SwitchServerDaemon& daemon) {
  daemon.ask([](SwitchServer&) {
    std::printf("tampered: the logic hangs\n");
    std::fflush(stdout);
    sigset_t again;
    sigemptyset(&again);
    sigaddset(&again, SIGALRM);
    int signal_number = 0;
    return sigwait(&again, &signal_number);
  });
}

void tamper(SwitchServerDaemon& daemon, int signal_number) {
  if (signal_number == SIGALRM) return hang(daemon);
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
  sigaddset(&signals, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // inherited by every thread
  return run_switch_server(argc, argv, [signals](SwitchServerDaemon& daemon) {
    std::thread([signals, &daemon] {
      for (int signal_number = 0; sigwait(&signals, &signal_number) == 0;) {
        tamper(daemon, signal_number);
      }
    }).detach();  // the process's end stops it
  });
}
