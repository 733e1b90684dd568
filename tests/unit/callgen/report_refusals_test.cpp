// What a verdict and an added assertion say about refused calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "callgen/report/report.hpp"

namespace xbind::callgen {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

using Json = nlohmann::ordered_json;

// 99 of 100 calls are refused.
RunReport crowded_report() {
  RunReport report;
  report.planned_calls = 100;
  report.setups = {.attempted = 100, .connected = 1, .refused = 90, .busy = 9};
  report.releases = {.attempted = 1, .released = 1};
  report.audit.made = report.audit.clean = true;
  return report;
}

TEST(Refusals, ManyRefusalsAreNoFailureAndAreSaidFirst) {
  RunReport report = crowded_report();
  PartReport video;
  video.name = "video";
  video.attempted = 50;
  video.refused = 50;
  PartReport voice = video;
  voice.name = "voice";
  voice.refused = 0;
  report.classes = {video, voice};
  const Verdict verdict = judge(report);
  EXPECT_TRUE(verdict.ok);
  EXPECT_TRUE(verdict.many_refused);
  EXPECT_EQ(exit_code(verdict), 0);
  EXPECT_THAT(verdict.remarks,
              ElementsAre("99 of 100 calls (99.0 %) were refused or busy",
                          "class video: 50 of 50 calls (100 %) were refused or busy"));
  EXPECT_THAT(to_text(report),
              EndsWith("Verdict: OK, but 99 of 100 calls (99.0 %) were refused or busy.\n"
                       "  Every call was answered, every connected one released, nothing leaked.\n"
                       "  class video: 50 of 50 calls (100 %) were refused or busy.\n"));
}

TEST(Refusals, IncompleteCallsAreNoFailureAndAreSaidApart) {
  RunReport report = crowded_report();
  report.setups = {.attempted = 100, .connected = 100};
  report.releases = {.attempted = 100, .released = 100};
  report.notices.incomplete = 2;
  const Verdict verdict = judge(report);
  EXPECT_TRUE(verdict.ok);
  EXPECT_FALSE(verdict.many_refused);
  EXPECT_THAT(verdict.remarks, ElementsAre(HasSubstr("incomplete 2 times")));
  EXPECT_THAT(to_text(report), HasSubstr("neither as broken nor as connected"));
  EXPECT_EQ(Json::parse(to_json(report))["notices"]["incomplete"], 2);
}

TEST(Refusals, AnAddedAssertionSaysWhyItIsThere) {
  RunReport report = crowded_report();
  report.assertions = {{"p50<5ms", true, "1.0 ms"}, {"fail<=1%", false, "99.0 %", true}};
  EXPECT_EQ(exit_code(judge(report)), 1);
  EXPECT_THAT(judge(report).reasons,
              ElementsAre("fail<=1% was asserted, because no assertion bounds the calls that are "
                          "not connected: 99.0 %"));
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("  BROKEN  fail<=1% (default): 99.0 %\n"),
                                     HasSubstr("  kept    p50<5ms: 1.0 ms\n")));
  EXPECT_EQ(Json::parse(to_json(report))["assertions"][1]["default"], true);
}

TEST(Refusals, OfInvalidRequestsNameTheReason) {
  CauseCounts counts;
  Outcome refusal;
  refusal.kind = OutcomeKind::kRefused;
  refusal.cause = Cause::kInvalidRequest;
  refusal.element = "cells/s";
  refusal.reason = "the video needs 16777216 cells/s, the most is 16777215";
  counts.count(refusal);
  EXPECT_THAT(counts.by_place(),
              ElementsAre(testing::Pair("invalid request at cells/s: the video needs 16777216 "
                                        "cells/s, the most is 16777215",
                                        1u)));
  EXPECT_THAT(counts.by_cause(), ElementsAre(testing::Pair("invalid request", 1u)));
}

TEST(Refusals, SharesAreNeverRoundedToNoneOrAll) {
  EXPECT_EQ(share_text(std::nullopt), "-");
  EXPECT_EQ(share_text(0), "0 %");
  EXPECT_EQ(share_text(1), "100 %");
  EXPECT_EQ(share_text(0.99999), "more than 99.9 %");
  EXPECT_EQ(share_text(0.000001), "0.0001 %");
}

}  // namespace
}  // namespace xbind::callgen
