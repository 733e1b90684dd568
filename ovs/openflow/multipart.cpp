#include "ovs/openflow/multipart.hpp"

namespace xbind::ovs::openflow {
namespace {

std::size_t begin_multipart(Type message, MultipartType type, std::uint16_t flags,
                            std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_message(message, xid, out);
  wire::Writer writer(out);
  writer.u16(static_cast<std::uint16_t>(type));
  writer.u16(flags);
  writer.zeros(4);
  return start;
}

}  // namespace

std::size_t begin_request(MultipartType type, std::uint32_t xid, wire::Buffer& out) {
  return begin_multipart(Type::kMultipartRequest, type, 0, xid, out);
}

std::size_t begin_reply(MultipartType type, bool more, std::uint32_t xid, wire::Buffer& out) {
  return begin_multipart(Type::kMultipartReply, type, more ? kMultipartMore : 0, xid, out);
}

}  // namespace xbind::ovs::openflow
