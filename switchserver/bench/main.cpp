// switch_bench measures what one cross-connect costs between the SwitchServer's GSMP driver and
// xbind-switch, and how long it waits while cells use all of the switch.
//
//   switch_bench [ADDS]     number of Add Branches in the first measurement; 200 000 by default
//
// It starts the xbind-switch in its own directory, on a free port of the loopback interface.
//
// 1. Pipelined: batches of Add Branch over loopback TCP; each batch is deleted again. Measures the
// processor time of this process (driver, transport) and of the switch, per Add Branch and per
// delete.
// 2. One Add Branch at a time, while cells circulate in the switch as fast as it forwards them
// (ports 2 and 3 are the two ends of a ring, cross-connected both ways). Blocks of these alternate
// with blocks of a ping-pong of equally many octets over loopback TCP, whose peer is a thread that
// only echoes. The ping-pong runs once on this side's core, where no other core has to wake up, and
// once on the switch's core: the same path as the Add Branch takes, with the switch beside it.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <future>
#include <random>
#include <string>
#include <thread>

#include "core/bench.hpp"
#include "core/steady_now.hpp"
#include "dataplane/host/open_host_lines.hpp"
#include "net/tcp_client.hpp"
#include "switchserver/drivers/running_gsmp_driver.hpp"

namespace xbind {
namespace {

[[noreturn]] void die(const std::string& reason) {
  fmt::print(stderr, "switch_bench: {}\n", reason);
  std::exit(1);
}

double seconds_of(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) die("no processor clock");
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

constexpr int kOurCore = 0;
constexpr int kSwitchCore = 1;

// Process 0: the calling thread.
void pin(pid_t process, int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(static_cast<std::size_t>(core), &cores);
  if (sched_setaffinity(process, sizeof cores, &cores) != 0) {
    die(fmt::format("core {} cannot be had", core));
  }
}

std::uint16_t free_udp_port() {
  const int probe = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(probe, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    die("no UDP port");
  }
  close(probe);
  return ntohs(address.sin_port);
}

// The xbind-switch beside this program, until the end of the scope.
class SwitchProcess {
 public:
  explicit SwitchProcess(const std::vector<std::string>& more) {
    const auto program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "xbind-switch";
    std::vector<std::string> words{program.string(), "--listen", "127.0.0.1:0", "--log-level",
                                   "error"};
    words.insert(words.end(), more.begin(), more.end());
    std::array<int, 2> out{};
    if (pipe(out.data()) != 0) die("no pipe");
    pid_ = fork();
    if (pid_ < 0) die("no process");
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM);  // ends the switch also after die()
      dup2(out[1], STDOUT_FILENO);
      std::vector<char*> arguments;
      arguments.reserve(words.size() + 1);
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      execv(program.c_str(), arguments.data());
      std::perror(program.c_str());
      _exit(127);
    }
    close(out[1]);
    std::string line;
    for (char letter = 0; read(out[0], &letter, 1) == 1 && letter != '\n';) line.push_back(letter);
    close(out[0]);
    const std::size_t colon = line.rfind(':');
    if (colon == std::string::npos) die("xbind-switch did not start");
    port_ = static_cast<std::uint16_t>(std::stoi(line.substr(colon + 1)));
    if (clock_getcpuclockid(pid_, &clock_) != 0) die("no processor clock of xbind-switch");
  }
  ~SwitchProcess() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  SwitchProcess(const SwitchProcess&) = delete;
  SwitchProcess& operator=(const SwitchProcess&) = delete;

  std::uint16_t port() const { return port_; }
  double cpu_s() const { return seconds_of(clock_); }
  void stay_on(int core) const { pin(pid_, core); }

 private:
  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
  clockid_t clock_{};
};

constexpr std::uint32_t kVciMin = 32;
constexpr std::uint32_t kBatch = 256;
constexpr TrafficContract kContract{ServiceCategory::kCbr, 4528, 250};

