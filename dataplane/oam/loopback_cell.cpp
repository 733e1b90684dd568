#include "dataplane/oam/loopback_cell.hpp"

#include <algorithm>
#include <span>

#include "dataplane/oam/crc10.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::byte kFaultLoopback{0x18};
constexpr std::byte kRequest{1};
constexpr std::byte kUnused{0x6a};
constexpr std::size_t kTagAt = 2;
constexpr std::size_t kLocationAt = 6;
constexpr std::size_t kSourceAt = 22;
constexpr std::size_t kUnusedAt = 38;
constexpr std::size_t kCrcAt = 46;

// Octets of our identifiers.
constexpr std::byte kOurForm{'X'};
constexpr std::byte kSource{0};
constexpr std::byte kIn{1};
constexpr std::byte kOut{2};
constexpr std::size_t kPortAt = 2;
constexpr std::size_t kLabelAt = 6;
constexpr std::size_t kNodeAt = 10;
constexpr std::size_t kSessionAt = 8;

constexpr std::uint64_t kNodeMask = (std::uint64_t{1} << 48) - 1;

void put(std::span<std::byte> octets, std::uint64_t value) {
  for (std::size_t index = octets.size(); index-- > 0; value >>= 8)
    octets[index] = static_cast<std::byte>(value & 0xff);
}
std::uint64_t get(std::span<const std::byte> octets) {
  std::uint64_t value = 0;
  for (const std::byte octet : octets) value = value << 8 | std::to_integer<std::uint64_t>(octet);
  return value;
}

}  // namespace

// ===== the cell =================================================================================

Payload encode_loopback(const LoopbackCell& cell) {
  Payload payload{};
  payload[0] = kFaultLoopback;
  payload[1] = cell.request ? kRequest : std::byte{0};
  put_u32(payload.data() + kTagAt, cell.tag);
  std::ranges::copy(cell.location, payload.begin() + kLocationAt);
  std::ranges::copy(cell.source, payload.begin() + kSourceAt);
  std::fill(payload.begin() + kUnusedAt, payload.begin() + kCrcAt, kUnused);
  const std::uint16_t crc = crc10(payload);
  put(std::span(payload).subspan(kCrcAt), crc);
  return payload;
}

LoopbackVerdict decode_loopback(const Payload& payload, LoopbackCell& cell) {
  if (payload[0] != kFaultLoopback) return LoopbackVerdict::kOther;
  if (crc10(payload) != 0) return LoopbackVerdict::kDamaged;
  cell.request = (payload[1] & kRequest) != std::byte{0};
  cell.tag = get_u32(payload.data() + kTagAt);
  std::copy_n(payload.begin() + kLocationAt, cell.location.size(), cell.location.begin());
  std::copy_n(payload.begin() + kSourceAt, cell.source.size(), cell.source.begin());
  return LoopbackVerdict::kLoopback;
}

// ===== identifiers ==============================================================================

std::uint64_t node_number(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char letter : name) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3;
  }
  return (hash >> 48 ^ hash) & kNodeMask;
}

LoopbackId location_id(const LoopbackPoint& point) {
  LoopbackId id{kOurForm, point.side == Direction::kIn ? kIn : kOut};
  const std::span octets(id);
  put(octets.subspan(kPortAt, 4), point.port.value());
  put(octets.subspan(kLabelAt, 4), point.label);
  put(octets.subspan(kNodeAt), point.node);
  return id;
}

std::optional<LoopbackPoint> point_of(const LoopbackId& location) {
  if (location[0] != kOurForm || (location[1] != kIn && location[1] != kOut)) return std::nullopt;
  const std::span octets(location);
  return LoopbackPoint{.node = get(octets.subspan(kNodeAt)),
                       .side = location[1] == kIn ? Direction::kIn : Direction::kOut,
                       .port = PortId{static_cast<std::uint32_t>(get(octets.subspan(kPortAt, 4)))},
                       .label = static_cast<std::uint32_t>(get(octets.subspan(kLabelAt, 4)))};
}

LoopbackId source_id(std::uint64_t session) {
  LoopbackId id{kOurForm, kSource};
  put(std::span(id).subspan(kSessionAt), session);
  return id;
}

std::optional<std::uint64_t> session_of(const LoopbackId& source) {
  const auto rest = std::span(source).subspan(1, kSessionAt - 1);
  if (source[0] != kOurForm ||
      std::ranges::any_of(rest, [](std::byte octet) { return octet != std::byte{0}; })) {
    return std::nullopt;
  }
  return get(std::span(source).subspan(kSessionAt));
}

}  // namespace xbind::dataplane
