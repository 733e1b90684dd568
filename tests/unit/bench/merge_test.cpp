// Merging the reports of several generators. No two parts are alike, so an omission is detected.
#include "bench/search/merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "callgen/report/report_from_json.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using Json = nlohmann::json;

AuditReport clean_audit() {
  AuditReport audit;
  audit.made = audit.clean = true;
  return audit;
}

AuditReport leaked(std::uint64_t labels) {
  AuditReport audit = clean_audit();
  audit.clean = false;
  audit.leaked_labels = labels;
  return audit;
}

RunReport audited(const AuditReport& audit) {
  RunReport report;
  report.audits = {{"default", audit}};
  report.audit = sum_of(report.audits);
  return report;
}

// ===== unknown figures ==========================================================================

RunReport knows(std::uint64_t calls, std::uint64_t invocations, double ratio) {
  RunReport report = audited(clean_audit());
  report.planned_calls = calls;
  report.remote_invocations = invocations;
  report.label_cache_hit_ratio = ratio;
  return report;
}

TEST(Merge, AFigureThatOnePartDoesNotKnowIsNotKnownOfTheSum) {
  RunReport lost = knows(100, 7, 0);
  lost.unknown = {{"label_cache_hit_ratio", "a manager was restarted"},
                  {"remote_invocations", "a manager was restarted"}};
  const std::string why = "generator 2: a manager was restarted";
  const RunReport sum = merge({knows(100, 900, 0.5), lost, knows(300, 800, 0.9)});
  EXPECT_THAT(sum.unknown,
              ElementsAre(Pair("label_cache_hit_ratio", why), Pair("remote_invocations", why)));
  EXPECT_EQ(sum.remote_invocations, 900U) << "at least";
  EXPECT_DOUBLE_EQ(sum.label_cache_hit_ratio, 0.8) << "of the parts that know it";
}

TEST(Merge, AFigureThatNoPartKnowsHasOneReason) {
  RunReport lost = knows(100, 0, 0);
  lost.unknown = {{"remote_invocations", "a manager was restarted"}};
  EXPECT_THAT(merge({lost, lost}).unknown,
              ElementsAre(Pair("remote_invocations", "a manager was restarted")));
}

TEST(Merge, APartThatNeededNoLabelLeavesTheRatioKnown) {
  RunReport without = knows(100, 900, 0);
  without.unknown = {{"label_cache_hit_ratio", "no label was needed"}};
  const RunReport sum = merge({knows(100, 900, 0.5), without});
  EXPECT_THAT(sum.unknown, IsEmpty());
  EXPECT_DOUBLE_EQ(sum.label_cache_hit_ratio, 0.5);
  EXPECT_THAT(merge({without, without}).unknown,
              ElementsAre(Pair("label_cache_hit_ratio", "no label was needed")));
}

// ===== counts ===================================================================================

// The places in the report's JSON whose counts are summed.
constexpr std::array kCounted{"/calls/",         "/setups/",   "/releases/",  "/odd_outcomes/",
                              "/notices/",       "/faults/",   "/media/",     "/kinds/",
                              "/faults_by_leg/", "/refusals/", "/reattached/"};

bool adds_up(const std::string& pointer, const Json& value) {
  return value.is_number_unsigned() &&
         std::any_of(kCounted.begin(), kCounted.end(),
                     [&](const char* begin) { return pointer.starts_with(begin); });
}

Json flat(const RunReport& report) { return Json::parse(to_json(report)).flatten(); }

// Every count in it is different: `first`, first + 7, ...
RunReport numbered(std::uint64_t first) {
  RunReport report = audited(clean_audit());
  report.media.emplace();
  report.faults_by_leg["manager_to_switch"] = {};
  report.kinds[RequestKind::kSetup] = report.kinds[RequestKind::kModify] = {};
  report.refusals = CauseCounts::from({{"no label", 1}, {"no route", 1}}, {});
  Json root = Json::parse(to_json(report));
  const Json counts = flat(report);
  for (const auto& [pointer, value] : counts.items()) {
    if (!adds_up(pointer, value)) continue;
    root[Json::json_pointer(pointer)] = first;
    first += 7;
  }
  const auto read = report_from_json(root.dump());
  EXPECT_TRUE(read) << read.error().text;
  return read.value_or(RunReport{});
}

