#include "smds/l3_pdu.hpp"

#include "core/wire/reader.hpp"
#include "dataplane/cells/aal5_frame.hpp"

namespace xbind::smds {
namespace {

constexpr std::size_t kBeforeDestination = 4;
constexpr std::size_t kExtensionAt = 24;
constexpr std::size_t kExtensionOctets = 12;
constexpr std::uint8_t kExtensionWords = 3;  // HEL, in units of 4 octets

// BAsize, and with it length, of a PDU of that many octets.
constexpr std::size_t basize_of(std::size_t octets) {
  return octets - kBeforeDestination - kTrailerOctets;
}

std::uint64_t u64_at(std::span<const std::byte> octets, std::size_t at) {
  wire::Fields fields(octets.subspan(at));
  const std::uint64_t high = fields.u32();
  return high << 32 | fields.u32();
}

std::uint8_t u8_at(std::span<const std::byte> octets, std::size_t at) {
  return std::to_integer<std::uint8_t>(octets[at]);
}

std::size_t u16_at(std::span<const std::byte> octets, std::size_t at) {
  return std::size_t{u8_at(octets, at)} << 8 | u8_at(octets, at + 1);
}

// Elements up to the first length of 0, each within the extension; at least length and type.
bool extension_good(std::span<const std::byte> extension) {
  std::size_t at = 0;
  while (at < extension.size()) {
    const std::size_t length = u8_at(extension, at);
    if (length == 0) return true;
    if (length < 2 || length > extension.size() - at) return false;
    at += length;
  }
  return true;
}

}  // namespace

std::string_view to_string(PduFault fault) {
  switch (fault) {
    case PduFault::kNone: return "none";
    case PduFault::kErroredDaFieldFormat: return "erroredDAFieldFormat";
    case PduFault::kErroredSaFieldFormat: return "erroredSAFieldFormat";
    case PduFault::kInvalidBasizeFieldValue: return "invalidBAsizeFieldValue";
    case PduFault::kInvalidHdrExtLength: return "invalidHdrExtLength";
    case PduFault::kInvalidHdrExtElementLength: return "invalidHdrExtElementLength";
    case PduFault::kBeTagMismatch: return "beTagMismatch";
    case PduFault::kBasizeFieldNotEqualToLengthField: return "baSizeFieldNotEqualToLengthField";
    case PduFault::kIncorrectLength: return "incorrectLength";
  }
  return "none";
}

PduFault read_pdu(std::span<const std::byte> octets, const PduLimits& limits, Pdu& pdu) {
  if (octets.size() < kHeaderOctets + kTrailerOctets) return PduFault::kIncorrectLength;
  const std::size_t basize = u16_at(octets, 2);
  if (basize % 4 != 0 || basize < kHeaderOctets - kBeforeDestination) {
    return PduFault::kInvalidBasizeFieldValue;
  }
  const std::size_t trailer = octets.size() - kTrailerOctets;
  if (u8_at(octets, 1) != u8_at(octets, trailer + 1)) return PduFault::kBeTagMismatch;
  if (u16_at(octets, trailer + 2) != basize) return PduFault::kBasizeFieldNotEqualToLengthField;
  if (basize != basize_of(octets.size())) return PduFault::kIncorrectLength;

  const std::uint8_t quality = u8_at(octets, 21);
  if ((quality & 7) != kExtensionWords) return PduFault::kInvalidHdrExtLength;
  if (!extension_good(octets.subspan(kExtensionAt, kExtensionOctets))) {
    return PduFault::kInvalidHdrExtElementLength;
  }
  const bool crc = (quality & 8) != 0;
  const std::size_t behind = (u8_at(octets, 20) & 3) + (crc ? kCrcOctets : 0);
  const std::size_t between = trailer - kHeaderOctets;
  if (behind > between) return PduFault::kInvalidBasizeFieldValue;
  const std::size_t information = between - behind;
  if (information > limits.information_max) return PduFault::kInvalidBasizeFieldValue;

  const Address destination(u64_at(octets, 4));
  if (!destination.valid()) return PduFault::kErroredDaFieldFormat;
  const Address source(u64_at(octets, 12));
  if (!source.valid() || !source.individual()) return PduFault::kErroredSaFieldFormat;
  pdu = {.octets = octets,
         .information = octets.subspan(kHeaderOctets, information),
         .destination = destination,
         .source = source,
         .be_tag = u8_at(octets, 1),
         .hlpi = static_cast<std::uint8_t>(u8_at(octets, 20) >> 2),
         .crc_present = crc};
  return PduFault::kNone;
}

bool crc_good(const Pdu& pdu) {
  if (!pdu.crc_present) return true;
  const std::size_t at = pdu.octets.size() - kTrailerOctets - kCrcOctets;
  return dataplane::aal5_crc(pdu.octets.subspan(kBeforeDestination, at - kBeforeDestination)) ==
         dataplane::get_u32(pdu.octets.data() + at);
}

Result<void> write_pdu(const PduFields& fields, std::span<const std::byte> information,
                       const PduLimits& limits, wire::Buffer& out) {
  if (information.size() > limits.information_max) {
    return fail(ErrorCode::kBadInput, "{} octets of information, a PDU carries at most {}",
                information.size(), limits.information_max);
  }
  const std::size_t pad = (4 - information.size() % 4) % 4;
  const std::size_t size =
      kHeaderOctets + information.size() + pad + (fields.crc ? kCrcOctets : 0) + kTrailerOctets;
  const auto basize = static_cast<std::uint16_t>(basize_of(size));
  const std::size_t begin = out.size();
  wire::Writer writer(out);
  writer.u8(0);
  writer.u8(fields.be_tag);
  writer.u16(basize);
  writer.u64(fields.destination.wire());
  writer.u64(fields.source.wire());
  writer.u8(static_cast<std::uint8_t>(fields.hlpi << 2 | pad));
  writer.u8(static_cast<std::uint8_t>((fields.crc ? 8 : 0) | kExtensionWords));
  writer.u16(0);
  writer.u8(3);  // the element of the version: length, type 0, version 1
  writer.u8(0);
  writer.u8(1);
  writer.zeros(kExtensionOctets - 3);
  writer.bytes(information);
  writer.zeros(pad);
  if (fields.crc) {
    const auto covered = std::span<const std::byte>(out).subspan(begin + kBeforeDestination);
    writer.u32(dataplane::aal5_crc(covered));
  }
  writer.u8(0);
  writer.u8(fields.be_tag);
  writer.u16(basize);
  return {};
}

}  // namespace xbind::smds
