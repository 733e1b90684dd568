// A label in a message (RFC 3292 section 3.1.2): 8 octets for all supported kinds.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |x|S|f|f|      Label Type       |         Label Length          |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                          Label Value                          ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Our choices: an unused label is 8 zero octets. Stacked labels (S) and labels with a length other
// than 4 (FEC) have refusals of their own: our ports have no such labels.
#pragma once

#include <cstdint>
#include <string>

#include "core/label.hpp"
#include "core/wire/reader.hpp"
#include "core/wire/writer.hpp"
#include "gsmp/messages/decode_error.hpp"

namespace xbind::gsmp {

inline constexpr std::size_t kLabelOctets = 8;

enum class LabelType : std::uint16_t {  // 12 bits
  kNone = 0,
  kAtm = 0x100,
  kFrameRelay = 0x101,
  kMpls = 0x102,
};

// The two flag bits. Their meaning depends on the message.
inline constexpr std::uint8_t kFlagMultipoint = 0x2;     // Add Branch, either label: a hint
inline constexpr std::uint8_t kFlagBidirectional = 0x1;  // Add Branch, input label
inline constexpr std::uint8_t kFlagReplace = 0x1;        // Add Branch, output label
inline constexpr std::uint8_t kFlagAll = 0x2;            // Report Connection State: whole port
inline constexpr std::uint8_t kFlagVpi = 0x1;            // Report Connection State: whole VPI

struct LabelField {
  std::uint8_t flags = 0;  // the low two bits of the first nibble; S is not stored
  LabelType type = LabelType::kNone;
  std::uint32_t value = 0;

  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
  friend bool operator==(LabelField, LabelField) = default;
};

inline LabelField label_field(Label label, std::uint8_t flags = 0) {
  switch (label.kind) {
    case LabelKind::kNone: return {flags, LabelType::kNone, 0};
    case LabelKind::kAtm: return {flags, LabelType::kAtm, label.value};
    case LabelKind::kMpls: return {flags, LabelType::kMpls, label.value};
  }
  return {};
}

// LabelKind::kNone also for kinds unknown to core (frame relay).
inline Label label_of(LabelField field) {
  switch (field.type) {
    case LabelType::kAtm: return {LabelKind::kAtm, field.value};
    case LabelType::kMpls: return {LabelKind::kMpls, field.value};
    case LabelType::kNone:
    case LabelType::kFrameRelay: break;
  }
  return {};
}

inline void encode(LabelField label, wire::Room& out) {
  const auto type = static_cast<std::uint16_t>(label.type);
  out.u16(static_cast<std::uint16_t>(label.flags << 12 | type));
  out.u16(type == 0 ? 0 : 4);
  out.u32(type == 0 ? 0 : label.value);
}

inline void encode(LabelField label, wire::Writer& out) {
  wire::Room room = out.room(kLabelOctets);
  encode(label, room);
}

// `In` is wire::Reader or wire::Fields.
template <class In>
LabelField decode_label(In& in, Problem& problem) {
  const std::uint16_t first = in.u16();
  const std::uint16_t length = in.u16();
  const std::uint32_t value = in.u32();
  const auto type = static_cast<std::uint16_t>(first & 0x0fff);
  const auto flags = static_cast<std::uint8_t>(first >> 12 & 0x3);
  if ((first & 0x4000) != 0) problem.note(Refusal::kLabelStacked, type);
  if (type == 0 && (length == 0 || length == 4)) return {flags, LabelType::kNone, 0};
  if (length != 4) problem.note(Refusal::kLabelLength, length);
  return {flags, static_cast<LabelType>(type), value};
}

std::string to_string(LabelField label);  // "0/100", "mpls 16", "none", "type 0x101 value 7"

}  // namespace xbind::gsmp
