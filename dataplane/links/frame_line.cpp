#include "dataplane/links/frame_line.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/frame_traffic.hpp"
#include "core/label.hpp"
#include "dataplane/links/mpls_frame.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::size_t kIpv4DestinationAt = kEthernetOctets + 16;
constexpr std::uint32_t kVidMask = 0x0fff;

// LLC of a SNAP header, the OUI of 802.1, the PID of 802.3 without FCS, padding.
constexpr std::array<std::byte, kBridgedOctets> kBridged{
    std::byte{0xaa}, std::byte{0xaa}, std::byte{0x03}, std::byte{0x00}, std::byte{0x80},
    std::byte{0xc2}, std::byte{0x00}, std::byte{0x07}, std::byte{0x00}, std::byte{0x00}};
constexpr std::size_t kBridgedChecked = 8;  // receivers ignore the padding

constexpr std::array<std::string_view, kFrameDrops> kReasons{
    "too_long", "too_short", "checksum", "tag",     "bad_trailer", "bad_header", "not_sent",
    "no_call",  "not_mpls",  "label",    "expired", "not_ipv4",    "oam"};

}  // namespace

std::string_view to_string(FrameDrop reason) { return kReasons[static_cast<std::size_t>(reason)]; }

void FrameLine::set_mtu(std::size_t mtu) { mtu_ = std::clamp(mtu, kFrameMtuMin, kFrameMtuMax); }

bool FrameLine::take_frame(const ReceivedFrame& frame, std::vector<Cell>& cells) {
  const std::span<const std::byte> octets = frame.octets;
  const auto refuse = [&](FrameDrop reason) {
    drop_in(reason, octets.size());
    return false;
  };
  if (octets.size() < kEthernetOctets) return refuse(FrameDrop::kTooShort);
  std::optional<std::uint32_t> tag = frame.tag;
  // Addresses, and what follows the tag.
  std::span<const std::byte> rest = octets.subspan(kAddressesOctets);
  if (!tag && ether_type(octets) == kEtherTypeVlan) {
    if (octets.size() < kEthernetOctets + kVlanTagOctets) return refuse(FrameDrop::kTooShort);
    tag = get_u32(rest.data());
    rest = rest.subspan(kVlanTagOctets);
  }
  if (frame.cut || kAddressesOctets + rest.size() > kEthernetOctets + mtu_) {
    return refuse(FrameDrop::kTooLong);
  }
  if (frame.checksum_unfinished) return refuse(FrameDrop::kChecksum);

  scratch_.assign(kBridged.begin(), kBridged.end());
  scratch_.insert(scratch_.end(), octets.begin(), octets.begin() + kAddressesOctets);
  scratch_.insert(scratch_.end(), rest.begin(), rest.end());
  const auto label = form_ == Form::kLabels ? pop_label(tag) : label_of(tag);
  if (!label) return refuse(label.error());
  if (has_call_ && !has_call_(*label)) return refuse(FrameDrop::kNoCall);
  const Aal5Sending sending{.vpi = static_cast<std::uint16_t>(*label >> 16),
                            .vci = static_cast<std::uint16_t>(*label & 0xffff)};
  const auto done = aal5_segment(scratch_, sending, cells);
  XB_CHECK(done.has_value(), scratch_.size());
  ++counters_.in;
  return true;
}

tl::expected<std::uint32_t, FrameDrop> FrameLine::label_of(std::optional<std::uint32_t> tag) const {
  const auto untagged = std::span(scratch_).subspan(kBridgedOctets);
  if (!tag) return untagged_label(untagged);
  if (*tag >> 16 != kEtherTypeVlan) return tl::make_unexpected(FrameDrop::kTag);  // 802.1ad
  const std::uint32_t vid = *tag & kVidMask;
  if (vid == 0) return untagged_label(untagged);  // a priority tag
  const auto traffic = FrameTraffic::of_vlan(vid);
  if (!traffic) return tl::make_unexpected(FrameDrop::kTag);
  return traffic->label().value;
}

tl::expected<std::uint32_t, FrameDrop> FrameLine::pop_label(std::optional<std::uint32_t> tag) {
  if (tag && (*tag >> 16 != kEtherTypeVlan || (*tag & kVidMask) != 0)) {
    return tl::make_unexpected(FrameDrop::kTag);
  }
  const auto label = read_mpls_label(std::span(scratch_).subspan(kBridgedOctets));
  if (label) pop_mpls_label(scratch_, kBridgedOctets);
  return label;
}

