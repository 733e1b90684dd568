#include "core/frame_classes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "core/frame_traffic.hpp"
#include "core/name.hpp"

namespace xbind {
namespace {

constexpr std::uint32_t kVlanFirst = 1;
constexpr std::uint32_t kVlanLast = 4'094;

// A decimal number without leading zeros, up to `most`.
std::optional<std::uint32_t> number_in(std::string_view text, std::uint32_t most) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number > most) {
    return std::nullopt;
  }
  return text.size() > 1 && text[0] == '0' ? std::nullopt : std::optional(number);
}

// "10.1.0.0/16"
std::optional<Ipv4Prefix> prefix_in(std::string_view text) {
  Ipv4Prefix prefix;
  for (const char end : {'.', '.', '.', '/'}) {
    const std::size_t at = text.find(end);
    const auto octet = at == text.npos ? std::nullopt : number_in(text.substr(0, at), 255);
    if (!octet) return std::nullopt;
    prefix.address = prefix.address << 8 | *octet;
    text.remove_prefix(at + 1);
  }
  const auto bits = number_in(text, 32);
  if (!bits || *bits < 1) return std::nullopt;
  prefix.bits = static_cast<std::uint8_t>(*bits);
  return prefix;
}

std::uint32_t value_of(std::optional<FrameTraffic> traffic) { return traffic->label().value; }

}  // namespace

Result<std::pair<std::uint16_t, Ipv4Prefix>> parse_frame_class(const std::string& text) {
  const std::size_t equals = text.find('=');
  const bool two_parts = equals != std::string::npos;
  const std::string_view whole = text;
  const auto number = number_in(whole.substr(0, two_parts ? equals : 0), UINT16_MAX);
  const auto prefix = prefix_in(whole.substr(two_parts ? equals + 1 : whole.size()));
  if (!number || !FrameTraffic::of_class(*number) || !prefix) {
    return fail(ErrorCode::kBadInput, "'{}' is not NUMBER=PREFIX, as in 7=10.1.0.0/16",
                printable(text));
  }
  const std::uint32_t host_bits = prefix->bits == 32 ? 0 : ~std::uint32_t{0} >> prefix->bits;
  if ((prefix->address & host_bits) != 0) {
    return fail(ErrorCode::kBadInput, "'{}' has bits beyond its prefix", printable(text));
  }
  return std::pair{static_cast<std::uint16_t>(*number), *prefix};
}

Result<FrameClasses> parse_frame_classes(std::span<const std::string> texts) {
  FrameClasses classes;
  for (const std::string& text : texts) {
    const auto one = parse_frame_class(text);
    if (!one) return tl::make_unexpected(one.error());
    for (const auto& [number, prefix] : classes) {
      if (number == one->first) return fail(ErrorCode::kBadInput, "{} comes twice", number);
      if (prefix == one->second) {
        return fail(ErrorCode::kBadInput, "{} and {} take the same packets", number, one->first);
      }
    }
    classes.insert(*one);
    if (frame_labels(classes).size() > kLabelRangesMax) {
      return fail(ErrorCode::kBadInput,
                  "their numbers form more than {} ranges; give neighbouring numbers",
                  kLabelRangesMax - 2);
    }
  }
  return classes;
}

LabelRanges frame_labels(const FrameClasses& classes) {
  const std::uint32_t port = FrameTraffic{}.label().value;
  LabelRanges ranges{mpls_range(port, port),
                     mpls_range(value_of(FrameTraffic::of_vlan(kVlanFirst)),
                                value_of(FrameTraffic::of_vlan(kVlanLast)))};
  for (const auto& [number, prefix] : classes) {
    const std::uint32_t value = value_of(FrameTraffic::of_class(number));
    if (ranges.back().last + 1 == value && ranges.size() > 2) {
      ranges.back().last = value;
    } else {
      ranges.push_back(mpls_range(value, value));
    }
  }
  return ranges;
}

}  // namespace xbind
