#include "switchserver/gsmp/failure_response.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "switchserver/gsmp/framing.hpp"

namespace xbind::gsmp {

void append_copy(wire::Buffer& out, std::span<const std::byte> request, ResultField result,
                 FailureCode code) {
  XB_CHECK(request.size() >= kHeaderOctets, request.size());
  wire::Reader length_field(request.subspan(10, 2));
  const std::size_t claimed = length_field.u16();
  const std::size_t octets =
      claimed < kHeaderOctets ? request.size() : std::min(claimed, request.size());
  wire::Writer frame(out);
  frame.u16(kFrameType);
  frame.u16(static_cast<std::uint16_t>(octets));
  frame.bytes(request.first(2));
  frame.u8(static_cast<std::uint8_t>(result));
  frame.u8(static_cast<std::uint8_t>(code));
  frame.bytes(request.subspan(4, octets - 4));
  frame.patch_u16(kFrameHeaderOctets + 10, static_cast<std::uint16_t>(octets));
}

}  // namespace xbind::gsmp
