#include "core/metrics/metric_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/options.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

struct Trips {
  std::uint64_t begun = 0;
  std::uint64_t under_way = 0;
};

constexpr CounterRow<Trips> kTripMetrics[] = {
    {"trips", MetricKind::kCounter, "", "Trips begun.", &Trips::begun},
    {"trips_under_way", MetricKind::kGauge, "", "Trips under way.", &Trips::under_way},
};
constexpr MetricRow<Trips> kSumMetrics[] = {
    {"trips_ended", MetricKind::kCounter, "", "Trips that have ended.",
     [](const Trips& trips) { return trips.begun - trips.under_way; }},
};
constexpr MetricNames kStopMetrics{{
    {"stops_<place>", MetricKind::kCounter, "", "Stops at the place."},
    {"stops_late_<place>", MetricKind::kCounter, "", "Late stops at the place."},
    {"<line>_wait_<place>_ns", MetricKind::kCounter, "ns", "Waiting of the line at the place."},
}};
static_assert(kStopMetrics["stops_<place>"] == "stops_<place>");

const std::vector<MetricTable> kTables{metric_table("trial", kTripMetrics, kSumMetrics),
                                       metric_table("stops", kStopMetrics)};

TEST(MetricTableTest, RowsAreExportedInTheirOrder) {
  Metrics metrics;
  append(kTripMetrics, Trips{7, 2}, metrics);
  append(kSumMetrics, Trips{7, 2}, metrics);
  EXPECT_THAT(metrics,
              ElementsAre(Pair("trips", 7), Pair("trips_under_way", 2), Pair("trips_ended", 5)));
}

TEST(MetricTableTest, AFamilyIsFilledInTheOrderOfItsWords) {
  EXPECT_EQ(filled("stops_<place>", {"berne"}), "stops_berne");
  EXPECT_EQ(filled("<line>_wait_<place>_ns", {"s1", "berne"}), "s1_wait_berne_ns");
  EXPECT_DEATH(filled("stops_<place>", {}), "place");
  EXPECT_DEATH(filled("stops_<place>", {"berne", "thun"}), "thun");
}

TEST(MetricTableTest, TheRowThatSaysMostDescribesAnExportedName) {
  EXPECT_EQ(rows_describing("trips", kTables), 1u);
  EXPECT_EQ(rows_describing("stops_berne", kTables), 1u);
  EXPECT_EQ(rows_describing("stops_late_berne", kTables), 1u);
  EXPECT_EQ(rows_describing("s1_wait_berne_ns", kTables), 1u);
}

TEST(MetricTableTest, ANameWithoutARowOrWithTwoIsSeen) {
  for (const char* name : {"trip", "trips_", "stops_", "stops", "s1_wait__ns", "_wait_berne_ns"}) {
    EXPECT_EQ(rows_describing(name, kTables), 0u) << name;
  }
  const std::vector<MetricTable> twice{kTables[0], kTables[0], kTables[1], kTables[1]};
  EXPECT_EQ(rows_describing("trips", twice), 2u);
  EXPECT_EQ(rows_describing("stops_berne", twice), 2u);
}

TEST(MetricTableTest, PrintMetricsWritesAMarkdownTable) {
  config::OptionSet set("xbind-trial", "Tries metrics.");
  const char* help[] = {"trial", "--help"};
  const char* print[] = {"trial", "--print-metrics"};
  const config::Environment none = [](const std::string&) { return std::nullopt; };
  EXPECT_THAT(set.load(2, help, none)->text, Not(HasSubstr("--print-metrics")));
  set.add_metrics(kTables[0]);
  EXPECT_THAT(set.load(2, help, none)->text, HasSubstr("--print-metrics"));
  EXPECT_EQ(set.load(2, print, none)->text,
            "## xbind-trial\n\n"
            "| room | metric | kind | unit | meaning | in Prometheus |\n"
            "| --- | --- | --- | --- | --- | --- |\n"
            "| trial | trips | counter |  | Trips begun. | `xbind_trial_trips_total` |\n"
            "| trial | trips_under_way | gauge |  | Trips under way. "
            "| `xbind_trial_trips_under_way` |\n"
            "| trial | trips_ended | counter |  | Trips that have ended. "
            "| `xbind_trial_trips_ended_total` |\n");
}

}  // namespace
}  // namespace xbind
