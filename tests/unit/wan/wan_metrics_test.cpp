// Every exported metric stands in the table.
#include "wan/wan_metrics.hpp"

#include <gtest/gtest.h>

#include "tests/unit/wan/wan_fixture.hpp"

namespace xbind::wan {
namespace {

TEST(WanMetrics, EachHasOneRow) {
  Wan wan(two_sites({}), {});
  wan.accept(kA, {}, TimePoint{});
  Metrics metrics = metrics_of(wan.counters(kA));
  append_process_metrics({.held_packets = 1, .held_octets = 2, .rss_kib = 3}, metrics);
  const std::vector<MetricTable> tables = wan_metrics();
  for (const auto& [name, value] : metrics) EXPECT_EQ(rows_describing(name, tables), 1U) << name;
  EXPECT_EQ(std::ranges::count(metrics, std::pair<std::string, std::uint64_t>("drops/empty", 1)),
            1);
  EXPECT_EQ(std::ranges::count(metrics, std::pair<std::string, std::uint64_t>("packets_in", 1)), 1);
}

}  // namespace
}  // namespace xbind::wan
