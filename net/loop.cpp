#include "net/loop.hpp"

#include <fcntl.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>
#include <vector>

#include "core/log_output.hpp"
#include "core/steady_now.hpp"

namespace xbind::net {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {
constexpr int kHandledMax = 32;  // between two turns
constexpr int kLookEvery = 8;    // poll after every 8th sleep while the last poll found nothing
}  // namespace

struct Loop::Impl {
  struct Watch {
    asio::posix::stream_descriptor descriptor;  // a duplicate of the caller's
    std::function<void()> on_readable;
    bool armed = false;
  };

  // A watch fires once. The turn reads the octets, so a watch is armed again only when the turn has
  // no work left.
  void arm_watches() {
    for (const auto& watch : watches) {
      if (std::exchange(watch->armed, true)) continue;
      watch->descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                   [one = watch.get()](const error_code& error) {
                                     one->armed = false;
                                     if (!error) one->on_readable();
                                   });
    }
  }

  // The timer may fire too early, never too late. Moving it back and forth would cost more.
  void arm_timer(TimePoint due, TimePoint now) {
    if (due >= armed_for) return;
    armed_for = due;
    timer.expires_after(due - now);
    timer.async_wait([this](const error_code& error) {
      if (!error) armed_for = kNever;
    });
  }

  void run() {
    while (!stopping) {
      const TimePoint due = turn ? turn() : kNever;
      const TimePoint now = steady_now();
      if (due > now) {
        arm_watches();
        arm_timer(due, now);
        io.run_one();
        // Polling is a system call: with one peer that waits for each answer, a second one per
        // request. Events missed here end the next sleep at once.
        if (!crowded && ++sleeps % kLookEvery != 0) continue;
      }
      // A peer that sends without pause must not delay the turn.
      int handled = 0;
      while (handled < kHandledMax - 1 && io.poll_one() > 0) ++handled;
      crowded = handled > 0;
    }
    for (const auto& watch : watches) {
      error_code ignored;
      watch->descriptor.close(ignored);
    }
    timer.cancel();
    work.reset();
    io.run();  // returns when no handler is pending
  }

  void await_signal() {
    signals.async_wait([this](const error_code& error, int number) {
      if (error) return;
      if (number != SIGHUP) return stop();
      if (on_hang_up) {
        log::hang_up();
        on_hang_up();
      } else {
        log::hang_up_only();
      }
      await_signal();
    });
  }

  bool post(std::function<void()> job) {
    if (stopping) return false;
    if (posted.fetch_add(1) >= kPostedMax) {
      --posted;
      return false;
    }
    asio::post(io, [this, job = std::move(job)] {
      --posted;
      job();
    });
    return true;
  }

  void stop() {
    if (stopping.exchange(true)) return;
    error_code ignored;
    signals.cancel(ignored);
    for (const auto& call : stops) call();
  }

  asio::io_context io{1};
  asio::steady_timer timer{io};
  asio::signal_set signals{io};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  TimePoint armed_for = kNever;
  std::vector<std::unique_ptr<Watch>> watches;
  std::function<TimePoint()> turn;
  std::vector<std::function<void()>> stops;
  bool crowded = false;  // the last poll found events
  unsigned sleeps = 0;
  std::function<void()> on_hang_up;
  std::atomic<std::size_t> posted = 0;  // jobs that wait
  std::atomic<bool> stopping = false;
};

Loop::Loop() : impl_(std::make_unique<Impl>()) {}
Loop::~Loop() = default;

void Loop::set_turn(std::function<TimePoint()> turn) { impl_->turn = std::move(turn); }

Result<void> Loop::watch(int descriptor, std::function<void()> on_readable) {
  const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0) {
    return fail(ErrorCode::kSystem, "descriptor {} cannot be watched: {}", descriptor,
                std::strerror(errno));
  }
  impl_->watches.push_back(std::make_unique<Impl::Watch>(
      Impl::Watch{asio::posix::stream_descriptor(impl_->io, own), std::move(on_readable)}));
  return {};
}

void Loop::stop_on_signals() {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) impl_->signals.add(number);
  impl_->await_signal();
}

void Loop::set_on_hang_up(std::function<void()> call) { impl_->on_hang_up = std::move(call); }

void Loop::run() { impl_->run(); }
void Loop::poll() {
  for (int handled = 0; handled < kHandledMax && impl_->io.poll_one() > 0; ++handled) {
  }
}
bool Loop::post(std::function<void()> job) { return impl_->post(std::move(job)); }

void Loop::stop() {
  asio::post(impl_->io, [impl = impl_.get()] { impl->stop(); });
}

asio::io_context& Loop::io() { return impl_->io; }
void Loop::on_stop(std::function<void()> call) { impl_->stops.push_back(std::move(call)); }

}  // namespace xbind::net
