#include "bench/processes/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "bench/processes/interrupts.hpp"
#include "bench/processes/spawn.hpp"
#include "callgen/timers.hpp"
#include "core/check.hpp"
#include "core/steady_now.hpp"

namespace xbind::callgen {
namespace {

constexpr Duration kPatience = kCallgenTimers["child-end"];
constexpr auto kLook = kCallgenTimers.ms("child-look");
constexpr std::size_t kLinesOfError = 12;

// Reads a pipe and keeps the end of its output.
class Reading {
 public:
  explicit Reading(Pipe pipe) : pipe_(std::move(pipe)) {}

  Pipe& pipe() { return pipe_; }
  int descriptor() const { return at_end_ ? -1 : pipe_.reading(); }
  // Reads what is available, without waiting.
  void read_into(std::string& text) {
    std::array<char, 16'384> octets{};
    const ssize_t count = ::read(pipe_.reading(), octets.data(), octets.size());
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) {
      at_end_ = true;
      return;
    }
    text.append(octets.data(), static_cast<std::size_t>(count));
    if (text.size() > 2 * kOutputKept) text.erase(0, text.size() - kOutputKept);
  }

 private:
  Pipe pipe_;
  bool at_end_ = false;
};

std::vector<std::string> environment_of(const ChildPlan& plan) {
  std::vector<std::string> all = own_environment();
  std::erase_if(all, [&](const std::string& entry) {
    return plan.environment.contains(entry.substr(0, entry.find('=')));
  });
  for (const auto& [name, value] : plan.environment) all.push_back(name + "=" + value);
  return all;
}

class Child {
 public:
  static Result<Child> start(const ChildPlan& plan);
  Result<ChildEnd> finish(const ChildPlan& plan);

 private:
  Child(Pipe out, Pipe err) : out_(std::move(out)), err_(std::move(err)) {}
  void read_what_comes();
  bool ended();
  void end_group(int signal_number) const { kill(-pid_, signal_number); }
  tl::unexpected<Error> with_words_of_error(tl::unexpected<Error> failed) const;

  Reading out_;
  Reading err_;
  pid_t pid_ = -1;
  int status_ = 0;
  ChildEnd end_;
};

Result<Child> Child::start(const ChildPlan& plan) {
  XB_CHECK(!plan.command.empty());
  const std::string& name = plan.command[0];
  auto out = Pipe::open();
  auto err = Pipe::open();
  for (const auto* const pipe : {&out, &err}) {
    if (!*pipe) return fail(pipe->error().code, "{}: {}", name, pipe->error().text);
  }
  Child child(std::move(*out), std::move(*err));
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0) return fail(ErrorCode::kSystem, "{}: /dev/null: {}", name, std::strerror(errno));
  const auto started = spawn({.program = name,
                              .words = plan.command,
                              .environment = environment_of(plan),
                              .in = nothing,
                              .out = child.out_.pipe().writing(),
                              .err = child.err_.pipe().writing(),
                              .own_group = true});
  close(nothing);
  if (!started) return tl::make_unexpected(started.error());
  child.pid_ = *started;
  child.out_.pipe().close_writing();
  child.err_.pipe().close_writing();
  return child;
}

Result<ChildEnd> Child::finish(const ChildPlan& plan) {
  const TimePoint give_up = steady_now() + plan.timeout;
  std::optional<TimePoint> kill_at;
  std::optional<Error> why;
  while (!ended()) {
    read_what_comes();
    const TimePoint now = steady_now();
    if (!why && Interrupts::seen() != 0) {
      why = Error{ErrorCode::kUnreachable,
                  fmt::format("interrupted by signal {}", Interrupts::seen())};
    } else if (!why && now > give_up) {
      why = Error{ErrorCode::kTimeout,
                  fmt::format("not done within {:.0f} s",
                              std::chrono::duration<double>(plan.timeout).count())};
    }
    if (why && !kill_at) {
      end_group(SIGINT);
      kill_at = now + kPatience;
    }
    if (kill_at && now > *kill_at) end_group(SIGKILL);
  }
  // Reads the rest of the child's output, but not what a grandchild may still write.
  for (int reads = 0; reads < 1'000; ++reads) {
    const std::size_t before = end_.out.size() + end_.err.size();
    read_what_comes();
    if (end_.out.size() + end_.err.size() == before) break;
  }
  const std::string& name = plan.command[0];
  if (why) return with_words_of_error(fail(why->code, "{}: {}", name, why->text));
  if (WIFSIGNALED(status_)) {
    return with_words_of_error(
        fail(ErrorCode::kSystem, "{} was ended by signal {}", name, WTERMSIG(status_)));
  }
  end_.exit_code = WEXITSTATUS(status_);
  for (std::string* text : {&end_.out, &end_.err}) {
    if (text->size() > kOutputKept) text->erase(0, text->size() - kOutputKept);
  }
  return std::move(end_);
}

// Waits briefly for output and reads it.
void Child::read_what_comes() {
  std::array<pollfd, 2> waited{{{out_.descriptor(), POLLIN, 0}, {err_.descriptor(), POLLIN, 0}}};
  if (poll(waited.data(), waited.size(), static_cast<int>(kLook.count())) <= 0) return;
  if (waited[0].revents != 0) out_.read_into(end_.out);
  if (waited[1].revents != 0) err_.read_into(end_.err);
}

bool Child::ended() { return waitpid(pid_, &status_, WNOHANG) == pid_; }

// The child's last words stand on lines of their own.
tl::unexpected<Error> Child::with_words_of_error(tl::unexpected<Error> failed) const {
  const std::string tail = last_lines(end_.err, kLinesOfError);
  if (!tail.empty()) failed.value().text += ":\n" + tail;
  return failed;
}

}  // namespace

Result<ChildEnd> run_child(const ChildPlan& plan) {
  if (Interrupts::seen() != 0) {
    return fail(ErrorCode::kUnreachable, "interrupted by signal {}", Interrupts::seen());
  }
  auto child = Child::start(plan);
  if (!child) return tl::make_unexpected(child.error());
  return child->finish(plan);
}

std::string last_lines(std::string_view text, std::size_t lines) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t from = text.size();
  for (; lines > 0 && from != std::string_view::npos && from > 0; --lines) {
    from = text.rfind('\n', from - 1);
  }
  if (from == std::string_view::npos) return std::string{text};
  if (from < text.size() && text[from] == '\n') ++from;
  return std::string{text.substr(from)};
}

}  // namespace xbind::callgen