std::uint32_t FrameLine::untagged_label(std::span<const std::byte> untagged) const {
  std::uint32_t label = FrameTraffic{}.label().value;
  if (ether_type(untagged) != kEtherTypeIpv4 || untagged.size() < kIpv4DestinationAt + 4)
    return label;
  const std::uint32_t destination = get_u32(untagged.data() + kIpv4DestinationAt);
  std::uint8_t longest = 0;
  for (const auto& [number, prefix] : classes_) {
    if (prefix.bits <= longest || !prefix.contains(destination)) continue;
    const std::uint32_t of_class = FrameTraffic::of_class(number)->label().value;
    if (has_call_ && !has_call_(of_class)) continue;
    longest = prefix.bits;
    label = of_class;
  }
  return label;
}

std::span<const std::byte> FrameLine::take_cell(const Cell& cell) {
  if (!cell.user_data()) {  // ends at a host, but should have passed a bridge
    if (form_ == Form::kLabels) drop_out(FrameDrop::kOam, 1);
    return {};
  }
  const std::uint32_t label = cell.header >> 4;
  auto& reassembly =
      reassembly_.try_emplace(label, kBridgedOctets + kEthernetOctets + kFrameMtuMax).first->second;
  const std::size_t cells = reassembly.pending() / kPayloadOctets + 1;
  switch (reassembly.push(cell)) {
    case Aal5Outcome::kMore: return {};
    case Aal5Outcome::kFrame: return finish(label, reassembly.frame().octets);
    case Aal5Outcome::kTooLong: drop_out(FrameDrop::kTooLong, cells); return {};
    case Aal5Outcome::kSkipped: ++counters_.cells_dropped_out; return {};
    default: drop_out(FrameDrop::kBadTrailer, cells); return {};
  }
}

std::span<const std::byte> FrameLine::finish(std::uint32_t label,
                                             std::span<const std::byte> octets) {
  std::optional<FrameDrop> refused;
  if (octets.size() < kBridgedOctets + kEthernetOctets ||
      !std::ranges::equal(octets.first(kBridgedChecked),
                          std::span(kBridged).first(kBridgedChecked))) {
    refused = FrameDrop::kBadHeader;
  } else {
    const auto untagged = octets.subspan(kBridgedOctets);
    refused = form_ == Form::kLabels ? leave_labelled(label, untagged) : leave(label, untagged);
  }
  if (refused) {
    drop_out(*refused, aal5_cells(octets.size()));
    return {};
  }
  return frame_;
}

std::optional<FrameDrop> FrameLine::leave(std::uint32_t label,
                                          std::span<const std::byte> untagged) {
  const auto traffic = FrameTraffic::of({LabelKind::kMpls, label});
  if (!traffic) return FrameDrop::kBadHeader;
  if (untagged.size() > kEthernetOctets + mtu_) return FrameDrop::kTooLong;
  frame_.assign(untagged.begin(), untagged.begin() + kAddressesOctets);
  if (const auto vlan = traffic->vlan()) {
    frame_.resize(frame_.size() + kVlanTagOctets);
    put_u32(frame_.data() + kAddressesOctets, kEtherTypeVlan << 16 | *vlan);
  }
  frame_.insert(frame_.end(), untagged.begin() + kAddressesOctets, untagged.end());
  return std::nullopt;
}

std::optional<FrameDrop> FrameLine::leave_labelled(std::uint32_t label,
                                                   std::span<const std::byte> untagged) {
  if (label < kMplsLabelMin || label > kMplsLabelMax) return FrameDrop::kLabel;
  if (!push_mpls_label(label, untagged, frame_)) return FrameDrop::kNotIpv4;
  if (frame_.size() > kEthernetOctets + mtu_) return FrameDrop::kTooLong;
  return std::nullopt;
}

void FrameLine::not_sent(std::span<const std::byte> frame, FrameDrop reason) {
  drop_out(reason, aal5_cells(kBridgedOctets + frame.size()));
}

void FrameLine::count(FrameDrop reason) {
  ++counters_.dropped[static_cast<std::size_t>(reason)];
  if (on_drop_) on_drop_(reason);
}
void FrameLine::drop_in(FrameDrop reason, std::size_t octets) {
  counters_.cells_dropped_in += aal5_cells(kBridgedOctets + octets);
  count(reason);
}
void FrameLine::drop_out(FrameDrop reason, std::size_t cells) {
  counters_.cells_dropped_out += cells;
  count(reason);
}

}  // namespace xbind::dataplane
