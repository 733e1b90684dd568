// The level 3 PDU of the SMDS Interface Protocol (Bellcore TR-TSV-000772):
//
//   octet  0  | reserved 1 | BEtag 1 | BAsize 2 |
//          4  | destination address 8 | source address 8 |
//         20  | HLPI 6 bits, pad length 2 | QoS 4, CIB 1, HEL 3 | bridging 2 |
//         24  | header extension 12: elements | length 1 | type 1 | value |, zeros        |
//         36  | information 0..9188 | pad 0..3 | CRC-32 0 or 4, as CIB says |
//             | reserved 1 | BEtag 1 | length 2 |                            in multiples of 4
//
// BAsize and length are the octets from the destination address to the end of pad and CRC. A PDU is
// a view into the buffer in which it was received: reading it touches header and trailer, so a
// server never sees a CRC, which is between the subscribers.
//
// Values only; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/result.hpp"
#include "core/wire/writer.hpp"
#include "smds/address.hpp"

namespace xbind::smds {

inline constexpr std::size_t kHeaderOctets = 36;
inline constexpr std::size_t kTrailerOctets = 4;
inline constexpr std::size_t kCrcOctets = 4;
inline constexpr std::size_t kInformationMax = 9188;
// With --jumbo: the longest that AAL5 carries with the envelope of servers and all other fields.
// The 65 536 octets of the paper do not fit into the two octets of a length.
inline constexpr std::size_t kJumboInformationMax = 65'484;

// The names are those of sipL3PDUErrorType in RFC 1304, as far as there is one.
enum class PduFault : std::uint8_t {
  kNone,
  kErroredDaFieldFormat,
  kErroredSaFieldFormat,
  kInvalidBasizeFieldValue,  // too small, too great, or no multiple of 4
  kInvalidHdrExtLength,      // HEL is not 3
  kInvalidHdrExtElementLength,
  kBeTagMismatch,
  kBasizeFieldNotEqualToLengthField,
  kIncorrectLength,  // truncated, or longer than it says
};
inline constexpr PduFault kPduFaultLast = PduFault::kIncorrectLength;
std::string_view to_string(PduFault fault);  // "beTagMismatch"

// A PDU that read_pdu() has accepted. The octets must outlive it.
struct Pdu {
  std::span<const std::byte> octets;
  std::span<const std::byte> information;
  Address destination;
  Address source;
  std::uint8_t be_tag = 0;
  std::uint8_t hlpi = 0;     // protocol above: 1 is LLC
  bool crc_present = false;  // unchecked: crc_good()
};

struct PduLimits {
  std::size_t information_max = kInformationMax;
};

// Sets `pdu`, unless it returns a fault.
PduFault read_pdu(std::span<const std::byte> octets, const PduLimits& limits, Pdu& pdu);
// Reads all octets. True if there is no CRC.
bool crc_good(const Pdu& pdu);

struct PduFields {
  Address destination;
  Address source;
  std::uint8_t be_tag = 0;
  std::uint8_t hlpi = 1;  // 0..63
  bool crc = true;
};

// Appends a PDU. kBadInput: more information than `limits` allow; nothing is appended then.
Result<void> write_pdu(const PduFields& fields, std::span<const std::byte> information,
                       const PduLimits& limits, wire::Buffer& out);

}  // namespace xbind::smds
