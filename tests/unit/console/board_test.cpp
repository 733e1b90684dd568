#include "console/board.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "console/history.hpp"
#include "console/live_board.hpp"

namespace xbind::console {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Board, TellsWhatIsNewChangedAndGone) {
  Board board;
  const auto first = board.replace("links", "routeobject", {{"a:1", "1"}, {"b:1", "2"}});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->number, 1U);
  EXPECT_THAT(first->set, ElementsAre(Pair("a:1", "1"), Pair("b:1", "2")));

  const auto second = board.replace("links", "routeobject", {{"b:1", "3"}, {"c:1", "4"}});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->number, 2U);
  EXPECT_THAT(second->set, ElementsAre(Pair("b:1", "3"), Pair("c:1", "4")));
  EXPECT_THAT(second->gone, ElementsAre("a:1"));
  EXPECT_EQ(board.array_of("links"), "[3,4]");
}

TEST(Board, IsSilentWhenNothingHasChanged) {
  Board board;
  board.replace("links", "routeobject", {{"a:1", "1"}});
  EXPECT_FALSE(board.replace("links", "routeobject", {{"a:1", "1"}}));
  EXPECT_FALSE(board.replace("calls", "default", {}));
  EXPECT_EQ(board.number(), 1U);
}

TEST(Board, KeepsTheRowsOfOtherOwners) {
  Board board;
  board.replace("daemons", "a", {{"a", "1"}});
  board.replace("daemons", "b", {{"b", "2"}, {"a", "stolen"}});
  EXPECT_EQ(board.array_of("daemons"), "[1,2]");
  const auto gone = board.replace("daemons", "a", {});
  ASSERT_TRUE(gone);
  EXPECT_THAT(gone->gone, ElementsAre("a"));
  EXPECT_EQ(board.array_of("daemons"), "[2]");
}

TEST(Board, AmendsRowsAndLeavesTheOthers) {
  Board board;
  board.replace("events", "all", {{"1", "1"}, {"2", "2"}});
  board.replace("events", "other", {{"9", "9"}});
  const auto change = board.amend("events", "all", {{"3", "3"}}, {"1", "9", "none"});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->number, 3U);
  EXPECT_EQ(change->section, "events");
  EXPECT_THAT(change->set, ElementsAre(Pair("3", "3")));
  EXPECT_THAT(change->gone, ElementsAre("1"));
  EXPECT_EQ(board.array_of("events"), "[2,3,9]");
  EXPECT_FALSE(board.amend("events", "all", {{"3", "3"}}, {"1"}));
  // A row that is set stays, whatever else is said of its key.
  EXPECT_FALSE(board.amend("events", "all", {{"2", "2"}}, {"2"}));
  EXPECT_EQ(board.array_of("events"), "[2,3,9]");
}

TEST(Board, HasABoundOnItsRowsAndCountsTheOthers) {
  Board board;
  Rows rows;
  for (std::size_t i = 0; i < kRowsMax + 3; ++i) rows.emplace(std::to_string(i), "0");
  const auto change = board.replace("links", "routeobject", std::move(rows));
  ASSERT_TRUE(change);
  EXPECT_EQ(change->set.size(), kRowsMax);
  EXPECT_EQ(board.left_out(), 3U);
}

TEST(Board, AppliedChangesGiveTheState) {
  Board board;
  nlohmann::json known = nlohmann::json::parse(board.json())["sections"];
  const auto apply = [&](const std::optional<Change>& change) {
    const auto event = nlohmann::json::parse(json_of(change.value()));
    nlohmann::json& section = known[event["section"].get<std::string>()];
    for (const auto& [key, row] : event["set"].items()) section[key] = row;
    for (const auto& key : event["gone"]) section.erase(key.get<std::string>());
  };
  apply(board.replace("links", "r", {{"a \"quoted\":1", R"({"free":1})"}, {"b", R"({"free":2})"}}));
  apply(board.replace("daemons", "d", {{"d", "{}"}}));
  apply(board.replace("links", "r", {{"b", R"({"free":3})"}}));
  const auto all = nlohmann::json::parse(board.json());
  EXPECT_EQ(all["sections"], known);
  EXPECT_EQ(all["number"], 3);
  EXPECT_EQ(known["links"]["b"]["free"], 3);
}

TEST(Board, FindsARow) {
  Board board;
  board.replace("links", "r", {{"a", "1"}});
  ASSERT_NE(board.row("links", "a"), nullptr);
  EXPECT_EQ(*board.row("links", "a"), "1");
  EXPECT_EQ(board.row("links", "b"), nullptr);
  EXPECT_EQ(board.row("other", "a"), nullptr);
  EXPECT_EQ(board.array_of("other"), "[]");
}

TEST(EventText, IsOneEventOfAStream) {
  EXPECT_EQ(event_text("change", 7, R"({"a":1})"), "event: change\nid: 7\ndata: {\"a\":1}\n\n");
}

TEST(History, KeepsTheNewestSamples) {
  History history;
  EXPECT_EQ(history.array_of("default"), "[]");
  EXPECT_FALSE(history.has("default"));
  for (std::size_t i = 0; i < kHistoryMax + 2; ++i) history.add("default", std::to_string(i));
  const auto samples = nlohmann::json::parse(history.array_of("default"));
  EXPECT_EQ(samples.size(), kHistoryMax);
  EXPECT_EQ(samples.front(), 2);
  EXPECT_EQ(samples.back(), kHistoryMax + 1);
}

TEST(History, HasABoundOnItsSources) {
  History history;
  for (std::size_t i = 0; i <= kHistorySourcesMax; ++i) history.add(std::to_string(i), "0");
  EXPECT_TRUE(history.has("0"));
  EXPECT_FALSE(history.has(std::to_string(kHistorySourcesMax)));
}

TEST(LiveBoard, SendsEachChangeOnceAndInOrder) {
  LiveBoard board;
  std::vector<std::uint64_t> numbers;
  board.set_sink([&](std::uint64_t number, const std::shared_ptr<const std::string>& text) {
    numbers.push_back(number);
    EXPECT_TRUE(text->starts_with("event: change\n"));
  });
  board.publish("links", "r", {{"a", "1"}});
  board.publish("links", "r", {{"a", "1"}});
  board.publish("links", "r", {{"a", "2"}});
  EXPECT_THAT(numbers, ElementsAre(1, 2));
  const auto [number, text] = board.snapshot_event();
  EXPECT_EQ(number, 2U);
  EXPECT_EQ(*text,
            "event: snapshot\nid: 2\ndata: {\"number\":2,\"sections\":{\"links\":{\"a\":2}}}\n\n");
  EXPECT_EQ(board.row("links", "a"), "2");
  EXPECT_EQ(board.samples_of("default"), std::nullopt);
  board.add_sample("default", "{}");
  EXPECT_EQ(board.samples_of("default"), "[{}]");
}

}  // namespace
}  // namespace xbind::console
