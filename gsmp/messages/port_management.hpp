// Port Management (RFC 3292 section 6.1), 36 octets: brings a port up or down, loops it back, sets
// its rate, or clears the flags that hold back events. Request, success and failure share one
// layout. Event Sequence Number and the flags of a success are the port's current ones.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                             Port                              |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Port Session Number                      |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                     Event Sequence Number                     |  of an answer
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |R|      x      |   Duration    |           Function            |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |U|D|I|N|Z|A|         x         |U|D|I|N|Z|A|         x         |  Event, Flow Control Flags
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Transmit Data Rate                       |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Flow control of events: sending an event sets its bit in Event Flags. While this bit and the same
// bit of Flow Control Flags are both set, no more events of that type are sent. kResetFlags clears
// each event flag whose bit is 1 and toggles each flow control flag whose bit is 1; zeros only read
// them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/ids.hpp"
#include "gsmp/messages/header.hpp"

namespace xbind::gsmp {

// The switch answers an unknown number with failure 2.
enum class PortFunction : std::uint16_t {
  kBringUp = 1,  // input connections deleted, a new session number, Available
  kTakeDown = 2,
  kInternalLoopback = 3,  // lasts for `duration_s`, as do the next two
  kExternalLoopback = 4,
  kBothwayLoopback = 5,
  kResetInputPort = 6,  // input connections deleted, label range and rate back to default
  kResetFlags = 7,
  kSetTransmitRate = 8,
};

std::string to_string(PortFunction function);  // "bring up"; without a name: "function 9"

// Event Flags and Flow Control Flags, here and in Port Configuration.
inline constexpr std::uint16_t kEventPortUp = 0x8000;        // U
inline constexpr std::uint16_t kEventPortDown = 0x4000;      // D
inline constexpr std::uint16_t kEventInvalidLabel = 0x2000;  // I
inline constexpr std::uint16_t kEventNewPort = 0x1000;       // N
inline constexpr std::uint16_t kEventDeadPort = 0x0800;      // Z
inline constexpr std::uint16_t kEventAdjacency = 0x0400;     // A
inline constexpr std::uint16_t kEventsAll = 0xfc00;

// The flag of an event type; 0 for other message types.
std::uint16_t event_flag(MessageType event);
std::string event_flags_to_string(std::uint16_t flags);  // "UDI"; "none"

inline constexpr std::uint32_t kTransmitRateFastest = 0xffffffff;

struct PortManagement {
  Header header{.type = MessageType::kPortManagement};
  PortId port;
  std::uint32_t port_session = 0;    // the success of kBringUp carries the new one
  std::uint32_t event_sequence = 0;  // of an answer
  bool replace = false;              // R: with kBringUp, asks for connection replace on the port
  std::uint8_t duration_s = 0;       // of a loopback
  PortFunction function = PortFunction::kResetFlags;
  std::uint16_t event_flags = 0;
  std::uint16_t flow_control_flags = 0;
  std::uint32_t transmit_cells_per_s = 0;  // with kSetTransmitRate

  friend bool operator==(const PortManagement&, const PortManagement&) = default;
};

void encode(const PortManagement& message, wire::Writer& out);
// Refuses kTruncated.
Decoded<PortManagement> decode_port_management(const Header& header,
                                               std::span<const std::byte> body);
std::string to_string(const PortManagement& message);

}  // namespace xbind::gsmp
