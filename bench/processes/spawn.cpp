#include "bench/processes/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace xbind::callgen {
namespace {

void close_if_open(int& descriptor) {
  if (descriptor >= 0) close(std::exchange(descriptor, -1));
}

// In the form that exec expects: ended by a null pointer.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Result<Pipe> Pipe::open() {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail(ErrorCode::kSystem, "no pipe: {}", std::strerror(errno));
  Pipe pipe;
  pipe.reading_ = ends[0];
  pipe.writing_ = ends[1];
  return pipe;
}

Pipe::Pipe(Pipe&& other) noexcept
    : reading_(std::exchange(other.reading_, -1)), writing_(std::exchange(other.writing_, -1)) {}

Pipe::~Pipe() {
  close_reading();
  close_writing();
}

void Pipe::close_reading() { close_if_open(reading_); }
void Pipe::close_writing() { close_if_open(writing_); }

Result<pid_t> spawn(const SpawnPlan& plan) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::array<std::pair<int, int>, 3> descriptors{
      {{plan.in, STDIN_FILENO}, {plan.out, STDOUT_FILENO}, {plan.err, STDERR_FILENO}}};
  for (const auto& [ours, its] : descriptors) {
    if (ours >= 0) posix_spawn_file_actions_adddup2(&actions, ours, its);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (plan.own_group) {
    sigset_t none;
    sigemptyset(&none);
    sigset_t usual;
    sigfillset(&usual);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  std::vector<std::string> words = plan.words;
  std::vector<std::string> environment = plan.environment ? *plan.environment : own_environment();
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, plan.program.c_str(), &actions, &attributes,
                                 pointers_to(words).data(), pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return fail(ErrorCode::kSystem, "{} cannot be started: {}", plan.program, std::strerror(error));
  return pid;
}

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

}  // namespace xbind::callgen
