// Helpers for tests over the loopback interface. Usually a datagram has reached the receiver when
// the system call returns; otherwise a bounded number of polls must suffice.
#pragma once

#include <poll.h>

#include <array>
#include <thread>
#include <vector>

#include "../cells.hpp"
#include "dataplane/links/udp_end.hpp"

namespace xbind::dataplane {

constexpr int kLooks = 100000;

// Receives cells until `count` have arrived or no more arrive.
inline std::vector<Cell> take(Link& link, std::size_t count) {
  std::vector<Cell> all;
  for (int look = 0; look < kLooks && all.size() < count; ++look) {
    std::array<Cell, 50> part;
    const std::size_t got = link.receive(part);
    all.insert(all.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
    if (got == 0) std::this_thread::yield();
  }
  return all;
}

// Polls until `counter` has changed; returns whether it did and no cell arrived.
inline bool receive_nothing(Link& link, const std::uint64_t& counter) {
  std::array<Cell, 50> cells;
  for (int look = 0; look < kLooks && counter == 0; ++look) {
    if (link.receive(cells) > 0) return false;
    if (counter == 0) std::this_thread::yield();
  }
  return counter > 0;
}

// Whether poll() reports the descriptor as readable within `wait_ms`.
inline bool readable(int descriptor, int wait_ms) {
  pollfd asked{.fd = descriptor, .events = POLLIN, .revents = 0};
  return ::poll(&asked, 1, wait_ms) == 1;
}
constexpr int kLong = 10000;  // ms; for data that must arrive

inline std::vector<Cell> cells_of(std::size_t count, std::uint32_t vpi = 0) {
  std::vector<Cell> cells;
  for (std::uint32_t number = 0; number < count; ++number)
    cells.push_back(make_cell(vpi, 32 + number % 7, number));
  return cells;
}

}  // namespace xbind::dataplane
