#include "dataplane/erf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cells.hpp"
#include "dataplane/aal5.hpp"
#include "tshark.hpp"

namespace xbind::dataplane {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr CaptureTime kTime = std::chrono::seconds{1'000'000'000} + CaptureTime{123'456'789};

std::string suffix(CaptureForm form) { return form == CaptureForm::kErf ? ".erf" : ".pcap"; }

class Capture : public ::testing::TestWithParam<CaptureForm> {
 protected:
  wire::Buffer file;
  ErfWriter writer{GetParam(), file};

  // The PDU of a frame, as a receiver reassembles it.
  wire::Buffer pdu(std::span<const std::byte> frame) {
    std::vector<Cell> cells;
    EXPECT_TRUE(aal5_segment(frame, {.vpi = 0, .vci = 32, .uu = 7}, cells).has_value());
    wire::Buffer octets;
    for (const Cell& cell : cells)
      octets.insert(octets.end(), cell.payload.begin(), cell.payload.end());
    return octets;
  }
};

TEST_P(Capture, IsReadBackAsItWasWritten) {
  const Cell cell = make_cell(0xabc, 0x1234, 77, 3, true);
  const wire::Buffer frame = pdu(wire::Buffer(100, std::byte{5}));
  writer.cell(kTime, 2, cell);
  writer.aal5(kTime + CaptureTime{1}, 1, 5, 99, frame);
  const auto records = read_erf(file);
  ASSERT_TRUE(records.has_value()) << records.error().text;
  ASSERT_EQ(records->size(), 2u);
  EXPECT_EQ(
      (*records)[0],
      (ErfRecord{
          kTime, ErfType::kCell, 2, cell.header, {cell.payload.begin(), cell.payload.end()}}));
  EXPECT_EQ((*records)[1],
            (ErfRecord{kTime + CaptureTime{1}, ErfType::kAal5, 1, cell_header(5, 99), frame}));
}

TEST_P(Capture, AHalfRecordIsNoCapture) {
  writer.cell(kTime, 0, make_cell(0, 32));
  ASSERT_TRUE(read_erf(file).has_value());
  for (const std::size_t missing : {1, 40, 60}) {
    EXPECT_FALSE(read_erf(std::span(file).first(file.size() - missing)).has_value()) << missing;
  }
}

TEST_P(Capture, ThePduOfTheLongestFrameIsCut) {
  const wire::Buffer octets = pdu(wire::Buffer(kAal5FrameMax));
  ASSERT_GT(octets.size(), kErfPduMax);
  writer.aal5(kTime, 0, 0, 32, octets);
  const auto records = read_erf(file);
  ASSERT_TRUE(records.has_value());
  EXPECT_EQ(records->front().octets.size(), kErfPduMax);
}

TEST_P(Capture, TsharkReadsCells) {
  XB_NEEDS_TSHARK();
  writer.cell(kTime, 0, make_cell(12, 345, 1, 0));
  writer.cell(kTime, 1, make_cell(255, 65535, 2, 6, true));
  const std::string fields =
      "-T fields -e erf.types -e erf.flags.cap -e atm.vpi -e atm.vci -e "
      "frame.time_epoch -E separator=/s";
  EXPECT_EQ(tshark(file, suffix(GetParam()), fields),
            "0x03 0 12 345 1000000000.123456789\n0x03 1 255 65535 1000000000.123456789\n");
}

TEST_P(Capture, TsharkSaysThatTheAal5CrcIsCorrect) {
  XB_NEEDS_TSHARK();
  wire::Buffer frame;
  for (unsigned octet = 0; octet < 131; ++octet) frame.push_back(static_cast<std::byte>(octet));
  wire::Buffer octets = pdu(frame);
  writer.aal5(kTime, 0, 3, 77, octets);
  const std::string good = tshark(file, suffix(GetParam()), "-V");
  EXPECT_THAT(good, HasSubstr("VPI: 3"));
  EXPECT_THAT(good, HasSubstr("VCI: 77"));
  EXPECT_THAT(good, HasSubstr("AAL5 UU: 0x07"));
  EXPECT_THAT(good, HasSubstr("AAL5 len: 131"));
  EXPECT_THAT(good, ContainsRegex("AAL5 CRC: 0x[0-9a-f]+ \\(correct\\)"));

  // The same with one wrong bit, to show that the reader detects errors.
  file.clear();
  octets[10] ^= std::byte{1};
  ErfWriter again(GetParam(), file);
  again.aal5(kTime, 0, 3, 77, octets);
  EXPECT_THAT(tshark(file, suffix(GetParam()), "-V"), Not(HasSubstr("(correct)")));
}

INSTANTIATE_TEST_SUITE_P(Forms, Capture, ::testing::Values(CaptureForm::kErf, CaptureForm::kPcap),
                         [](const auto& form) {
                           return form.param == CaptureForm::kErf ? "Erf" : "Pcap";
                         });

TEST(ReadErf, SomethingElseIsRefused) {
  EXPECT_EQ(read_erf(wire::Buffer(32)).error(),
            (Error{ErrorCode::kBadInput, "octet 0: a record of type 0 and 0 octets"}));
  wire::Buffer file;
  ErfWriter writer(CaptureForm::kPcap, file);
  file[23] = std::byte{1};  // Ethernet
  EXPECT_EQ(read_erf(file).error(), (Error{ErrorCode::kBadInput, "link type 1, not 197"}));
}

TEST(ReadErf, ACellHasAllOfItsPayload) {
  wire::Buffer file;
  ErfWriter writer(CaptureForm::kErf, file);
  writer.cell(kTime, 0, make_cell(12, 345, 1, 0));
  ASSERT_TRUE(read_erf(file));
  file.pop_back();
  file[11] = std::byte{67};  // octets of the record
  EXPECT_EQ(read_erf(file).error(),
            (Error{ErrorCode::kBadInput, "octet 0: a record of type 3 and 67 octets"}));
}

TEST(ReadErf, AnEmptyFileHasNoRecords) { EXPECT_TRUE(read_erf({}).value().empty()); }

}  // namespace
}  // namespace xbind::dataplane
