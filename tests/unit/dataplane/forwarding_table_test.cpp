#include "dataplane/forwarding_table.hpp"

#include <gtest/gtest.h>

namespace xbind::dataplane {
namespace {

constexpr PortId kOne{1}, kTwo{2}, kThree{3};

class ForwardingTableTest : public ::testing::Test {
 protected:
  ForwardingTable table{{.ports = 3,
                         .labels = {atm_range(0, 300, 32, 1023)},
                         .connections_max = 4,
                         .branches_max = 6,
                         .branches_per_connection_max = 3}};

  void add(const VirtualLink& input, const Branch& branch) {
    const auto added = table.add_branch(input, branch);
    ASSERT_TRUE(added.has_value()) << added.error().text;
  }
  Error refusal(const VirtualLink& input, const Branch& branch) {
    const auto added = table.add_branch(input, branch);
    return added ? Error{} : added.error();
  }
};

TEST_F(ForwardingTableTest, FindsTheConnectionOfALabelOfAPort) {
  add(channel(kOne, 0, 32), {kTwo, 7, 99});
  const Connection* found = table.lookup(kOne, 0, 32);
  ASSERT_NE(found, nullptr);
  ASSERT_EQ(found->branches.size(), 1u);
  EXPECT_EQ(found->branches[0], (Branch{kTwo, 7, 99}));
  EXPECT_EQ(table.lookup(kTwo, 0, 32), nullptr);
  EXPECT_EQ(table.lookup(kOne, 0, 33), nullptr);
  EXPECT_EQ(table.lookup(kOne, 0, 32 + 256), nullptr);
  EXPECT_EQ(table.lookup(kOne, 1, 32), nullptr);
  EXPECT_EQ(table.lookup(kOne, 4095, 65535), nullptr);
}

TEST_F(ForwardingTableTest, APathHasEveryVciOfItsVpi) {
  add(path(kOne, 9), {kTwo, 300, 77});
  const Connection* found = table.lookup(kOne, 9, 0);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->branches[0], (Branch{kTwo, 300, 0}));  // the branch of a path has no VCI
  EXPECT_EQ(table.lookup(kOne, 9, 65535), found);
  EXPECT_EQ(table.lookup(kOne, 8, 40), nullptr);
  EXPECT_EQ(table.find(channel(kOne, 9, 40)), nullptr);
  EXPECT_EQ(table.find(path(kOne, 9)), found);
}

TEST_F(ForwardingTableTest, AVpiHasChannelsOrIsAPath) {
  add(path(kOne, 9), {kTwo, 1});
  add(channel(kOne, 8, 40), {kTwo, 0, 40});
  EXPECT_EQ(refusal(channel(kOne, 9, 40), {kTwo, 0, 41}),
            (Error{ErrorCode::kBadInput, "port 1 9/40: its VPI is switched as a whole"}));
  EXPECT_EQ(refusal(path(kOne, 8), {kTwo, 0}),
            (Error{ErrorCode::kBadInput, "port 1 path 8: its VPI has channels of its own"}));
  // After their deletion the VPI is free for either kind.
  ASSERT_TRUE(table.delete_connection(path(kOne, 9)));
  ASSERT_TRUE(table.delete_branch(channel(kOne, 8, 40), {kTwo, 0, 40}));
  add(channel(kOne, 9, 40), {kTwo, 0, 41});
  add(path(kOne, 8), {kTwo, 0});
}

TEST_F(ForwardingTableTest, BranchesComeAndGoOneByOne) {
  const VirtualLink input = channel(kOne, 0, 32);
  add(input, {kTwo, 0, 40});
  add(input, {kThree, 0, 40});
  add(input, {kThree, 0, 41});  // the same port, another label
  EXPECT_EQ(table.branches(), 3u);
  EXPECT_EQ(table.connections(), 1u);

  ASSERT_TRUE(table.delete_branch(input, {kTwo, 0, 40}));
  ASSERT_NE(table.find(input), nullptr);
  EXPECT_EQ(table.find(input)->branches.size(), 2u);
  ASSERT_TRUE(table.delete_branch(input, {kThree, 0, 40}));
  ASSERT_TRUE(table.delete_branch(input, {kThree, 0, 41}));
  EXPECT_EQ(table.find(input), nullptr);
  EXPECT_EQ(table.branches(), 0u);
  EXPECT_EQ(table.connections(), 0u);
}

TEST_F(ForwardingTableTest, ABranchThatIsThereTakesTheNewPriority) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40, 3});
  add(channel(kOne, 0, 32), {kTwo, 0, 40, 1});
  EXPECT_EQ(table.branches(), 1u);
  EXPECT_EQ(table.find(channel(kOne, 0, 32))->branches[0].priority, 1);
}