CrossConnect cross_connect(std::uint32_t number) {
  const Label label = atm_label(0, kVciMin + number);
  return {PortId(1), label, PortId(4), label};
}

std::function<std::uint32_t()> chance() {
  return [source = std::mt19937(std::random_device{}())]() mutable {
    return static_cast<std::uint32_t>(source());
  };
}

gsmp::SessionOptions session_options() {
  gsmp::SessionOptions options;
  options.adjacency.name = gsmp::name_from("switch_bench");
  return options;
}

// ----- 1: pipelined ------------------------------------------------------------------------------

// Everything runs on the transport's thread, as everything in a SwitchServer runs on the thread
// that received the octets. The run takes only seconds, so the adjacency needs no tick.
class Pipeline {
 public:
  Pipeline(std::uint16_t port, std::uint32_t batches)
      : batches_(batches),
        driver_(
            session_options(), chance(),
            std::make_unique<net::TcpClient>(net::TcpClientOptions{.peer = {"127.0.0.1", port}})) {}

  void run() {
    driver_.start([this](std::size_t) { step(); });
    done_.get_future().wait();
    driver_.stop();
  }

 private:
  void step() {
    if (finished_) return;
    driver_.on_wake(steady_now());
    if (const std::string why = driver_.why_away(); !why.empty()) die(why);
    driver_.take_events(events_);
    for (const driver::Event& event : events_) {
      if (std::holds_alternative<driver::Up>(event)) next_batch();
      if (const auto* answer = std::get_if<driver::Done>(&event)) {
        if (answer->cause != Cause::kNone) die("refused: " + std::string(to_string(answer->cause)));
        if (--missing_ == 0) next_batch();
      }
    }
    driver_.transmit();
  }

  // Adds and deletes alternate.
  void next_batch() {
    if (begun_ == 2 * batches_) {
      finished_ = true;
      done_.set_value();
      return;
    }
    missing_ = kBatch;
    for (std::uint32_t number = 0; number < kBatch; ++number) {
      if (begun_ % 2 == 0) {
        driver_.requests().add(cross_connect(number), kContract, number);
      } else {
        driver_.requests().remove(cross_connect(number), number);
      }
    }
    driver_.requests().flush();
    ++begun_;
  }

  std::uint32_t batches_;
  std::uint32_t begun_ = 0;
  std::uint32_t missing_ = 0;
  std::atomic<bool> finished_ = false;
  std::promise<void> done_;
  std::vector<driver::Event> events_;
  RunningGsmpDriver driver_;
};

void pipelined(std::uint32_t adds) {
  const std::uint32_t batches = std::max(1U, adds / kBatch);
  const double operations = 2.0 * batches * kBatch;
  SwitchProcess far({"--ports", "4"});
  const double far_before = far.cpu_s();
  const double near_before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  const TimePoint began = steady_now();
  Pipeline(far.port(), batches).run();
  const double took = std::chrono::duration<double>(steady_now() - began).count();
  const double near = (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - near_before) / operations * 1e6;
  const double away = (far.cpu_s() - far_before) / operations * 1e6;
  fmt::print("Add Branch (CBR) and delete, {} at a time over loopback TCP: {:.0f} a second\n",
             kBatch, operations / took);
  fmt::print("  processor for each: driver {:.2f} us + switch {:.2f} us = {:.2f} us\n", near, away,
             near + away);
}

// ----- 2: one at a time, under cells -------------------------------------------------------------

int connect_to(std::uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    die("the connection was refused");
  }
  return descriptor;
}

void write_all(int descriptor, std::span<const std::byte> octets) {
  while (!octets.empty()) {
    const ssize_t sent = write(descriptor, octets.data(), octets.size());
    if (sent <= 0) die("a connection was closed");
    octets = octets.subspan(static_cast<std::size_t>(sent));
  }
}

