#include "keeper/call_key.hpp"

#include <gtest/gtest.h>

#include "core/frame_traffic.hpp"

namespace xbind::keeper {
namespace {

ConnectRequest request_of(std::uint64_t cells_per_s) {
  ConnectRequest request;
  request.from = "host-a";
  request.to = "host-b";
  request.service.cells_per_s = cells_per_s;
  return request;
}

TEST(CallKeyTest, TheNumberOfASetupGivesTheKeyBack) {
  const CallKey key = key_of(request_of(100));
  const RequestId number = setup_number(key, 7);
  EXPECT_EQ(key_of("host-a", "host-b", number), key);
  EXPECT_NE(setup_number(key, 8), number);
  EXPECT_EQ(key_of("host-a", "host-b", setup_number(key, 8)), key);
}

TEST(CallKeyTest, EndsServiceReverseAndTrafficMakeTheKey) {
  const CallKey key = key_of(request_of(100));
  EXPECT_NE(key_of(request_of(101)), key);
  ConnectRequest other = request_of(100);
  other.to = "host-c";
  EXPECT_NE(key_of(other), key);
  other = request_of(100);
  other.reverse = other.service;
  EXPECT_NE(key_of(other), key);
  other = request_of(100);
  other.from_frames = FrameTraffic::parse("vlan 5").value();
  const CallKey from = key_of(other);
  EXPECT_NE(from, key);
  std::swap(other.from_frames, other.to_frames);
  EXPECT_NE(key_of(other), from);
  other = request_of(100);
  other.service.terms = ServiceTerms{};
  other.service.terms->name = "voice-g711";
  EXPECT_NE(key_of(other), key);
}

TEST(CallKeyTest, PriorityAndRequestNumberDoNot) {
  ConnectRequest other = request_of(100);
  other.priority = 5;
  other.request = RequestId{9};
  EXPECT_EQ(key_of(other), key_of(request_of(100)));
}

TEST(CallKeyTest, AReleaseHasNoKeyOfASetup) {
  EXPECT_EQ(key_of("a", "b", release_number(5)).service, 0U);
  EXPECT_NE(key_of(request_of(1)).service, 0U);
}

// The numbers stand in the ledgers of running networks: with other digests a new version of the
// keeper would replace every call.
TEST(CallKeyTest, DigestsStayAsTheyWere) {
  EXPECT_EQ(key_of(request_of(100)).service, 138019341U);
  ConnectRequest other = request_of(5000);
  other.reverse = other.service;
  EXPECT_EQ(key_of(other).service, 3977589839U);
  other.service = {.kind = ServiceKind::kClass, .terms = ServiceTerms{}};
  other.service.terms->name = "voice-g711";
  EXPECT_EQ(key_of(other).service, 4169148901U);
}

}  // namespace
}  // namespace xbind::keeper
