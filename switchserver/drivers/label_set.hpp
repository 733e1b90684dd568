// The labels of requests that wait, as numbers, so that a later request can be asked whether it touches
// one. Flat: nothing is allocated once it has grown, and emptying it costs what is in it.
//
// Bounded by its owner. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace xbind {

class LabelSet {
 public:
  LabelSet() { first_.fill(kNone); }

  void insert(std::uint64_t label) {
    std::uint16_t& first = first_[bucket_of(label)];
    members_.push_back({label, first});
    first = static_cast<std::uint16_t>(members_.size() - 1);
  }
  bool contains(std::uint64_t label) const {
    std::uint16_t at = first_[bucket_of(label)];
    while (at != kNone && members_[at].label != label) at = members_[at].next;
    return at != kNone;
  }
  void clear() {
    for (const Member& member : members_) first_[bucket_of(member.label)] = kNone;
    members_.clear();
  }

  static constexpr std::size_t kMost = 0xffff;  // members, one that is inserted twice counted twice

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  static constexpr unsigned kBucketBits = 10;
  struct Member {
    std::uint64_t label;
    std::uint16_t next;  // in its bucket
  };

  static std::size_t bucket_of(std::uint64_t label) {
    return label * 0x9e3779b97f4a7c15U >> (64 - kBucketBits);
  }

  std::array<std::uint16_t, std::size_t{1} << kBucketBits> first_;
  std::vector<Member> members_;
};

}  // namespace xbind
