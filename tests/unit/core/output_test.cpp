#include "core/output.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/log.hpp"

namespace xbind {
namespace {

using std::chrono::hours;
using std::chrono::nanoseconds;
using testing::ExitedWithCode;
using testing::KilledBySignal;

// Each test runs in a process of its own, because standard output belongs to the process.
class Output : public testing::Test {
 protected:
  static void to(const char* path) { ASSERT_NE(std::freopen(path, "w", stdout), nullptr); }
  // Standard output is a pipe; returns its reading end.
  static int to_pipe() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0 || ::dup2(ends[1], STDOUT_FILENO) < 0) std::abort();
    ::close(ends[1]);
    return ends[0];
  }
};
using OutputDeathTest = Output;

TEST_F(OutputDeathTest, WhatIsWrittenLeavesTheExitCode) {
  const auto print = [](int exit_code) {
    to("/dev/null");
    std::printf("line\n");
    std::exit(end_output("xbind-trial", exit_code));
  };
  EXPECT_EXIT(print(0), ExitedWithCode(0), "^$");
  EXPECT_EXIT(print(5), ExitedWithCode(5), "^$");
}

TEST_F(OutputDeathTest, AFullDiskIsAnExitCodeAndALine) {
  const auto print = [](int exit_code) {
    to("/dev/full");
    std::printf("line\n");
    std::exit(end_output("xbind-trial", exit_code));
  };
  EXPECT_EXIT(print(0), ExitedWithCode(kExitNotWritten),
              "^xbind-trial: standard output cannot be written: No space left on device; exit code "
              "74\n$");
  // What the program has found out stays true.
  EXPECT_EXIT(print(4), ExitedWithCode(4), "No space left on device; exit code 4");
}

TEST_F(OutputDeathTest, AnEarlierFailureIsNotForgotten) {
  const auto print = [] {
    to("/dev/full");
    std::printf("line\n");
    if (!output_fault()) std::exit(1);
    to("/dev/null");
    std::printf("line\n");
    std::exit(end_output("xbind-trial", 0));
  };
  EXPECT_EXIT(print(), ExitedWithCode(kExitNotWritten), "No space left on device");
}

// stdio writes when its buffer is full, and forgets the reason.
TEST_F(OutputDeathTest, AFailureBeforeTheLastFlushCounts) {
  const auto print = [](bool ours) {
    to("/dev/full");
    const std::string text(100'000, 'x');
    if (ours) {
      print_output(text);
    } else {
      std::printf("%s", text.c_str());
    }
    std::exit(end_output("xbind-trial", 0));
  };
  EXPECT_EXIT(print(true), ExitedWithCode(kExitNotWritten), "written: No space left on device;");
  EXPECT_EXIT(print(false), ExitedWithCode(kExitNotWritten),
              "written: an earlier write has failed");
}

TEST_F(OutputDeathTest, AFailureIsReportedOnce) {
  const auto print = [] {
    to("/dev/full");
    print_output("line\n");
    std::exit(end_output("xbind-trial", end_output("xbind-trial run", 0)));
  };
  EXPECT_EXIT(print(), ExitedWithCode(kExitNotWritten), "^xbind-trial run: [^\n]*\n$");
}

TEST_F(OutputDeathTest, AClosedPipeEndsTheProcessAsOthersEnd) {
  const auto print = [](std::size_t octets) {
    ::signal(SIGPIPE, SIG_IGN);  // as the ORB does
    ::close(to_pipe());
    std::printf("%s", std::string(octets, 'x').c_str());
    std::exit(end_output("xbind-trial", 0));
  };
  EXPECT_EXIT(print(1), KilledBySignal(SIGPIPE), "^$");
  EXPECT_EXIT(print(1'000'000), KilledBySignal(SIGPIPE), "^$");
}

TEST_F(OutputDeathTest, AReaderThatLeavesIsNoticedWithoutAWord) {
  const auto leave = [] {
    const int reader = to_pipe();
    if (reader_left_within(nanoseconds{0})) std::exit(1);
    ::close(reader);
    if (!reader_left_within(hours{1})) std::exit(1);  // returns at once
    std::exit(end_output("xbind-trial", 0));
  };
  EXPECT_EXIT(leave(), KilledBySignal(SIGPIPE), "^$");
}

TEST_F(OutputDeathTest, AFileHasNoReader) {
  const auto look = [] {
    to("/dev/null");
    std::exit(reader_left_within(nanoseconds{1}) ? 1 : end_output("xbind-trial", 0));
  };
  EXPECT_EXIT(look(), ExitedWithCode(0), "^$");
}

// Otherwise the first connection to a daemon becomes standard output.
TEST_F(OutputDeathTest, AClosedStreamIsNoFilesNumber) {
  const auto print = [] {
    ::close(STDIN_FILENO);
    ::close(STDOUT_FILENO);
    hold_standard_streams();
    if (::open("/dev/null", O_WRONLY) <= STDERR_FILENO) std::exit(1);
    std::printf("line\n");
    std::exit(end_output("xbind-trial", 0));
  };
  EXPECT_EXIT(print(), ExitedWithCode(kExitNotWritten), "Bad file descriptor");
}

TEST_F(OutputDeathTest, ADaemonGoesOnWithoutAReaderOfItsLine) {
  const auto serve = [](bool full, bool with_orb) {
    log::start("xbind-trial", log::Level::kInfo);
    ::signal(SIGPIPE, with_orb ? SIG_IGN : SIG_DFL);
    if (full) {
      to("/dev/full");
    } else {
      ::close(to_pipe());
    }
    announce("xbind-trial ready");
    to("/dev/null");
    std::exit(end_output("xbind-trial", 0));
  };
  EXPECT_EXIT(serve(true, true), ExitedWithCode(0),
              "warning xbind-trial: standard output cannot be written: No space left on device; "
              "the line was: xbind-trial ready\n$");
  for (const bool with_orb : {true, false}) {
    EXPECT_EXIT(serve(false, with_orb), ExitedWithCode(0),
                "Broken pipe; the line was: xbind-trial ready\n$");
  }
}

}  // namespace
}  // namespace xbind
