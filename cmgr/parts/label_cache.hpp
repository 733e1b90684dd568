// The switching-identifier cache of one (switch, output port): labels obtained in advance (paper,
// section II-C; item C1). A hit makes a call single-phase; the label that replaces it is asked for in
// the commit and comes back with its acknowledgement (item C2).
//
// How many it keeps is the policy's matter (cmgr/parts/label_sizing.hpp; items C4 and C5): a fixed number, or
// what the load needs. Asking fills up to the target, returning begins kSlack above it: between the
// two an estimate may sway without a label going to and fro.
//
// Not thread-safe; owned by the connection manager. Bounded by its target size plus what is asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "cmgr/parts/label_sizing.hpp"
#include "cmgr/parts/timers.hpp"
#include "core/clock.hpp"
#include "core/label.hpp"

namespace xbind::cmgr {

class LabelCache {
 public:
  // Labels beyond the target that are not worth a return; for larger caches a quarter of the target.
  static constexpr std::size_t kSlack = 2;
  // After a recall nothing is asked for beyond the present need for so long.
  static constexpr Duration kModesty = kManagerTimers["label-modesty"];

  // `fixed_target`: how many labels it wants to hold when nothing is under way, or at most wants to;
  // 0 switches caching off, whatever the policy. `hit_ratio`: what is needed is sized for it, 0..1.
  LabelCache(LabelPolicy policy, std::size_t fixed_target, double hit_ratio)
      : policy_(policy), fixed_target_(fixed_target), sizing_(hit_ratio) {}

  // A label, or nothing on a miss. Oldest first, so that a label rests as long as possible.
  std::optional<Label> take(TimePoint now) {
    sizing_.taken(now);
    if (entries_.empty()) {
      ++misses_;
      return std::nullopt;
    }
    ++hits_;
    return pop();
  }

  // How many labels the next command should ask for; counts them as asked.
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

  // A command that asked for `asked` labels has been answered.
  void answered(std::uint16_t asked) { asked_ -= std::min<std::size_t>(asked_, asked); }

  void put(Label label, TimePoint now) {
    sizing_.arrived(1, now);
    entries_.push_back({label, now});
  }

  // Whether a released label is kept here (true) or should go back to the SwitchServer.
  bool wants_back(TimePoint now) const { return entries_.size() + asked_ < target(now); }

  // The session has ended: what it granted has lapsed.
  void lapse() {
    entries_.clear();
    asked_ = 0;
    sizing_.lapse();
  }

  // What is too much, taken out, to be returned. Nothing with a fixed size.
  std::vector<Label> surplus(TimePoint now) {
    if (policy_ == LabelPolicy::kFixed) return {};
    const std::size_t aim = target(now);
    const std::size_t keep = aim == 0 ? 0 : aim + std::max(kSlack, aim / 4);
    return take_out(entries_.size() > keep ? entries_.size() - keep : 0);
  }

  // The SwitchServer runs short: at most `labels` of what the present load does not need, taken out, to
  // be returned. With every policy.
  std::vector<Label> recalled(std::size_t labels, TimePoint now) {
    modest_until_ = now + kModesty;
    const std::size_t keep = target(now);
    return take_out(std::min(labels, entries_.size() > keep ? entries_.size() - keep : 0));
  }

  // How many it wants to hold now.
  std::size_t target(TimePoint now) const {
    if (policy_ == LabelPolicy::kFixed && now >= modest_until_) return fixed_target_;
    return sizing_.wanted(now, fixed_target_);
  }
  std::size_t size() const { return entries_.size(); }
  // Shows `look` every label in the cache, the oldest first.
  template <class Look>
  void for_each_label(Look look) const {
    for (const Entry& entry : entries_) look(entry.label);
  }
  // Asked for and not yet answered: what the paper calls N (section IV-A).
  std::size_t awaited() const { return asked_; }
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }
  // How long the oldest has been here; 0 when there is none.
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
  LabelSizing sizing_;
  std::deque<Entry> entries_;
  std::size_t asked_ = 0;  // asked for and not yet answered
  TimePoint modest_until_{};
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace xbind::cmgr
