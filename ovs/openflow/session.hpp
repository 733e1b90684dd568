// Messages that begin, keep and order a connection: Hello (section 7.5.1), Echo (7.5.2), Features
// (7.3.1), SetConfig (7.3.2) and Barrier (7.3.7).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/wire/writer.hpp"
#include "ovs/openflow/decode_error.hpp"
#include "ovs/openflow/header.hpp"

namespace xbind::ovs::openflow {

// The first message of both ends. Hello{} offers 1.4 only, in the header and in the bitmap:
//
//   | header 8 | type 2 = 1 version bitmap | length 2 = 8 | bitmap 4 |     bit 5: version 5
struct Hello {
  std::uint8_t version = kVersion;  // of the header: the sender's highest version
  // Versions 0 to 31; later words of the bitmap are not read. Unset: the peer sent no bitmap.
  std::optional<std::uint32_t> bitmap = 1U << kVersion;

  // The two ends can use 1.4: the peer has it in its bitmap, or has no bitmap and a header of
  // version 5 or more (section 6.3.1).
  bool offers_version() const {
    return bitmap ? (*bitmap >> kVersion & 1) != 0 : version >= kVersion;
  }
  // The highest wire version that the peer offers (6 is OpenFlow 1.5), for messages of refusal. 0
  // if its bitmap is empty.
  std::uint8_t highest() const;

  friend bool operator==(const Hello&, const Hello&) = default;
};

void encode(const Hello& message, std::uint32_t xid, wire::Buffer& out);
// Refuses kHelloElementLength, kTruncated. Skips elements that it does not know.
Decoded<Hello> decode_hello(std::uint8_t version, std::span<const std::byte> body);

// "1.4" for wire version 5; "version 9" for a number that is not a wire version of 1 to 6.
std::string version_name(std::uint8_t version);

// The answer to an EchoRequest is an EchoReply with the same xid and data.
struct EchoRequest {
  std::vector<std::byte> data{};  // at most 65527 octets

  friend bool operator==(const EchoRequest&, const EchoRequest&) = default;
};

struct EchoReply {
  std::vector<std::byte> data{};  // at most 65527 octets

  friend bool operator==(const EchoReply&, const EchoReply&) = default;
};

void encode(const EchoRequest& message, std::uint32_t xid, wire::Buffer& out);
void encode(const EchoReply& message, std::uint32_t xid, wire::Buffer& out);

struct FeaturesRequest {
  friend bool operator==(const FeaturesRequest&, const FeaturesRequest&) = default;
};

// | header 8 | datapath id 8 | buffers 4 | tables 1 | auxiliary id 1 | 0 2 | capabilities 4 | 0 4 |
struct FeaturesReply {
  std::uint64_t datapath_id = 0;
  std::uint32_t n_buffers = 0;  // packets that the switch can hold for a controller
  std::uint8_t n_tables = 0;
  std::uint32_t capabilities = 0;

  friend bool operator==(const FeaturesReply&, const FeaturesReply&) = default;
};

void encode(const FeaturesRequest& message, std::uint32_t xid, wire::Buffer& out);
void encode(const FeaturesReply& message, std::uint32_t xid, wire::Buffer& out);
// Refuses kTruncated.
Decoded<FeaturesReply> decode_features_reply(std::span<const std::byte> body);

// Has no answer. Open vSwitch sends asynchronous messages, for example PortStatus, on a management
// connection only if miss_send_len is not 0.
struct SetConfig {
  std::uint16_t flags = 0;               // 0: fragments are treated as other packets
  std::uint16_t miss_send_len = 0xffff;  // octets of a packet for the controller

  friend bool operator==(const SetConfig&, const SetConfig&) = default;
};

void encode(const SetConfig& message, std::uint32_t xid, wire::Buffer& out);
// Refuses kTruncated.
Decoded<SetConfig> decode_set_config(std::span<const std::byte> body);

// The switch answers when it has completed all messages that it received before this one.
struct BarrierRequest {
  friend bool operator==(const BarrierRequest&, const BarrierRequest&) = default;
};

struct BarrierReply {
  friend bool operator==(const BarrierReply&, const BarrierReply&) = default;
};

void encode(const BarrierRequest& message, std::uint32_t xid, wire::Buffer& out);
void encode(const BarrierReply& message, std::uint32_t xid, wire::Buffer& out);

}  // namespace xbind::ovs::openflow
