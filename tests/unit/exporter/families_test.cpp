#include "exporter/families.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

namespace xbind::exporter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr MetricNames kTrips{{
    {"trips", MetricKind::kCounter, "", "Trips begun."},
    {"rss_kib", MetricKind::kGauge, "KiB", "Memory.", MetricScope::kProcess},
    {"wait_ms/<place>", MetricKind::kGauge, "ms", "Waiting."},
}};

std::vector<MetricTable> tables() { return {metric_table("trial", kTrips, kStageMetrics)}; }

std::string text_of(Families& families) {
  return prometheus::TextSerializer{}.Serialize(families.take());
}

TEST(Families, EachPartHasItsLabelsAndTheProcessIsCountedOnce) {
  Families families(tables());
  families.add({{"switch", "a"}}, {{{"trips", 2}, {"rss_kib", 3}}, {}, {}});
  families.add({{"switch", "b"}}, {{{"trips", 5}, {"rss_kib", 4}}, {}, {}});
  EXPECT_EQ(text_of(families),
            "# HELP xbind_trial_rss_bytes Memory.\n"
            "# TYPE xbind_trial_rss_bytes gauge\n"
            "xbind_trial_rss_bytes 3072\n"
            "# HELP xbind_trial_trips_total Trips begun.\n"
            "# TYPE xbind_trial_trips_total counter\n"
            "xbind_trial_trips_total{switch=\"a\"} 2\n"
            "xbind_trial_trips_total{switch=\"b\"} 5\n");
  EXPECT_EQ(text_of(families), "") << "a scrape begins anew";
}

TEST(Families, AWordOfAnyCharactersIsALabel) {
  Families families(tables());
  families.add({}, {{{"wait_ms/berne \"west\"", 1500}}, {}, {}});
  EXPECT_THAT(text_of(families),
              HasSubstr("xbind_trial_wait_seconds{place=\"berne \\\"west\\\"\"} 1.5\n"));
}

TEST(Families, ANameWithoutARowIsLeftOut) {
  Families families(tables());
  families.add({}, {{{"tripz", 1}}, {}, {}});
  EXPECT_EQ(text_of(families), "");
}

TEST(Families, AStageIsAHistogramWithCumulativeCounts) {
  Families families(tables());
  StageHistogram stage{"setup", "route", 5'000'000, {}};
  stage.counts[0] = 3;                         // up to 1.024 us
  stage.counts[histogram::kOctaveBounds] = 1;  // above 8.6 s
  families.add({}, {{{"setup_stage_route_ns", 5'000'000}}, {stage}, {}});
  const std::string text = text_of(families);
  const std::string name = "xbind_trial_stage_seconds";
  const std::string labels = "{operation=\"setup\",stage=\"route\"";
  EXPECT_THAT(text, HasSubstr(name + "_count" + labels + "} 4\n"));
  EXPECT_THAT(text, HasSubstr(name + "_sum" + labels + "} 0.005\n"));
  EXPECT_THAT(text, HasSubstr(name + "_bucket" + labels + ",le=\"1.024e-06\"} 3\n"));
  EXPECT_THAT(text, HasSubstr(name + "_bucket" + labels + ",le=\"+Inf\"} 4\n"));
  EXPECT_THAT(text, Not(HasSubstr("stage_route_ns")));
}

}  // namespace
}  // namespace xbind::exporter
