#include "ovs/openflow/header.hpp"

#include "core/check.hpp"
#include "core/wire/reader.hpp"

namespace xbind::ovs::openflow {

std::string_view to_string(Type type) {
  switch (type) {
    case Type::kHello: return "Hello";
    case Type::kError: return "Error";
    case Type::kEchoRequest: return "EchoRequest";
    case Type::kEchoReply: return "EchoReply";
    case Type::kExperimenter: return "Experimenter";
    case Type::kFeaturesRequest: return "FeaturesRequest";
    case Type::kFeaturesReply: return "FeaturesReply";
    case Type::kGetConfigRequest: return "GetConfigRequest";
    case Type::kGetConfigReply: return "GetConfigReply";
    case Type::kSetConfig: return "SetConfig";
    case Type::kPacketIn: return "PacketIn";
    case Type::kFlowRemoved: return "FlowRemoved";
    case Type::kPortStatus: return "PortStatus";
    case Type::kPacketOut: return "PacketOut";
    case Type::kFlowMod: return "FlowMod";
    case Type::kGroupMod: return "GroupMod";
    case Type::kPortMod: return "PortMod";
    case Type::kTableMod: return "TableMod";
    case Type::kMultipartRequest: return "MultipartRequest";
    case Type::kMultipartReply: return "MultipartReply";
    case Type::kBarrierRequest: return "BarrierRequest";
    case Type::kBarrierReply: return "BarrierReply";
    case Type::kRoleRequest: return "RoleRequest";
    case Type::kRoleReply: return "RoleReply";
    case Type::kGetAsyncRequest: return "GetAsyncRequest";
    case Type::kGetAsyncReply: return "GetAsyncReply";
    case Type::kSetAsync: return "SetAsync";
    case Type::kMeterMod: return "MeterMod";
    case Type::kRoleStatus: return "RoleStatus";
    case Type::kTableStatus: return "TableStatus";
    case Type::kRequestForward: return "RequestForward";
    case Type::kBundleControl: return "BundleControl";
    case Type::kBundleAddMessage: return "BundleAddMessage";
  }
  return "Unknown";
}

Decoded<Header> decode_header(std::span<const std::byte> octets) {
  wire::Reader in(octets);
  Header header;
  header.version = in.u8();
  header.type = static_cast<Type>(in.u8());
  header.length = in.u16();
  header.xid = in.u32();
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(octets.size()));
  // Hello negotiates the version; the Error that says why it failed may come in any version.
  const bool any_version = header.type == Type::kHello || header.type == Type::kError;
  if (header.version != kVersion && !any_version) return refuse(Refusal::kVersion, header.version);
  if (header.length < kHeaderOctets) return refuse(Refusal::kHeaderLength, header.length);
  return header;
}

std::size_t begin_message(Type type, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = out.size();
  wire::Room room = wire::Writer(out).room(kHeaderOctets);
  room.u8(kVersion);
  room.u8(static_cast<std::uint8_t>(type));
  room.u16(0);
  room.u32(xid);
  return start;
}

void finish_message(std::size_t start, wire::Buffer& out) {
  const std::size_t octets = out.size() - start;
  XB_CHECK(octets >= kHeaderOctets && octets <= kMessageOctetsMax, octets);
  out[start + 2] = static_cast<std::byte>(octets >> 8);
  out[start + 3] = static_cast<std::byte>(octets & 0xff);
}

}  // namespace xbind::ovs::openflow
