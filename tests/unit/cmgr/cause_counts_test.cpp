#include "cmgr/parts/cause_counts.hpp"

#include <gtest/gtest.h>

namespace xbind::cmgr {
namespace {

TEST(CauseCounts, ExportOnlyCausesThatHaveOccurred) {
  CauseCounts counts;
  Metrics metrics;
  counts.append_metrics(metrics);
  EXPECT_EQ(metrics, Metrics{});
  counts.count(Cause::kLinkDown);  // the highest number
  counts.count(Cause::kNoBandwidth);
  counts.count(Cause::kNoBandwidth);
  counts.append_metrics(metrics);
  EXPECT_EQ(metrics, (Metrics{{"refusals/no bandwidth", 2}, {"refusals/link down", 1}}));
}

}  // namespace
}  // namespace xbind::cmgr
