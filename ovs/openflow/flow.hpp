// Flows: FlowMod (section 7.3.4.2), and the multipart request and reply that list flows (7.3.5.2).
// Of the instructions (7.2.4) this struct holds Meter and Apply-Actions.
//
//   FlowMod: | header 8 | cookie 8 | cookie mask 8 | table 1 | command 1 | idle timeout 2 |
//            | hard timeout 2 | priority 2 | buffer id 4 | out port 4 | out group 4 | flags 2 |
//            | importance 2 | match | instructions |
//   instructions: | type 2 = 6 Meter | length 2 = 8 | meter 4 |
//                 | type 2 = 4 Apply-Actions | length 2 | 0 4 | actions |
//
// Timeouts and importance are sent as 0 and not read; the buffer id is sent as "none".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/wire/writer.hpp"
#include "ovs/openflow/action.hpp"
#include "ovs/openflow/decode_error.hpp"
#include "ovs/openflow/match.hpp"

namespace xbind::ovs::openflow {

inline constexpr std::uint8_t kTableMax = 0xfe;
inline constexpr std::uint8_t kTableAll = 0xff;  // in deletes and requests only
inline constexpr std::uint32_t kGroupMax = 0xffffff00;
inline constexpr std::uint32_t kGroupAll = 0xfffffffc;  // in GroupMod delete only
inline constexpr std::uint32_t kGroupAny = 0xffffffff;  // not a group: no restriction

// Flags of FlowMod.
inline constexpr std::uint16_t kFlowSendRemoved = 1;
inline constexpr std::uint16_t kFlowCheckOverlap = 2;
inline constexpr std::uint16_t kFlowResetCounts = 4;
inline constexpr std::uint16_t kFlowNoPacketCounts = 8;
inline constexpr std::uint16_t kFlowNoByteCounts = 16;

enum class FlowCommand : std::uint8_t {
  kAdd = 0,  // replaces a flow with the same table, match and priority
  kModify = 1,
  kModifyStrict = 2,  // the flow with exactly this match and priority, if there is one
  kDelete = 3,        // all flows whose match is this one or narrower
  kDeleteStrict = 4,  // the flow with exactly this match and priority
};

struct FlowMod {
  FlowCommand command = FlowCommand::kAdd;
  std::uint64_t cookie = 0;       // add: stored with the flow; others: compared under cookie_mask
  std::uint64_t cookie_mask = 0;  // modify and delete; 0: any cookie
  std::uint8_t table = 0;         // 0 to kTableMax; kTableAll in deletes
  std::uint16_t priority = 0;     // the highest wins; not read by delete that is not strict
  std::uint16_t flags = 0;
  Match match{};                         // Match{}: every packet
  std::optional<std::uint32_t> meter{};  // applied before the actions; 1 to kMeterMax (meter.hpp)
  Actions actions{};                     // empty: the packet is dropped
  std::uint32_t out_port = kPortAny;     // deletes: only flows that output to this port
  std::uint32_t out_group = kGroupAny;   // deletes: only flows that use this group
  bool foreign = false;  // decoded only: has an instruction that this struct cannot hold

  friend bool operator==(const FlowMod&, const FlowMod&) = default;
};

// Allocates nothing but the growth of `out`.
void encode(const FlowMod& message, std::uint32_t xid, wire::Buffer& out);
// `body`: the message without its header. Refuses kTruncated, kFlowCommand, kInstructionLength and
// what decode_match() and decode_actions() refuse.
Decoded<FlowMod> decode_flow_mod(std::span<const std::byte> body);

// Asks for flows. The answer is one or more FlowStatsReply with the same xid.
struct FlowStatsRequest {
  std::uint8_t table = kTableAll;
  std::uint32_t out_port = kPortAny;
  std::uint32_t out_group = kGroupAny;
  std::uint64_t cookie = 0;
  std::uint64_t cookie_mask = 0;  // 0: any cookie
  Match match{};                  // flows whose match is this one or narrower

  friend bool operator==(const FlowStatsRequest&, const FlowStatsRequest&) = default;
};

void encode(const FlowStatsRequest& message, std::uint32_t xid, wire::Buffer& out);
Decoded<FlowStatsRequest> decode_flow_stats_request(std::span<const std::byte> entries);

// One flow of a FlowStatsReply.
struct FlowStats {
  std::uint8_t table = 0;
  std::uint16_t priority = 0;
  std::uint16_t flags = 0;
  std::uint64_t cookie = 0;
  Match match{};
  std::optional<std::uint32_t> meter{};
  Actions actions{};
  std::uint64_t packets = 0;      // all ones: the switch does not count
  std::uint64_t octets = 0;       // all ones: the switch does not count
  std::uint32_t duration_s = 0;   // since the flow was added
  std::uint32_t duration_ns = 0;  // beyond duration_s
  bool foreign = false;           // has an instruction that this struct cannot hold

  friend bool operator==(const FlowStats&, const FlowStats&) = default;
};

// True if the match, an instruction or an action could not be decoded completely: the flow was
// added by somebody else.
bool is_foreign(const FlowStats& flow);

struct FlowStatsReply {
  bool more = false;               // another reply with this xid follows
  std::vector<FlowStats> flows{};  // at most 1 170, by the length of a message

  friend bool operator==(const FlowStatsReply&, const FlowStatsReply&) = default;
};

void encode(const FlowStatsReply& message, std::uint32_t xid, wire::Buffer& out);
// `entries`: the message behind the multipart header. `more` is left false. Refuses kTruncated,
// kEntryLength, kInstructionLength and what decode_match() and decode_actions() refuse.
Decoded<FlowStatsReply> decode_flow_stats_reply(std::span<const std::byte> entries);

}  // namespace xbind::ovs::openflow
