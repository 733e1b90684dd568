// A label: what a cell or packet of a connection carries on one link, in one direction. Above the
// GSMP driver no code interprets the value.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace xbind {

enum class LabelKind : std::uint8_t {
  kNone = 0,  // no label: "the SwitchServer allocates one", or "not applicable"
  kAtm = 1,   // value: 4 bits 0, VPI 12, VCI 16 (RFC 3292 section 3.1.2)
  kMpls = 2,  // value: 12 bits 0, label 20
};

struct Label {
  LabelKind kind = LabelKind::kNone;
  std::uint32_t value = 0;

  bool present() const { return kind != LabelKind::kNone; }
  friend constexpr auto operator<=>(const Label&, const Label&) = default;
};

// Ranges: vpi 0..4095, vci 0..65535.
constexpr Label atm_label(std::uint32_t vpi, std::uint32_t vci) {
  return Label{LabelKind::kAtm, vpi << 16 | vci};
}
constexpr std::uint32_t vpi_of(Label label) { return label.value >> 16 & 0xfff; }
constexpr std::uint32_t vci_of(Label label) { return label.value & 0xffff; }

// "0/32" for ATM, "mpls 1000", "none".
std::string to_string(Label label);

inline constexpr std::uint32_t kAtmValueMax = 0x0fff'ffff;
inline constexpr std::uint32_t kMplsLabelMin = 16;  // below: reserved (RFC 3032 section 2.1)
inline constexpr std::uint32_t kMplsLabelMax = 0xfffff;

// Packs kind and value into one word, for large tables of labels: 4 bits kind, 28 value. 0: no
// label. The value must be possible for its kind; every label in a LabelRange has such a value.
constexpr std::uint32_t packed(Label label) {
  return static_cast<std::uint32_t>(label.kind) << 28 | (label.value & kAtmValueMax);
}
constexpr Label unpacked(std::uint32_t word) {
  return {static_cast<LabelKind>(word >> 28), word & kAtmValueMax};
}

// Labels of one kind from `first` to `last`, both included. An ATM range is a rectangle: VPI and
// VCI each lie between those of `first` and `last`.
struct LabelRange {
  LabelKind kind = LabelKind::kAtm;
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  // Whether the range is valid: a kind, both ends of that kind and in order, no reserved MPLS
  // label.
  bool possible() const;
  // Number of labels; 0 if the range is not possible.
  std::uint64_t size() const { return possible() ? std::uint64_t{rows()} * width() : 0; }
  bool contains(Label label) const {
    if (label.kind != kind) return false;
    if (kind != LabelKind::kAtm) return label.value >= first && label.value <= last;
    return label.value <= kAtmValueMax && label.value >> 16 >= first >> 16 &&
           label.value >> 16 <= last >> 16 && (label.value & 0xffff) >= (first & 0xffff) &&
           (label.value & 0xffff) <= (last & 0xffff);
  }
  bool overlaps(const LabelRange& other) const;  // both are possible

  // Position of a label in the range, 0 to size() - 1, ATM labels VPI by VPI. The range must be
  // possible.
  std::uint32_t place_of(Label label) const {  // it contains the label
    if (kind != LabelKind::kAtm) return label.value - first;
    return ((label.value >> 16) - (first >> 16)) * width() +
           ((label.value & 0xffff) - (first & 0xffff));
  }
  Label at(std::uint32_t place) const {
    if (kind != LabelKind::kAtm) return {kind, first + place};
    // Most ranges have one VPI; that case avoids the expensive division.
    const std::uint32_t row = place < width() ? 0 : place / width();
    return {kind, first + (row << 16) + (place - row * width())};
  }

  friend bool operator==(const LabelRange&, const LabelRange&) = default;

 private:
  std::uint32_t rows() const {
    return kind == LabelKind::kAtm ? (last >> 16) - (first >> 16) + 1 : 1;
  }
  std::uint32_t width() const {
    return kind == LabelKind::kAtm ? (last & 0xffff) - (first & 0xffff) + 1 : last - first + 1;
  }
};
// vpi_min..vpi_max times vci_min..vci_max.
constexpr LabelRange atm_range(std::uint32_t vpi_min, std::uint32_t vpi_max, std::uint32_t vci_min,
                               std::uint32_t vci_max) {
  return {LabelKind::kAtm, vpi_min << 16 | vci_min, vpi_max << 16 | vci_max};
}
// The bounds of an ATM range as four numbers.
struct AtmBounds {
  std::uint32_t vpi_min = 0;
  std::uint32_t vpi_max = 0;
  std::uint32_t vci_min = 32;
  std::uint32_t vci_max = 1023;

  constexpr LabelRange range() const { return atm_range(vpi_min, vpi_max, vci_min, vci_max); }
  bool contains(Label label) const { return range().contains(label); }
  friend bool operator==(const AtmBounds&, const AtmBounds&) = default;
};
constexpr AtmBounds atm_bounds(const LabelRange& range) {  // of an ATM range
  return {range.first >> 16, range.last >> 16, range.first & 0xffff, range.last & 0xffff};
}
constexpr LabelRange mpls_range(std::uint32_t first, std::uint32_t last) {
  return {LabelKind::kMpls, first, last};
}

// The labels that a port accepts: ranges of one or several kinds; no two overlap.
using LabelRanges = std::vector<LabelRange>;
inline constexpr std::size_t kLabelRangesMax = 16;  // per port

bool contains(const LabelRanges& ranges, Label label);
std::uint64_t label_count(const LabelRanges& ranges);

struct CheckedRanges {
  LabelRanges taken;
  LabelRanges left_out;  // not possible, overlapping an earlier one, or beyond kLabelRangesMax
};
CheckedRanges checked_ranges(const LabelRanges& ranges);

std::string to_string(const LabelRange& range);    // "0-1/32-1023", "mpls 16-1048575"
std::string to_string(const LabelRanges& ranges);  // separated by ", "; "none"

}  // namespace xbind

template <>
struct std::hash<xbind::Label> {
  std::size_t operator()(xbind::Label label) const {
    return std::hash<std::uint64_t>{}(std::uint64_t{static_cast<std::uint8_t>(label.kind)} << 32 |
                                      label.value);
  }
};
