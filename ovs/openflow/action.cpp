#include "ovs/openflow/action.hpp"

#include <optional>

#include "core/check.hpp"
#include "core/overloaded.hpp"
#include "core/wire/reader.hpp"
#include "ovs/openflow/match.hpp"
#include "ovs/openflow/oxm.hpp"

namespace xbind::ovs::openflow {
namespace {

enum class ActionType : std::uint16_t {
  kOutput = 0,
  kDecMplsTtl = 16,
  kPushVlan = 17,
  kPopVlan = 18,
  kPushMpls = 19,
  kPopMpls = 20,
  kGroup = 22,
  kSetField = 25,
};

constexpr std::size_t kActionHeaderOctets = 4;
constexpr std::uint16_t kShortOctets = 8;
constexpr std::uint16_t kLongOctets = 16;  // Output and Set-Field

void encode_short(ActionType type, std::uint32_t value, wire::Room& out) {
  out.u16(static_cast<std::uint16_t>(type));
  out.u16(kShortOctets);
  out.u32(value);
}

// An Ethernet type, followed by padding.
void encode_eth_type(ActionType type, std::uint16_t eth_type, wire::Room& out) {
  encode_short(type, static_cast<std::uint32_t>(eth_type) << 16, out);
}

void begin_set_field(OxmField field, std::uint8_t octets, wire::Room& out) {
  out.u16(static_cast<std::uint16_t>(ActionType::kSetField));
  out.u16(kLongOctets);
  out.u32(oxm_header(field, octets));
}

std::optional<Action> decode_set_field(wire::Reader& in) {
  switch (in.u32()) {
    case oxm_header(OxmField::kMplsLabel, 4): {
      const std::uint32_t label = in.u32();
      if (label <= kMplsLabelMax) return SetMplsLabel{label};
      break;
    }
    case oxm_header(OxmField::kVlanVid, 2): {
      const std::uint16_t value = in.u16();
      const std::uint16_t vid = value & ~kVlanPresent;
      if (value != vid && vid != 0 && vid <= kVlanMax) return SetVlanVid{vid};
      break;
    }
    default: break;
  }
  return std::nullopt;
}

// Nothing if the action is foreign. A short read is left in `in`.
std::optional<Action> decode_fields(ActionType type, wire::Reader& in) {
  switch (type) {
    case ActionType::kOutput: {
      const Output output{.port = in.u32()};
      in.skip(8);  // the length for the controller, and padding
      return output;
    }
    case ActionType::kGroup: return Group{.id = in.u32()};
    case ActionType::kPushVlan:
      if (in.u16() == kEthTypeVlan) return PushVlan{};
      break;
    case ActionType::kPushMpls:
      if (in.u16() == kEthTypeMpls) return PushMpls{};
      break;
    case ActionType::kPopMpls: return PopMpls{.eth_type = in.u16()};
    case ActionType::kPopVlan: return PopVlan{};
    case ActionType::kDecMplsTtl: return DecMplsTtl{};
    case ActionType::kSetField: return decode_set_field(in);
  }
  return std::nullopt;
}

bool is_long(const Action& action) {
  return std::holds_alternative<Output>(action) || std::holds_alternative<SetMplsLabel>(action) ||
         std::holds_alternative<SetVlanVid>(action);
}

}  // namespace

bool has_foreign(std::span<const Action> actions) {
  for (const Action& action : actions) {
    if (std::holds_alternative<Foreign>(action)) return true;
  }
  return false;
}

std::size_t encoded_octets(std::span<const Action> actions) {
  std::size_t octets = 0;
  for (const Action& action : actions) octets += is_long(action) ? kLongOctets : kShortOctets;
  return octets;
}

void encode(std::span<const Action> actions, wire::Writer& writer) {
  wire::Room out = writer.room(encoded_octets(actions));
  const Overloaded one{
      [&out](const Output& output) {
        out.u16(static_cast<std::uint16_t>(ActionType::kOutput));
        out.u16(kLongOctets);
        out.u32(output.port);
        out.zeros(8);
      },
      [&out](const Group& group) { encode_short(ActionType::kGroup, group.id, out); },
      [&out](PushVlan) { encode_eth_type(ActionType::kPushVlan, kEthTypeVlan, out); },
      [&out](PopVlan) { encode_short(ActionType::kPopVlan, 0, out); },
      [&out](PushMpls) { encode_eth_type(ActionType::kPushMpls, kEthTypeMpls, out); },
      [&out](const PopMpls& pop) { encode_eth_type(ActionType::kPopMpls, pop.eth_type, out); },
      [&out](const SetMplsLabel& set) {
        XB_CHECK(set.label <= kMplsLabelMax, set.label);
        begin_set_field(OxmField::kMplsLabel, 4, out);
        out.u32(set.label);
        out.zeros(4);
      },
      [&out](const SetVlanVid& set) {
        XB_CHECK(set.vid >= 1 && set.vid <= kVlanMax, set.vid);
        begin_set_field(OxmField::kVlanVid, 2, out);
        out.u16(set.vid | kVlanPresent);
        out.zeros(6);
      },
      [&out](DecMplsTtl) { encode_short(ActionType::kDecMplsTtl, 0, out); },
      [](const Foreign& foreign) { XB_CHECK(false, foreign.type); },
  };
  for (const Action& action : actions) std::visit(one, action);
}

Decoded<Actions> decode_actions(std::span<const std::byte> octets) {
  Actions actions;
  wire::Reader in(octets);
  while (in.remaining() != 0) {
    const std::uint16_t type = in.u16();
    const std::uint16_t length = in.u16();
    if (!in.ok()) return refuse(Refusal::kActionLength, static_cast<std::uint32_t>(octets.size()));
    if (length < kShortOctets || length % 8 != 0 || length - kActionHeaderOctets > in.remaining())
      return refuse(Refusal::kActionLength, length);
    wire::Reader fields(in.bytes(length - kActionHeaderOctets));
    const auto action = decode_fields(static_cast<ActionType>(type), fields);
    const bool fits = !action || length == (is_long(*action) ? kLongOctets : kShortOctets);
    if (!fields.ok() || !fits) return refuse(Refusal::kActionLength, length);
    actions.push_back(action.value_or(Foreign{type}));
  }
  return actions;
}

}  // namespace xbind::ovs::openflow
