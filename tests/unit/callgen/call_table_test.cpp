#include "callgen/run/call_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "callgen/load/random.hpp"

namespace xbind::callgen {
namespace {

TEST(CallTable, FindsWhatIsThereAndNothingElse) {
  CallTable<int> table;
  EXPECT_EQ(table.find(7), CallTable<int>::kNowhere);
  const auto slot = table.insert(7, 70);
  EXPECT_EQ(table.find(7), slot);
  EXPECT_EQ(table[slot], 70);
  EXPECT_EQ(table.index_of(slot), 7u);
  EXPECT_EQ(table.find(8), CallTable<int>::kNowhere);
  table.erase(slot);
  EXPECT_EQ(table.find(7), CallTable<int>::kNowhere);
  EXPECT_EQ(table.size(), 0u);
}

TEST(CallTable, PlacesAreUsedAgain) {
  CallTable<int> table;
  std::set<CallTable<int>::Slot> slots;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const auto slot = table.insert(i, 0);
    slots.insert(slot);
    if (i >= 10) table.erase(table.find(i - 10));
  }
  // The memory of the concurrent calls, however many there were in total.
  EXPECT_LE(slots.size(), 11u);
}

TEST(CallTable, IsWhatAMapIs) {
  // The same random steps on both, including some calls that stay long.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomBits dice(seed);
    CallTable<std::uint64_t> table;
    std::map<std::uint64_t, std::uint64_t> map;
    std::uint64_t next = 0;
    for (int step = 0; step < 20'000; ++step) {
      if (below(dice, 100) < 51) {
        const std::uint64_t index = next++;
        table.insert(index, index * 3);
        map.emplace(index, index * 3);
      } else if (!map.empty()) {
        auto which = map.lower_bound(below(dice, next));
        if (which == map.end()) which = map.begin();
        table.erase(table.find(which->first));
        map.erase(which);
      }
      ASSERT_EQ(table.size(), map.size());
    }
    for (std::uint64_t index = 0; index < next + 10; ++index) {
      const auto slot = table.find(index);
      ASSERT_EQ(slot != CallTable<std::uint64_t>::kNowhere, map.contains(index)) << index;
      if (map.contains(index)) {
        ASSERT_EQ(table[slot], index * 3);
      }
    }
    std::map<std::uint64_t, std::uint64_t> seen;
    table.for_each([&](auto slot) { seen.emplace(table.index_of(slot), table[slot]); });
    EXPECT_EQ(seen, map);
  }
}

}  // namespace
}  // namespace xbind::callgen
