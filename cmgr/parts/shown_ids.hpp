// The ids of connections in ascending order, for paged lists: a page costs only the ids on it.
//
// Ids are assigned in sequence and few of a range are unused, so they are stored as bits, 64 to a
// block. Time: that of a map of the blocks. Their number is about connections / 64, at worst one
// per connection. Not thread-safe; owned by ConnectionTable.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/check.hpp"
#include "core/ids.hpp"

namespace xbind::cmgr {

class ShownIds {
 public:
  void insert(ConnectionId id) {
    const std::uint64_t number = number_of(id);
    // Most ids are the highest so far.
    const bool in_last = !blocks_.empty() && blocks_.rbegin()->first == number;
    std::uint64_t& block =
        in_last ? blocks_.rbegin()->second : blocks_.try_emplace(blocks_.end(), number, 0)->second;
    block |= bit_of(id);
  }
  void erase(ConnectionId id) {
    const auto block = blocks_.find(number_of(id));
    XB_CHECK(block != blocks_.end() && (block->second & bit_of(id)) != 0, id);
    block->second &= ~bit_of(id);
    if (block->second == 0) blocks_.erase(block);
  }
  // Ids above `after`, ascending, at most `limit`.
  std::vector<ConnectionId> page(ConnectionId after, std::size_t limit) const {
    std::vector<ConnectionId> ids;
    for (auto block = blocks_.lower_bound(number_of(after));
         block != blocks_.end() && ids.size() < limit; ++block) {
      for (std::uint64_t left = block->second; left != 0 && ids.size() < limit; left &= left - 1) {
        const ConnectionId id{block->first * kPerBlock +
                              static_cast<std::uint64_t>(std::countr_zero(left))};
        if (id > after) ids.push_back(id);
      }
    }
    return ids;
  }

 private:
  static constexpr std::uint64_t kPerBlock = 64;

  static std::uint64_t number_of(ConnectionId id) { return id.value() / kPerBlock; }
  static std::uint64_t bit_of(ConnectionId id) {
    return std::uint64_t{1} << id.value() % kPerBlock;
  }

  std::map<std::uint64_t, std::uint64_t> blocks_;  // the ids in use; a block is never 0
};

}  // namespace xbind::cmgr
