#include "dataplane/erf.hpp"

#include <algorithm>

#include "core/wire/reader.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::uint32_t kPcapMagicNanoseconds = 0xa1b23c4d;
constexpr std::uint32_t kPcapSnapLength = 262144;
constexpr std::uint32_t kLinkTypeErf = 197;
constexpr std::size_t kRecordHead = 16;
constexpr std::uint8_t kVaryingLength = 0x04;
constexpr std::uint8_t kCut = 0x08;
constexpr std::uint64_t kSecond = 1'000'000'000;

struct Split {
  std::uint32_t seconds;
  std::uint32_t nanoseconds;
};
Split split(CaptureTime time) {
  const auto count = static_cast<std::uint64_t>(time.count());
  return {static_cast<std::uint32_t>(count / kSecond), static_cast<std::uint32_t>(count % kSecond)};
}

// The times of ERF are its only little-endian numbers.
std::uint64_t swapped(std::uint64_t value) { return __builtin_bswap64(value); }

std::uint64_t erf_time(CaptureTime time) {
  const Split parts = split(time);
  // Rounded up, so that the truncating reader returns the same nanosecond.
  const std::uint64_t fraction = ((std::uint64_t{parts.nanoseconds} << 32) + kSecond - 1) / kSecond;
  return std::uint64_t{parts.seconds} << 32 | fraction;
}
CaptureTime capture_time(std::uint64_t erf) {
  return CaptureTime{
      static_cast<std::int64_t>((erf >> 32) * kSecond + ((erf & 0xffffffff) * kSecond >> 32))};
}

}  // namespace

ErfWriter::ErfWriter(CaptureForm form, wire::Buffer& out) : form_(form), out_(out) {
  if (form != CaptureForm::kPcap) return;
  wire::Writer head(out_);
  head.u32(kPcapMagicNanoseconds);
  head.u16(2);  // version 2.4
  head.u16(4);
  head.zeros(8);  // UTC; accuracy not given
  head.u32(kPcapSnapLength);
  head.u32(kLinkTypeErf);
}

void ErfWriter::cell(CaptureTime time, std::uint8_t interface, const Cell& cell) {
  record(time, ErfType::kCell, interface, cell.header, cell.payload);
}

void ErfWriter::aal5(CaptureTime time, std::uint8_t interface, std::uint16_t vpi, std::uint16_t vci,
                     std::span<const std::byte> pdu) {
  record(time, ErfType::kAal5, interface, cell_header(vpi, vci), pdu);
}

void ErfWriter::record(CaptureTime time, ErfType type, std::uint8_t interface, std::uint32_t header,
                       std::span<const std::byte> octets) {
  const bool cut = octets.size() > kErfPduMax;
  const auto kept = octets.first(std::min(octets.size(), kErfPduMax));
  const std::size_t size = kRecordHead + 4 + kept.size();
  wire::Writer out(out_);
  if (form_ == CaptureForm::kPcap) {
    const Split parts = split(time);
    out.u32(parts.seconds);
    out.u32(parts.nanoseconds);
    out.u32(static_cast<std::uint32_t>(size));
    out.u32(static_cast<std::uint32_t>(size));
  }
  out.u64(swapped(erf_time(time)));
  out.u8(static_cast<std::uint8_t>(type));
  out.u8(static_cast<std::uint8_t>((interface & 3) | kVaryingLength | (cut ? kCut : 0)));
  out.u16(static_cast<std::uint16_t>(size));
  out.u16(0);  // loss counter
  out.u16(static_cast<std::uint16_t>(std::min<std::size_t>(octets.size() + 4, 0xffff)));
  out.u32(header);
  out.bytes(kept);
}

Result<std::vector<ErfRecord>> read_erf(std::span<const std::byte> file) {
  wire::Reader in(file);
  const bool pcap = file.size() >= 24 && wire::Reader(file).u32() == kPcapMagicNanoseconds;
  if (pcap) {
    in.skip(20);
    if (const std::uint32_t type = in.u32(); type != kLinkTypeErf) {
      return fail(ErrorCode::kBadInput, "link type {}, not {}", type, kLinkTypeErf);
    }
  }
  std::vector<ErfRecord> records;
  while (in.remaining() > 0) {
    const std::size_t begin = in.position();
    if (pcap) in.skip(16);
    ErfRecord record;
    record.time = capture_time(swapped(in.u64()));
    const std::uint8_t type = in.u8();
    record.type = static_cast<ErfType>(type);
    record.interface = in.u8() & 3;
    const std::size_t size = in.u16();
    in.skip(4);
    record.header = in.u32();
    const auto octets = in.bytes(size < kRecordHead + 4 ? file.size() : size - kRecordHead - 4);
    const bool whole = record.type == ErfType::kCell ? octets.size() == kPayloadOctets
                                                     : record.type == ErfType::kAal5;
    if (!in.ok() || !whole) {
      return fail(ErrorCode::kBadInput, "octet {}: a record of type {} and {} octets", begin, type,
                  size);
    }
    record.octets.assign(octets.begin(), octets.end());
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace xbind::dataplane
