#include "callgen/figures/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "core/check.hpp"
#include "core/steady_now.hpp"

namespace xbind::callgen {
namespace {

constexpr Duration kPatience = std::chrono::seconds{15};
constexpr std::chrono::milliseconds kLook{20};
constexpr std::size_t kLinesOfError = 12;
constexpr std::array kNoted{SIGINT, SIGTERM, SIGHUP};

std::atomic<int> signal_noted{0};

void note(int number) {
  int none = 0;
  signal_noted.compare_exchange_strong(none, number);
}

// The end of a pipe that we read, closed with it.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  ~Pipe() {
    close_writing();
    if (ends_[0] >= 0) close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool open() const { return ends_[0] >= 0; }
  int reading() const { return at_end_ ? -1 : ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_writing() {
    if (ends_[1] >= 0) close(std::exchange(ends_[1], -1));
  }
  // What is there, at once.
  void read_into(std::string& text) {
    std::array<char, 16'384> octets{};
    const ssize_t count = ::read(ends_[0], octets.data(), octets.size());
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) {
      at_end_ = true;
      return;
    }
    text.append(octets.data(), static_cast<std::size_t>(count));
    if (text.size() > 2 * kOutputKept) text.erase(0, text.size() - kOutputKept);
  }

 private:
  std::array<int, 2> ends_{-1, -1};
  bool at_end_ = false;
};

std::vector<std::string> environment_of(const ChildPlan& plan) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const std::string name{text.substr(0, text.find('='))};
    if (!plan.environment.contains(name)) all.emplace_back(text);
  }
  for (const auto& [name, value] : plan.environment) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

class Child {
 public:
  Result<void> start(const ChildPlan& plan);
  Result<ChildEnd> finish(const ChildPlan& plan);

 private:
  void read_what_comes();
  bool ended();
  void end_group(int signal_number) const { kill(-pid_, signal_number); }
  std::string words_of_error() const;

  Pipe out_;
  Pipe err_;
  pid_t pid_ = -1;
  int status_ = 0;
  ChildEnd end_;
};

Result<void> Child::start(const ChildPlan& plan) {
  XB_CHECK(!plan.command.empty());
  if (!out_.open() || !err_.open()) {
    return fail(ErrorCode::kSystem, "{}: no pipe: {}", plan.command[0], std::strerror(errno));
  }
  std::vector<std::string> words = plan.command;
  std::vector<std::string> environment = environment_of(plan);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out_.writing(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err_.writing(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t usual;
  sigfillset(&usual);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int trouble = posix_spawnp(&pid_, words[0].c_str(), &actions, &attributes,
                                   pointers(words).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  out_.close_writing();
  err_.close_writing();
  if (trouble == 0) return {};
  return fail(ErrorCode::kSystem, "{} cannot be started: {}", words[0], std::strerror(trouble));
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
  // What it has left in the pipes; not what a grandchild may write later.
  for (int reads = 0; reads < 1'000; ++reads) {
    const std::size_t before = end_.out.size() + end_.err.size();
    read_what_comes();
    if (end_.out.size() + end_.err.size() == before) break;
  }
  const std::string& name = plan.command[0];
  if (why) return fail(why->code, "{}: {}{}", name, why->text, words_of_error());
  if (WIFSIGNALED(status_)) {
    return fail(ErrorCode::kSystem, "{} was ended by signal {}{}", name, WTERMSIG(status_),
                words_of_error());
  }
  end_.exit_code = WEXITSTATUS(status_);
  for (std::string* text : {&end_.out, &end_.err}) {
    if (text->size() > kOutputKept) text->erase(0, text->size() - kOutputKept);
  }
  return std::move(end_);
}

// Waits a little for something to come.
void Child::read_what_comes() {
  std::array<pollfd, 2> waited{{{out_.reading(), POLLIN, 0}, {err_.reading(), POLLIN, 0}}};
  if (poll(waited.data(), waited.size(), static_cast<int>(kLook.count())) <= 0) return;
  if (waited[0].revents != 0) out_.read_into(end_.out);
  if (waited[1].revents != 0) err_.read_into(end_.err);
}

bool Child::ended() { return waitpid(pid_, &status_, WNOHANG) == pid_; }

std::string Child::words_of_error() const {
  const std::string tail = last_lines(end_.err, kLinesOfError);
  return tail.empty() ? std::string{} : ":\n" + tail;
}

}  // namespace

Result<ChildEnd> run_child(const ChildPlan& plan) {
  if (Interrupts::seen() != 0) {
    return fail(ErrorCode::kUnreachable, "interrupted by signal {}", Interrupts::seen());
  }
  Child child;
  if (auto started = child.start(plan); !started) return tl::make_unexpected(started.error());
  return child.finish(plan);
}

namespace {
std::array<struct sigaction, kNoted.size()> earlier;
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
