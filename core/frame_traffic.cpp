#include "core/frame_traffic.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "core/name.hpp"

namespace xbind {
namespace {

struct Row {
  std::string_view word;
  std::uint32_t base;   // label of number 0
  std::uint32_t least;  // smallest number
  std::uint32_t most;   // greatest number
};
constexpr Row kVlan{"vlan", 4'096, 1, 4'094};
constexpr Row kClass{"class", 8'192, 0, 4'095};
constexpr std::array kNumbered{kVlan, kClass};

// The number of a text such as "vlan 100", if `row` is its row.
std::optional<std::uint32_t> number_of(const Row& row, std::string_view text) {
  if (!text.starts_with(row.word)) return std::nullopt;
  text.remove_prefix(row.word.size());
  if (text.size() < 2 || text[0] != ' ') return std::nullopt;
  text.remove_prefix(1);
  if (text.size() > 1 && text[0] == '0') return std::nullopt;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (number < row.least || number > row.most) return std::nullopt;
  return number;
}

// The label of a number of the row; nullopt beyond its numbers.
std::optional<std::uint32_t> value_of(const Row& row, std::uint32_t number) {
  if (number < row.least || number > row.most) return std::nullopt;
  return row.base + number;
}
// The number of a label of the row.
std::optional<std::uint16_t> number_in(const Row& row, std::uint32_t value) {
  if (value < row.base + row.least || value > row.base + row.most) return std::nullopt;
  return static_cast<std::uint16_t>(value - row.base);
}

}  // namespace

std::optional<FrameTraffic> FrameTraffic::of_vlan(std::uint32_t number) {
  const auto value = value_of(kVlan, number);
  return value ? std::optional(FrameTraffic{*value}) : std::nullopt;
}
std::optional<FrameTraffic> FrameTraffic::of_class(std::uint32_t number) {
  const auto value = value_of(kClass, number);
  return value ? std::optional(FrameTraffic{*value}) : std::nullopt;
}
std::optional<std::uint16_t> FrameTraffic::vlan() const { return number_in(kVlan, value_); }
std::optional<std::uint16_t> FrameTraffic::class_number() const {
  return number_in(kClass, value_);
}

Result<FrameTraffic> FrameTraffic::parse(std::string_view text) {
  if (text.empty() || text == "port") return FrameTraffic{};
  for (const Row& row : kNumbered) {
    if (const auto number = number_of(row, text)) return FrameTraffic{row.base + *number};
  }
  return fail(ErrorCode::kBadInput, "the traffic '{}' is none of port, vlan 1..4094, class 0..4095",
              printable(text));
}

std::optional<FrameTraffic> FrameTraffic::of(Label label) {
  if (label.kind != LabelKind::kMpls) return std::nullopt;
  if (label == FrameTraffic{}.label()) return FrameTraffic{};
  for (const Row& row : kNumbered) {
    if (label.value >= row.base + row.least && label.value <= row.base + row.most) {
      return FrameTraffic{label.value};
    }
  }
  return std::nullopt;
}

std::string FrameTraffic::text() const {
  for (const Row& row : kNumbered) {
    if (value_ >= row.base && value_ <= row.base + row.most) {
      return fmt::format("{} {}", row.word, value_ - row.base);
    }
  }
  return "port";
}

}  // namespace xbind
