// The poll() state of a line over UDP: readable when its socket has datagrams, or when cells of
// received datagrams still wait. The latter are no longer in the socket, so they need an eventfd.
//
// One thread. Only for the lines in this folder.
#pragma once

#include <memory>

#include "core/result.hpp"
#include "dataplane/links/udp_end.hpp"

namespace xbind::dataplane {

class Readiness {
 public:
  // kSystem: no descriptors left.
  static Result<Readiness> open(const net::Descriptor& socket);

  // From now on pollable() is also readable while this descriptor is. False: no room left.
  bool watch(const net::Descriptor& descriptor);
  void set(bool cells_wait);
  // Readable while the socket is readable, or cells wait.
  const std::shared_ptr<const net::Descriptor>& pollable() const { return both_; }

 private:
  Readiness(std::shared_ptr<const net::Descriptor> both,
            std::shared_ptr<const net::Descriptor> sign)
      : both_(std::move(both)), sign_(std::move(sign)) {}

  std::shared_ptr<const net::Descriptor> both_;  // epoll, of socket and sign
  std::shared_ptr<const net::Descriptor> sign_;  // eventfd
  bool set_ = false;
};

}  // namespace xbind::dataplane
