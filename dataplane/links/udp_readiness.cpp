#include "dataplane/links/udp_readiness.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace xbind::dataplane {

Result<Readiness> Readiness::open(const net::Descriptor& socket) {
  Readiness made(std::make_shared<const net::Descriptor>(epoll_create1(EPOLL_CLOEXEC)),
                 std::make_shared<const net::Descriptor>(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)));
  if (made.both_->number() < 0 || made.sign_->number() < 0 || !made.watch(socket) ||
      !made.watch(*made.sign_)) {
    return fail(ErrorCode::kSystem, "no descriptors for a line over UDP: {}", std::strerror(errno));
  }
  return made;
}

void Readiness::set(bool cells_wait) {
  if (cells_wait == set_) return;
  // An eventfd accepts a write of 1 and returns it in one read, so neither can block in between.
  std::uint64_t value = 1;
  const ssize_t done = cells_wait ? write(sign_->number(), &value, sizeof value)
                                  : read(sign_->number(), &value, sizeof value);
  if (done == sizeof value) set_ = cells_wait;
}

bool Readiness::watch(const net::Descriptor& descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  return epoll_ctl(both_->number(), EPOLL_CTL_ADD, descriptor.number(), &event) == 0;
}

}  // namespace xbind::dataplane
