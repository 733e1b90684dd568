// What a scrape shows of a bridge and its agent.
#include "ovs/ovs_metrics.hpp"

#include <map>

#include "tests/unit/ovs/ovs_table_fixture.hpp"

namespace xbind::ovs::test {
namespace {

class OvsMetrics : public OvsTableTest {
 protected:
  Metrics metrics() { return metrics_of({}, fabric(), table(), {.failed_attempts = 4}); }
  std::map<std::string, std::uint64_t> shown() {
    const Metrics all = metrics();
    return {all.begin(), all.end()};
  }
};

TEST_F(OvsMetrics, EveryNameHasOneRow) {
  const std::vector<MetricTable> tables = ovs_metrics();
  Metrics all = metrics();
  append_process_metrics(4711, all);
  for (const auto& [name, value] : all) EXPECT_EQ(rows_describing(name, tables), 1U) << name;
}

TEST_F(OvsMetrics, TheTableAndTheNumbersInUse) {
  EXPECT_EQ(shown()["bridge_up"], 1U);
  EXPECT_EQ(shown()["bridge_failed_attempts"], 4U);
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone);
  EXPECT_EQ(done(add(policed(hosts(), link(2, 40), 1000))), Code::kNone);
  auto now_shown = shown();
  EXPECT_EQ(now_shown["connections"], 2U);
  EXPECT_EQ(now_shown["groups_used"], 0U);
  EXPECT_EQ(now_shown["meters_used"], 1U);
  EXPECT_EQ(now_shown["changes_open"], 0U);
  const std::uint64_t changes = now_shown["changes"];
  EXPECT_GE(changes, 3U);

  // A second branch makes a group and a flow that uses it: one bundle.
  const Request second = add(link(2, 20), link(4, 50));
  EXPECT_EQ(shown()["changes_open"], 1U);
  EXPECT_EQ(done(second), Code::kNone);
  now_shown = shown();
  EXPECT_EQ(now_shown["connections"], 2U);
  EXPECT_EQ(now_shown["branches"], 3U);
  EXPECT_EQ(now_shown["groups_used"], 1U);
  EXPECT_EQ(now_shown["bundles"], 1U);
  EXPECT_GT(now_shown["changes"], changes);
}

TEST_F(OvsMetrics, ABundleThatTheBridgeRefuses) {
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone);
  memory.refuse_next(MemoryBridge::Kind::kGroup, openflow::ErrorType::kGroupModFailed,
                     openflow::kGroupOutOfGroups);
  EXPECT_EQ(done(add(link(2, 20), link(4, 50))), Code::kOutOfResources);
  auto now_shown = shown();
  EXPECT_EQ(now_shown["bundles_failed"], 1U);
  EXPECT_EQ(now_shown["requests_undone"], 1U);
  EXPECT_GE(now_shown["changes_refused"], 2U);
  EXPECT_EQ(now_shown["branches"], 1U);
  EXPECT_EQ(now_shown["groups_used"], 0U);
}

TEST_F(OvsMetrics, ABridgeThatIsAway) {
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone);
  made->cut();
  auto now_shown = shown();
  EXPECT_EQ(now_shown["bridge_up"], 0U);
  EXPECT_EQ(now_shown["ports_down"], 4U);
  EXPECT_EQ(now_shown["connections"], 1U) << "they are restored later";
  made->connect(now);
  settle();
  now_shown = shown();
  EXPECT_EQ(now_shown["bridge_up"], 1U);
  EXPECT_EQ(now_shown["bridge_connections"], 2U);
  EXPECT_EQ(now_shown["ports_down"], 0U);
}

}  // namespace
}  // namespace xbind::ovs::test
