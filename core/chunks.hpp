// Elements that stay where they are, reached by number, kept in chunks: nothing is moved when they grow, and
// no more than one chunk is unused. Numbers are dense from 0. Values only; one thread.
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
  T& operator[](std::uint32_t at) { return (*chunks_[at >> kShift])[at & (kChunk - 1)]; }
  const T& operator[](std::uint32_t at) const {
    return (*chunks_[at >> kShift])[at & (kChunk - 1)];
  }
  // One more; answers its number.
  std::uint32_t grow() {
    if (size_ == chunks_.size() << kShift) chunks_.push_back(std::make_unique<Chunk>());
    return size_++;
  }
  // What all of them take, in octets.
  std::size_t octets() const {
    return chunks_.size() * sizeof(Chunk) + chunks_.capacity() * sizeof(chunks_.front());
  }

 private:
  using Chunk = std::array<T, kChunk>;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::uint32_t size_ = 0;
};

}  // namespace xbind
