// The header of all messages of version 1.1 except adjacency (RFC 1987 section 2), and its label
// format.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |  Version = 1  | Message Type  |    Result     |     Code      |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                    Transaction Identifier                     |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// There is no Length: the message ends with its frame, and octets after the known fields are
// ignored. There is no Partition ID, and neither More nor ReturnReceipt: More is encoded as
// Success, and an event that requests an answer as an ordinary event.
//
// A label is one 32-bit word: 4 zero bits, VPI 12, VCI 16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/wire/reader.hpp"
#include "core/wire/writer.hpp"
#include "gsmp/messages/header.hpp"
#include "gsmp/messages/label_field.hpp"

namespace xbind::gsmp::v1 {

inline constexpr std::uint8_t kVersion = 1;
inline constexpr std::size_t kHeaderOctets = 8;

// Refuses kTruncated, kResultField. `message[0]` is 1. Translates the Code of a failure. Any other
// Code becomes kNone: version 1.1 has no warnings.
Decoded<HeaderAndBody> decode_header(std::span<const std::byte> message);
void encode_header(const Header& header, wire::Writer& out);

inline constexpr std::uint32_t kLabelBits = 0x0fffffff;
inline void encode_label(LabelField label, wire::Writer& out) { out.u32(label.value & kLabelBits); }
// Ignores the four highest bits.
inline LabelField decode_label(wire::Reader& in) {
  return {0, LabelType::kAtm, in.u32() & kLabelBits};
}

}  // namespace xbind::gsmp::v1
