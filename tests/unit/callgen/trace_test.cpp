#include "callgen/load/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(std::string_view text) {
  const auto trace = parse_trace(text, "calls.txt");
  return trace ? "taken" : trace.error().text;
}

TEST(Trace, ALineIsACallAndSaysAsMuchAsItLikes) {
  const Trace trace = parse_trace(
                          "# start hold from to\n"
                          "\n"
                          "0.25\n"
                          "0.3 12.5\n"
                          "\t0.31  0.8 host-a\thost-b\r\n"
                          "0.31 host-b host-a",
                          "calls.txt")
                          .value();
  ASSERT_EQ(trace.calls.size(), 4u);
  EXPECT_EQ(trace.calls[0].start, 250ms);
  EXPECT_EQ(trace.calls[0].hold, TraceCall::kDrawn);
  EXPECT_FALSE(trace.has_ends(0));
  EXPECT_EQ(trace.calls[1].hold, 12'500ms);
  EXPECT_EQ(trace.calls[2].start, 310ms);
  EXPECT_EQ(trace.calls[2].hold, 800ms);
  EXPECT_EQ(trace.ends(2), (Ends{"host-a", "host-b"}));
  EXPECT_EQ(trace.calls[3].hold, TraceCall::kDrawn);
  EXPECT_EQ(trace.ends(3), (Ends{"host-b", "host-a"}));
  EXPECT_THAT(trace.names, ElementsAre("host-a", "host-b"));
}

TEST(Trace, WhatIsWrongIsRefusedWithItsLine) {
  EXPECT_EQ(refusal("0.1\nsoon\n"), "calls.txt line 2: start 'soon' is no number of seconds");
  EXPECT_EQ(refusal("0.1\n# ...\n-1\n"), "calls.txt line 3: start -1 s is below zero");
  EXPECT_THAT(refusal("1e9\n"), HasSubstr("line 1: start 1e9 s is beyond a year"));
  EXPECT_EQ(refusal("2\n1.5\n"), "calls.txt line 2: start 1.5 s is before the one above it");
  EXPECT_EQ(refusal("1 host-a\n"),
            "calls.txt line 1: holding time 'host-a' is no number of seconds");
  EXPECT_EQ(refusal("1 -2\n"), "calls.txt line 1: holding time -2 s is below zero");
  EXPECT_EQ(refusal("1 2 a a\n"), "calls.txt line 1: endpoint a would call itself");
  EXPECT_THAT(refusal("1 2 a b c\n"), HasSubstr("line 1: 5 words"));
  EXPECT_THAT(refusal("1 2 a b c d\n"), HasSubstr("line 1: 6 words"));
  EXPECT_THAT(refusal("1 nan a b\n"), HasSubstr("'nan' is no number"));
  EXPECT_EQ(refusal("\x1b[31m\n"), "calls.txt line 1: start '\\x1b[31m' is no number of seconds");
  EXPECT_EQ(refusal("# nothing\n\n"), "calls.txt: no call is in it");
  EXPECT_EQ(refusal(""), "calls.txt: no call is in it");
}

TEST(Trace, IsBounded) {
  std::string text;
  for (std::size_t i = 0; i < kTraceCallsMax; ++i) text += "1\n";
  EXPECT_EQ(parse_trace(text, "calls.txt")->calls.size(), kTraceCallsMax);
  text += "1\n";
  EXPECT_EQ(refusal(text), "calls.txt line 1000001: more than 1000000 calls");
}

TEST(Trace, AFileThatIsNotThereIsNamed) {
  const auto trace = read_trace("/nowhere/calls.txt");
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code, ErrorCode::kSystem);
  EXPECT_THAT(trace.error().text, HasSubstr("/nowhere/calls.txt"));
}

}  // namespace
}  // namespace xbind::callgen
