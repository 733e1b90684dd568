// xbindctl's tree of a call's spans, from parts that are preset.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "xbindctl/trace_tree.hpp"

namespace xbind::ctl {
namespace {

using testing::ElementsAre;

trace::Span span(std::uint64_t id, std::uint64_t parent, const char* name, const char* place,
                 std::uint64_t begin) {
  trace::Span span;
  span.id = id;
  span.parent = parent;
  span.name = name;
  span.place = place;
  span.begin_ns = begin;
  span.end_ns = begin + 1;
  if (*place != '\0') span.key.generation = Generation{1};
  return span;
}

// "  commit sw1: note", indented by depth.
std::vector<std::string> lines(const TraceParts& parts) {
  std::vector<std::string> all;
  for (const TraceNode& node : tree_of(parts)) {
    std::string line = std::string(2 * node.depth, ' ') + node.span->name;
    if (!node.span->place.empty()) line += " " + node.span->place;
    if (!node.note.empty()) line += ": " + node.note;
    all.push_back(std::move(line));
  }
  return all;
}

TraceParts setup_over_two_switches() {
  TraceParts parts;
  parts.manager.process = "xbind-cmgr cm1";
  parts.manager.spans = {span(1, 0, "setup", "", 100), span(2, 1, "switches", "", 110),
                         span(3, 2, "commit", "sw1", 110), span(4, 2, "commit", "sw2", 110)};
  parts.switch_servers.resize(2);
  parts.switch_servers[0].spans = {span(5, 3, "switchserver", "sw1", 120),
                                   span(6, 5, "ledger", "sw1", 120)};
  parts.switch_servers[1].spans = {span(7, 4, "switchserver", "sw2", 119)};
  return parts;
}

TEST(TraceTree, JoinsTheProcesses) {
  const TraceParts parts = setup_over_two_switches();
  EXPECT_THAT(switches_of(parts.manager), ElementsAre("sw1", "sw2"));
  EXPECT_THAT(lines(parts),
              ElementsAre("setup", "  switches", "    commit sw1", "      switchserver sw1",
                          "        ledger sw1", "    commit sw2", "      switchserver sw2"));
}

TEST(TraceTree, SaysWhichProcessIsMissing) {
  TraceParts parts = setup_over_two_switches();
  parts.switch_servers.pop_back();
  parts.missing = {{"sw2", "does not answer"}};
  EXPECT_EQ(lines(parts).back(),
            "    commit sw2: the part of its SwitchServer is missing: does not answer");
  parts.missing.clear();
  EXPECT_EQ(lines(parts).back(), "    commit sw2: its SwitchServer has recorded nothing of it");
}

TEST(TraceTree, SpansWithoutTheirParentStandAlone) {
  TraceParts parts = setup_over_two_switches();
  parts.manager.spans.erase(parts.manager.spans.begin() + 2);  // commit sw1: overwritten
  EXPECT_THAT(
      lines(parts),
      ElementsAre("setup", "  switches", "    commit sw2", "      switchserver sw2",
                  "switchserver sw1: the manager has not recorded the command", "  ledger sw1"));
}

TEST(TraceTree, AnOperationFollowsTheOneBefore) {
  TraceParts parts = setup_over_two_switches();
  parts.manager.spans.push_back(span(20, 0, "release", "", 500));
  parts.manager.spans.push_back(span(21, 20, "remove", "sw1", 510));
  parts.switch_servers[0].spans.push_back(span(22, 21, "switchserver", "sw1", 515));
  const std::vector<TraceNode> nodes = tree_of(parts);
  ASSERT_EQ(nodes.size(), 10U);
  EXPECT_EQ(nodes[7].span->name, "release");
  EXPECT_EQ(nodes[9].begin_of_operation_ns, 500U);
}

TEST(TraceTree, SpansInACircleAreLeftOut) {
  TraceParts parts = setup_over_two_switches();
  parts.switch_servers[0].spans = {span(30, 31, "a", "sw1", 120), span(31, 30, "b", "sw1", 121)};
  EXPECT_EQ(lines(parts).size(), 5U);
}

}  // namespace
}  // namespace xbind::ctl
