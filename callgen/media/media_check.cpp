#include "callgen/media/media_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "callgen/timers.hpp"
#include "core/check.hpp"

namespace xbind::callgen {
namespace {

// The longest time that a cell is in transit: calls offered later than this after a probe cannot
// explain it.
constexpr Duration kWatched = kCallgenTimers["probe-watched"];
constexpr std::uint32_t kAllSeen = (1U << kCheckCells) - 1;

}  // namespace

MediaCheck::MediaCheck(const MediaPlan& plan, std::vector<MediaEndpoint> endpoints)
    : plan_(plan), endpoints_(std::move(endpoints)), bits_(bits_for(plan.seed, Stream::kMedia)) {
  XB_CHECK(plan_.calls > 0 && plan_.at_once > 0 && plan_.deadline > Duration::zero(), plan_.calls,
           plan_.at_once, plan_.deadline.count());
  for (EndIndex end = 0; end < endpoints_.size(); ++end)
    end_index_.emplace(endpoints_[end].name, end);
  if (!plan_.at_stop) figures_.calls_wanted = plan_.calls;
}

// ===== places ===================================================================================

MediaCheck::Key MediaCheck::key_of(const Place& place, bool egress) {
  return Key{place.end} << 33 | Key{egress} << 32 | packed(place.label);
}

MediaCheck::EndIndex MediaCheck::end_named(std::string_view name) const {
  const auto found = end_index_.find(name);
  return found == end_index_.end() ? kNoEnd : found->second;
}

Label MediaCheck::label_at(EndIndex end, const dataplane::Cell& cell) const {
  const LabelKind kind = end == kNoEnd ? LabelKind::kAtm : endpoints_[end].labels;
  return {kind, atm_label(cell.vpi(), cell.vci()).value};
}

std::string MediaCheck::text_of(const Place& place) const {
  return fmt::format("{} {}", place.end == kNoEnd ? "elsewhere" : endpoints_[place.end].name,
                     to_string(place.label));
}

MediaCheck::Ways MediaCheck::ways_of(const OpenCall& call, const Outcome& outcome) const {
  Ways ways;
  ways.each[0] = {{call.from, outcome.ingress}, {call.to, outcome.egress}};
  ways.each[1] = {{call.to, outcome.reverse_ingress}, {call.from, outcome.reverse_egress}};
  ways.count = outcome.reverse_ingress.present() || outcome.reverse_egress.present() ? 2 : 1;
  return ways;
}

bool MediaCheck::checkable(const Ways& ways) const {
  const auto has_cells = [this](const Place& place) {
    return place.end != kNoEnd && place.label.kind == endpoints_[place.end].labels;
  };
  return std::all_of(ways.each.begin(), ways.each.begin() + ways.count,
                     [&](const Way& way) { return has_cells(way.in) && has_cells(way.out); });
}

// ===== the life of a call =======================================================================

void MediaCheck::offered(std::uint64_t call, Ends ends, TimePoint now) {
  open_.emplace(
      call,
      OpenCall{.from = end_named(ends.from), .to = end_named(ends.to), .offered = now, .ways = {}});
}

bool MediaCheck::connected(std::uint64_t call, const Outcome& outcome, TimePoint, bool plain) {
  const auto found = open_.find(call);
  XB_CHECK(found != open_.end() && !found->second.connected, call);
  OpenCall& open = found->second;
  open.connected = true;
  open.ways = ways_of(open, outcome);
  hold_labels(call, open);
  open.reused = is_reused(open.ways);
  if (plan_.at_stop) return false;
  ++(plain ? plain_calls_ : other_calls_);
  if (!plain) return false;
  if (open.reused) ++figures_.calls_on_reused_labels;
  return chosen(call, open.reused) && begin_check(call, open);
}

bool MediaCheck::stopped(std::uint64_t call) {
  if (!plan_.at_stop || checks_.contains(call)) return false;
  const auto found = open_.find(call);
  XB_CHECK(found != open_.end() && found->second.connected, call);
  ++figures_.calls_wanted;
  if (found->second.reused) ++figures_.calls_on_reused_labels;
  return begin_check(call, found->second);
}

bool MediaCheck::begin_check(CallIndex call, const OpenCall& open) {
  if (!checkable(open.ways)) {
    ++figures_.calls_uncheckable;
    return false;
  }
  ++figures_.calls_checked;
  if (open.reused) ++figures_.reused_checked;
  checks_.emplace(call, Check{.ways = open.ways});
  waiting_.push_back(call);
  return true;
}

void MediaCheck::over(std::uint64_t call, bool released, TimePoint now) {
  const auto found = open_.find(call);
  XB_CHECK(found != open_.end(), call);
  if (found->second.connected) give_back_labels(call, found->second, released, now);
  open_.erase(found);
  if (released && checks_.contains(call)) to_probe_.push_back(call);
}

bool MediaCheck::chosen(CallIndex call, bool reused) {
  if (chosen_first_ < plan_.calls) {
    ++chosen_first_;
    return true;
  }
  if (!reused || chosen_later_ >= plan_.calls) return false;
  // Spread evenly over the rest of the run, as far as reused labels come up.
  const std::uint64_t calls_left = plan_.run_calls > call ? plan_.run_calls - call : 1;
  const bool take =
      figures_.reused_checked == 0 || below(bits_, calls_left) < plan_.calls - chosen_later_;
  if (take) ++chosen_later_;
  return take;
}

bool MediaCheck::is_reused(const Ways& ways) const {
  return std::any_of(ways.each.begin(), ways.each.begin() + ways.count, [this](const Way& way) {
    return had_.contains(key_of(way.in, false)) || had_.contains(key_of(way.out, true));
  });
}

void MediaCheck::hold_labels(CallIndex call, const OpenCall& open) {
  for (std::uint8_t way = 0; way < open.ways.count; ++way) {
    const Key key = key_of(open.ways.each[way].in, false);
    holders_.emplace(key, call);
    const auto watched = watched_.find(key);
    if (watched != watched_.end() && open.offered <= watched->second.until)
      watched->second.lives.push_back({call, open.ways.each[way].out, open.offered});
  }
}

void MediaCheck::give_back_labels(CallIndex call, const OpenCall& open, bool released,
                                  TimePoint now) {
  for (std::uint8_t way = 0; way < open.ways.count; ++way) {
    const Way& its = open.ways.each[way];
    const Key key = key_of(its.in, false);
    const auto [first, last] = holders_.equal_range(key);
    const auto mine =
        std::find_if(first, last, [call](const auto& one) { return one.second == call; });
    if (mine != last) holders_.erase(mine);
    if (!released) continue;  // the network may still have it
    had_.insert(key);
    had_.insert(key_of(its.out, true));
    if (const auto watched = watched_.find(key); watched != watched_.end()) {
      for (Life& life : watched->second.lives)
        if (life.call == call) life.until = now;
    }
  }
}

// ===== time =====================================================================================

std::vector<CellsOut> MediaCheck::advance(TimePoint now) {
  std::vector<CellsOut> out;
  while (!under_way_.empty()) {
    const CallIndex call = under_way_.front();
    Check& check = checks_.at(call);
    if (!check.over && check.deadline > now) break;
    under_way_.pop_front();
    if (check.over) continue;
    for (std::uint8_t way = 0; way < check.ways.count; ++way) {
      const auto missing = static_cast<std::uint64_t>(kCheckCells - std::popcount(check.seen[way]));
      if (missing == 0) continue;
      violation(&check, figures_.lost, call, way,
                missing == 1 ? "a cell was lost" : fmt::format("{} cells were lost", missing),
                missing);
    }
    end_check(call, check);
  }
  while (!waiting_.empty() && under_way_count_ < plan_.at_once) {
    const CallIndex call = waiting_.front();
    waiting_.pop_front();
    Check& check = checks_.at(call);
    check.deadline = now + plan_.deadline;
    under_way_.push_back(call);
    ++under_way_count_;
    send(call, check, false, out);
  }
  for (; !to_probe_.empty(); to_probe_.pop_front()) {
    Check& check = checks_.at(to_probe_.front());
    check.probed = now;
    watch(to_probe_.front(), check, now);
    send(to_probe_.front(), check, true, out);
    quiet_at_ = now + plan_.silence;
  }
  return out;
}

TimePoint MediaCheck::next_deadline() const {
  if (!to_probe_.empty() || (!waiting_.empty() && under_way_count_ < plan_.at_once))
    return TimePoint{};
  TimePoint deadline = kNever;
  for (const CallIndex call : under_way_) {
    const Check& check = checks_.at(call);
    if (check.over) continue;
    deadline = check.deadline;
    break;
  }
  return deadline;
}

bool MediaCheck::idle(TimePoint now) const {
  return waiting_.empty() && under_way_count_ == 0 && to_probe_.empty() && now >= quiet_at_;
}

std::vector<std::uint64_t> MediaCheck::take_inspected() { return std::exchange(inspected_, {}); }

void MediaCheck::send(CallIndex call, const Check& check, bool after_release,
                      std::vector<CellsOut>& out) {
  for (std::uint8_t way = 0; way < check.ways.count; ++way) {
    const Place& in = check.ways.each[way].in;
    out.push_back({endpoints_[in.end].name,
                   marked_cells({plan_.run, call, 0, way, after_release}, in.label)});
    (after_release ? figures_.probes_sent : figures_.cells_sent) += out.back().cells.size();
  }
}

// From now on records the calls on the labels of this call, including those that have them already.
void MediaCheck::watch(CallIndex call, const Check& check, TimePoint now) {
  for (std::uint8_t way = 0; way < check.ways.count; ++way) {
    const Key key = key_of(check.ways.each[way].in, false);
    Watch& watch = watched_[key];
    watch.until = now + kWatched;
    const auto [first, last] = holders_.equal_range(key);
    for (auto holder = first; holder != last; ++holder) {
      const CallIndex other = holder->second;
      const bool known = std::any_of(watch.lives.begin(), watch.lives.end(),
                                     [other](const Life& life) { return life.call == other; });
      if (other == call || known) continue;
      const OpenCall& open = open_.at(other);
      for (std::uint8_t its = 0; its < open.ways.count; ++its) {
        if (key_of(open.ways.each[its].in, false) == key)
          watch.lives.push_back({other, open.ways.each[its].out, open.offered});
      }
    }
  }
}

// ===== cells ====================================================================================

void MediaCheck::arrived(std::string_view endpoint, const dataplane::Cell& cell, TimePoint now) {
  const auto mark = mark_of(cell);
  if (!mark || mark->run != plan_.run) {
    ++figures_.foreign;
    return;
  }
  const EndIndex end = end_named(endpoint);
  const Place at{end, label_at(end, cell)};
  const auto found = checks_.find(mark->call);
  if (found == checks_.end()) {
    violation(nullptr, figures_.corrupted, mark->call, 0,
              "a cell of a call that was not checked came to " + text_of(at));
    return;
  }
  Check& check = found->second;
  if (!mark->after_release) ++figures_.cells_received;
  const bool whole = [&] {
    if (mark->way >= check.ways.count) return false;
    const auto sent = marked_cells(*mark, at.label);
    return mark->number < sent.size() && sent[mark->number].payload == cell.payload &&
           (sent[mark->number].pt() & dataplane::kPtUserUser) ==
               (cell.pt() & dataplane::kPtUserUser);
  }();
  if (!whole) {
    violation(&check, figures_.corrupted, mark->call, 0,
              "a cell came to " + text_of(at) + " with other contents than it was sent");
  } else if (!mark->after_release) {
    check_arrived(mark->call, check, *mark, at);
  } else if (strays_.size() < kMostStrays) {
    strays_.push_back({mark->call, mark->way, at, now});
  } else {
    judge({mark->call, mark->way, at, now});  // judged by what is known now
  }
}

void MediaCheck::check_arrived(CallIndex call, Check& check, const CellMark& mark,
                               const Place& at) {
  const Place& right = check.ways.each[mark.way].out;
  if (at.end != right.end) {
    violation(&check, figures_.wrong_endpoint, call, mark.way, "a cell came to " + text_of(at));
    return;
  }
  if (at.label != right.label) {
    violation(&check, figures_.wrong_label, call, mark.way, "a cell came to " + text_of(at));
    return;
  }
  std::uint32_t& seen = check.seen[mark.way];
  const std::uint32_t bit = 1U << mark.number;
  if ((seen & bit) != 0) {
    violation(&check, figures_.duplicated, call, mark.way, "a cell came twice");
    return;
  }
  seen |= bit;
  if (check.over) {
    ++figures_.late;
    return;
  }
  if (mark.number < check.highest[mark.way])
    violation(&check, figures_.out_of_order, call, mark.way, "a cell was overtaken");
  check.highest[mark.way] = std::max(check.highest[mark.way], mark.number);
  const bool all = std::all_of(check.seen.begin(), check.seen.begin() + check.ways.count,
                               [](std::uint32_t bits) { return bits == kAllSeen; });
  if (all) end_check(call, check);
}

void MediaCheck::end_check(CallIndex call, Check& check) {
  check.over = true;
  --under_way_count_;
  inspected_.push_back(call);
}

void MediaCheck::violation(Check* check, std::uint64_t& counter, CallIndex call, std::uint8_t way,
                           std::string_view what, std::uint64_t cells) {
  counter += cells;
  if (check != nullptr && !std::exchange(check->failed, true)) {
    ++figures_.calls_failed;
    if (figures_.failed_calls.size() < kMostFailedCalls) figures_.failed_calls.push_back(call);
  }
  std::string finding = fmt::format("call {}: {}", call, what);
  if (check != nullptr) {
    const Way& its = check->ways.each[way];
    finding = fmt::format("call {}, {} to {}: {}", call, text_of(its.in), text_of(its.out), what);
  }
  std::size_t& findings = findings_[&counter];
  if (findings == kMostFindings ||
      std::ranges::find(figures_.findings, finding) != figures_.findings.end())
    return;
  ++findings;
  figures_.findings.push_back(std::move(finding));
}

// ===== the end ==================================================================================

void MediaCheck::judge(const Stray& stray) {
  Check& check = checks_.at(stray.call);
  const auto watched = watched_.find(key_of(check.ways.each[stray.way].in, false));
  const bool excused = watched != watched_.end() &&
                       std::any_of(watched->second.lives.begin(), watched->second.lives.end(),
                                   [&](const Life& life) {
                                     return life.call != stray.call && life.out == stray.at &&
                                            life.from <= stray.when && life.until >= check.probed;
                                   });
  if (excused)
    ++figures_.probes_excused;
  else
    violation(&check, figures_.after_release, stray.call, stray.way,
              "after its release a cell came to " + text_of(stray.at));
}

const MediaFigures& MediaCheck::finish() {
  for (const Stray& stray : std::exchange(strays_, {})) judge(stray);
  if (other_calls_ > 0) figures_.calls_wanted = std::min(figures_.calls_wanted, plain_calls_);
  return figures_;
}

}  // namespace xbind::callgen
