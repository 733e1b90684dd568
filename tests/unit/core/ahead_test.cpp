// Loops that prefetch the data of later items.
#include "core/ahead.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace xbind {
namespace {

// The events of a batch of `size` items in order: "f3" and "a3" prefetch item 3, "3" handles it.
std::vector<std::string> event_log(int size) {
  std::vector<int> items;
  for (int i = 0; i < size; ++i) items.push_back(i);
  std::vector<std::string> story;
  const auto note = [&](const char* what) {
    return [&story, what](int item) { story.push_back(what + std::to_string(item)); };
  };
  for_each_ahead(items, note(""), note("f"), note("a"));
  return story;
}

std::size_t place_of(const std::vector<std::string>& story, const std::string& what) {
  std::size_t found = story.size();
  for (std::size_t i = 0; i < story.size(); ++i) {
    if (story[i] != what) continue;
    EXPECT_EQ(found, story.size()) << what << " twice";
    found = i;
  }
  EXPECT_NE(found, story.size()) << what << " never";
  return found;
}

TEST(AheadTest, NothingIsAskedForInAnEmptyBatch) { EXPECT_TRUE(event_log(0).empty()); }

TEST(AheadTest, AShortBatchIsAskedForAsAWhole) {
  EXPECT_EQ(event_log(3),
            (std::vector<std::string>{"f0", "f1", "f2", "a0", "a1", "a2", "0", "1", "2"}));
}

TEST(AheadTest, EachItemIsAskedForOnceEachWayAndSoManyItemsBefore) {
  const int size = 100;
  const auto story = event_log(size);
  EXPECT_EQ(story.size(), 3U * size);
  for (int i = 0; i < size; ++i) {
    const std::string item = std::to_string(i);
    const std::size_t handled = place_of(story, item);
    EXPECT_LT(place_of(story, "f" + item), place_of(story, "a" + item)) << item;
    const auto before = [&](std::size_t items) {  // the event `items` items earlier, or the first
      const int index = i - static_cast<int>(items);
      return index < 0 ? handled : place_of(story, std::to_string(index));
    };
    EXPECT_LT(place_of(story, "f" + item), before(2 * kAhead)) << item;
    EXPECT_LT(place_of(story, "a" + item), before(kAhead)) << item;
  }
}

TEST(AheadTest, NoMoreIsAskedForAtATimeThanTheDistance) {
  std::size_t asked = 0;
  std::size_t handled = 0;
  const std::vector<int> items(1000);
  for_each_ahead(
      items, [&](int) { ++handled; }, [&](int) { EXPECT_LE(++asked, handled + 2 * kAhead + 1); },
      [](int) {});
  EXPECT_EQ(asked, items.size());
}

}  // namespace
}  // namespace xbind
