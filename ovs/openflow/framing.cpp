#include "ovs/openflow/framing.hpp"

#include <algorithm>

namespace xbind::ovs::openflow {

std::size_t Framer::message_octets(std::span<const std::byte> octets) {
  if (octets.size() < kHeaderOctets) return 0;
  const auto header = decode_header(octets);
  if (header) return header->length;
  broken_ = header.error();
  return 0;
}

std::size_t Framer::take(std::span<const std::byte> chunk) {
  const std::size_t known = message_octets(pending_);
  const std::size_t wanted = known != 0 ? known : kHeaderOctets;
  const std::size_t octets = std::min(wanted - pending_.size(), chunk.size());
  pending_.insert(pending_.end(), chunk.begin(),
                  chunk.begin() + static_cast<std::ptrdiff_t>(octets));
  return octets;
}

}  // namespace xbind::ovs::openflow
