// tests/golden/openflow: what we send, and what a bridge of Open vSwitch sent.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/unit/ovs/openflow/golden.hpp"
#include "tests/unit/ovs/openflow/golden_messages.hpp"

namespace xbind::ovs::openflow {
namespace {

using test::GoldenMessage;

std::string name_of(const ::testing::TestParamInfo<GoldenMessage>& info) {
  std::string name = info.param.id;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

Decoded<Message> decode_golden(const GoldenMessage& message) {
  return decode(test::golden(message.id));
}

class Sent : public ::testing::TestWithParam<GoldenMessage> {};

TEST_P(Sent, HasTheOctetsThatOpenVSwitchReads) {
  const wire::Buffer octets = test::encoded(GetParam().body, GetParam().xid);
  if (std::getenv("XBIND_REWRITE_GOLDEN") != nullptr) test::rewrite_golden(GetParam().id, octets);
  EXPECT_EQ(test::to_hex(octets), test::to_hex(test::golden(GetParam().id)));
}

TEST_P(Sent, IsDecodedAsItWasEncoded) {
  const auto message = decode_golden(GetParam());
  ASSERT_TRUE(message) << to_string(message.error());
  EXPECT_EQ(message->body, GetParam().body);
  EXPECT_EQ(message->header.xid, GetParam().xid);
}

INSTANTIATE_TEST_SUITE_P(All, Sent, ::testing::ValuesIn(test::sent_messages()), name_of);

class Captured : public ::testing::TestWithParam<GoldenMessage> {};

TEST_P(Captured, IsDecoded) {
  const auto message = decode_golden(GetParam());
  ASSERT_TRUE(message) << to_string(message.error());
  EXPECT_EQ(message->body, GetParam().body);
  EXPECT_EQ(message->header.xid, GetParam().xid);
}

INSTANTIATE_TEST_SUITE_P(All, Captured, ::testing::ValuesIn(test::captured_messages()), name_of);

TEST(GoldenFolder, HasAValueForEveryFile) {
  std::vector<std::string> ids;
  for (const auto& message : test::sent_messages()) ids.push_back(message.id);
  for (const auto& message : test::captured_messages()) ids.push_back(message.id);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids, test::golden_ids());
}

// Wherever a message is cut, its header reveals it.
TEST(GoldenFolder, IsRefusedWhenCutShort) {
  for (const std::string& id : test::golden_ids()) {
    const wire::Buffer whole = test::golden(id);
    for (std::size_t octets = 0; octets < whole.size(); ++octets) {
      EXPECT_FALSE(decode(std::span(whole).first(octets))) << id << ", " << octets << " octets";
    }
  }
}

}  // namespace
}  // namespace xbind::ovs::openflow
