#include "switchserver/ledger/manager_table.hpp"

#include <gtest/gtest.h>

namespace xbind {
namespace {

TEST(ManagerTable, ANameHasOnePlace) {
  ManagerTable managers(2);
  const ManagerIndex a = managers.enter("a").value();
  const ManagerIndex b = managers.enter("b").value();
  EXPECT_NE(a, b);
  EXPECT_EQ(managers.enter("a").value(), a);
  EXPECT_EQ(managers.find("b"), b);
  EXPECT_EQ(managers.find("c"), std::nullopt);
  EXPECT_EQ(managers.name(b), "b");
}

TEST(ManagerTable, RefusesMoreNamesThanItMayStoreAndAnEmptyOne) {
  ManagerTable managers(1);
  ASSERT_TRUE(managers.enter("a").has_value());
  EXPECT_EQ(managers.enter("b").error().code, ErrorCode::kExhausted);
  EXPECT_EQ(managers.enter("").error().code, ErrorCode::kBadInput);
  EXPECT_EQ(managers.find(""), std::nullopt);
}

TEST(ManagerTable, AForgottenNameGoesWithItsLastHop) {
  ManagerTable managers(1);
  const ManagerIndex a = managers.enter("a").value();
  managers.add_hop(a);
  managers.add_hop(a);
  EXPECT_EQ(managers.forget(a), 2U);
  managers.remove_hop(a);
  EXPECT_TRUE(managers.forgotten(a));
  EXPECT_EQ(managers.hops(a), 1U);
  managers.remove_hop(a);
  EXPECT_EQ(managers.find("a"), std::nullopt);
  EXPECT_EQ(managers.enter("b").value(), a) << "the vacant place";
  EXPECT_FALSE(managers.forgotten(a));
}

TEST(ManagerTable, ASessionMakesAForgottenManagerKnownAgain) {
  ManagerTable managers(1);
  const ManagerIndex a = managers.enter("a").value();
  managers.add_hop(a);
  managers.forget(a);
  managers.open_session(a);
  EXPECT_TRUE(managers.in_session(a));
  EXPECT_FALSE(managers.forgotten(a));
  managers.remove_hop(a);
  EXPECT_EQ(managers.find("a"), a);
  managers.end_session(a);
  EXPECT_FALSE(managers.in_session(a));
  EXPECT_EQ(managers.forget(a), 0U);
  EXPECT_EQ(managers.find("a"), std::nullopt) << "it had no hop";
}

}  // namespace
}  // namespace xbind
