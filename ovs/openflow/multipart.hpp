// The multipart header (section 7.3.5), for the messages of flow.hpp, group.hpp, meter.hpp and
// port.hpp:
//
//   | header 8 | type 2 | flags 2 | 0 4 | request, or entries of the reply |
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/wire/writer.hpp"
#include "ovs/openflow/header.hpp"

namespace xbind::ovs::openflow {

enum class MultipartType : std::uint16_t {
  kFlow = 1,
  kPortStats = 4,
  kGroupDesc = 7,
  kMeterConfig = 10,
  kPortDesc = 13,
};

inline constexpr std::uint16_t kMultipartMore = 1;  // flag: another reply follows

// Append the header of a request or reply. Return the offset for finish_message().
std::size_t begin_request(MultipartType type, std::uint32_t xid, wire::Buffer& out);
std::size_t begin_reply(MultipartType type, bool more, std::uint32_t xid, wire::Buffer& out);

}  // namespace xbind::ovs::openflow
