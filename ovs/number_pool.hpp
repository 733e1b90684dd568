// Numbers of a range that are handed out and come back: group and meter numbers of a bridge. The
// range is ours; numbers that others use all the same are set aside for ever.
//
// Bounded by the range. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

namespace xbind::ovs {

class NumberPool {
 public:
  // first <= last.
  NumberPool(std::uint32_t first, std::uint32_t last) : first_(first), last_(last), next_(first) {}

  bool contains(std::uint32_t number) const { return number >= first_ && number <= last_; }
  std::size_t used() const { return used_.size(); }

  // A number that nobody uses: the lowest that was never handed out, else one that came back.
  // nullopt: all are in use.
  std::optional<std::uint32_t> take() {
    while (next_ != 0 && used_.contains(next_)) advance();
    if (next_ != 0) {
      const std::uint32_t number = next_;
      used_.insert(number);
      advance();
      return number;
    }
    if (back_.empty()) return std::nullopt;
    const std::uint32_t number = *back_.begin();
    back_.erase(back_.begin());
    used_.insert(number);
    return number;
  }
  // The number is in use, by us or by others. A number outside the range is ignored.
  void set_aside(std::uint32_t number) {
    if (!contains(number)) return;
    back_.erase(number);
    used_.insert(number);
  }
  void give_back(std::uint32_t number) {
    if (used_.erase(number) > 0 && (next_ == 0 || number < next_)) back_.insert(number);
  }

 private:
  void advance() { next_ = next_ == last_ ? 0 : next_ + 1; }

  std::uint32_t first_;
  std::uint32_t last_;
  std::uint32_t next_;  // never handed out, as all above it; 0: none is left
  std::set<std::uint32_t> used_;
  std::set<std::uint32_t> back_;  // handed out before, unused, below next_
};

}  // namespace xbind::ovs
