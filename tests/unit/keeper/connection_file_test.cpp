#include "keeper/connection_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace xbind::keeper {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string refusal_of(const std::string& text) {
  const auto parsed = parse_connections(text, "keep.toml");
  return parsed ? "accepted" : parsed.error().text;
}

TEST(ConnectionFileTest, ATableIsAConnection) {
  const auto parsed = parse_connections(R"(
    [[connection]]
    name = "east"
    from = "host-a"
    to = "host-b"

    [[connection]]
    name = "west"
    from = "host-b"
    to = "host-a"
    both = true
    cells-per-s = 5000
    buffer-cells = 10
    priority = 3
    count = 4
    from-traffic = "vlan 7"
  )",
                                        "keep.toml");
  ASSERT_TRUE(parsed) << parsed.error().text;
  ASSERT_EQ(parsed->size(), 2U);
  const Wanted& east = parsed->at(0);
  EXPECT_EQ(east.name, "east");
  EXPECT_EQ(east.count, 1U);
  EXPECT_EQ(east.request.service.cells_per_s, 100U);
  EXPECT_FALSE(east.request.reverse);
  const Wanted& west = parsed->at(1);
  EXPECT_EQ(west.request.from, "host-b");
  EXPECT_EQ(west.request.to, "host-a");
  EXPECT_EQ(west.request.service.cells_per_s, 5000U);
  EXPECT_EQ(west.request.reverse, west.request.service);
  EXPECT_EQ(west.request.priority, 3);
  EXPECT_EQ(west.count, 4U);
  EXPECT_EQ(west.request.from_frames.value().text(), "vlan 7");
  EXPECT_FALSE(west.request.to_frames);
}

TEST(ConnectionFileTest, ServicesAreThoseOfXbindctlConnect) {
  const auto parsed = parse_connections(R"(
    [[connection]]
    name = "voice"
    from = "a"
    to = "b"
    service-class = "voice-g711"

    [[connection]]
    name = "video"
    from = "a"
    to = "b"
    frames-per-1000-s = 25000
    frame-octets = 2000
    both = true
    reverse-cells-per-s = 10

    [[connection]]
    name = "vbr"
    from = "a"
    to = "b"
    category = "nrt-vbr"
    cells-per-s = 1000
    guaranteed-cells-per-s = 100
    mbs-cells = 20
  )",
                                        "keep.toml");
  ASSERT_TRUE(parsed) << parsed.error().text;
  EXPECT_EQ(parsed->at(0).request.service.kind, ServiceKind::kClass);
  EXPECT_EQ(parsed->at(0).request.service.terms.value().name, "voice-g711");
  EXPECT_EQ(parsed->at(1).request.service.kind, ServiceKind::kVideo);
  EXPECT_EQ(parsed->at(1).request.reverse.value().kind, ServiceKind::kCells);
  EXPECT_EQ(parsed->at(1).request.reverse.value().cells_per_s, 10U);
  EXPECT_EQ(parsed->at(2).request.service.kind, ServiceKind::kContract);
  EXPECT_EQ(parsed->at(2).request.service.contract.pcr_cells_per_s, 1000U);
}

struct Wrong {
  std::string more;  // lines after name, from and to, which are lines 2 to 4
  std::string refusal;
};

TEST(ConnectionFileTest, EveryFaultHasItsLine) {
  const std::string begin = "[[connection]]\nname = \"east\"\nfrom = \"a\"\nto = \"b\"\n";
  const Wrong cases[] = {
      {"cell-rate = 5", "keep.toml line 5: "},
      {"cells-per-s = 0", "keep.toml line 5: option --cells-per-s"},
      {"both = true\ncount = 100001", "keep.toml line 6: option --count"},
      {"both = \"perhaps\"", "keep.toml line 5: option --both"},
      {"priority = 8", "keep.toml line 5: option --priority"},
      {"cdvt-us = 8", "keep.toml line 5: --cdvt-us goes with category"},
      {"frame-octets = 8", "keep.toml line "},
      {"reverse-cells-per-s = 8", "keep.toml line 5: --reverse-cells-per-s goes with both"},
      {"from-traffic = \"vlan 9999\"", "keep.toml line 5: --from-traffic"},
      {"burst-frames = 8", "keep.toml line 5: "},
      {"[[connection]]\nname = \"west\"\nfrom = \"a\"",
       "keep.toml line 5: a connection needs 'to'"},
      {"[[connection]]\nname = \"east\"\nfrom = \"a\"\nto = \"c\"",
       "keep.toml line 6: another connection is called 'east'"},
      {"[[connection]]\nname = \"ea st\"\nfrom = \"a\"\nto = \"c\"", "keep.toml line 6: --name"},
      {"[[connection]]\nname = \"west\"\nfrom = \"a/b\"\nto = \"c\"", "keep.toml line 7: --from"},
      {"count = 60000\n[[connection]]\nname = \"west\"\nfrom = \"a\"\nto = \"c\"\ncount = 50000",
       "keep.toml line 7: with 'west' the file has 110000 calls, more than 100000"},
      {"[[switch]]\nname = \"s\"", "keep.toml line 5: there is no 'switch' here"},
      {"count = ", "keep.toml"},
  };
  for (const Wrong& wrong : cases) {
    EXPECT_THAT(refusal_of(begin + wrong.more), StartsWith(wrong.refusal)) << wrong.more;
  }
}

TEST(ConnectionFileTest, MoreThanAContractCanSayIsRefusedWithTheReason) {
  const std::string begin = "[[connection]]\nname = \"east\"\nfrom = \"a\"\nto = \"b\"\n";
  for (const char* const more :
       {"cells-per-s = 16777216", "both = true\nreverse-cells-per-s = 16777216",
        "frames-per-1000-s = 1000000000\nframe-octets = 9000"}) {
    EXPECT_THAT(refusal_of(begin + more),
                AllOf(HasSubstr("16777215"), HasSubstr("GSMP's traffic fields have 24 bits")))
        << more;
  }
}

TEST(ConnectionFileTest, AFileWithoutAConnectionIsRefused) {
  EXPECT_THAT(refusal_of(""), HasSubstr("there is no [[connection]]"));
}

TEST(ConnectionFileTest, TheTablesAreBounded) {
  std::string text;
  for (std::size_t i = 0; i <= kTablesMax; ++i) {
    text += fmt::format("[[connection]]\nname = \"c{}\"\nfrom = \"a\"\nto = \"b\"\n", i);
  }
  EXPECT_THAT(refusal_of(text), HasSubstr("more than 10000 [[connection]]"));
}

}  // namespace
}  // namespace xbind::keeper
