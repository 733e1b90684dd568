#include "dataplane/links/mpls_frame.hpp"

#include "core/label.hpp"
#include "dataplane/links/label_stack.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::size_t kIpv4HeaderMin = 20;

bool begins_as_ipv4(std::span<const std::byte> packet) {
  return packet.size() >= kIpv4HeaderMin && packet.front() >> 4 == std::byte{4};
}

}  // namespace

tl::expected<std::uint32_t, FrameDrop> read_mpls_label(std::span<const std::byte> frame) {
  if (ether_type(frame) != kEtherTypeMpls) return tl::make_unexpected(FrameDrop::kNotMpls);
  if (frame.size() < kEthernetOctets + kMplsEntryOctets + kIpv4HeaderMin)
    return tl::make_unexpected(FrameDrop::kTooShort);
  const std::uint32_t entry = get_u32(frame.data() + kEthernetOctets);
  const std::uint32_t label = entry >> 12;
  if ((entry & kBottomOfStack) == 0 || label < kMplsLabelMin)
    return tl::make_unexpected(FrameDrop::kLabel);
  if ((entry & kTtl) == 0) return tl::make_unexpected(FrameDrop::kExpired);
  if (!begins_as_ipv4(frame.subspan(kEthernetOctets + kMplsEntryOctets)))
    return tl::make_unexpected(FrameDrop::kNotIpv4);
  return label;
}

void pop_mpls_label(std::vector<std::byte>& octets, std::size_t at) {
  const auto entry = octets.begin() + static_cast<std::ptrdiff_t>(at + kEthernetOctets);
  octets.erase(entry, entry + kMplsEntryOctets);
  octets[at + kAddressesOctets] = static_cast<std::byte>(kEtherTypeIpv4 >> 8);
  octets[at + kAddressesOctets + 1] = static_cast<std::byte>(kEtherTypeIpv4 & 0xff);
}

bool push_mpls_label(std::uint32_t label, std::span<const std::byte> frame,
                     std::vector<std::byte>& out) {
  out.clear();
  const auto packet = frame.subspan(kEthernetOctets);
  if (ether_type(frame) != kEtherTypeIpv4 || !begins_as_ipv4(packet)) return false;
  out.assign(frame.begin(), frame.begin() + kAddressesOctets);
  out.resize(kEthernetOctets + kMplsEntryOctets);
  put_u32(out.data() + kAddressesOctets, kEtherTypeMpls << 16);  // and half of the entry
  put_u32(out.data() + kEthernetOctets, label << 12 | kBottomOfStack | kTtl);
  out.insert(out.end(), packet.begin(), packet.end());
  return true;
}

}  // namespace xbind::dataplane
