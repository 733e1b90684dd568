#include "ovs/openflow/error.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/source_dir.hpp"

namespace xbind::ovs::openflow {
namespace {

std::string name(std::uint16_t type, std::uint16_t code) {
  return to_string(Error{.type = type, .code = code});
}

// ovs-ofctl has its say on the same file (tests/integration/openflow_vectors_test.py).
TEST(ErrorName, IsThatOfTheList) {
  std::ifstream list(xbind::test::source_path("tests/golden/openflow_error_codes.txt"));
  std::uint16_t type = 0;
  std::uint16_t code = 0;
  std::string expected;
  int rows = 0;
  for (; list >> type >> code >> expected; ++rows) EXPECT_EQ(name(type, code), expected);
  EXPECT_EQ(rows, 110);
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
