#include "dataplane/links/plain.hpp"

#include <algorithm>

namespace xbind::dataplane {

void encode_plain(const Cell& cell, HeaderForm form, std::span<std::byte, kCellOctets> octets) {
  const std::uint32_t wire = wire_header(cell.header, form);
  put_u32(octets.data(), wire);
  octets[4] = std::byte{hec(wire)};
  std::copy(cell.payload.begin(), cell.payload.end(), octets.begin() + kHeaderOctets);
}

PlainVerdict decode_plain(std::span<const std::byte> datagram, HeaderForm form,
                          HecReceiver& receiver, Cell& cell) {
  if (datagram.size() != kCellOctets) return PlainVerdict::kMalformed;
  std::array<std::byte, kHeaderOctets> header;
  std::copy_n(datagram.begin(), kHeaderOctets, header.begin());
  const HecVerdict verdict = receiver.check(header);
  if (verdict == HecVerdict::kDropped) return PlainVerdict::kHecError;
  cell.header = from_wire_header(get_u32(header.data()), form);
  std::copy_n(datagram.begin() + kHeaderOctets, kPayloadOctets, cell.payload.begin());
  return verdict == HecVerdict::kGood ? PlainVerdict::kGood : PlainVerdict::kCorrected;
}

}  // namespace xbind::dataplane
