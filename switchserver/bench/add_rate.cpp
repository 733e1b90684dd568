// add_rate measures how fast a running GSMP switch takes Add Branch requests from the
// SwitchServer's driver.
//
//   add_rate HOST:PORT FROM TO ADDS [WINDOW]
//
// It adds ADDS cross-connects from port FROM to port TO, both with MPLS labels from 16, without a
// traffic contract, and never has more than WINDOW (256) open requests. Then it deletes them in the
// same way. Output: one JSON object, rates in requests a second.
#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <optional>
#include <random>
#include <string>

#include "core/label.hpp"
#include "core/steady_now.hpp"
#include "net/tcp_client.hpp"
#include "switchserver/drivers/running_gsmp_driver.hpp"

namespace xbind {
namespace {

[[noreturn]] void die(const std::string& reason) {
  fmt::print(stderr, "add_rate: {}\n", reason);
  std::exit(1);
}

struct Task {
  HostPort peer;
  PortId from;
  PortId to;
  std::uint32_t adds = 0;
  std::uint32_t window = 256;
};

std::uint32_t number_of(const char* text, std::uint32_t most) {
  std::uint32_t number = 0;
  const std::string_view all(text);
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), number);
  if (error != std::errc{} || end != all.data() + all.size() || number < 1 || number > most)
    die(fmt::format("'{}' is no number of 1 to {}", text, most));
  return number;
}

// Everything runs on the transport's thread.
class Run {
 public:
  explicit Run(const Task& task)
      : task_(task),
        driver_(
            session_options(),
            [source = std::mt19937(std::random_device{}())]() mutable {
              return static_cast<std::uint32_t>(source());
            },
            std::make_unique<net::TcpClient>(net::TcpClientOptions{.peer = task.peer})) {}

  void run() {
    driver_.start([this](std::size_t) { step(); });
    done_.get_future().wait();
    driver_.stop();
    fmt::print(
        "{{\"adds\": {}, \"window\": {}, \"adds_per_s\": {:.0f}, \"deletes_per_s\": {:.0f}}}\n",
        task_.adds, task_.window, task_.adds / add_s_, task_.adds / delete_s_);
  }

 private:
  static gsmp::SessionOptions session_options() {
    gsmp::SessionOptions options;
    options.adjacency.name = gsmp::name_from("add_rate");
    return options;
  }

  CrossConnect cross_connect(std::uint32_t number) const {
    const Label label{LabelKind::kMpls, kMplsLabelMin + number};
    return {task_.from, label, task_.to, label};
  }

  void step() {
    if (finished_) return;
    const TimePoint now = steady_now();
    driver_.on_wake(now);
    if (const std::string why = driver_.why_away(); !why.empty()) die(why);
    driver_.take_events(events_);
    for (const driver::Event& event : events_) {
      if (std::holds_alternative<driver::Up>(event)) {
        began_ = now;
        up_ = true;
      }
      if (const auto* answer = std::get_if<driver::Done>(&event)) {
        if (answer->cause != Cause::kNone) die("refused: " + std::string(to_string(answer->cause)));
        ++answered_;
      }
    }
    if (up_) advance(now);
    driver_.transmit();
  }

  void advance(TimePoint now) {
    if (answered_ == task_.adds) {
      const double took = std::chrono::duration<double>(now - began_).count();
      (deleting_ ? delete_s_ : add_s_) = took;
      if (deleting_) {
        finished_ = true;
        return done_.set_value();
      }
      deleting_ = true;
      began_ = now;
      sent_ = answered_ = 0;
    }
    while (sent_ < task_.adds && sent_ - answered_ < task_.window) {
      if (deleting_) {
        driver_.requests().remove(cross_connect(sent_), sent_);
      } else {
        driver_.requests().add(cross_connect(sent_), TrafficContract{}, sent_);
      }
      ++sent_;
    }
    driver_.requests().flush();
  }

  Task task_;
  bool up_ = false;
  bool deleting_ = false;
  std::uint32_t sent_ = 0;
  std::uint32_t answered_ = 0;
  TimePoint began_;
  double add_s_ = 0;
  double delete_s_ = 0;
  std::atomic<bool> finished_ = false;
  std::promise<void> done_;
  std::vector<driver::Event> events_;
  RunningGsmpDriver driver_;
};

}  // namespace
}  // namespace xbind

int main(int argc, char** argv) {
  using namespace xbind;
  if (argc < 5 || argc > 6) die("usage: add_rate HOST:PORT FROM TO ADDS [WINDOW]");
  Task task;
  const auto peer = parse_host_port(argv[1]);
  if (!peer) die(peer.error().text);
  task.peer = *peer;
  task.from = PortId(number_of(argv[2], 65535));
  task.to = PortId(number_of(argv[3], 65535));
  task.adds = number_of(argv[4], kMplsLabelMax - kMplsLabelMin);
  if (argc == 6) task.window = number_of(argv[5], 65535);
  Run(task).run();
}
