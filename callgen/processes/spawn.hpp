// Starting another program: the one place in callgen that does. What becomes of it is for whoever keeps it:
// own_child.hpp, child_process.hpp.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace xbind::callgen {

// Both ends are closed with it, and in every program that is started: a child that held another's end open
// would keep it alive.
class Pipe {
 public:
  static Result<Pipe> open();  // kSystem: why not
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
  std::string program;                                    // a path, or a name that PATH knows
  std::vector<std::string> words;                         // as it is told them, its own name first
  std::optional<std::vector<std::string>> environment{};  // "NAME=value" each; nothing: ours
  // Descriptors of ours that become its standard input, output and error; -1: it has ours.
  int in = -1;
  int out = -1;
  int err = -1;
  // A process group of its own, in which no signal is blocked or ignored.
  bool own_group = false;
};
// kSystem: "PROGRAM cannot be started: why".
Result<pid_t> spawn(const SpawnPlan& plan);

// This very program, as a path.
inline constexpr const char* kThisProgram = "/proc/self/exe";

// Our environment: "NAME=value" each.
std::vector<std::string> own_environment();

}  // namespace xbind::callgen