// The driver on a blocking socket: one thread, nothing between the driver and the kernel.
class BlockingSwitch {
 public:
  explicit BlockingSwitch(std::uint16_t port)
      : driver_(session_options(), chance()), socket_(connect_to(port)) {
    driver_.connected(steady_now());
    until([](const driver::Event& event) { return std::holds_alternative<driver::Up>(event); });
  }
  ~BlockingSwitch() { close(socket_); }
  BlockingSwitch(const BlockingSwitch&) = delete;
  BlockingSwitch& operator=(const BlockingSwitch&) = delete;

  void add(const CrossConnect& wanted) {
    driver_.add(wanted, kContract, 1);
    finish();
  }
  void remove(const CrossConnect& wanted) {
    driver_.remove(wanted, 1);
    finish();
  }
  std::uint64_t cells_out(PortId port) {
    driver_.read_statistics(port, {}, 1);
    std::uint64_t cells = 0;
    until([&](const driver::Event& event) {
      const auto* statistics = std::get_if<driver::Statistics>(&event);
      if (statistics != nullptr) cells = statistics->counters.output_cells;
      return statistics != nullptr;
    });
    return cells;
  }

 private:
  void finish() {
    driver_.flush();
    until([](const driver::Event& event) {
      const auto* answer = std::get_if<driver::Done>(&event);
      if (answer != nullptr && answer->cause != Cause::kNone) {
        die("refused: " + std::string(to_string(answer->cause)));
      }
      return answer != nullptr;
    });
  }
  template <class Wanted>
  void until(Wanted&& wanted) {
    for (;;) {
      driver_.tick(steady_now());
      driver_.take_output(output_);
      if (!output_.empty()) write_all(socket_, output_);
      const ssize_t got = read(socket_, input_.data(), input_.size());
      if (got <= 0) die("the switch closed the connection");
      driver_.receive(std::span(input_).first(static_cast<std::size_t>(got)), steady_now());
      bool found = false;
      for (const driver::Event& event : driver_.take_events()) found = wanted(event) || found;
      if (found) return;
    }
  }

  GsmpDriver driver_;
  int socket_;
  wire::Buffer output_;
  std::array<std::byte, 65536> input_{};
};

// Echoes everything it receives until the far end closes.
class Echo {
 public:
  explicit Echo(int core) {
    const int listening = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listening, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        listen(listening, 1) != 0 ||
        getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      die("no TCP port");
    }
    near_ = connect_to(ntohs(address.sin_port));
    const int far = accept(listening, nullptr, nullptr);
    const int on = 1;
    setsockopt(far, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    close(listening);
    thread_ = std::thread([far, core] {
      pin(0, core);
      std::array<std::byte, 4096> octets{};
      for (ssize_t got = 0; (got = read(far, octets.data(), octets.size())) > 0;) {
        write_all(far, std::span(octets).first(static_cast<std::size_t>(got)));
      }
      close(far);
    });
  }
  ~Echo() {
    shutdown(near_, SHUT_WR);
    thread_.join();
    close(near_);
  }
  Echo(const Echo&) = delete;
  Echo& operator=(const Echo&) = delete;

  void ping_pong() {
    std::array<std::byte, 72> octets{};  // of an Add Branch with a traffic block, framed
    write_all(near_, octets);
    for (std::size_t missing = octets.size(); missing > 0;) {
      const ssize_t got = read(near_, octets.data(), missing);
      if (got <= 0) die("the echo is gone");
      missing -= static_cast<std::size_t>(got);
    }
  }

 private:
  int near_ = -1;
  std::thread thread_;
};

class Latencies {
 public:
  template <class Work>
  void time(Work&& work) {
    const TimePoint began = steady_now();
    work();
    us_.push_back(std::chrono::duration<double, std::micro>(steady_now() - began).count());
  }
  double percentile(double share) {
    std::sort(us_.begin(), us_.end());
    return us_[static_cast<std::size_t>(share * static_cast<double>(us_.size() - 1))];
  }

