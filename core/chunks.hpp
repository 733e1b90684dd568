// Elements in chunks, addressed by dense numbers from 0. An element keeps its address, because growth
// moves none. At most one chunk is partly unused.
//
// Elements are values that live as long as the chunks: the owner reuses a vacant one by assignment. A new
// element is default-initialised.
// Bound: the owner's; 2^32 - 1 elements at most. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace xbind {

template <class T, unsigned kShift = 8>
class Chunks {
 public:
  static constexpr std::uint32_t kChunk = 1U << kShift;

  std::uint32_t size() const { return size_; }
  // Elements that fit before the next allocation.
  std::size_t capacity() const { return chunks_.size() << kShift; }
  T& operator[](std::uint32_t at) { return (*chunks_[at >> kShift])[at & (kChunk - 1)]; }
  const T& operator[](std::uint32_t at) const {
    return (*chunks_[at >> kShift])[at & (kChunk - 1)];
  }
  // Adds one element. Returns its number.
  std::uint32_t grow() {
    if (size_ == capacity()) chunks_.push_back(std::make_unique_for_overwrite<Chunk>());
    return size_++;
  }
  // Memory of all elements, vacant ones included.
  std::size_t octets() const {
    return chunks_.size() * sizeof(Chunk) + chunks_.capacity() * sizeof(chunks_.front());
  }

 private:
  using Chunk = std::array<T, kChunk>;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::uint32_t size_ = 0;
};

}  // namespace xbind
