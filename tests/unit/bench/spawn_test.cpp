#include "bench/processes/spawn.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <iterator>
#include <string>

namespace xbind::callgen {
namespace {

using ::testing::HasSubstr;

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 256> octets{};
  for (ssize_t got = 0; (got = read(descriptor, octets.data(), octets.size())) > 0;)
    text.append(octets.data(), static_cast<std::size_t>(got));
  return text;
}

int exit_code_of(pid_t pid) {
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

TEST(SpawnTest, ItHasTheDescriptorsAndTheEnvironmentThatItIsGiven) {
  auto in = Pipe::open();
  auto out = Pipe::open();
  ASSERT_TRUE(in && out);
  const auto pid = spawn({.program = "/bin/sh",
                          .words = {"its-name", "-c", "echo $0 $XBIND_SPAWNED; cat; exit 4"},
                          .environment = {{"XBIND_SPAWNED=told", "PATH=/usr/bin:/bin"}},
                          .in = in->reading(),
                          .out = out->writing()});
  ASSERT_TRUE(pid) << pid.error().text;
  in->close_reading();
  out->close_writing();
  ASSERT_EQ(write(in->writing(), "through\n", 8), 8);
  in->close_writing();
  EXPECT_EQ(read_all(out->reading()), "its-name told\nthrough\n");
  EXPECT_EQ(exit_code_of(*pid), 4);
}

TEST(SpawnTest, OfItsOwnGroupItIsTheFirst) {
  auto in = Pipe::open();
  ASSERT_TRUE(in);
  const auto pid =
      spawn({.program = "cat", .words = {"cat"}, .in = in->reading(), .own_group = true});
  ASSERT_TRUE(pid) << pid.error().text;
  EXPECT_EQ(getpgid(*pid), *pid);
  in->close_writing();
  EXPECT_EQ(exit_code_of(*pid), 0);
}

TEST(SpawnTest, WhatCannotBeStartedIsNamedWithTheReasonAndLeavesNothingOpen) {
  const auto before = open_descriptors();
  {
    const auto out = Pipe::open();
    ASSERT_TRUE(out);
    const auto pid =
        spawn({.program = "/no/such/program", .words = {"program"}, .out = out->writing()});
    ASSERT_FALSE(pid);
    EXPECT_EQ(pid.error().code, ErrorCode::kSystem);
    EXPECT_THAT(pid.error().text, HasSubstr("/no/such/program cannot be started: No such file"));
  }
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace xbind::callgen
