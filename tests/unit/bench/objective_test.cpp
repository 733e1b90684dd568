#include "bench/search/objective.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

// `samples` latencies: one in fifty is `p99`, all others are `p50`.
Histogram latencies(std::uint64_t samples, Duration p50, Duration p99) {
  Histogram made;
  for (std::uint64_t i = 0; i < samples; ++i) made.record(i % 50 == 0 ? p99 : p50);
  return made;
}

RunReport report_with(std::uint64_t setups, Duration p50, Duration p99) {
  RunReport report;
  report.planned_calls = setups;
  report.setups = {.attempted = setups, .connected = setups};
  report.kinds[RequestKind::kSetup].latency = latencies(setups, p50, p99);
  return report;
}

Judged judged(const char* text, const RunReport& report) {
  const auto objectives = parse_objectives(std::string_view{text});
  EXPECT_TRUE(objectives) << text << ": " << (objectives ? "" : objectives.error().text);
  return judge(objectives.value().at(0), report);
}

std::string refusal(const char* text) {
  const auto objectives = parse_objectives(std::string_view{text});
  return objectives ? "" : objectives.error().text;
}

// ===== objectives that are accepted =====

TEST(Objective, LatenciesAreHeldAgainstTheirLimitInItsUnit) {
  const RunReport report = report_with(1000, 800us, 4'900us);
  EXPECT_TRUE(judged("p99<5ms", report).kept);
  EXPECT_FALSE(judged("p99<4.9ms", report).kept);
  EXPECT_TRUE(judged("p99<=4.9ms", report).kept);
  EXPECT_TRUE(judged("p50<=810us", report).kept);
  EXPECT_TRUE(judged("min=800000ns", report).kept);
  EXPECT_FALSE(judged("p50>0.001s", report).kept);
  EXPECT_TRUE(judged("mean < 3ms", report).kept);
  EXPECT_EQ(judged("mean < 3ms", report).objective.text, "mean<3ms");
}

TEST(Objective, EachLatencyHasAName) {
  RunReport report = report_with(1000, 800us, 4'900us);
  report.kinds[RequestKind::kRelease].latency = latencies(2000, 1ms, 7ms);
  report.kinds[RequestKind::kModify].latency = latencies(2000, 1ms, 8ms);
  report.kinds[RequestKind::kSetup].refusal = latencies(2000, 1us, 10us);
  report.kinds[RequestKind::kSetup].from_send = latencies(2000, 1us, 70us);
  report.slip = latencies(2000, 1us, 90us);
  EXPECT_DOUBLE_EQ(*judged("p99(release)<10ms", report).measured, 7'000);
  EXPECT_DOUBLE_EQ(*judged("release.p99<10ms", report).measured, 7'000);
  EXPECT_DOUBLE_EQ(*judged("p99(modify)<10ms", report).measured, 8'000);
  EXPECT_DOUBLE_EQ(*judged("slip.p99<1ms", report).measured, 90);
  EXPECT_DOUBLE_EQ(*judged("p99(refusal)<1ms", report).measured, 10);
  EXPECT_DOUBLE_EQ(*judged("p99(setup-from-send)<1ms", report).measured, 70);
  EXPECT_DOUBLE_EQ(*judged("p99(setup)<1ms", report).measured, 4'900);
  EXPECT_NEAR(*judged("p10<1ms", report).measured, 800, 800.0 / 128);
}

TEST(Objective, CarriedIsTheShareOfTheArrivalsThatWereDrawn) {
  RunReport report = report_with(500, 1us, 2us);
  report.hold_mean_s = 0.05;
  report.duration_s = 5.05;  // the holding time is no work
  report.arrivals_planned.mean_s = 0.01;
  EXPECT_NEAR(*judged("carried>=95%", report).measured, 100, 1e-9);
  EXPECT_TRUE(judged("carried>=95%", report).kept);
  EXPECT_EQ(measured_text(judged("carried>=95%", report)), "100 %");
  report.duration_s = 5.55;  // a backlog at the end
  EXPECT_FALSE(judged("carried>=95%", report).kept);
  report.arrivals_planned.mean_s = 0.011;  // unless the drawn arrivals were that slow
  EXPECT_TRUE(judged("carried>=95%", report).kept);
  report.duration_s = 5.05;
  report.arrivals_planned.mean_s = 0.01;
  report.setups.connected = 470;  // refused calls are not carried
  EXPECT_FALSE(judged("carried>=95%", report).kept);
  report.setups.connected = 0;
  EXPECT_DOUBLE_EQ(*judged("carried>=95%", report).measured, 0);
  EXPECT_FALSE(judged("carried>=95%", RunReport{}).measured);
  for (const char* const wrong : {"carried>=95", "carried>=0%", "carried>=100%", "carried>=5ms"})
    EXPECT_THAT(refusal(wrong), HasSubstr("carried is a share")) << wrong;
  EXPECT_THAT(refusal("caried>=95%"), HasSubstr("carried"));
}

TEST(Objective, CountsAreCallsOrAShareOfThem) {
  RunReport report = report_with(2000, 1us, 2us);
  report.setups = {
      .attempted = 1990, .connected = 1950, .refused = 20, .busy = 15, .unanswered = 5};
  report.releases = {.attempted = 1950, .released = 1947, .unanswered = 3};
  report.shed = 2;
  // 10 were never attempted: they count as failed like the others.
  EXPECT_DOUBLE_EQ(*judged("fail=0", report).measured, 50);
  EXPECT_DOUBLE_EQ(*judged("fail<3%", report).measured, 2.5);
  EXPECT_TRUE(judged("fail<3%", report).kept);
  EXPECT_DOUBLE_EQ(*judged("unanswered=0", report).measured, 8);
  EXPECT_DOUBLE_EQ(*judged("busy<20", report).measured, 15);
  EXPECT_DOUBLE_EQ(*judged("refused<1%", report).measured, 100.0 * 20 / 1990);
  EXPECT_DOUBLE_EQ(*judged("shed=2", report).measured, 2);
  EXPECT_EQ(to_text(judged("fail=0", report)), "fail=0 broken: 50");
  EXPECT_EQ(to_text(judged("fail<3%", report)), "fail<3% kept: 2.50 %");
}

TEST(Objective, RatesAreOfTheWholeRun) {
  RunReport report = report_with(1000, 1us, 2us);
  report.setups_per_s = 9'600;
  report.call_operations_per_s = 19'100;
  EXPECT_TRUE(judged("rate>9500", report).kept);
  EXPECT_FALSE(judged("operations>=20000/s", report).kept);
  EXPECT_EQ(to_text(judged("operations>20000", report)), "operations>20000 broken: 19100/s");
}

TEST(Objective, SeveralStandInOneLineOrInSeveralOptions) {
  const auto line = parse_objectives(std::string_view{"p99<5ms, unanswered=0,fail<0.1%"});
  ASSERT_TRUE(line);
  EXPECT_THAT(*line, SizeIs(3));
  const auto options = parse_objectives(std::vector<std::string>{"p99<5ms", "fail=0,busy=0"});
  ASSERT_TRUE(options);
  EXPECT_THAT(*options, SizeIs(3));
  EXPECT_EQ(setup_bound_us(*line), 5000);
  EXPECT_EQ(setup_bound_us(*parse_objectives(std::string_view{"p50(release)<1ms,fail=0"})),
            std::nullopt);
}

TEST(Objective, TheBoundOfSetupsIsTheTightestOfAllWhereverItStands) {
  const auto bound = [](std::string_view line) {
    return setup_bound_us(parse_objectives(line).value());
  };
  EXPECT_EQ(bound("p50<5ms,p99<20ms"), 5000);
  EXPECT_EQ(bound("p99<20ms,p50<5ms"), 5000);
  EXPECT_EQ(bound("p50<7ms,p99<6ms,max<20ms"), 6000);
  EXPECT_EQ(bound("p50(release)<1ms,p99<=20ms"), 20'000) << "a bound of releases is another one";
}

// ===== objectives that are refused =====

TEST(Objective, WhatWasNotUnderstoodIsNamed) {
  EXPECT_THAT(refusal("fast"), AllOf(HasSubstr("'fast'"), HasSubstr("p99<5ms")));
  EXPECT_THAT(refusal("p99<5"), AllOf(HasSubstr("'p99<5'"), HasSubstr("needs a unit")));
  EXPECT_THAT(refusal("p99<5h"), HasSubstr("not 'h'"));
  EXPECT_THAT(refusal("p100<5ms"), HasSubstr("'p100'"));
  EXPECT_THAT(refusal("p0<5ms"), HasSubstr("'p0'"));
  EXPECT_THAT(refusal("q99<5ms"), HasSubstr("'q99'"));
  EXPECT_THAT(refusal("p99(relase)<5ms"), AllOf(HasSubstr("'relase'"), HasSubstr("release")));
  EXPECT_THAT(refusal("p99(release<5ms"), HasSubstr("parenthesis"));
  EXPECT_THAT(refusal("fail<5ms"), HasSubstr("'ms'"));
  EXPECT_THAT(refusal("fail<101%"), HasSubstr("101"));
  EXPECT_THAT(refusal("fail<-1"), HasSubstr("'-1'"));
  EXPECT_THAT(refusal("p99<1e3ms"), HasSubstr("'e3ms'"));
  EXPECT_THAT(refusal("rate>5ms"), HasSubstr("'ms'"));
  EXPECT_THAT(refusal("p99<5ms,,fail=0"), HasSubstr("empty"));
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
  EXPECT_THAT(refusal("<5ms"), HasSubstr("'<5ms'"));
}

TEST(Objective, AShareIsANumberAndPerCent) {
  EXPECT_EQ(fraction_of("5%"), 0.05);
  EXPECT_EQ(fraction_of("0.5%"), 0.005);
  for (const char* const wrong : {"5", "%", "101%", "-1%", "5%%", "five%", ""})
    EXPECT_EQ(fraction_of(wrong), std::nullopt) << wrong;
}

// ===== the bound of refusals =====

// The objectives as saturate takes them, in one line.
std::string bounded(const char* text) {
  std::string line;
  for (const Objective& one : with_refusal_bound(parse_objectives(std::string_view{text}).value()))
    line += (line.empty() ? "" : ",") + one.shown();
  return line;
}

TEST(Objective, OneThatBoundsNoRefusalsGetsTheBound) {
  EXPECT_EQ(bounded("p99<20ms,unanswered=0"), "p99<20ms,unanswered=0,fail<=1% (default)");
  EXPECT_EQ(bounded("rate>900"), "rate>900,fail<=1% (default)");
  EXPECT_EQ(bounded("fail>5%,refused>1,carried<90%"),
            "fail>5%,refused>1,carried<90%,fail<=1% (default)");
  EXPECT_EQ(bounded("refused<5%"), "refused<5%,busy<=1% (default)");
  EXPECT_EQ(bounded("busy=0"), "busy=0,refused<=1% (default)");
  for (const char* const own :
       {"fail<0.1%", "fail=0,p99<5ms", "fail<=100%", "carried>=95%", "refused<5%,busy<5%"})
    EXPECT_EQ(bounded(own), own);
}

TEST(Objective, ASystemThatRefusesOneOfThreeDoesNotKeepALatencyAlone) {
  RunReport report = report_with(2000, 1ms, 5ms);
  report.setups = {.attempted = 2000, .connected = 1360, .refused = 600, .busy = 40};
  const auto objectives =
      with_refusal_bound(parse_objectives(std::string_view{"p99<20ms,unanswered=0"}).value());
  const auto all = judge(objectives, report);
  EXPECT_FALSE(all_kept(all));
  EXPECT_EQ(to_text(all.back()), "fail<=1% (default) broken: 32.0 %");
  report.setups = {.attempted = 2000, .connected = 1980, .refused = 20};
  EXPECT_TRUE(all_kept(judge(objectives, report)));
}

TEST(Objective, AnInterruptedRunFailsNoCallThatWasNotOffered) {
  RunReport report = report_with(1000, 1ms, 5ms);
  report.planned_calls = 5000;
  EXPECT_FALSE(judged("fail<=1%", report).kept);
  report.interrupted = true;
  EXPECT_TRUE(judged("fail<=1%", report).kept);
}

// ===== objectives that cannot be judged =====

TEST(Objective, APercentileOfTooFewSamplesIsNotKept) {
  const Judged few = judged("p99<5ms", report_with(999, 1us, 2us));
  EXPECT_FALSE(few.kept);
  EXPECT_FALSE(few.measured);
  EXPECT_EQ(to_text(few), "p99<5ms not known: 999 samples, p99 needs 1000");
  EXPECT_TRUE(judged("p99<5ms", report_with(1000, 1us, 2us)).kept);
  EXPECT_THAT(to_text(judged("p99.9<5ms", report_with(9999, 1us, 2us))), HasSubstr("needs 10000"));
  EXPECT_THAT(to_text(judged("max(release)<5ms", report_with(5, 1us, 2us))),
              HasSubstr("no samples"));
}

TEST(Objective, SamplesNeededGrowWithTheTail) {
  EXPECT_EQ(samples_needed(50), 20u);
  EXPECT_EQ(samples_needed(99), 1000u);
  EXPECT_EQ(samples_needed(99.9), 10'000u);
  EXPECT_EQ(samples_needed(1), samples_needed(99));
  EXPECT_EQ(samples_needed(*parse_objectives(std::string_view{"p50<1s,p99<1s,fail=0"})), 1000u);
}

}  // namespace
}  // namespace xbind::callgen
