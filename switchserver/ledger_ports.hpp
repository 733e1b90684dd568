// From a switch's number of a port, any of 32 bits, to the ledger's, which are dense: a table of powers of two
// that is at most half full. A port is never taken out again. Values only; one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.hpp"

namespace xbind {

class PortIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  std::uint32_t find(PortId port) const {
    const std::size_t mask = entries_.size() - 1;
    for (std::size_t at = place(port) & mask;; at = (at + 1) & mask) {
      const Entry& entry = entries_[at];
      if (entry.index == kNone || entry.port == port) return entry.index;
    }
  }
  // It is not there yet.
  void add(PortId port, std::uint32_t index) {
    if (++used_ * 2 > entries_.size()) {
      std::vector<Entry> old(entries_.size() * 2);
      old.swap(entries_);
      for (const Entry& entry : old) {
        if (entry.index != kNone) put(entry);
      }
    }
    put({port, index});
  }

 private:
  struct Entry {
    PortId port;
    std::uint32_t index = kNone;
  };
  static std::size_t place(PortId port) {
    return std::uint64_t{port.value()} * 0x9e37'79b9'7f4a'7c15 >> 32;
  }
  void put(const Entry& entry) {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = place(entry.port) & mask;
    while (entries_[at].index != kNone) at = (at + 1) & mask;
    entries_[at] = entry;
  }

  std::vector<Entry> entries_ = std::vector<Entry>(16);
  std::size_t used_ = 0;
};

}  // namespace xbind
