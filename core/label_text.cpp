#include "core/label_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "core/name.hpp"

namespace xbind {
namespace {

constexpr std::string_view kMpls = "mpls";

struct Span {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

std::optional<std::uint32_t> number(std::string_view text, std::uint32_t min, std::uint32_t max) {
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || last != end || value < min || value > max) return std::nullopt;
  return value;
}

// "7" or "7-9".
std::optional<Span> span(std::string_view text, std::uint32_t min, std::uint32_t max) {
  const std::size_t dash = text.find('-');
  const auto first = number(text.substr(0, dash), min, max);
  const auto last =
      dash == std::string_view::npos ? first : number(text.substr(dash + 1), min, max);
  if (!first || !last || *first > *last) return std::nullopt;
  return Span{*first, *last};
}

std::optional<LabelRange> range_of(std::string_view text) {
  if (text.starts_with(kMpls)) {
    text.remove_prefix(kMpls.size());
    if (!text.starts_with(':') && !text.starts_with(' ')) return std::nullopt;
    const auto labels = span(text.substr(1), kMplsLabelMin, kMplsLabelMax);
    if (!labels) return std::nullopt;
    return mpls_range(labels->first, labels->last);
  }
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto vpis = span(text.substr(0, slash), 0, 4095);
  const auto vcis = span(text.substr(slash + 1), 0, 65535);
  if (!vpis || !vcis) return std::nullopt;
  return atm_range(vpis->first, vpis->last, vcis->first, vcis->last);
}

}  // namespace

std::string to_word(Label label) {
  return label.kind == LabelKind::kMpls ? fmt::format("mpls:{}", label.value) : to_string(label);
}

std::string to_word(const LabelRange& range) {
  return range.kind == LabelKind::kMpls ? fmt::format("mpls:{}-{}", range.first, range.last)
                                        : to_string(range);
}

Result<Label> parse_label(std::string_view text) {
  const auto range = range_of(text);
  if (!range || range->first != range->last || text.find('-') != std::string_view::npos) {
    return fail(ErrorCode::kBadInput,
                "'{}' is no label: VPI/VCI to 4095/65535, or mpls:{} to mpls:{}", printable(text),
                kMplsLabelMin, kMplsLabelMax);
  }
  return Label{range->kind, range->first};
}

Result<LabelRange> parse_label_range(std::string_view text) {
  const auto range = range_of(text);
  if (!range) {
    return fail(ErrorCode::kBadInput,
                "'{}' is no range of labels: VPI-VPI/VCI-VCI to 4095/65535, or mpls:FIRST-LAST of "
                "{} to {}",
                printable(text), kMplsLabelMin, kMplsLabelMax);
  }
  return *range;
}

}  // namespace xbind
