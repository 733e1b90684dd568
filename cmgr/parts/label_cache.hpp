// The switching-identifier cache of one (switch, output port): labels obtained in advance (paper,
// section II-C). A hit makes a call single-phase. The commit requests a replacement label, which
// arrives with the acknowledgement.
//
// The policy sets the number of labels (cmgr/parts/label_sizing.hpp): fixed, or as many as the load
// needs. Requests fill the cache up to the target; returns begin kSlack above it. Between the two
// the estimate may vary without labels moving to and fro.
//
// Not thread-safe; owned by the connection manager. Bounded by its target size plus the labels
// requested.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

#include "cmgr/parts/label_sizing.hpp"
#include "cmgr/parts/timers.hpp"
#include "core/clock.hpp"
#include "core/label.hpp"

namespace xbind::cmgr {

class LabelCache {
 public:
  // Labels above the target that are not worth returning; for larger caches a quarter of the
  // target.
  static constexpr std::size_t kSlack = 2;
  // After a recall the cache requests nothing beyond the present need for this time.
  static constexpr Duration kModesty = kManagerTimers["label-modesty"];

  // `fixed_target`: the number of labels to hold when nothing is under way (kFixed), or the limit
  // of that number; 0 switches caching off with every policy. `hit_ratio`, 0..1: the size is chosen
  // for it.
  LabelCache(LabelPolicy policy, std::size_t fixed_target, double hit_ratio)
      : policy_(policy), fixed_target_(fixed_target), sizing_(hit_ratio) {}

  // Changes what the constructor was given; labels beyond the new size leave with surplus().
  void change(std::size_t fixed_target, double hit_ratio) {
    fixed_target_ = fixed_target;
    sizing_.change(hit_ratio);
  }

  // Returns a label, or nullopt on a miss. The oldest goes first, so that a label rests as long as
  // possible.
  std::optional<Label> take(TimePoint now) {
    sizing_.taken(now);
    if (entries_.empty()) {
      ++misses_;
      if (now >= modest_until_) {
        fixed_now_ = std::max(kSlack, 2 * std::min(fixed_now_, fixed_target_));
      }
      return std::nullopt;
    }
    ++hits_;
    return pop();
  }

  // How many labels the next command should request; counts them as requested.
  std::uint16_t want(TimePoint now) {
    const std::size_t have = entries_.size() + asked_;
    const std::size_t aim = target(now);
    const std::size_t missing = aim > have ? aim - have : 0;
    const auto wanted = static_cast<std::uint16_t>(std::min<std::size_t>(missing, 0xffff));
    sizing_.still_asked(asked_);
    sizing_.asked(wanted);
    asked_ += wanted;
    return wanted;
  }

  // A command that requested `asked` labels has been answered.
  void answered(std::uint16_t asked) { asked_ -= std::min<std::size_t>(asked_, asked); }

  void put(Label label, TimePoint now) {
    sizing_.arrived(1, now);
    entries_.push_back({label, now});
  }

  // Whether a released label stays here (true) or should return to the SwitchServer.
  bool wants_back(TimePoint now) const { return entries_.size() + asked_ < target(now); }

  // The session has ended: the labels that it granted have lapsed.
  void lapse() {
    entries_.clear();
    asked_ = 0;
    sizing_.lapse();
  }

  // Removes and returns the labels above the target. None with a fixed size.
  std::vector<Label> surplus(TimePoint now) {
    if (policy_ == LabelPolicy::kFixed) return {};
    const std::size_t aim = target(now);
    const std::size_t keep = aim == 0 ? 0 : aim + std::max(kSlack, aim / 4);
    return take_out(entries_.size() > keep ? entries_.size() - keep : 0);
  }

  // The SwitchServer runs short: removes and returns at most `labels` labels that the present load
  // does not need. With every policy.
  std::vector<Label> recalled(std::size_t labels, TimePoint now) {
    modest_until_ = now + kModesty;
    const std::size_t keep = sizing_.wanted(now, fixed_target_);
    const std::size_t spare = entries_.size() > keep ? entries_.size() - keep : 0;
    std::vector<Label> out = take_out(std::min(labels, spare));
    fixed_now_ = entries_.size() + asked_;
    return out;
  }

  // The number of labels to hold now.
  std::size_t target(TimePoint now) const {
    const bool fixed = policy_ == LabelPolicy::kFixed && now >= modest_until_;
    if (fixed && fixed_now_ >= fixed_target_) return fixed_target_;
    return std::max(sizing_.wanted(now, fixed_target_), fixed ? fixed_now_ : 0);
  }
  std::size_t size() const { return entries_.size(); }
  // Calls `look` for every label in the cache, the oldest first.
  template <class Look>
  void for_each_label(Look look) const {
    for (const Entry& entry : entries_) look(entry.label);
  }
  // Labels requested and not yet answered: N in the paper (section IV-A).
  std::size_t awaited() const { return asked_; }
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }
  // Time since the oldest label came; 0 when the cache is empty.
  Duration age(TimePoint now) const {
    return entries_.empty() ? Duration{0} : now - entries_.front().since;
  }

 private:
  struct Entry {
    Label label;
    TimePoint since;
  };

  Label pop() {
    const Label label = entries_.front().label;
    entries_.pop_front();
    return label;
  }
  std::vector<Label> take_out(std::size_t count) {
    std::vector<Label> out;
    out.reserve(count);
    while (out.size() < count) out.push_back(pop());
    return out;
  }

  LabelPolicy policy_;
  std::size_t fixed_target_;
  // With a fixed size: what a recall has left of it, doubled by each miss. Else the labels that one
  // manager gives up would be asked for again at once, and recalled again.
  std::size_t fixed_now_ = std::numeric_limits<std::size_t>::max() / 2;
  LabelSizing sizing_;
  std::deque<Entry> entries_;
  std::size_t asked_ = 0;  // requested and not yet answered
  TimePoint modest_until_{};
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace xbind::cmgr
