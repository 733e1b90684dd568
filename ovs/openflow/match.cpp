#include "ovs/openflow/match.hpp"

#include <bit>

#include "core/check.hpp"
#include "ovs/openflow/oxm.hpp"

namespace xbind::ovs::openflow {
namespace {

constexpr std::uint16_t kMatchOxm = 1;
constexpr std::size_t kMatchHeaderOctets = 4;

constexpr std::uint32_t prefix_mask(std::uint8_t bits) {
  return bits == 0 ? 0 : ~std::uint32_t{0} << (32 - bits);
}

bool has_mask(Ipv4Prefix prefix) { return prefix.bits != 32; }

// The length of the encoded match.
std::size_t unpadded_octets(const Match& match) {
  std::size_t octets = kMatchHeaderOctets;
  if (match.in_port != 0) octets += 8;
  if (match.eth_type) octets += 6;
  if (match.vlan_vid) octets += 6;
  if (match.mpls_label) octets += 8;
  if (match.ipv4_dst) octets += has_mask(*match.ipv4_dst) ? 12 : 8;
  return octets;
}

// Decodes one member of Match. Returns false for a value that the member cannot hold.
class FieldDecoder {
 public:
  FieldDecoder(Match& match, wire::Reader value) : match_(match), value_(value) {}

  bool decode(std::uint32_t header) {
    switch (header) {
      case oxm_header(OxmField::kInPort, 4): return in_port();
      case oxm_header(OxmField::kEthType, 2): return set(match_.eth_type, value_.u16());
      case oxm_header(OxmField::kVlanVid, 2): return vlan_vid();
      case oxm_header(OxmField::kMplsLabel, 4): return mpls_label();
      case oxm_header(OxmField::kIpv4Dst, 4): return ipv4_dst(false);
      case oxm_header(OxmField::kIpv4Dst, 4, true): return ipv4_dst(true);
      default: return false;
    }
  }

 private:
  template <class T>
  static bool set(std::optional<T>& member, T value) {
    if (member) return false;  // the second field of its kind
    member = value;
    return true;
  }

  bool in_port() {
    const std::uint32_t port = value_.u32();
    if (match_.in_port != 0 || port == 0) return false;
    match_.in_port = port;
    return true;
  }
  bool vlan_vid() {
    const std::uint16_t value = value_.u16();
    if (value == kVlanUntagged) return set(match_.vlan_vid, kVlanUntagged);
    const std::uint16_t vid = value & ~kVlanPresent;
    if (value == vid || vid == 0 || vid > kVlanMax) return false;
    return set(match_.vlan_vid, vid);
  }
  bool mpls_label() {
    const std::uint32_t label = value_.u32();
    return label <= kMplsLabelMax && set(match_.mpls_label, label);
  }
  bool ipv4_dst(bool masked) {
    const std::uint32_t address = value_.u32();
    const std::uint32_t mask = masked ? value_.u32() : ~std::uint32_t{0};
    const auto bits = static_cast<std::uint8_t>(std::popcount(mask));
    if (bits == 0 || mask != prefix_mask(bits)) return false;
    return set(match_.ipv4_dst, Ipv4Prefix{.address = address & mask, .bits = bits});
  }

  Match& match_;
  wire::Reader value_;
};

// The length that the values of a field of Match have, without and with a mask.
bool fits(std::uint16_t oxm_class, std::uint8_t field, bool masked, std::size_t octets) {
  if (oxm_class != kOxmClass) return true;
  const std::size_t masks = masked ? 2 : 1;
  switch (static_cast<OxmField>(field)) {
    case OxmField::kInPort:
    case OxmField::kIpv4Dst:
    case OxmField::kMplsLabel: return octets == 4 * masks;
    case OxmField::kEthType:
    case OxmField::kVlanVid: return octets == 2 * masks;
  }
  return true;
}

Decoded<Match> decode_fields(wire::Reader in) {
  Match match;
  while (in.remaining() != 0) {
    const std::uint16_t oxm_class = in.u16();
    const std::uint8_t field_and_mask = in.u8();
    const std::uint8_t octets = in.u8();
    const auto value = in.bytes(octets);
    const bool masked = (field_and_mask & 1) != 0;
    const auto field = static_cast<std::uint8_t>(field_and_mask >> 1);
    if (!in.ok() || !fits(oxm_class, field, masked, octets))
      return refuse(Refusal::kFieldLength, octets);
    const std::uint32_t header = static_cast<std::uint32_t>(oxm_class) << 16 |
                                 static_cast<std::uint32_t>(field_and_mask) << 8 | octets;
    if (!FieldDecoder(match, wire::Reader(value)).decode(header)) match.foreign = true;
  }
  return match;
}

}  // namespace

void encode(const Match& match, wire::Writer& out) {
  XB_CHECK(!match.foreign);
  const std::size_t octets = unpadded_octets(match);
  wire::Room room = out.room(octets + padding(octets));
  room.u16(kMatchOxm);
  room.u16(static_cast<std::uint16_t>(octets));
  if (match.in_port != 0) {
    room.u32(oxm_header(OxmField::kInPort, 4));
    room.u32(match.in_port);
  }
  if (match.eth_type) {
    room.u32(oxm_header(OxmField::kEthType, 2));
    room.u16(*match.eth_type);
  }
  if (match.vlan_vid) {
    XB_CHECK(*match.vlan_vid <= kVlanMax, *match.vlan_vid);
    room.u32(oxm_header(OxmField::kVlanVid, 2));
    room.u16(*match.vlan_vid == kVlanUntagged ? kVlanUntagged : *match.vlan_vid | kVlanPresent);
  }
  if (match.mpls_label) {
    XB_CHECK(*match.mpls_label <= kMplsLabelMax, *match.mpls_label);
    room.u32(oxm_header(OxmField::kMplsLabel, 4));
    room.u32(*match.mpls_label);
  }
  if (const auto& prefix = match.ipv4_dst) {
    XB_CHECK(prefix->bits >= 1 && prefix->bits <= 32, prefix->bits);
    room.u32(oxm_header(OxmField::kIpv4Dst, 4, has_mask(*prefix)));
    room.u32(prefix->address & prefix_mask(prefix->bits));
    if (has_mask(*prefix)) room.u32(prefix_mask(prefix->bits));
  }
}

Decoded<Match> decode_match(wire::Reader& in) {
  const std::size_t available = in.remaining();
  const std::uint16_t type = in.u16();
  const std::uint16_t length = in.u16();
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(available));
  if (type != kMatchOxm) return refuse(Refusal::kMatchType, type);
  if (length < kMatchHeaderOctets || length + padding(length) > available)
    return refuse(Refusal::kMatchLength, length);
  const auto fields = in.bytes(length - kMatchHeaderOctets);
  in.skip(padding(length));
  return decode_fields(wire::Reader(fields));
}

}  // namespace xbind::ovs::openflow
