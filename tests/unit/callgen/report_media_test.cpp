// A report about the cells of a run: verdict, JSON and text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "callgen/report/report.hpp"

namespace xbind::callgen {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using PlainJson = nlohmann::json;

// A run of 300 calls, all successful, including their cells.
RunReport media_report() {
  RunReport report;
  report.planned_calls = 300;
  report.offered_setups_per_s = report.sent_setups_per_s = 100;
  report.setups = {.attempted = 300, .connected = 300};
  report.releases = {.attempted = 300, .released = 300};
  report.audit.made = report.audit.clean = true;
  MediaFigures media;
  media.calls_wanted = 100;
  media.calls_checked = 140;
  media.reused_checked = 60;
  media.calls_on_reused_labels = 200;
  media.cells_sent = media.cells_received = 1120;
  media.probes_sent = 560;
  media.probes_excused = 8;
  report.media = media;
  return report;
}

TEST(ReportMedia, AGoodRunIsOk) {
  EXPECT_THAT(judge(media_report()).reasons, IsEmpty());
  const std::string text = to_text(media_report());
  EXPECT_THAT(text, AllOf(HasSubstr("140 calls checked, 60 of them on labels of released calls"),
                          HasSubstr("1 120 cells sent while the calls were up, 1 120 received"),
                          HasSubstr("560 cells sent after their release, 8 received"),
                          HasSubstr("of these 8 by the call that had been given the label"),
                          HasSubstr("none after the release"), Not(HasSubstr("WRONG"))));
}

TEST(ReportMedia, WithoutACheckNothingIsSaid) {
  RunReport report = media_report();
  report.media.reset();
  EXPECT_THAT(judge(report).reasons, IsEmpty());
  EXPECT_THAT(to_text(report), Not(HasSubstr("Cells")));
  EXPECT_FALSE(PlainJson::parse(to_json(report)).contains("media"));
}

TEST(ReportMedia, EveryViolationFailsTheRunByItsName) {
  struct Kind {
    std::uint64_t MediaFigures::*counter;
    const char* key;
    const char* words;
  };
  for (const Kind& kind :
       {Kind{&MediaFigures::lost, "lost", "3 lost"},
        {&MediaFigures::out_of_order, "out_of_order", "3 out of order"},
        {&MediaFigures::duplicated, "duplicated", "3 duplicated"},
        {&MediaFigures::wrong_endpoint, "wrong_endpoint", "3 at a wrong endpoint"},
        {&MediaFigures::wrong_label, "wrong_label", "3 on a wrong label"},
        {&MediaFigures::corrupted, "corrupted", "3 corrupted"},
        {&MediaFigures::after_release, "after_release", "3 after the release of their call"}}) {
    RunReport report = media_report();
    (*report.media).*kind.counter = 3;
    report.media->findings = {"call 17, host-a 0/40 to host-b 0/41: something"};
    const Verdict verdict = judge(report);
    EXPECT_EQ(exit_code(verdict), 1) << kind.key;
    EXPECT_THAT(verdict.reasons,
                Contains(std::string("cells did not arrive as they should: ") + kind.words));
    const PlainJson media = PlainJson::parse(to_json(report)).at("media");
    EXPECT_EQ(media.at(kind.key), 3) << kind.key;
    EXPECT_EQ(media.at("violations"), 3) << kind.key;
    EXPECT_THAT(to_text(report), AllOf(HasSubstr("WRONG"), HasSubstr("call 17, host-a"),
                                       Not(HasSubstr("all arrived"))));
  }
}

TEST(ReportMedia, TooFewChecksFailTheRun) {
  RunReport report = media_report();
  report.media->calls_checked = 99;
  EXPECT_THAT(judge(report).reasons,
              Contains("the cells of 99 calls were checked, 100 were to be"));
  report.setups.connected = report.releases.attempted = report.releases.released = 99;
  report.setups.refused = 201;
  EXPECT_THAT(judge(report).reasons, IsEmpty());  // only 99 calls were connected
}

TEST(ReportMedia, ReusedLabelsOfWhichNoneWasCheckedFailTheRun) {
  RunReport report = media_report();
  report.media->reused_checked = 0;
  EXPECT_THAT(judge(report).reasons,
              Contains("200 calls had labels of released ones, and none of them was checked"));
  report.media->calls_on_reused_labels = 0;
  EXPECT_THAT(judge(report).reasons, IsEmpty());
}

}  // namespace
}  // namespace xbind::callgen
