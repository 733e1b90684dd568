#include "keeper/keeper_metrics.hpp"

#include "tests/unit/keeper/world.hpp"

namespace xbind::keeper {
namespace {

class KeeperMetrics : public World {
 protected:
  std::map<std::string, std::uint64_t> shown() const {
    const Metrics metrics = metrics_of(*keeper, {3, 1}, now);
    return {metrics.begin(), metrics.end()};
  }
};

TEST_F(KeeperMetrics, EveryNameHasOneRow) {
  start({wanted("east")});
  Metrics metrics = metrics_of(*keeper, {}, now);
  append_process_metrics(4711, metrics);
  const std::vector<MetricTable> tables{keeper_metrics()};
  for (const auto& [name, value] : metrics) EXPECT_EQ(rows_describing(name, tables), 1U) << name;
  EXPECT_EQ(metrics.size(), tables[0].rows.size());
}

TEST_F(KeeperMetrics, TheCallsAndWhatBecameOfTheSetups) {
  start({wanted("east", 100, 2), wanted("west", 200)});
  auto now_shown = shown();
  EXPECT_EQ(now_shown["attached"], 0U);
  EXPECT_EQ(now_shown["informed"], 0U);
  EXPECT_EQ(now_shown["connections"], 2U);
  EXPECT_EQ(now_shown["calls_wanted"], 3U);
  EXPECT_EQ(now_shown["calls_waiting"], 3U);
  attach();
  settle();
  now_shown = shown();
  EXPECT_EQ(now_shown["attached"], 1U);
  EXPECT_EQ(now_shown["informed"], 1U);
  EXPECT_EQ(now_shown["sessions"], 1U);
  EXPECT_EQ(now_shown["calls_up"], 3U);
  EXPECT_EQ(now_shown["setups"], 3U);
  EXPECT_EQ(now_shown["setups_connected"], 3U);
  EXPECT_EQ(now_shown["files_read"], 3U);
  EXPECT_EQ(now_shown["files_refused"], 1U);

  calls.erase(calls.begin());  // released by an operator
  next_look();
  ASSERT_EQ(setups(), 1U);
  Outcome refused;
  refused.request = number_of(asked.front());
  refused.kind = OutcomeKind::kRefused;
  asked.clear();
  send(refused);
  now_shown = shown();
  EXPECT_EQ(now_shown["calls_lost"], 1U);
  EXPECT_EQ(now_shown["calls_up"], 2U);
  EXPECT_EQ(now_shown["setups"], 4U);
  EXPECT_EQ(now_shown["setups_refused"], 1U);
  EXPECT_EQ(now_shown["refused_connections"], 1U);
  EXPECT_EQ(now_shown["looks_failed"], 0U);

  keeper->want({}, now);
  next_look();
  settle();
  now_shown = shown();
  EXPECT_EQ(now_shown["calls_wanted"], 0U);
  EXPECT_EQ(now_shown["releases"], 2U);
  EXPECT_EQ(now_shown["releases_failed"], 0U);
}

}  // namespace
}  // namespace xbind::keeper
