// Elements in chunks, with dense numbers from 0. Growth moves no element, so an element keeps its
// address. Only the last chunk is partly unused.
//
// Elements live as long as the chunks: the owner reuses a vacant element by assignment. An element
// is default-initialised when it is added, so a new chunk costs no pass over its memory. The owner
// bounds the number; at most 2^32 - 1 elements. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace xbind {

template <class T, unsigned kShift = 8>
class Chunks {
 public:
  static constexpr std::uint32_t kChunk = 1U << kShift;

  Chunks() = default;
  Chunks(Chunks&& other) noexcept
      : chunks_(std::move(other.chunks_)), size_(std::exchange(other.size_, 0)) {}
  Chunks& operator=(Chunks&& other) noexcept {
    Chunks moved{std::move(other)};
    std::swap(chunks_, moved.chunks_);
    std::swap(size_, moved.size_);
    return *this;
  }
  Chunks(const Chunks&) = delete;
  Chunks& operator=(const Chunks&) = delete;
  ~Chunks() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (std::uint32_t at = 0; at < size_; ++at) (*this)[at].~T();
    }
  }

  std::uint32_t size() const { return size_; }
  // Number of elements that fit before the next allocation.
  std::size_t capacity() const { return chunks_.size() << kShift; }
  T& operator[](std::uint32_t at) {
    return *std::launder(reinterpret_cast<T*>(place(at).octets.data()));
  }
  const T& operator[](std::uint32_t at) const {
    return *std::launder(reinterpret_cast<const T*>(place(at).octets.data()));
  }
  // Adds one element. Returns its number.
  std::uint32_t grow() {
    if (size_ == capacity()) chunks_.push_back(std::make_unique_for_overwrite<Chunk>());
    ::new (static_cast<void*>(place(size_).octets.data())) T;
    return size_++;
  }
  // Memory of all elements, including vacant ones.
  std::size_t octets() const {
    return chunks_.size() * sizeof(Chunk) + chunks_.capacity() * sizeof(chunks_.front());
  }

 private:
  struct Place {
    alignas(T) std::array<std::byte, sizeof(T)> octets;
  };
  using Chunk = std::array<Place, kChunk>;

  Place& place(std::uint32_t at) const { return (*chunks_[at >> kShift])[at & (kChunk - 1)]; }

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::uint32_t size_ = 0;
};

}  // namespace xbind
