#include "bench/processes/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "bench/processes/interrupts.hpp"

namespace xbind::callgen {
namespace {

using ::testing::HasSubstr;

ChildPlan shell(const std::string& script) { return {.command = {"/bin/sh", "-c", script}}; }

TEST(ChildProcessTest, SaysWhatItPrintedAndHowItEnded) {
  const auto end = run_child(shell("echo figures; echo trouble >&2; exit 3"));
  ASSERT_TRUE(end.has_value()) << end.error().text;
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_EQ(end->out, "figures\n");
  EXPECT_EQ(end->err, "trouble\n");
}

TEST(ChildProcessTest, ItsEnvironmentIsOursWithWhatIsSaid) {
  ASSERT_EQ(setenv("XBIND_CHILD_OURS", "ours", 1), 0);
  ASSERT_EQ(setenv("XBIND_CHILD_CHANGED", "before", 1), 0);
  ChildPlan plan = shell("echo $XBIND_CHILD_OURS $XBIND_CHILD_CHANGED $XBIND_CHILD_NEW");
  plan.environment = {{"XBIND_CHILD_CHANGED", "after"}, {"XBIND_CHILD_NEW", "new"}};
  const auto end = run_child(plan);
  ASSERT_TRUE(end.has_value()) << end.error().text;
  EXPECT_EQ(end->out, "ours after new\n");
}

TEST(ChildProcessTest, ReadsNothing) {
  const auto end = run_child({.command = {"cat"}});
  ASSERT_TRUE(end.has_value()) << end.error().text;
  EXPECT_EQ(end->out, "");
}

TEST(ChildProcessTest, OfMuchOutputItKeepsTheEnd) {
  const auto end =
      run_child(shell("i=0; while [ $i -lt 400 ]; do printf '%08192d\\n' $i; i=$((i+1)); done"));
  ASSERT_TRUE(end.has_value()) << end.error().text;
  EXPECT_EQ(end->out.size(), kOutputKept);
  EXPECT_THAT(last_lines(end->out, 1), ::testing::EndsWith("0399"));
}

TEST(ChildProcessTest, WhatIsNotThereCannotBeStarted) {
  const auto end = run_child({.command = {"/no/such/program"}});
  ASSERT_FALSE(end.has_value());
  EXPECT_EQ(end.error().code, ErrorCode::kSystem);
  EXPECT_THAT(end.error().text, HasSubstr("/no/such/program cannot be started"));
}

TEST(ChildProcessTest, ASignalIsNoExitCode) {
  const auto end = run_child(shell("echo oh >&2; kill -KILL $$"));
  ASSERT_FALSE(end.has_value());
  EXPECT_EQ(end.error().code, ErrorCode::kSystem);
  EXPECT_EQ(end.error().text, "/bin/sh was ended by signal 9:\noh");
}

TEST(ChildProcessTest, WhatTakesTooLongIsEndedWithWhatItHasStarted) {
  ChildPlan plan = shell("echo begun >&2; tail -f /dev/null; exit 0");
  plan.timeout = std::chrono::milliseconds{200};
  const auto end = run_child(plan);
  ASSERT_FALSE(end.has_value());
  EXPECT_EQ(end.error().code, ErrorCode::kTimeout);
  EXPECT_THAT(end.error().text, HasSubstr("not done within"));
}

TEST(ChildProcessTest, AnInterruptEndsTheChildAndRefusesFurtherOnes) {
  const Interrupts interrupts;
  // The child interrupts this process.
  const auto end = run_child(shell("kill -INT $PPID; tail -f /dev/null"));
  ASSERT_FALSE(end.has_value());
  EXPECT_EQ(end.error().code, ErrorCode::kUnreachable);
  EXPECT_EQ(Interrupts::seen(), SIGINT);
  const auto next = run_child(shell("exit 0"));
  ASSERT_FALSE(next.has_value());
  EXPECT_EQ(next.error().text, "interrupted by signal 2");
  {
    const Interrupts::Pause to_clean_up;
    EXPECT_TRUE(run_child(shell("exit 0")).has_value());
  }
  EXPECT_EQ(Interrupts::seen(), SIGINT);
}

TEST(ChildProcessTest, AfterwardsSignalsAreWhatTheyWere) {
  struct sigaction before {};
  struct sigaction after {};
  sigaction(SIGTERM, nullptr, &before);
  { const Interrupts interrupts; }
  sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
}

TEST(LastLinesTest, AreTheLastOnes) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc");
  EXPECT_EQ(last_lines("a\nb\nc", 1), "c");
  EXPECT_EQ(last_lines("a\n", 5), "a");
  EXPECT_EQ(last_lines("\na\nb", 2), "a\nb");
  EXPECT_EQ(last_lines("", 3), "");
}

}  // namespace
}  // namespace xbind::callgen
