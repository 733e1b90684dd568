#include "switchagent/port_options.hpp"

#include <charconv>
#include <string_view>
#include <system_error>

#include "core/label_text.hpp"

namespace xbind::switchagent {

std::optional<std::pair<PortId, std::string>> port_and_text(const std::string& text) {
  std::uint32_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [equals, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc{} || equals == end || *equals != '=' || port == 0) return std::nullopt;
  return std::pair{PortId{port}, std::string(equals + 1, end)};
}

std::optional<std::pair<PortId, std::uint32_t>> parse_port_rate(const std::string& text) {
  const auto parts = port_and_text(text);
  if (!parts) return std::nullopt;
  std::uint32_t rate = 0;
  const char* const end = parts->second.data() + parts->second.size();
  const auto [last, error] = std::from_chars(parts->second.data(), end, rate);
  if (error != std::errc{} || last != end || rate == 0) return std::nullopt;
  return std::pair{parts->first, rate};
}

Result<std::map<PortId, LabelRanges>> parse_port_labels(const std::vector<std::string>& texts,
                                                        std::uint32_t ports) {
  constexpr std::uint32_t kVciMin = 32;  // lower VCIs: signalling and management (ITU-T I.361)
  std::map<PortId, LabelRanges> labels;
  for (const std::string& text : texts) {
    const auto parts = port_and_text(text);
    if (!parts) return fail(ErrorCode::kBadInput, "'{}' is not PORT=RANGE", text);
    const PortId port = parts->first;
    if (port.value() > ports)
      return fail(ErrorCode::kBadInput, "'{}' names a port beyond --ports {}", text, ports);
    const auto range = parse_label_range(parts->second);
    if (!range) return tl::make_unexpected(range.error());
    if (range->kind == LabelKind::kAtm && atm_bounds(*range).vci_min < kVciMin)
      return fail(ErrorCode::kBadInput, "'{}' has a VCI below {}", text, kVciMin);
    LabelRanges& ranges = labels[port];
    if (!ranges.empty() && ranges.front().kind != range->kind)
      return fail(ErrorCode::kBadInput, "'{}': port {} has labels of another kind", text, port);
    if (!ranges.empty() && range->kind == LabelKind::kAtm)
      return fail(ErrorCode::kBadInput, "'{}': ATM port {} has a range already", text, port);
    ranges.push_back(*range);
    if (ranges.size() > kLabelRangesMax)
      return fail(ErrorCode::kBadInput, "'{}': port {} has {} ranges", text, port, kLabelRangesMax);
    if (!checked_ranges(ranges).left_out.empty())
      return fail(ErrorCode::kBadInput, "'{}' overlaps another range of port {}", text, port);
  }
  return labels;
}

}  // namespace xbind::switchagent
