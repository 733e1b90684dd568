#include "core/label.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Label shim(std::uint32_t value) { return {LabelKind::kMpls, value}; }

TEST(Label, IsOneWordWithItsKind) {
  const std::vector<Label> labels{
      {}, atm_label(0, 0), atm_label(0, 32), atm_label(4095, 65535), shim(16), shim(0xfffff)};
  for (const Label& label : labels) {
    EXPECT_EQ(unpacked(packed(label)), label) << to_string(label);
    for (const Label& other : labels) {
      EXPECT_EQ(packed(label) == packed(other), label == other)
          << to_string(label) << " and " << to_string(other);
    }
  }
  EXPECT_EQ(packed({}), 0U);
}

// Checks contains(), size() and at() of a small range against the list of its labels.
void expect_row(const LabelRange& range, const std::vector<Label>& labels) {
  ASSERT_EQ(range.size(), labels.size()) << to_string(range);
  for (std::uint32_t place = 0; place < labels.size(); ++place) {
    EXPECT_EQ(range.at(place), labels[place]);
    EXPECT_EQ(range.place_of(labels[place]), place);
    EXPECT_TRUE(range.contains(labels[place]));
  }
}

TEST(LabelRange, IsARectangleOfAtmAndARowOfMpls) {
  expect_row(atm_range(3, 4, 65534, 65535),
             {atm_label(3, 65534), atm_label(3, 65535), atm_label(4, 65534), atm_label(4, 65535)});
  expect_row(mpls_range(0x1fffe, 0x20001),
             {shim(0x1fffe), shim(0x1ffff), shim(0x20000), shim(0x20001)});
  EXPECT_FALSE(atm_range(3, 4, 40, 50).contains(atm_label(3, 51)));
  EXPECT_FALSE(atm_range(3, 4, 40, 50).contains(atm_label(5, 45)));
  EXPECT_FALSE(atm_range(0, 4, 40, 50).contains(shim(45)));
  EXPECT_FALSE(atm_range(0, 4095, 0, 65535).contains({LabelKind::kAtm, 0x1000'0020}));
  EXPECT_FALSE(mpls_range(16, 100).contains(atm_label(0, 45)));
  EXPECT_FALSE(mpls_range(16, 100).contains({}));
}

TEST(LabelRange, IsEmptyIfItIsImpossible) {
  for (const LabelRange& bad :
       {atm_range(2, 1, 32, 40), atm_range(1, 2, 41, 40), LabelRange{LabelKind::kAtm, 0, 1U << 28},
        mpls_range(15, 40), mpls_range(40, 39), mpls_range(16, 1U << 20),
        LabelRange{LabelKind::kNone, 16, 40}}) {
    EXPECT_FALSE(bad.possible()) << to_string(bad);
    EXPECT_EQ(bad.size(), 0U) << to_string(bad);
  }
  EXPECT_EQ(atm_range(0, 4095, 0, 65535).size(), 1U << 28);
  EXPECT_EQ(mpls_range(16, 0xfffff).size(), (1U << 20) - 16);
}

TEST(LabelRanges, OverlapWithinAKindAlone) {
  const LabelRange range = atm_range(2, 4, 40, 50);
  EXPECT_TRUE(range.overlaps(atm_range(4, 9, 50, 60)));
  EXPECT_FALSE(range.overlaps(atm_range(5, 9, 40, 50)));
  EXPECT_FALSE(range.overlaps(atm_range(2, 4, 51, 60)));
  EXPECT_FALSE(range.overlaps(mpls_range(range.first, 0xfffff)));
  EXPECT_TRUE(mpls_range(16, 20).overlaps(mpls_range(20, 30)));
  EXPECT_FALSE(mpls_range(16, 20).overlaps(mpls_range(21, 30)));
}

TEST(LabelRanges, LeaveOutWhatIsImpossibleTwiceOrTooMuch) {
  const LabelRange atm = atm_range(0, 0, 32, 63);
  const LabelRange impossible = mpls_range(3, 9);
  const LabelRange twice = atm_range(0, 9, 60, 70);
  const LabelRange label_switched = mpls_range(16, 31);
  const CheckedRanges checked = checked_ranges({atm, impossible, twice, label_switched});
  EXPECT_THAT(checked.taken, ElementsAre(atm, label_switched));
  EXPECT_THAT(checked.left_out, ElementsAre(impossible, twice));

  LabelRanges many;
  for (std::uint32_t vpi = 0; vpi < kLabelRangesMax + 1; ++vpi)
    many.push_back(atm_range(vpi, vpi, 32, 63));
  EXPECT_EQ(checked_ranges(many).taken.size(), kLabelRangesMax);
  EXPECT_THAT(checked_ranges(many).left_out, ElementsAre(many.back()));
  EXPECT_THAT(checked_ranges({}).taken, IsEmpty());
}

TEST(LabelRanges, PrintAsOperatorsSayThem) {
  EXPECT_EQ(to_string(LabelRanges{atm_range(0, 1, 32, 1023), mpls_range(16, 1048575)}),
            "0-1/32-1023, mpls 16-1048575");
  EXPECT_EQ(to_string(LabelRanges{}), "none");
}

}  // namespace
}  // namespace xbind