TEST_F(ForwardingTableTest, WhatCannotBeEnteredIsNamed) {
  EXPECT_EQ(refusal(channel(PortId{0}, 0, 32), {kTwo, 0, 40}),
            (Error{ErrorCode::kBadInput, "port 0 is not one of 1 to 3"}));
  EXPECT_EQ(refusal(channel(kOne, 0, 32), {PortId{4}, 0, 40}),
            (Error{ErrorCode::kBadInput, "port 4 is not one of 1 to 3"}));
  EXPECT_EQ(refusal(channel(kOne, 0, 32), {kTwo, 4096, 40}),
            (Error{ErrorCode::kBadInput, "output VPI 4096 is above 4095"}));
  const Error vci{ErrorCode::kBadInput, "port 1 0/31 is outside the port's labels 0-300/32-1023"};
  EXPECT_EQ(refusal(channel(kOne, 0, 31), {kTwo, 0, 40}), vci);
  EXPECT_EQ(refusal(channel(kOne, 301, 32), {kTwo, 0, 40}).code, ErrorCode::kBadInput);
  EXPECT_EQ(refusal(channel(kOne, 0x1000, 32), {kTwo, 0, 40}).code, ErrorCode::kBadInput);
  EXPECT_EQ(refusal(path(kOne, 301), {kTwo, 0}).code, ErrorCode::kBadInput);
  EXPECT_EQ(table.connections(), 0u);
}

TEST_F(ForwardingTableTest, EveryBoundHolds) {
  const VirtualLink input = channel(kOne, 0, 32);
  for (std::uint16_t vci = 40; vci < 43; ++vci) add(input, {kTwo, 0, vci});
  EXPECT_EQ(
      refusal(input, {kTwo, 0, 43}),
      (Error{ErrorCode::kExhausted, "port 1 0/32 has 3 branches, the most a connection may have"}));
  for (std::uint16_t vci = 33; vci < 36; ++vci) add(channel(kOne, 0, vci), {kTwo, 0, vci});
  EXPECT_EQ(refusal(channel(kOne, 0, 36), {kTwo, 0, 50}),
            (Error{ErrorCode::kExhausted, "the table has 4 connections, its most"}));
  EXPECT_EQ(refusal(channel(kOne, 0, 33), {kTwo, 0, 50}),
            (Error{ErrorCode::kExhausted, "the table has 6 branches, its most"}));
  EXPECT_EQ(table.connections(), 4u);
  EXPECT_EQ(table.branches(), 6u);
  // A branch that exists already allocates nothing.
  add(input, {kTwo, 0, 40, 2});
}

TEST_F(ForwardingTableTest, WhatIsNotThereCannotBeDeleted) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  EXPECT_EQ(table.delete_branch(channel(kOne, 0, 33), {kTwo, 0, 40}).error(),
            (Error{ErrorCode::kNotFound, "there is no connection at port 1 0/33"}));
  EXPECT_EQ(table.delete_branch(channel(kOne, 0, 32), {kTwo, 0, 41}).error(),
            (Error{ErrorCode::kNotFound, "port 1 0/32 has no branch to port 2 0/41"}));
  EXPECT_EQ(table.delete_connection(path(kOne, 0)).error(),
            (Error{ErrorCode::kNotFound, "there is no connection at port 1 path 0"}));
  EXPECT_EQ(table.delete_connection(channel(PortId{9}, 0, 32)).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(table.branches(), 1u);
}

TEST_F(ForwardingTableTest, AnInputSideIsClearedAsAWhole) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  add(channel(kOne, 0, 32), {kThree, 0, 40});
  add(path(kOne, 5), {kThree, 5});
  add(channel(kTwo, 0, 32), {kOne, 0, 40});
  EXPECT_EQ(table.delete_input(kOne), 3u);
  EXPECT_TRUE(table.connections_of(kOne).empty());
  EXPECT_NE(table.find(channel(kTwo, 0, 32)), nullptr);
  EXPECT_EQ(table.delete_input(kOne), 0u);
}

TEST_F(ForwardingTableTest, AnOutputSideLosesItsBranchesOnly) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  add(channel(kOne, 0, 32), {kThree, 0, 41});
  add(channel(kOne, 0, 32), {kTwo, 0, 42});
  add(path(kOne, 5), {kTwo, 5});
  EXPECT_EQ(table.delete_output(kTwo), 3u);
  EXPECT_EQ(table.branches(), 1u);
  EXPECT_EQ(table.find(path(kOne, 5)), nullptr);
  ASSERT_NE(table.find(channel(kOne, 0, 32)), nullptr);
  EXPECT_EQ(table.find(channel(kOne, 0, 32))->branches[0], (Branch{kThree, 0, 41}));
}

