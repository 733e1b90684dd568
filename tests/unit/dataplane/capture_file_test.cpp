#include "dataplane/capture_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cells.hpp"
#include "tshark.hpp"

namespace xbind::dataplane {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr CaptureTime kTime = std::chrono::seconds{1'000'000'000};

class CaptureFileTest : public ::testing::Test {
 protected:
  ~CaptureFileTest() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string& name) const { return (folder / name).string(); }
  wire::Buffer written(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto octets = std::as_bytes(std::span(text));
    return {octets.begin(), octets.end()};
  }
  static std::unique_ptr<CaptureFile> open(const CaptureOptions& options) {
    auto capture = CaptureFile::open(options);
    EXPECT_TRUE(capture.has_value()) << capture.error().text;
    return capture ? std::move(*capture) : nullptr;
  }
  static std::vector<Cell> frame(std::size_t size, std::uint16_t vci) {
    std::vector<Cell> cells;
    EXPECT_TRUE(aal5_segment(wire::Buffer(size, std::byte{7}), {.vpi = 1, .vci = vci}, cells));
    return cells;
  }

  const std::filesystem::path folder = [] {
    std::string name = ::testing::TempDir() + "/xbind-capture-XXXXXX";
    return std::filesystem::path(mkdtemp(name.data()));
  }();
};

TEST_F(CaptureFileTest, HoldsTheCellsOfBothDirections) {
  for (const std::string name : {"x.erf", "x.pcap"}) {
    auto capture = open({.path = path(name)});
    capture->cells(Direction::kIn, std::array{make_cell(1, 32, 1), make_cell(1, 33, 2)}, kTime);
    capture->cells(Direction::kOut, std::array{make_cell(9, 99, 1)}, kTime + CaptureTime{5});
    ASSERT_TRUE(capture->flush());
    EXPECT_EQ(capture->counters().cells, 3u);
    EXPECT_EQ(capture->counters().octets, std::filesystem::file_size(path(name)));
    const auto records = read_erf(written(name));
    ASSERT_TRUE(records.has_value()) << records.error().text;
    ASSERT_EQ(records->size(), 3u);
    EXPECT_EQ((*records)[1].header, cell_header(1, 33));
    EXPECT_EQ((*records)[1].interface, 0);
    EXPECT_EQ((*records)[2].interface, 1);
    EXPECT_EQ((*records)[2].time, kTime + CaptureTime{5});
  }
}

TEST_F(CaptureFileTest, PutsFramesTogetherEachDirectionForItself) {
  auto capture = open({.path = path("x.pcap"), .content = CaptureContent::kFrames});
  const auto cells = frame(100, 40);
  for (const Cell& cell : cells) {  // the same label, one cell in each direction in turn
    capture->cells(Direction::kIn, {&cell, 1}, kTime);
    capture->cells(Direction::kOut, {&cell, 1}, kTime);
  }
  ASSERT_TRUE(capture->flush());
  EXPECT_EQ(capture->counters().frames, 2u);
  EXPECT_EQ(capture->counters().cells, 0u);
  EXPECT_EQ(capture->aal5(Direction::kIn).frames, 1u);
  const auto records = read_erf(written("x.pcap"));
  ASSERT_TRUE(records.has_value()) << records.error().text;
  ASSERT_EQ(records->size(), 2u);
  EXPECT_EQ(records->front().type, ErfType::kAal5);
}

TEST_F(CaptureFileTest, TsharkReadsCellsAndFrames) {
  XB_NEEDS_TSHARK();
  for (const std::string name : {"x.erf", "x.pcap"}) {
    auto capture = open({.path = path(name), .content = CaptureContent::kCellsAndFrames});
    capture->cells(Direction::kIn, frame(100, 40), kTime);
    ASSERT_TRUE(capture->flush());
    const std::string suffix = name.substr(1);
    EXPECT_EQ(tshark(written(name), suffix, "-T fields -e erf.types -e atm.vci -E separator=/s"),
              "0x03 40\n0x03 40\n0x03 40\n0x04 40\n");
    const std::string text = tshark(written(name), suffix, "-V");
    EXPECT_THAT(text, HasSubstr("AAL5 len: 100"));
    EXPECT_THAT(text, ContainsRegex("AAL5 CRC: 0x[0-9a-f]+ \\(correct\\)"));
  }
}

TEST_F(CaptureFileTest, StopsAtItsBoundAndCountsWhatItLeavesOut) {
  // The bare record of a cell has 68 octets.
  auto capture = open({.path = path("x.erf"), .octets_max = 10 * 68 + 67});
  for (int round = 0; round < 25; ++round)
    capture->cells(Direction::kIn, std::array{make_cell(1, 32)}, kTime);
  ASSERT_TRUE(capture->flush());
  EXPECT_TRUE(capture->full());
  EXPECT_EQ(capture->counters(),
            (CaptureCounters{.cells = 10, .octets = 680, .cells_left_out = 15}));
  EXPECT_EQ(read_erf(written("x.erf"))->size(), 10u);
}

TEST_F(CaptureFileTest, WritesInBlocksAndTheRestWhenItGoes) {
  const std::size_t enough = CaptureFile::kBlockOctets / 68 + 1;
  auto capture = open({.path = path("x.erf")});
  capture->cells(Direction::kIn, std::vector<Cell>(enough, make_cell(1, 32)), kTime);
  EXPECT_EQ(std::filesystem::file_size(path("x.erf")), enough * 68);
  capture->cells(Direction::kIn, std::array{make_cell(1, 32)}, kTime);
  EXPECT_EQ(std::filesystem::file_size(path("x.erf")), enough * 68);
  capture.reset();
  EXPECT_EQ(std::filesystem::file_size(path("x.erf")), (enough + 1) * 68);
}

TEST_F(CaptureFileTest, WhatCannotBeWrittenIsRefusedByName) {
  const auto why = [](const CaptureOptions& options) {
    const auto capture = CaptureFile::open(options);
    return capture ? Error{ErrorCode::kBadInput, "opened"} : capture.error();
  };
  EXPECT_EQ(
      why({.path = "x.cap"}),
      (Error{ErrorCode::kBadInput, "capture 'x.cap': its name ends in neither .pcap nor .erf"}));
  EXPECT_EQ(why({.path = path("x.erf"), .octets_max = 23}),
            (Error{ErrorCode::kBadInput,
                   "capture '" + path("x.erf") + "': at most 23 octets, must be 24 or more"}));
  EXPECT_EQ(
      why({.path = path("no/x.erf")}),
      (Error{ErrorCode::kSystem, "capture '" + path("no/x.erf") + "': No such file or directory"}));
}

TEST_F(CaptureFileTest, AFullDiskEndsTheCapture) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "NOT TESTED: no /dev/full here";
  std::filesystem::create_symlink("/dev/full", path("x.erf"));
  auto capture = open({.path = path("x.erf")});
  capture->cells(Direction::kIn, std::array{make_cell(1, 32)}, kTime);
  const Error expected{ErrorCode::kSystem,
                       "capture '" + path("x.erf") + "': No space left on device"};
  EXPECT_EQ(capture->flush().error(), expected);
  capture->cells(Direction::kIn, std::array{make_cell(1, 32)}, kTime);
  EXPECT_EQ(capture->counters().cells_left_out, 1u);
  EXPECT_EQ(capture->flush().error(), expected);
  // With a file header to write, the error is reported at once.
  std::filesystem::create_symlink("/dev/full", path("x.pcap"));
  EXPECT_EQ(CaptureFile::open({.path = path("x.pcap")}).error().code, ErrorCode::kSystem);
}

}  // namespace
}  // namespace xbind::dataplane