TEST(Merge, EveryCountIsTheSumOfThoseOfTheParts) {
  const RunReport one = numbered(1);
  const RunReport other = numbered(10'000);
  const Json first = flat(one);
  const Json second = flat(other);
  const Json sum = flat(merge({one, other}));
  std::size_t counts = 0;
  for (const auto& [pointer, value] : first.items()) {
    if (!adds_up(pointer, value)) continue;
    ++counts;
    ASSERT_TRUE(sum.contains(pointer)) << pointer;
    EXPECT_EQ(sum[pointer], value.get<std::uint64_t>() + second[pointer].get<std::uint64_t>())
        << pointer;
  }
  EXPECT_GT(counts, 73U);
  for (const char* const one_of_each :
       {"/calls/shed", "/setups/busy", "/releases/failed", "/odd_outcomes/contradicted",
        "/notices/mended", "/faults/delayed", "/media/after_release", "/media/cells_not_sent",
        "/kinds/setup/warm_up", "/faults_by_leg/manager_to_switch/dropped", "/refusals/no label",
        "/reattached/sessions_lost"}) {
    EXPECT_GT(sum.value(one_of_each, 0), 10'000) << one_of_each;
  }
}

TEST(Merge, EveryDistributionHasTheValuesOfAllParts) {
  const auto histogram = [](int count, Duration value) {
    Histogram made;
    for (int i = 0; i < count; ++i) made.record(value);
    return made;
  };
  const auto part = [&](int more, Duration value) {
    RunReport report = audited(clean_audit());
    report.kinds[RequestKind::kSetup] = {.latency = histogram(1 + more, value),
                                         .from_send = histogram(2 + more, value),
                                         .slip = histogram(3 + more, value),
                                         .refusal = histogram(4 + more, value),
                                         .refusal_from_send = histogram(5 + more, value)};
    report.slip = histogram(6 + more, value);
    return report;
  };
  const RunReport sum = merge({part(0, 1ms), part(100, 9ms)});
  const KindStatistics& setups = sum.kinds.at(RequestKind::kSetup);
  int most = 102;
  for (const Histogram* const all : {&setups.latency, &setups.from_send, &setups.slip,
                                     &setups.refusal, &setups.refusal_from_send, &sum.slip}) {
    EXPECT_EQ(all->count(), static_cast<std::uint64_t>(most)) << most;
    EXPECT_EQ(all->min(), 1ms);
    EXPECT_EQ(all->max(), 9ms);
    most += 2;
  }
  EXPECT_EQ(sum.generator_slip.count, 112U);
  EXPECT_DOUBLE_EQ(sum.generator_slip.max, 9'000);
}

// ===== findings against a part =====

TEST(Merge, AManagerThatOnePartHasLostIsLost) {
  RunReport lost = audited(clean_audit());
  lost.target_lost = true;
  EXPECT_TRUE(merge({lost, audited(clean_audit())}).target_lost);
  EXPECT_TRUE(merge({audited(clean_audit()), lost}).target_lost);
  EXPECT_FALSE(merge({audited(clean_audit()), audited(clean_audit())}).target_lost);
}

TEST(Merge, WhatFailedAndWhatIsVoidAreKeptApart) {
  RunReport failed = audited(clean_audit());
  failed.odd.contradicted = 2;
  RunReport late = audited(clean_audit());
  late.shed = 3;
  const RunReport sum = merge({failed, late});
  EXPECT_THAT(sum.parts_failed,
              ElementsAre("generator 1: 2 answers contradicted an earlier one or did not fit their "
                          "request"));
  EXPECT_THAT(sum.parts_void, ElementsAre("generator 2: 3 calls were not sent because too many "
                                          "others were open"));
  EXPECT_EQ(exit_code(judge(sum)), 1);
  EXPECT_EQ(exit_code(judge(merge({audited(clean_audit()), late}))), 3);
  EXPECT_THAT(merge({audited(clean_audit()), audited(clean_audit())}).parts_failed, IsEmpty());
}

TEST(Merge, OfTwoAuditsTheWorseCounts) {
  const auto merged = [](const AuditReport& one, const AuditReport& other) {
    return merge({audited(one), audited(other)});
  };
  for (const bool turned : {false, true}) {
    const auto of = [&](const AuditReport& good, const AuditReport& bad) {
      return turned ? merged(bad, good) : merged(good, bad);
    };
    EXPECT_EQ(of(clean_audit(), leaked(4)).audit.leaked_labels, 4U) << turned;
    EXPECT_FALSE(of(clean_audit(), leaked(4)).audit.proves_clean()) << turned;
    EXPECT_EQ(of(leaked(1), leaked(4)).audit.leaked_labels, 4U) << turned;
    EXPECT_FALSE(of(clean_audit(), {}).audit.made) << turned;
    EXPECT_FALSE(of(leaked(4), {}).audit.made) << turned;
  }
  EXPECT_TRUE(merged(clean_audit(), clean_audit()).audit.proves_clean());
}

TEST(Merge, WhatOnePartAloneHasSeenIsNotForgotten) {
  RunReport one = audited(clean_audit());
  one.interrupted = true;
  one.managers = 3;
  one.sessions.unheard = {{"switch-1", "no answer"}};
  RunReport other = audited(clean_audit());
  other.managers = 2;
  other.sessions.unheard = {{"switch-2", "timeout"}};
  for (const auto& parts : {std::vector{one, other}, std::vector{other, one}}) {
    const RunReport sum = merge(parts);
    EXPECT_TRUE(sum.interrupted);
    EXPECT_EQ(sum.managers, 3U);
    EXPECT_EQ(sum.sessions.unheard, (std::map<std::string, std::string>{{"switch-1", "no answer"},
                                                                        {"switch-2", "timeout"}}));
  }
}

}  // namespace
}  // namespace xbind::callgen
