// The ids of connections in ascending order, for pages of a list: a page costs the ids on it.
//
// Ids are counted up and few are dead between living ones, so they are kept as bits, 1 024 to a block.
// Time: that of a map of the blocks, of which there are as many as connections / 1 024, or at worst one a
// connection. Not thread-safe; owned by ConnectionTable.
#pragma once

#include <array>
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
  ShownIds() = default;
  ShownIds(const ShownIds&) = delete;  // newest_ points into the map
  ShownIds& operator=(const ShownIds&) = delete;

  void insert(ConnectionId id) {
    Block& block = newest_ != nullptr && newest_number_ == number_of(id) ? *newest_ : find(id);
    block.words[word_of(id)] |= bit_of(id);
    ++block.living;
  }
  void erase(ConnectionId id) {
    const bool in_newest = newest_ != nullptr && newest_number_ == number_of(id);
    Block& block = in_newest ? *newest_ : find(id);
    XB_CHECK((block.words[word_of(id)] & bit_of(id)) != 0, id);
    block.words[word_of(id)] &= ~bit_of(id);
    if (--block.living != 0) return;
    if (in_newest) newest_ = nullptr;
    blocks_.erase(number_of(id));
  }
  // Ids above `after`, ascending, at most `limit`.
  std::vector<ConnectionId> page(ConnectionId after, std::size_t limit) const {
    std::vector<ConnectionId> ids;
    for (auto block = blocks_.lower_bound(number_of(after));
         block != blocks_.end() && ids.size() < limit; ++block) {
      for (std::size_t i = 0; i < kWords && ids.size() < limit; ++i) {
        for (std::uint64_t left = block->second.words[i]; left != 0 && ids.size() < limit;
             left &= left - 1) {
          const auto bit = static_cast<std::uint64_t>(std::countr_zero(left));
          const ConnectionId id{block->first * kPerBlock + i * 64 + bit};
          if (id > after) ids.push_back(id);
        }
      }
    }
    return ids;
  }

 private:
  static constexpr std::uint64_t kPerBlock = 1'024;
  static constexpr std::size_t kWords = kPerBlock / 64;
  struct Block {
    std::array<std::uint64_t, kWords> words{};
    std::uint32_t living = 0;
  };

  static std::uint64_t number_of(ConnectionId id) { return id.value() / kPerBlock; }
  static std::size_t word_of(ConnectionId id) { return id.value() % kPerBlock / 64; }
  static std::uint64_t bit_of(ConnectionId id) { return std::uint64_t{1} << id.value() % 64; }
  Block& find(ConnectionId id) {
    newest_number_ = number_of(id);
    newest_ = &blocks_[newest_number_];
    return *newest_;
  }

  std::map<std::uint64_t, Block> blocks_;  // none without a living id
  Block* newest_ = nullptr;                // the one that was looked up last, or null
  std::uint64_t newest_number_ = 0;
};

}  // namespace xbind::cmgr
