// The OAM loopback cell (ITU-T I.610): the payload of F4 and F5 cells, and the identifiers in it.
//
//   | type 4 = 1 | function 4 = 8 |                     fault management, loopback
//   | 0 0 0 0 0 0 0 | indication 1 |                    1: a request; 0: the answer to one
//   | correlation tag 32 |                              the sender's; an answer repeats it
//   | loopback location 16 octets |                     who shall answer
//   | source 16 octets |                                who has sent the request
//   | unused 8 octets = 6A |
//   | reserved 6 = 0 | CRC-10 |                         over all bits before it
//
//   F5: PT 4 (segment) or 5 (end to end) in the channel
//   F4: VCI 3 (segment) or 4 (end to end) in the path
//
// I.610 leaves the form of an identifier to the operator. Ours have this one (decision 0059):
//
//   location   | 'X' | 1 in, 2 out | port 4 | label 4 | node 6 |     a point of a line
//   source     | 'X' | 0 | 0 ... 0 6 | session 8 |                   a program that measures
//
// Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/ids.hpp"
#include "dataplane/cells/cell.hpp"

namespace xbind::dataplane {

using LoopbackId = std::array<std::byte, 16>;

struct LoopbackCell {
  bool request = true;
  std::uint32_t tag = 0;
  LoopbackId location{};
  LoopbackId source{};

  friend bool operator==(const LoopbackCell&, const LoopbackCell&) = default;
};

Payload encode_loopback(const LoopbackCell& cell);

enum class LoopbackVerdict : std::uint8_t {
  kLoopback,
  kOther,    // another OAM cell, or none
  kDamaged,  // a loopback cell with a wrong CRC
};

// Sets `cell` with kLoopback. The unused and reserved octets may have any value.
LoopbackVerdict decode_loopback(const Payload& payload, LoopbackCell& cell);

// ----- identifiers -----

// 48 bits that stand for a node's name. Two names have the same number by chance once in 2^48.
std::uint64_t node_number(std::string_view name);

// A point of a line where a connection enters or leaves a node.
struct LoopbackPoint {
  std::uint64_t node = 0;  // node_number()
  Direction side = Direction::kIn;
  PortId port;
  // vpi << 16 | vci; of a path vpi << 16; of an MPLS line the MPLS label.
  std::uint32_t label = 0;

  friend bool operator==(const LoopbackPoint&, const LoopbackPoint&) = default;
};

LoopbackId location_id(const LoopbackPoint& point);
// nullopt: an identifier of another form, such as "all ones", the end point.
std::optional<LoopbackPoint> point_of(const LoopbackId& location);

LoopbackId source_id(std::uint64_t session);
// nullopt: an identifier of another form.
std::optional<std::uint64_t> session_of(const LoopbackId& source);

// ----- headers -----

inline constexpr std::uint8_t kPtSegment = 4;     // F5
inline constexpr std::uint8_t kPtEndToEnd = 5;    // F5
inline constexpr std::uint16_t kVciSegment = 3;   // F4
inline constexpr std::uint16_t kVciEndToEnd = 4;  // F4

constexpr bool is_f5(std::uint32_t header) { return (header >> 2 & 3) == 2; }
// Holds only if the cell's VPI is switched as a whole.
constexpr bool is_f4(std::uint32_t header) {
  const std::uint32_t vci = header >> 4 & 0xffff;
  return vci - kVciSegment <= kVciEndToEnd - kVciSegment;
}
// The test that every cell pays for: false means that the cell is of no OAM flow.
constexpr bool may_be_oam(std::uint32_t header) { return is_f5(header) || is_f4(header); }

}  // namespace xbind::dataplane
