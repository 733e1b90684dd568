// Traffic parameters of the service model (RFC 3292 section 10.4), behind the labels of Add Branch,
// Move and Reservation Request when IQS or OQS is 0b10. One block:
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |U|D|I|E|S|V|P|x|                   x                           |  TC flags
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |       x       |      PCR, cells a second (24 bits)            |  CBR, UBR
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |       x       |      CDVT, microseconds (24 bits)             |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |       x       |      SCR (VBR) or MCR (GFR), cells a second   |  VBR, GFR
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |       x       |      MBS, cells                               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |       x       |      MFS, cells                               |  GFR
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// The Service ID alone determines the words of a block; a block has no length field. Non-ATM
// services keep their words unchanged.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "core/wire/reader.hpp"
#include "core/wire/writer.hpp"
#include "gsmp/messages/decode_error.hpp"

namespace xbind::gsmp {

enum class ServiceId : std::uint16_t {
  kCbr1 = 1,
  kRtVbr1 = 2,
  kRtVbr2 = 3,
  kRtVbr3 = 4,
  kNrtVbr1 = 5,
  kNrtVbr2 = 6,
  kNrtVbr3 = 7,
  kUbr1 = 8,
  kUbr2 = 9,
  kGfr1 = 12,
  kGfr2 = 13,
  kIntServControlledLoad = 20,
  kMplsCrLdp = 25,
  kFrameRelay = 30,
};

std::string to_string(ServiceId service);  // "CBR.1", "nrt-VBR.1"; without a name: "service 10"

// TC flags. A flag may be set only if the capability set offers its control per connection.
inline constexpr std::uint8_t kTcPolicing = 0x80;                  // U
inline constexpr std::uint8_t kTcPacketDiscard = 0x40;             // D
inline constexpr std::uint8_t kTcIngressShaping = 0x20;            // I
inline constexpr std::uint8_t kTcEgressPeakShaping = 0x10;         // E
inline constexpr std::uint8_t kTcEgressSustainableShaping = 0x08;  // S
inline constexpr std::uint8_t kTcVcMerge = 0x04;                   // V
inline constexpr std::uint8_t kTcIngressBlock = 0x02;              // P, see qos_fields.hpp

// All fields of the ATM services have 24 bits on the wire; higher bits are cut off.
inline constexpr std::uint32_t kTrafficFieldMax = 0xffffff;

struct CellRate {  // CBR, UBR
  std::uint32_t pcr_cells_per_s = 0;
  std::uint32_t cdvt_us = 0;
  friend bool operator==(CellRate, CellRate) = default;
};

struct VariableRate {  // rt-VBR, nrt-VBR
  std::uint32_t pcr_cells_per_s = 0;
  std::uint32_t cdvt_us = 0;
  std::uint32_t scr_cells_per_s = 0;
  std::uint32_t mbs_cells = 0;
  friend bool operator==(const VariableRate&, const VariableRate&) = default;
};

struct GuaranteedFrameRate {  // GFR
  std::uint32_t pcr_cells_per_s = 0;
  std::uint32_t cdvt_us = 0;
  std::uint32_t mcr_cells_per_s = 0;
  std::uint32_t mbs_cells = 0;
  std::uint32_t mfs_cells = 0;
  friend bool operator==(const GuaranteedFrameRate&, const GuaranteedFrameRate&) = default;
};

// Services 20, 25 and 30, and unknown services: of the latter, at most kWordsMax words.
struct OtherParameters {
  static constexpr std::size_t kWordsMax = 6;  // of MPLS CR-LDP, the longest

  std::array<std::uint32_t, kWordsMax> words{};
  std::uint8_t count = 0;  // of valid words

  friend bool operator==(const OtherParameters& a, const OtherParameters& b) {
    return std::equal(a.words.begin(), a.words.begin() + a.count, b.words.begin(),
                      b.words.begin() + b.count);
  }
};

using TrafficParameters =
    std::variant<CellRate, VariableRate, GuaranteedFrameRate, OtherParameters>;

struct TrafficBlock {
  std::uint8_t tc_flags = 0;  // without kTcIngressBlock, which the encoder sets when needed
  TrafficParameters parameters;
  friend bool operator==(const TrafficBlock&, const TrafficBlock&) = default;
};

// Octets of a block with its TC flags: 12, 16, 20, 24 or 28. Returns 0 for an unknown service,
// whose block extends to the end of the message.
std::size_t block_octets(ServiceId service);

// `tc_flags` replaces the block's TC flags and is written as given: the caller decides on
// kTcIngressBlock.
void encode(const TrafficBlock& block, std::uint8_t tc_flags, wire::Writer& out);
// If octets are missing, decoding fails in the reader.
TrafficBlock decode_traffic_block(wire::Reader& in, ServiceId service);
std::string to_string(const TrafficBlock& block);  // "tc UD, pcr 4528 cells/s cdvt 250 us"

}  // namespace xbind::gsmp
