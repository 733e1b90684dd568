// A Link over UDP: the functions that its kinds share besides those of Link. The kinds are the
// pseudowire of a UdpTrunk, the plain line, the MPLS line and the line to a Cambridge Fast Ring.
#pragma once

#include <cstdint>
#include <memory>

#include "dataplane/links/link.hpp"
#include "net/descriptor.hpp"

namespace xbind::dataplane {

class UdpEnd : public Link {
 public:
  virtual std::uint16_t local_port() const = 0;
  // Sets the destination port from now on; for all but a pseudowire also the accepted
  // source port.
  virtual void set_peer_port(std::uint16_t port) = 0;
  // Readable (poll()) while receive() has something to do. Links of one trunk share it. It is
  // closed with the last of its links and of these pointers.
  virtual std::shared_ptr<const net::Descriptor> pollable() const = 0;
};

}  // namespace xbind::dataplane
