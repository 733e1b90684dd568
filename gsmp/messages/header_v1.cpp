#include "gsmp/messages/header_v1.hpp"

#include "gsmp/messages/failure_code_v1.hpp"

namespace xbind::gsmp::v1 {

Decoded<HeaderAndBody> decode_header(std::span<const std::byte> message) {
  wire::Reader in(message);
  HeaderAndBody out;
  out.header.version = in.u8();
  out.header.type = static_cast<MessageType>(in.u8());
  const std::uint8_t result = in.u8();
  const std::uint8_t code = in.u8();
  out.header.transaction = in.u32();
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(message.size()));
  if (result > static_cast<std::uint8_t>(ResultField::kFailure)) {
    return refuse(Refusal::kResultField, result);
  }
  out.header.result = static_cast<ResultField>(result);
  if (out.header.result == ResultField::kFailure) {
    out.header.code = failure_code_from_wire(code, out.header.type);
  }
  out.body = message.subspan(kHeaderOctets);
  return out;
}

void encode_header(const Header& header, wire::Writer& out) {
  ResultField result = header.result;
  if (result == ResultField::kMore) result = ResultField::kSuccess;
  if (result == ResultField::kReturnReceipt) result = ResultField::kEvent;
  out.u8(kVersion);
  out.u8(static_cast<std::uint8_t>(header.type));
  out.u8(static_cast<std::uint8_t>(result));
  out.u8(result == ResultField::kFailure ? failure_code_on_wire(header.code) : 0);
  out.u32(header.transaction);
}

}  // namespace xbind::gsmp::v1
