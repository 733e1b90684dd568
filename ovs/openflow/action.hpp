// The actions of a flow or bucket (section 7.2.5), each padded to a multiple of 8 octets:
//
//   | type 2 | length 2 | fields |
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/wire/writer.hpp"
#include "ovs/openflow/decode_error.hpp"

namespace xbind::ovs::openflow {

// Numbers of ports with a meaning of their own (section 7.2.1).
inline constexpr std::uint32_t kPortMax = 0xffffff00;
inline constexpr std::uint32_t kPortInPort = 0xfffffff8;  // back through the port of the packet
inline constexpr std::uint32_t kPortController = 0xfffffffd;
inline constexpr std::uint32_t kPortLocal = 0xfffffffe;
inline constexpr std::uint32_t kPortAny = 0xffffffff;  // not a port: no restriction

struct Output {
  std::uint32_t port = 0;
  friend bool operator==(const Output&, const Output&) = default;
};

struct Group {
  std::uint32_t id = 0;
  friend bool operator==(const Group&, const Group&) = default;
};

// Pushes a tag of Ethernet type 0x8100. Set its VLAN id with SetVlanVid.
struct PushVlan {
  friend bool operator==(const PushVlan&, const PushVlan&) = default;
};

struct PopVlan {
  friend bool operator==(const PopVlan&, const PopVlan&) = default;
};

// Pushes a label stack entry of Ethernet type 0x8847. Set its label with SetMplsLabel.
struct PushMpls {
  friend bool operator==(const PushMpls&, const PushMpls&) = default;
};

struct PopMpls {
  std::uint16_t eth_type = 0;  // of what lies below; 0x8847 if another entry does
  friend bool operator==(const PopMpls&, const PopMpls&) = default;
};

struct SetMplsLabel {
  std::uint32_t label = 0;  // 0 to kMplsLabelMax (match.hpp)
  friend bool operator==(const SetMplsLabel&, const SetMplsLabel&) = default;
};

struct SetVlanVid {
  std::uint16_t vid = 0;  // 1 to kVlanMax (match.hpp)
  friend bool operator==(const SetVlanVid&, const SetVlanVid&) = default;
};

struct DecMplsTtl {
  friend bool operator==(const DecMplsTtl&, const DecMplsTtl&) = default;
};

// Decoded only: an action that the others cannot hold, for example Set-Field of another field or
// Push VLAN with another Ethernet type.
struct Foreign {
  std::uint16_t type = 0;
  friend bool operator==(const Foreign&, const Foreign&) = default;
};

using Action = std::variant<Output, Group, PushVlan, PopVlan, PushMpls, PopMpls, SetMplsLabel,
                            SetVlanVid, DecMplsTtl, Foreign>;
// In the order of execution. Bounded by the length of a message: at most 8 190 decoded actions.
using Actions = std::vector<Action>;

bool has_foreign(std::span<const Action> actions);

// Octets that encode() appends: 8 or 16 for each action.
std::size_t encoded_octets(std::span<const Action> actions);
// Values beyond their ranges, and Foreign, are bugs of the caller.
void encode(std::span<const Action> actions, wire::Writer& out);
// `octets` holds actions and nothing else. Refuses kActionLength.
Decoded<Actions> decode_actions(std::span<const std::byte> octets);

}  // namespace xbind::ovs::openflow
