// All messages, and the only place that chooses a layout by the type of a message. Every struct of
// the variant but Unknown has encode(message, xid, wire::Buffer&), which appends one message.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "ovs/openflow/bundle.hpp"
#include "ovs/openflow/decode_error.hpp"
#include "ovs/openflow/error.hpp"
#include "ovs/openflow/flow.hpp"
#include "ovs/openflow/group.hpp"
#include "ovs/openflow/header.hpp"
#include "ovs/openflow/meter.hpp"
#include "ovs/openflow/port.hpp"
#include "ovs/openflow/session.hpp"

namespace xbind::ovs::openflow {

// A message or multipart of a type that this folder does not decode, for example PacketIn. Its
// body is not kept.
struct Unknown {
  // The number of the multipart, if header.type is one of the two multipart types; otherwise 0.
  std::uint16_t multipart = 0;

  friend bool operator==(const Unknown&, const Unknown&) = default;
};

using Body =
    std::variant<Hello, Error, EchoRequest, EchoReply, FeaturesRequest, FeaturesReply, SetConfig,
                 PortStatus, FlowMod, GroupMod, MeterMod, BarrierRequest, BarrierReply,
                 FlowStatsRequest, FlowStatsReply, GroupDescRequest, GroupDescReply,
                 MeterConfigRequest, MeterConfigReply, PortDescRequest, PortDescReply,
                 PortStatsRequest, PortStatsReply, BundleControl, BundleAdd, Unknown>;

struct Message {
  Header header{};
  Body body{};

  friend bool operator==(const Message&, const Message&) = default;
};

// `frame`: one whole message, as Framer passes it on. The result owns its memory. Refuses every
// Refusal of decode_error.hpp.
Decoded<Message> decode(std::span<const std::byte> frame);

}  // namespace xbind::ovs::openflow
