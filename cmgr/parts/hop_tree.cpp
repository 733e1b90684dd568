#include "cmgr/parts/hop_tree.hpp"

#include <algorithm>
#include <utility>

namespace xbind::cmgr {

// Copies hop by hop: with the small vector's own copy inlined, GCC 12 warns of impossible lengths.
std::vector<std::uint16_t> Hops::shown_numbers() const {
  std::vector<std::uint16_t> numbers;
  numbers.reserve(hops_.size());
  for (std::size_t i = 0; i < hops_.size(); ++i) {
    const bool counted = hops_[i].leg <= 1;
    const bool goes_on = counted && i > 0 && hops_[i - 1].leg == hops_[i].leg;
    numbers.push_back(goes_on   ? static_cast<std::uint16_t>(numbers.back() + 1)
                      : counted ? std::uint16_t{0}
                                : hops_[i].number);
  }
  return numbers;
}

void Hops::copy(const Hops& other) {
  hops_.clear();
  hops_.reserve(other.size());
  for (const Hop& hop : other) hops_.push_back(hop);
}

// ===== look up =====

Hop* Hops::search(SwitchIndex at, const HopKey& key) {
  const auto hop =
      std::find_if(hops_.begin(), hops_.end(), [&](const Hop& it) { return it.is(at, key); });
  return hop == hops_.end() ? nullptr : &*hop;
}

const Hop* Hops::last_of(std::uint16_t leg) const {
  const auto last = std::find_if(hops_.begin(), hops_.end(),
                                 [&](const Hop& hop) { return hop.leg == leg && hop.last(); });
  return last == hops_.end() ? nullptr : &*last;
}

const Hop* Hops::first_of(std::uint16_t leg) const {
  const auto first =
      std::find_if(hops_.begin(), hops_.end(), [&](const Hop& hop) { return hop.leg == leg; });
  return first == hops_.end() ? nullptr : &*first;
}

Hops::Fork Hops::fork(const std::vector<SwitchIndex>& at, const std::vector<PathHop>& route) const {
  Fork fork;
  for (; fork.step < route.size(); ++fork.step) {
    // All hops at this point of the tree have the same input; follow the one with the route's
    // output.
    HopPlace same;
    fork.sibling = {};
    for (const Hop& hop : hops_) {
      if (hop.upstream_ != fork.upstream || hop.at != at[fork.step] ||
          hop.input_port != route[fork.step].input_port) {
        continue;
      }
      fork.sibling = place_of(hop);
      if (hop.output_port == route[fork.step].output_port) same = fork.sibling;
    }
    if (!same.present()) break;
    fork.upstream = same;
  }
  return fork;
}

// ===== change =====

HopTree HopTree::assemble(const std::vector<std::pair<Hop, std::size_t>>& hops) {
  HopTree tree;
  tree.hops_.reserve(hops.size());
  for (const auto& [from, upstream] : hops) {
    Hop hop = from;
    hop.upstream_ = upstream == kNone ? HopPlace{} : HopPlace{upstream};
    tree.hops_.push_back(hop);
  }
  return tree;
}

void HopTree::lay(const std::vector<SwitchIndex>& at, const std::vector<PathHop>& route,
                  bool both) {
  XB_CHECK(hops_.empty(), hops_.size());
  const std::size_t hops = route.size();
  hops_.resize(both ? 2 * hops : hops);
  for (std::size_t i = 0; i < hops_.size(); ++i) {
    const bool reverse = i >= hops;
    const std::size_t on_path = reverse ? 2 * hops - 1 - i : i;
    const PathHop& step = route[on_path];
    Hop& hop = hops_[i];
    hop.at = at[on_path];
    hop.input_port = reverse ? step.output_port : step.input_port;
    hop.output_port = reverse ? step.input_port : step.output_port;
    hop.leg = reverse ? 1 : 0;
    hop.place(reverse ? i - hops : i, hops);
    if (hop.number != 0) hop.upstream_ = HopPlace{i - 1};
  }
}

void HopTree::want_ends(Label from, Label to) {
  for (Hop& hop : hops_) {
    const bool back = hop.leg == 1;
    if (hop.number == 0) hop.input_label = back ? to : from;
    if (hop.last()) hop.output_label = back ? from : to;
  }
}

void HopTree::lay_branch(const std::vector<SwitchIndex>& at, const std::vector<PathHop>& route,
                         const Fork& fork, const Hops& stock, std::uint16_t leg) {
  XB_CHECK(hops_.empty(), hops_.size());
  hops_.resize(route.size() - fork.step);
  for (std::size_t i = 0; i < hops_.size(); ++i) {
    Hop& hop = hops_[i];
    hop.at = at[fork.step + i];
    hop.input_port = route[fork.step + i].input_port;
    hop.output_port = route[fork.step + i].output_port;
    hop.leg = leg;
    hop.place(i, hops_.size());
    if (i != 0) hop.upstream_ = HopPlace{i - 1};
  }
  hops_.front().branch = true;
  hops_.front().outer_ = fork.upstream;
  hops_.front().input_label = stock[fork.sibling].input_label;
}

HopPlace HopTree::append(Hop hop, Tie tie, HopPlace old, const Hops& stock) {
  if (tie == Tie::kTakesOver) {
    hop.takes_over = true;
    hop.input_label = stock[old].input_label;
    hop.outer_ = stock[old].upstream_;
  } else {
    // The previous hop of the leg: a path begins with a hop that stays or takes over.
    XB_CHECK(!hops_.empty());
    hop.upstream_ = HopPlace{hops_.size() - 1};
  }
  if (tie == Tie::kJoins) {
    hop.joins = true;
    hop.output_label = stock[old].output_label;
    hop.owner_ = old;
  }
  hops_.push_back(hop);
  return HopPlace{hops_.size() - 1};
}

void HopTree::graft(HopTree&& scion) {
  const std::size_t offset = hops_.size();
  for (Hop hop : scion.hops_) {
    hop.upstream_ = hop.upstream_.present() ? HopPlace{hop.upstream_.value() + offset} : hop.outer_;
    hop.outer_ = {};
    hops_.push_back(hop);
  }
  scion.hops_.clear();
}

HopTree HopTree::cut(std::uint16_t leg) {
  std::vector<HopPlace> chain;  // the last hop first
  for (HopPlace at = place_of(*last_of(leg)); at.present();) {
    chain.push_back(at);
    const HopPlace up = hops_[at.value()].upstream_;
    const auto siblings = std::count_if(hops_.begin(), hops_.end(),
                                        [&](const Hop& hop) { return hop.upstream_ == up; });
    if (siblings > 1) break;
    at = up;
  }
  std::reverse(chain.begin(), chain.end());

  HopTree scion;
  const HopPlace outer = hops_[chain.front().value()].upstream_;
  std::vector<bool> goes(hops_.size(), false);
  for (const HopPlace place : chain) {
    Hop hop = hops_[place.value()];
    hop.upstream_ = scion.empty() ? HopPlace{} : HopPlace{scion.size() - 1};
    scion.hops_.push_back(hop);
    goes[place.value()] = true;
  }
  std::vector<HopPlace> now_at(hops_.size());
  List rest;
  for (std::size_t i = 0; i < hops_.size(); ++i) {
    if (goes[i]) continue;
    now_at[i] = HopPlace{rest.size()};
    rest.push_back(hops_[i]);
  }
  for (Hop& hop : rest) {
    if (hop.upstream_.present()) hop.upstream_ = now_at[hop.upstream_.value()];
  }
  if (outer.present()) scion.hops_.front().outer_ = now_at[outer.value()];
  hops_ = std::move(rest);
  return scion;
}

void HopTree::replace(const std::vector<Step>& steps, HopTree& scion) {
  std::vector<HopPlace> stays_at(hops_.size());   // position in the new list
  std::vector<HopPlace> joined_at(hops_.size());  // position of the hop that joined it
  List hops;
  hops.reserve(steps.size());
  for (const Step& step : steps) {
    const HopPlace place{hops.size()};
    Hop hop = (step.stays ? *this : scion).hops_[step.place.value()];
    if (step.stays) stays_at[step.place.value()] = place;
    if (hop.joins) joined_at[hop.owner_.value()] = place;
    hop.upstream_ =
        hops.empty() || hops.back().leg != hop.leg ? HopPlace{} : HopPlace{place.value() - 1};
    hop.outer_ = {};
    hop.owner_ = {};
    hop.takes_over = false;
    hop.joins = false;
    hops.push_back(hop);
  }

  std::vector<HopPlace> old_at(hops_.size());  // position in the scion
  List old;
  for (std::size_t i = 0; i < hops_.size(); ++i) {
    if (stays_at[i].present()) continue;
    old_at[i] = HopPlace{old.size()};
    Hop hop = hops_[i];
    if (const HopPlace up = std::exchange(hop.upstream_, {}); up.present()) {
      if (joined_at[up.value()].present()) {
        hop.outer_ = joined_at[up.value()];
      } else if (stays_at[up.value()].present()) {
        hop.outer_ = stays_at[up.value()];
      } else {
        hop.upstream_ = old_at[up.value()];
      }
    }
    if (joined_at[i].present()) {
      Hop& heir = hops[joined_at[i].value()];
      heir.attachment = hop.attachment;
      heir.in_quarantine = hop.in_quarantine;
      heir.booked = hop.booked;
      hop.booked = false;
      if (!hop.last()) hop.output_label = {};
      hop.owner_ = joined_at[i];
    }
    old.push_back(hop);
  }
  hops_ = std::move(hops);
  scion.hops_ = std::move(old);
}

}  // namespace xbind::cmgr
