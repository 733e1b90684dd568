// A line whose cells are the Ethernet frames of a network interface: the conversion of
// frame_line.hpp on the socket of packet_socket.hpp.
//
// Never blocks. While the interface is away or down, frames to it are dropped and counted; the line
// goes on when it returns. The first dropped frame of each reason, and each loss and return of the
// interface, is logged. Cells of the frames read last wait here, and at most
// PacketSocket::kBatch frames that the interface has not accepted yet.
#pragma once

#include <memory>
#include <string>

#include "core/frame_classes.hpp"
#include "core/result.hpp"
#include "dataplane/links/link.hpp"
#include "net/descriptor.hpp"

namespace xbind::dataplane {

struct PacketLineOptions {
  std::string interface {};
  FrameClasses classes{};
  bool labels = false;                          // its frames have MPLS labels, and no classes
  std::size_t socket_buffer_octets = 1U << 20;  // requested from the operating system, each way
};

class PacketLine : public Link {
 public:
  // Readable (poll()) while receive() has something to do. It is closed with the line and with the
  // last of these pointers.
  virtual std::shared_ptr<const net::Descriptor> pollable() const = 0;
};

// kSystem: no permission (CAP_NET_RAW), no such interface, or no descriptors left.
Result<std::unique_ptr<PacketLine>> open_packet_line(const PacketLineOptions& options);

}  // namespace xbind::dataplane
