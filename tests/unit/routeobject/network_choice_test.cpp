// Which network is served at a start, and what is said of a topology file that lacks part of it.
#include "routeobject/network_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Parts {
  bool host_at_x = false;
  bool link_xb = true;
  bool switch_y = false;
  bool turned = false;  // the link's ends are listed the other way round
};

// a:2 -- 1:x:2 -- 2:b, and y apart
TopologyFile network(const char* mark, const Parts& parts) {
  Topology topology("net");
  const SwitchIndex a = topology.add_switch("a", true).value();
  const SwitchIndex x = topology.add_switch("x", parts.host_at_x).value();
  const SwitchIndex b = topology.add_switch("b", true).value();
  if (parts.switch_y) topology.add_switch("y", false).value();
  LinkEnd one{a, PortId{2}};
  LinkEnd other{x, PortId{parts.host_at_x ? 3U : 1U}};
  if (parts.turned) std::swap(one, other);
  EXPECT_TRUE(topology.add_link(one, other, 1000).has_value());
  if (parts.link_xb) {
    EXPECT_TRUE(topology.add_link({x, PortId{2}}, {b, PortId{2}}, 1000).has_value());
  }
  return {topology, mark_of(mark)};
}

StoredNetwork stored(const TopologyFile& file) { return {file.mark, file.topology}; }

TEST(NetworkChoice, TheFileIsServedUnlessANetworkIsStored) {
  const TopologyFile file = network("1", {});
  const NetworkChoice choice = choose_network(std::nullopt, file, false);
  EXPECT_EQ(choice.topology, file.topology);
  EXPECT_EQ(choice.file, file.mark);
  EXPECT_THAT(choice.lacks, IsEmpty());
  EXPECT_FALSE(choice.stored_replaced);
}

TEST(NetworkChoice, WithTheSameFileWhatOperatorsHaveChangedCounts) {
  const TopologyFile file = network("1", {.switch_y = true});
  for (const bool accept_smaller : {false, true}) {
    for (const Parts& changed : {Parts{.link_xb = false}, Parts{.switch_y = true}}) {
      const StoredNetwork before{file.mark, network("", changed).topology};
      const NetworkChoice choice = choose_network(before, file, accept_smaller);
      EXPECT_EQ(choice.topology, before.topology);
      EXPECT_EQ(choice.file, file.mark);
      EXPECT_THAT(choice.lacks, IsEmpty());
    }
  }
}

TEST(NetworkChoice, AnotherFileThatLacksNothingIsTaken) {
  const TopologyFile before = network("1", {});
  for (const Parts& parts : {Parts{.switch_y = true}, Parts{.turned = true}}) {
    const TopologyFile file = network("2", parts);
    const NetworkChoice choice = choose_network(stored(before), file, false);
    EXPECT_EQ(choice.topology, file.topology);
    EXPECT_EQ(choice.file, file.mark);
    EXPECT_TRUE(choice.stored_replaced);
  }
  // Only the text of the file has changed.
  const NetworkChoice same = choose_network(stored(before), network("2", {}), false);
  EXPECT_EQ(same.file, mark_of("2"));
  EXPECT_FALSE(same.stored_replaced);
}

TEST(NetworkChoice, AFileThatLacksPartOfTheNetworkIsTakenOnlyWhenThatIsAccepted) {
  const TopologyFile before = network("1", {.host_at_x = true, .switch_y = true});
  const TopologyFile file = network("2", {.link_xb = false});
  const NetworkChoice refused = choose_network(stored(before), file, false);
  EXPECT_EQ(refused.topology, before.topology);
  EXPECT_EQ(refused.file, before.mark) << "so that the next start finds the file smaller again";
  EXPECT_THAT(refused.lacks,
              ElementsAre("the endpoint at x", "y", "the link a:2 to x:3", "the link x:2 to b:2"));
  EXPECT_FALSE(refused.stored_replaced);
  const NetworkChoice taken = choose_network(stored(before), file, true);
  EXPECT_EQ(taken.topology, file.topology);
  EXPECT_EQ(taken.file, file.mark);
  EXPECT_THAT(taken.lacks, IsEmpty());
  EXPECT_TRUE(taken.stored_replaced);
}

TEST(NetworkChoice, OfManyWordsSomeAreShown) {
  const std::vector<std::string> words{"a", "b", "c"};
  EXPECT_EQ(some_of(words, 3), "a, b, c");
  EXPECT_EQ(some_of(words, 2), "a, b and 1 more");
  EXPECT_EQ(some_of({}, 2), "");
}

}  // namespace
}  // namespace xbind
