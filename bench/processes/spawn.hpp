// Starts another program; callgen does so nowhere else. Its further life is managed by
// own_child.hpp or child_process.hpp.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace xbind::callgen {

// Both ends are closed by the destructor, and in every started program: a child that inherited
// another child's end would keep that pipe open.
class Pipe {
 public:
  static Result<Pipe> open();  // kSystem: with the reason
  Pipe(Pipe&& other) noexcept;
  Pipe& operator=(Pipe&&) = delete;
  ~Pipe();

  int reading() const { return reading_; }
  int writing() const { return writing_; }
  void close_reading();
  void close_writing();

 private:
  Pipe() = default;

  int reading_ = -1;
  int writing_ = -1;
};

struct SpawnPlan {
  std::string program;             // a path, or a name found in PATH
  std::vector<std::string> words;  // argument list, with its own name first
  // entries "NAME=value"; nullopt: inherited
  std::optional<std::vector<std::string>> environment{};
  // Descriptors that become its standard input, output and error; -1: inherited.
  int in = -1;
  int out = -1;
  int err = -1;
  // Gives it a process group, in which no signal is blocked or ignored.
  bool own_group = false;
};
// kSystem: "PROGRAM cannot be started: REASON".
Result<pid_t> spawn(const SpawnPlan& plan);

// The path of this program.
inline constexpr const char* kThisProgram = "/proc/self/exe";

// The environment of this process, entries "NAME=value".
std::vector<std::string> own_environment();

}  // namespace xbind::callgen
