#include "gsmp/failure_response.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "gsmp/framing.hpp"
#include "gsmp/messages/failure_code_v1.hpp"

namespace xbind::gsmp {

namespace {

// Version 1.1 has no Length field: nothing to correct, and the message ends with its frame.
void append_copy_v1(wire::Buffer& out, std::span<const std::byte> request, ResultField result,
                    FailureCode code) {
  XB_CHECK(request.size() >= v1::kHeaderOctets, request.size());
  wire::Writer frame(out);
  frame.u16(kFrameType);
  frame.u16(static_cast<std::uint16_t>(request.size()));
  frame.bytes(request.first(2));
  frame.u8(static_cast<std::uint8_t>(result));
  frame.u8(result == ResultField::kFailure ? v1::failure_code_on_wire(code) : 0);
  frame.bytes(request.subspan(4));
}

}  // namespace

void append_copy(wire::Buffer& out, std::span<const std::byte> request, ResultField result,
                 FailureCode code) {
  if (!request.empty() && request[0] == std::byte{v1::kVersion}) {
    return append_copy_v1(out, request, result, code);
  }
  XB_CHECK(request.size() >= kHeaderOctets, request.size());
  wire::Fields length_field(request.subspan(10, 2));
  const std::size_t claimed = length_field.u16();
  const std::size_t octets =
      claimed < kHeaderOctets ? request.size() : std::min(claimed, request.size());
  wire::Writer frame(out);
  wire::Room head = frame.room(kFrameHeaderOctets);
  head.u16(kFrameType);
  head.u16(static_cast<std::uint16_t>(octets));
  const std::size_t copy = out.size();
  frame.bytes(request.first(octets));
  out[copy + 2] = static_cast<std::byte>(result);
  out[copy + 3] = static_cast<std::byte>(code);
  frame.patch_u16(kFrameHeaderOctets + 10, static_cast<std::uint16_t>(octets));
}

}  // namespace xbind::gsmp
