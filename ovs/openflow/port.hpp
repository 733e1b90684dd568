// Ports: their description (section 7.2.1), its changes (PortStatus, 7.4.3), and their counters
// (7.3.5.6).
//
//   description: | port 4 | length 2 | 0 2 | address 6 | 0 2 | name 16 | config 4 | state 4 |
//                | properties |
//   property:    | type 2 = 0 Ethernet | length 2 = 32 | 0 4 | current 4 | advertised 4 |
//                | supported 4 | peer 4 | current speed 4 | maximum speed 4 |
//   counters:    | length 2 | 0 2 | port 4 | seconds 4 | nanoseconds 4 | received packets 8 |
//                | sent packets 8 | received octets 8 | sent octets 8 | received dropped 8 |
//                | sent dropped 8 | received errors 8 | sent errors 8 | properties |
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/wire/reader.hpp"
#include "core/wire/writer.hpp"
#include "ovs/openflow/action.hpp"
#include "ovs/openflow/decode_error.hpp"

namespace xbind::ovs::openflow {

// Bits of PortDesc::config and PortDesc::state.
inline constexpr std::uint32_t kPortConfigDown = 1;  // switched off by an operator
inline constexpr std::uint32_t kPortStateLinkDown = 1;
inline constexpr std::uint32_t kPortStateBlocked = 2;
inline constexpr std::uint32_t kPortStateLive = 4;

inline constexpr std::size_t kPortNameOctetsMax = 16;

struct PortDesc {
  std::uint32_t port = 0;  // 1 to kPortMax, or kPortLocal (action.hpp)
  std::array<std::uint8_t, 6> address{};
  // At most kPortNameOctetsMax octets, none of them 0. May have any other octets: make them
  // printable before you show them.
  std::string name{};
  std::uint32_t config = 0;
  std::uint32_t state = 0;
  // Of the Ethernet property; unset without one. 0 if the switch does not know the speed.
  std::optional<std::uint32_t> curr_speed_kbps{};

  bool up() const { return (config & kPortConfigDown) == 0 && (state & kPortStateLinkDown) == 0; }
  friend bool operator==(const PortDesc&, const PortDesc&) = default;
};

enum class PortReason : std::uint8_t { kAdd = 0, kDelete = 1, kModify = 2 };

// Sent by the switch without a request, with xid 0.
struct PortStatus {
  PortReason reason = PortReason::kAdd;
  PortDesc port{};

  friend bool operator==(const PortStatus&, const PortStatus&) = default;
};

void encode(const PortStatus& message, std::uint32_t xid, wire::Buffer& out);
// Refuses kTruncated, kPortReason, kEntryLength, kPropertyLength.
Decoded<PortStatus> decode_port_status(std::span<const std::byte> body);

struct PortDescRequest {
  friend bool operator==(const PortDescRequest&, const PortDescRequest&) = default;
};

void encode(const PortDescRequest& message, std::uint32_t xid, wire::Buffer& out);

struct PortDescReply {
  bool more = false;              // another reply with this xid follows
  std::vector<PortDesc> ports{};  // at most 1 638, by the length of a message

  friend bool operator==(const PortDescReply&, const PortDescReply&) = default;
};

void encode(const PortDescReply& message, std::uint32_t xid, wire::Buffer& out);
// `entries`: the message behind the multipart header. `more` is left false. Refuses kTruncated,
// kEntryLength, kPropertyLength.
Decoded<PortDescReply> decode_port_desc_reply(std::span<const std::byte> entries);

struct PortStatsRequest {
  std::uint32_t port = kPortAny;  // kPortAny: all ports

  friend bool operator==(const PortStatsRequest&, const PortStatsRequest&) = default;
};

void encode(const PortStatsRequest& message, std::uint32_t xid, wire::Buffer& out);
Decoded<PortStatsRequest> decode_port_stats_request(std::span<const std::byte> entries);

// Since the port was added. All ones: the switch does not count this.
struct PortStats {
  std::uint32_t port = 0;
  std::uint64_t rx_packets = 0;
  std::uint64_t tx_packets = 0;
  std::uint64_t rx_octets = 0;
  std::uint64_t tx_octets = 0;
  std::uint64_t rx_dropped = 0;
  std::uint64_t tx_dropped = 0;
  std::uint64_t rx_errors = 0;
  std::uint64_t tx_errors = 0;

  friend bool operator==(const PortStats&, const PortStats&) = default;
};

struct PortStatsReply {
  bool more = false;               // another reply with this xid follows
  std::vector<PortStats> ports{};  // at most 818, by the length of a message

  friend bool operator==(const PortStatsReply&, const PortStatsReply&) = default;
};

void encode(const PortStatsReply& message, std::uint32_t xid, wire::Buffer& out);
// `entries`: the message behind the multipart header. `more` is left false. Refuses kTruncated,
// kEntryLength.
Decoded<PortStatsReply> decode_port_stats_reply(std::span<const std::byte> entries);

}  // namespace xbind::ovs::openflow