 private:
  std::vector<double> us_;
};

void under_cells() {
  constexpr int kBlocks = 40;
  constexpr std::uint32_t kBlock = 250;
  const std::uint16_t switch_port = free_udp_port();
  const std::uint16_t host_port = free_udp_port();
  SwitchProcess far({"--ports", "4", "--port-cells-per-s", "2=4294967295,3=4294967295", "--links",
                     fmt::format("1=mpls:127.0.0.1:{}/127.0.0.1:{}/1000,2=ring:round,3=ring:round",
                                 switch_port, host_port)});
  BlockingSwitch near(far.port());
  const Label round = atm_label(0, 1000);
  near.add({PortId(1), round, PortId(2), round});
  near.add({PortId(3), round, PortId(2), round});
  near.add({PortId(2), round, PortId(3), round});

  // The cells that the switch moves at a time; they circulate for ever.
  const auto spec = dataplane::parse_link_spec(
      fmt::format("mpls:127.0.0.1:{}/127.0.0.1:{}/1000", host_port, switch_port));
  const std::vector<dataplane::NamedLink> hosts{{"host", *spec}};
  auto lines = dataplane::open_host_lines(hosts);
  if (!lines) die(lines.error().text);
  dataplane::HostLine& host = *lines->lines.begin()->second;
  const dataplane::Cell cell{dataplane::cell_header(0, 1000)};
  for (int sent = 0; sent < 128; ++sent) {
    if (!host.send_cells(std::span(&cell, 1))) die("the host's line is full");
    while (host.poll(steady_now()) > 0) {
    }
  }

  far.stay_on(kSwitchCore);
  pin(0, kOurCore);
  Echo here(kOurCore);
  Echo there(kSwitchCore);
  Latencies adds;
  Latencies pings_here;
  Latencies pings_there;
  const std::uint64_t cells_before = near.cells_out(PortId(2)) + near.cells_out(PortId(3));
  const TimePoint began = steady_now();
  for (int block = 0; block < kBlocks; ++block) {
    for (std::uint32_t number = 0; number < kBlock; ++number) {
      adds.time([&] { near.add(cross_connect(number)); });
    }
    for (std::uint32_t number = 0; number < kBlock; ++number) {
      pings_here.time([&] { here.ping_pong(); });
    }
    for (std::uint32_t number = 0; number < kBlock; ++number) {
      pings_there.time([&] { there.ping_pong(); });
    }
    for (std::uint32_t number = 0; number < kBlock; ++number) near.remove(cross_connect(number));
  }
  const double took = std::chrono::duration<double>(steady_now() - began).count();
  const std::uint64_t cells = near.cells_out(PortId(2)) + near.cells_out(PortId(3)) - cells_before;
  fmt::print("One Add Branch at a time, beside {:.1f} M cells/s in the same switch:\n",
             static_cast<double>(cells) / took / 1e6);
  const auto row = [](const char* what, Latencies& latencies) {
    fmt::print("  {:<38} p50 {:6.1f} us   p99 {:6.1f} us\n", what, latencies.percentile(0.5),
               latencies.percentile(0.99));
  };
  row("Add Branch", adds);
  row("raw ping-pong, on this core", pings_here);
  row("raw ping-pong, with the switch's core", pings_there);
  fmt::print("  p99 of Add Branch: {:.2f} of the one, {:.2f} of the other\n",
             adds.percentile(0.99) / pings_here.percentile(0.99),
             adds.percentile(0.99) / pings_there.percentile(0.99));
}

}  // namespace
}  // namespace xbind

int main(int argc, char** argv) {
  const auto adds =
      xbind::bench_argument<std::uint32_t>(argc, argv, "switch_bench [ADDS]", 200'000);
  if (!adds) return 2;
  xbind::pipelined(*adds);
  xbind::under_cells();
  return 0;
}
