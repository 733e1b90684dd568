// The branches of one connection, in order of arrival. A single branch, the usual case, lies in the
// list itself; several lie in an array.
//
// 20 octets, so that a connection fits into one cache line. Neither copied nor moved: its
// connection keeps its address. Pointers are valid until the list changes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/ids.hpp"
#include "dataplane/frame_discard.hpp"
#include "dataplane/service_class.hpp"

namespace xbind::dataplane {

struct Branch {
  PortId port;
  std::uint16_t vpi = 0;
  std::uint16_t vci = 0;                      // of a path's branch: unused, the cell keeps its VCI
  std::uint8_t priority = 0;                  // for the output's Queueing; 0 is the best
  ServiceClass service = ServiceClass::kUbr;  // for the output's Queueing
  FrameDiscard frames{};                      // whether whole frames are discarded, and its state
  std::uint32_t tag = 0;                      // the owner's, not used here

  bool same_place(const Branch& other) const {
    return port == other.port && vpi == other.vpi && vci == other.vci;
  }
  // Apart from the state of `frames`.
  friend bool operator==(const Branch& a, const Branch& b) {
    return a.same_place(b) && a.priority == b.priority && a.service == b.service &&
           a.frames.on() == b.frames.on() && a.tag == b.tag;
  }
};

static_assert(sizeof(Branch) == 16);

class BranchList {
 public:
  BranchList() = default;
  ~BranchList() { clear(); }
  BranchList(const BranchList&) = delete;
  BranchList& operator=(const BranchList&) = delete;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Branch* begin() { return size_ > 1 ? many() : &place_.one; }
  Branch* end() { return begin() + size_; }
  const Branch* begin() const { return size_ > 1 ? many() : &place_.one; }
  const Branch* end() const { return begin() + size_; }
  // `index` must be below size().
  const Branch& operator[](std::size_t index) const { return begin()[index]; }
  std::span<Branch> all() { return {begin(), size()}; }
  const Branch& front() const { return *begin(); }

  void push_back(const Branch& branch) {
    if (size_ == 0) {
      place_.one = branch;
    } else {
      // An array has room for a power of two, so the size shows when it is full.
      if (std::has_single_bit(size_)) move_to(new Branch[std::size_t{size_} * 2]);
      many()[size_] = branch;
    }
    ++size_;
  }
  // Erases from `first` to before `last`, pointers into this list.
  void erase(Branch* first, Branch* last) {
    std::copy(last, end(), first);
    resize(size_ - static_cast<std::uint32_t>(last - first));
  }
  void clear() {
    if (size_ > 1) delete[] many();
    size_ = 0;
  }

 private:
  union Place {
    Place() : one() {}
    Branch one;
    std::array<std::uint32_t, 2> many;  // a Branch*, stored without its alignment
  };
  static_assert(std::is_trivially_copyable_v<Branch>);

  Branch* many() const { return std::bit_cast<Branch*>(place_.many); }
  // Copies the branches to `room`, which the list then owns.
  void move_to(Branch* room) {
    std::copy(begin(), end(), room);
    if (size_ > 1) delete[] many();
    place_.many = std::bit_cast<std::array<std::uint32_t, 2>>(room);
  }
  // Shrinks the list to `size`.
  void resize(std::uint32_t size) {
    if (size == size_) return;
    if (size <= 1) {
      const Branch left = front();
      clear();
      place_.one = left;
    } else if (std::bit_ceil(size) != std::bit_ceil(size_)) {
      Branch* const room = new Branch[std::bit_ceil(size)];
      std::copy_n(many(), size, room);
      delete[] many();
      place_.many = std::bit_cast<std::array<std::uint32_t, 2>>(room);
    }
    size_ = size;
  }

  std::uint32_t size_ = 0;
  Place place_;
};

}  // namespace xbind::dataplane
