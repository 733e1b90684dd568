// The switching-identifier cache of one (switch, output port): labels obtained in advance (paper,
// section II-C; item C1). A hit makes a call single-phase; the label that replaces it is asked for in
// the commit and comes back with its acknowledgement (item C2).
//
// Not thread-safe; owned by the connection manager. Bounded by its target size plus what is asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/label.hpp"

namespace xbind::cmgr {

class LabelCache {
 public:
  // `target`: how many labels it wants to hold when nothing is under way; 0 switches caching off.
  explicit LabelCache(std::size_t target) : target_(target) {}

  // A label, or nothing on a miss. Oldest first, so that a label rests as long as possible.
  std::optional<Label> take() {
    if (labels_.empty()) {
      ++misses_;
      return std::nullopt;
    }
    ++hits_;
    const Label label = labels_.front();
    labels_.pop_front();
    return label;
  }

  // How many replacements the next command should ask for; counts them as asked.
  std::uint16_t want() {
    const std::size_t have = labels_.size() + asked_;
    if (have >= target_) return 0;
    const auto wanted = static_cast<std::uint16_t>(std::min<std::size_t>(target_ - have, 0xffff));
    asked_ += wanted;
    return wanted;
  }

  // A command that asked for `asked` labels has been answered.
  void answered(std::uint16_t asked) { asked_ -= std::min<std::size_t>(asked_, asked); }

  void put(Label label) { labels_.push_back(label); }

  // Whether a released label is kept here (true) or should go back to the SwitchServer.
  bool wants_back() const { return labels_.size() + asked_ < target_; }

  // The session has ended: what it granted has lapsed.
  void lapse() {
    labels_.clear();
    asked_ = 0;
  }

  std::size_t size() const { return labels_.size(); }
  std::size_t target() const { return target_; }
  const std::deque<Label>& labels() const { return labels_; }
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

 private:
  std::size_t target_;
  std::deque<Label> labels_;
  std::size_t asked_ = 0;  // asked for and not yet answered
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace xbind::cmgr
