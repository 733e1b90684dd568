// Meters with one drop band (section 7.3.4.4): packets beyond the rate are dropped.
//
//   MeterMod: | header 8 | command 2 | flags 2 | meter id 4 | bands |
//   band:     | type 2 = 1 drop | length 2 = 16 | rate 4 | burst 4 | 0 4 |
//   MeterConfig, an entry of the multipart reply (7.3.5.13):
//             | length 2 | flags 2 | meter id 4 | bands |
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/wire/writer.hpp"
#include "ovs/openflow/decode_error.hpp"

namespace xbind::ovs::openflow {

inline constexpr std::uint32_t kMeterMax = 0xffff0000;
inline constexpr std::uint32_t kMeterAll = 0xffffffff;  // in MeterMod delete and requests only

enum class MeterCommand : std::uint16_t { kAdd = 0, kModify = 1, kDelete = 2 };

// Sent with the flags KBPS, BURST and STATS.
struct MeterMod {
  MeterCommand command = MeterCommand::kAdd;
  std::uint32_t id = 0;          // 1 to kMeterMax; kMeterAll in delete only
  std::uint32_t rate_kbps = 0;   // 1000 bits a second; not sent in delete
  std::uint32_t burst_kbit = 0;  // 1000 bits; not sent in delete
  bool foreign = false;          // decoded only: other flags, or not exactly one drop band

  friend bool operator==(const MeterMod&, const MeterMod&) = default;
};

void encode(const MeterMod& message, std::uint32_t xid, wire::Buffer& out);
// Refuses kTruncated, kMeterCommand, kBandLength.
Decoded<MeterMod> decode_meter_mod(std::span<const std::byte> body);

struct MeterConfigRequest {
  std::uint32_t id = kMeterAll;

  friend bool operator==(const MeterConfigRequest&, const MeterConfigRequest&) = default;
};

void encode(const MeterConfigRequest& message, std::uint32_t xid, wire::Buffer& out);
Decoded<MeterConfigRequest> decode_meter_config_request(std::span<const std::byte> entries);

struct MeterConfig {
  std::uint32_t id = 0;
  std::uint32_t rate_kbps = 0;
  std::uint32_t burst_kbit = 0;
  bool foreign = false;  // as in MeterMod

  friend bool operator==(const MeterConfig&, const MeterConfig&) = default;
};

struct MeterConfigReply {
  bool more = false;                  // another reply with this xid follows
  std::vector<MeterConfig> meters{};  // bounded by the length of a message

  friend bool operator==(const MeterConfigReply&, const MeterConfigReply&) = default;
};

void encode(const MeterConfigReply& message, std::uint32_t xid, wire::Buffer& out);
// `entries`: the message behind the multipart header. `more` is left false. Refuses kTruncated,
// kEntryLength, kBandLength.
Decoded<MeterConfigReply> decode_meter_config_reply(std::span<const std::byte> entries);

}  // namespace xbind::ovs::openflow
