#include "ovs/openflow/error.hpp"

#include <gtest/gtest.h>

namespace xbind::ovs::openflow {
namespace {

std::string name(std::uint16_t type, std::uint16_t code) {
  return to_string(Error{.type = type, .code = code});
}

TEST(ErrorName, IsThatOfTheSpecification) {
  EXPECT_EQ(name(0, 0), "OFPHFC_INCOMPATIBLE");
  EXPECT_EQ(name(1, 13), "OFPBRC_MULTIPART_BUFFER_OVERFLOW");
  EXPECT_EQ(name(2, 9), "OFPBAC_BAD_OUT_GROUP");
  EXPECT_EQ(name(3, 9), "OFPBIC_DUP_INST");
  EXPECT_EQ(name(4, 9), "OFPBMC_BAD_PREREQ");
  EXPECT_EQ(name(5, 1), "OFPFMFC_TABLE_FULL");
  EXPECT_EQ(name(6, 8), "OFPGMFC_UNKNOWN_GROUP");
  EXPECT_EQ(name(12, 1), "OFPMMFC_METER_EXISTS");
  EXPECT_EQ(name(17, 13), "OFPBFC_MSG_FAILED");
}

TEST(ErrorName, GivesNumbersOfWhatItDoesNotKnow) {
  EXPECT_EQ(name(7, 3), "type 7 code 3");
  EXPECT_EQ(name(12, 12), "type 12 code 12");
  EXPECT_EQ(name(0xffff, 0xffff), "type 65535 code 65535");
}

TEST(ErrorName, OfEveryCodeWithAConstant) {
  const auto of = [](ErrorType type, std::uint16_t code) {
    return name(static_cast<std::uint16_t>(type), code);
  };
  EXPECT_EQ(of(ErrorType::kFlowModFailed, kFlowTableFull), "OFPFMFC_TABLE_FULL");
  EXPECT_EQ(of(ErrorType::kGroupModFailed, kGroupExists), "OFPGMFC_GROUP_EXISTS");
  EXPECT_EQ(of(ErrorType::kGroupModFailed, kGroupOutOfGroups), "OFPGMFC_OUT_OF_GROUPS");
  EXPECT_EQ(of(ErrorType::kGroupModFailed, kGroupOutOfBuckets), "OFPGMFC_OUT_OF_BUCKETS");
  EXPECT_EQ(of(ErrorType::kGroupModFailed, kGroupUnknown), "OFPGMFC_UNKNOWN_GROUP");
  EXPECT_EQ(of(ErrorType::kMeterModFailed, kMeterExists), "OFPMMFC_METER_EXISTS");
  EXPECT_EQ(of(ErrorType::kMeterModFailed, kMeterUnknown), "OFPMMFC_UNKNOWN_METER");
  EXPECT_EQ(of(ErrorType::kMeterModFailed, kMeterOutOfMeters), "OFPMMFC_OUT_OF_METERS");
}

}  // namespace
}  // namespace xbind::ovs::openflow
