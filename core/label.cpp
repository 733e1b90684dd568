#include "core/label.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xbind {

std::string to_string(Label label) {
  switch (label.kind) {
    case LabelKind::kNone: return "none";
    case LabelKind::kAtm: return fmt::format("{}/{}", vpi_of(label), vci_of(label));
    case LabelKind::kMpls: return fmt::format("mpls {}", label.value);
  }
  return "unknown label kind";
}

bool LabelRange::possible() const {
  switch (kind) {
    case LabelKind::kNone: return false;
    case LabelKind::kAtm:
      return last <= kAtmValueMax && first >> 16 <= last >> 16 &&
             (first & 0xffff) <= (last & 0xffff);
    case LabelKind::kMpls: return first >= kMplsLabelMin && first <= last && last <= kMplsLabelMax;
  }
  return false;
}

bool LabelRange::overlaps(const LabelRange& other) const {
  if (kind != other.kind) return false;
  if (kind != LabelKind::kAtm) return first <= other.last && other.first <= last;
  return first >> 16 <= other.last >> 16 && other.first >> 16 <= last >> 16 &&
         (first & 0xffff) <= (other.last & 0xffff) && (other.first & 0xffff) <= (last & 0xffff);
}

bool contains(const LabelRanges& ranges, Label label) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const LabelRange& range) { return range.contains(label); });
}

std::uint64_t label_count(const LabelRanges& ranges) {
  std::uint64_t count = 0;
  for (const LabelRange& range : ranges) count += range.size();
  return count;
}

CheckedRanges checked_ranges(const LabelRanges& ranges) {
  CheckedRanges checked;
  for (const LabelRange& range : ranges) {
    const bool taken =
        range.possible() && checked.taken.size() < kLabelRangesMax &&
        std::none_of(checked.taken.begin(), checked.taken.end(),
                     [&](const LabelRange& earlier) { return earlier.overlaps(range); });
    (taken ? checked.taken : checked.left_out).push_back(range);
  }
  return checked;
}

std::string to_string(const LabelRange& range) {
  if (range.kind == LabelKind::kAtm) {
    return fmt::format("{}-{}/{}-{}", range.first >> 16, range.last >> 16, range.first & 0xffff,
                       range.last & 0xffff);
  }
  if (range.kind == LabelKind::kMpls) return fmt::format("mpls {}-{}", range.first, range.last);
  return "none";
}

std::string to_string(const LabelRanges& ranges) {
  if (ranges.empty()) return "none";
  std::string text;
  for (const LabelRange& range : ranges) {
    if (!text.empty()) text += ", ";
    text += to_string(range);
  }
  return text;
}

}  // namespace xbind