TEST_F(ForwardingTableTest, ConnectionsOfAPortComeInOrderOfLabels) {
  add(channel(kOne, 7, 600), {kTwo, 0, 40});
  add(channel(kOne, 7, 33), {kTwo, 0, 41});
  add(path(kOne, 2), {kTwo, 0});
  add(channel(kTwo, 0, 32), {kTwo, 0, 42});
  std::string listed;
  for (const Connection* connection : table.connections_of(kOne))
    listed += to_string(connection->input) + "; ";
  EXPECT_EQ(listed, "port 1 path 2; port 1 7/33; port 1 7/600; ");
}

TEST_F(ForwardingTableTest, AReusedSlotIsAnotherConnection) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  const ConnectionRef first = table.find(channel(kOne, 0, 32))->self;
  EXPECT_NE(table.find(first), nullptr);
  ASSERT_TRUE(table.delete_connection(channel(kOne, 0, 32)));
  EXPECT_EQ(table.find(first), nullptr);
  add(channel(kOne, 0, 33), {kTwo, 0, 40});
  const ConnectionRef second = table.find(channel(kOne, 0, 33))->self;
  EXPECT_EQ(second.slot, first.slot);
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_NE(table.find(second), nullptr);
  EXPECT_EQ(table.find(ConnectionRef{99, 0}), nullptr);
}

TEST_F(ForwardingTableTest, ANewLabelRangeLeavesWhatIsThere) {
  add(channel(kOne, 0, 32), {kTwo, 0, 40});
  table.set_labels(kOne, {atm_range(1, 1, 100, 100)});
  EXPECT_NE(table.lookup(kOne, 0, 32), nullptr);
  EXPECT_EQ(refusal(channel(kOne, 0, 33), {kTwo, 0, 41}).code, ErrorCode::kBadInput);
  add(channel(kOne, 1, 100), {kTwo, 0, 41});
  add(channel(kOne, 0, 32), {kTwo, 0, 42});  // one more branch of an existing connection
}

TEST_F(ForwardingTableTest, ABranchIsReplacedInOneStep) {
  const VirtualLink input = channel(kOne, 0, 32);
  add(input, {kTwo, 0, 40});
  add(input, {kThree, 0, 41});
  table.lookup(kOne, 0, 32)->counters.input_cells = 7;
  const Branch moved{kThree, 1, 50, 2, ServiceClass::kCbr, FrameDiscard(true), 99};
  ASSERT_TRUE(table.replace_branch(input, {kTwo, 0, 40}, moved));
  const Connection* found = table.find(input);
  EXPECT_EQ(found->branches[0], moved);
  EXPECT_EQ(found->counters.input_cells, 7u);
  EXPECT_EQ(table.branches(), 2u);
  // At the same place, only what is not the place changes.
  const Branch retagged{kThree, 1, 50, 0, ServiceClass::kUbr, FrameDiscard(false), 1};
  ASSERT_TRUE(table.replace_branch(input, {kThree, 1, 50}, retagged));
  EXPECT_FALSE(table.find(input)->branches[0].frames.on());
  EXPECT_EQ(table.find(input)->branches[0].tag, 1u);

  const auto code = [&](const VirtualLink& at, Branch old, Branch now) {
    return table.replace_branch(at, old, now).error().code;
  };
  EXPECT_EQ(code(input, {kThree, 1, 50}, {kThree, 0, 41}), ErrorCode::kBadInput);
  EXPECT_EQ(code(input, {kThree, 1, 50}, {PortId{4}, 0, 41}), ErrorCode::kBadInput);
  EXPECT_EQ(code(input, {kThree, 1, 50}, {kTwo, 4096, 41}), ErrorCode::kBadInput);
  EXPECT_EQ(code(input, {kTwo, 0, 40}, {kTwo, 0, 42}), ErrorCode::kNotFound);
  EXPECT_EQ(code(channel(kOne, 0, 33), {kTwo, 0, 40}, {kTwo, 0, 42}), ErrorCode::kNotFound);
}

TEST_F(ForwardingTableTest, CountsTheChannelsOfAVpi) {
  EXPECT_EQ(table.channels(kOne, 8), 0u);
  add(channel(kOne, 8, 40), {kTwo, 0, 40});
  add(channel(kOne, 8, 900), {kTwo, 0, 41});
  add(path(kOne, 9), {kTwo, 1});
  EXPECT_EQ(table.channels(kOne, 8), 2u);
  EXPECT_EQ(table.channels(kOne, 9), 0u);
  std::size_t seen = 0;
  table.for_each([&](const Connection& one) { seen += one.branches.size(); });
  EXPECT_EQ(seen, 3u);
}

}  // namespace
}  // namespace xbind::dataplane
