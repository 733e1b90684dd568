#include "ovs/openflow/meter.hpp"

#include <optional>

#include "core/check.hpp"
#include "core/wire/reader.hpp"
#include "ovs/openflow/header.hpp"
#include "ovs/openflow/multipart.hpp"

namespace xbind::ovs::openflow {
namespace {

constexpr std::uint16_t kMeterKbps = 1;
constexpr std::uint16_t kMeterBurst = 4;
constexpr std::uint16_t kMeterStats = 8;
constexpr std::uint16_t kMeterFlags = kMeterKbps | kMeterBurst | kMeterStats;
constexpr std::uint16_t kBandDrop = 1;
constexpr std::uint16_t kBandOctets = 16;
constexpr std::uint16_t kBandOctetsMin = 12;
constexpr std::size_t kMeterEntryOctetsMin = 8;

struct Band {
  std::uint32_t rate_kbps = 0;
  std::uint32_t burst_kbit = 0;
};

void encode_band(Band band, wire::Writer& out) {
  out.u16(kBandDrop);
  out.u16(kBandOctets);
  out.u32(band.rate_kbps);
  out.u32(band.burst_kbit);
  out.zeros(4);
}

// Nothing in the result unless there is exactly one band, which drops.
Decoded<std::optional<Band>> decode_bands(wire::Reader& in) {
  std::optional<Band> band;
  bool foreign = false;
  while (in.remaining() != 0) {
    const auto available = static_cast<std::uint32_t>(in.remaining());
    const std::uint16_t type = in.u16();
    const std::uint16_t length = in.u16();
    if (!in.ok()) return refuse(Refusal::kBandLength, available);
    if (length < kBandOctetsMin || length > available ||
        (type == kBandDrop && length != kBandOctets))
      return refuse(Refusal::kBandLength, length);
    foreign = foreign || type != kBandDrop || band;
    band = {.rate_kbps = in.u32(), .burst_kbit = in.u32()};
    in.skip(length - kBandOctetsMin);
  }
  if (foreign) band.reset();
  return band;
}

Decoded<MeterConfig> decode_meter(std::span<const std::byte> entry) {
  wire::Reader in(entry);
  MeterConfig out;
  in.skip(2);  // the length of the entry
  const std::uint16_t flags = in.u16();
  out.id = in.u32();
  const auto band = decode_bands(in);
  if (!band) return tl::make_unexpected(band.error());
  out.foreign = !*band || flags != kMeterFlags;
  if (*band) {
    out.rate_kbps = (*band)->rate_kbps;
    out.burst_kbit = (*band)->burst_kbit;
  }
  return out;
}

}  // namespace

void encode(const MeterMod& message, std::uint32_t xid, wire::Buffer& out) {
  XB_CHECK(!message.foreign);
  const bool deletes = message.command == MeterCommand::kDelete;
  const std::size_t start = begin_message(Type::kMeterMod, xid, out);
  wire::Writer writer(out);
  writer.u16(static_cast<std::uint16_t>(message.command));
  writer.u16(deletes ? 0 : kMeterFlags);
  writer.u32(message.id);
  if (!deletes)
    encode_band({.rate_kbps = message.rate_kbps, .burst_kbit = message.burst_kbit}, writer);
  finish_message(start, out);
}

Decoded<MeterMod> decode_meter_mod(std::span<const std::byte> body) {
  wire::Reader in(body);
  MeterMod out;
  const std::uint16_t command = in.u16();
  const std::uint16_t flags = in.u16();
  out.id = in.u32();
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(body.size()));
  if (command > static_cast<std::uint16_t>(MeterCommand::kDelete))
    return refuse(Refusal::kMeterCommand, command);
  out.command = static_cast<MeterCommand>(command);
  const auto band = decode_bands(in);
  if (!band) return tl::make_unexpected(band.error());
  if (out.command == MeterCommand::kDelete) return out;
  out.foreign = !*band || flags != kMeterFlags;
  if (*band) {
    out.rate_kbps = (*band)->rate_kbps;
    out.burst_kbit = (*band)->burst_kbit;
  }
  return out;
}

void encode(const MeterConfigRequest& message, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_request(MultipartType::kMeterConfig, xid, out);
  wire::Writer writer(out);
  writer.u32(message.id);
  writer.zeros(4);
  finish_message(start, out);
}

Decoded<MeterConfigRequest> decode_meter_config_request(std::span<const std::byte> entries) {
  wire::Reader in(entries);
  MeterConfigRequest out;
  out.id = in.u32();
  in.skip(4);
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(entries.size()));
  return out;
}

void encode(const MeterConfigReply& message, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_reply(MultipartType::kMeterConfig, message.more, xid, out);
  wire::Writer writer(out);
  for (const MeterConfig& meter : message.meters) {
    XB_CHECK(!meter.foreign);
    writer.u16(kMeterEntryOctetsMin + kBandOctets);
    writer.u16(kMeterFlags);
    writer.u32(meter.id);
    encode_band({.rate_kbps = meter.rate_kbps, .burst_kbit = meter.burst_kbit}, writer);
  }
  finish_message(start, out);
}

Decoded<MeterConfigReply> decode_meter_config_reply(std::span<const std::byte> entries) {
  MeterConfigReply out;
  while (!entries.empty()) {
    const std::uint16_t length = wire::Reader(entries).u16();
    if (length < kMeterEntryOctetsMin || length > entries.size())
      return refuse(Refusal::kEntryLength, length);
    const auto meter = decode_meter(entries.first(length));
    if (!meter) return tl::make_unexpected(meter.error());
    out.meters.push_back(*meter);
    entries = entries.subspan(length);
  }
  return out;
}

}  // namespace xbind::ovs::openflow
