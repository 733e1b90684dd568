#include "switchserver/controller/table_rounds.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/planted.hpp"

namespace xbind {

// ===== when =====

void TableRounds::switch_up(std::size_t ports, TimePoint now) {
  if (interval_ == Duration{}) return;
  plan_.up = true;
  look_.waiting = look_.second = plan_.restart = false;
  drift_.left.clear();
  plan_.ports_in_all = std::max<std::size_t>(ports, 1);
  begin_round(now + interval_ / static_cast<std::int64_t>(plan_.ports_in_all), false);
}

void TableRounds::switch_down() {
  plan_.up = false;
  look_.waiting = look_.second = plan_.restart = plan_.shared = false;
  plan_.due = kNever;
}

void TableRounds::others(std::uint64_t controllers, TimePoint now) {
  plan_.shared = controllers > 1;
  if (!plan_.up) return;
  if (looking()) {
    plan_.restart = true;
  } else {
    begin_round(now, true);
  }
}

void TableRounds::begin_round(TimePoint at, bool urgent) {
  plan_.urgent = urgent;
  plan_.begun = false;
  plan_.due = at;
}

std::optional<PortId> TableRounds::next_port(const std::vector<SwitchPort>& ports, TimePoint now) {
  if (look_.second) return look_.port;
  if (!plan_.begun) {
    plan_.begun = true;
    plan_.began = now;
    now_ = {};
    plan_.ports.clear();
    for (auto port = ports.rbegin(); port != ports.rend(); ++port)
      plan_.ports.push_back(port->port);
    plan_.ports_in_all = std::max<std::size_t>(plan_.ports.size(), 1);
  }
  if (plan_.ports.empty()) {
    port_done({}, now);
    return std::nullopt;
  }
  look_.port = plan_.ports.back();
  plan_.ports.pop_back();
  return look_.port;
}

void TableRounds::asked(driver::Cookie cookie, std::uint64_t clock) {
  look_.cookie = cookie;
  look_.waiting = true;
  if (!look_.second) look_.since = clock;
}

void TableRounds::port_done(Duration cost, TimePoint now) {
  look_.waiting = look_.second = false;
  look_.suspects.clear();
  if (std::exchange(plan_.restart, false)) return begin_round(now + cost, true);
  const Duration share = interval_ / static_cast<std::int64_t>(plan_.ports_in_all);
  plan_.due = now + (plan_.urgent ? cost : std::max(cost, share));
  if (!plan_.ports.empty()) return;
  end_round(now);
  if (plan_.shared) {
    begin_round(now + std::max(cost, std::min(kSharedPause, interval_)), true);
  } else {
    begin_round(now + std::max(cost, share), false);
  }
}

void TableRounds::end_round(TimePoint now) {
  now_.number = last_.number + 1;
  now_.took = now - plan_.began;
  last_ = now_;
  std::erase_if(drift_.mended, [&](const auto& it) { return now >= it.second + interval_; });
  if (drift_.found && drift_.left.empty() && now >= drift_.last_loss + interval_) {
    drift_.found = false;
    drift_.put_back = 0;
  }
}

// ===== what =====

void TableRounds::unread(TimePoint now) {
  ++now_.ports;
  ++now_.unread;
  port_done({}, now);
}

bool TableRounds::may_put_back(const CrossConnect& entry, TimePoint now) const {
  const auto mended = drift_.mended.find(entry);
  return mended == drift_.mended.end() || now >= mended->second + interval_ ||
         planted(Bug::kDriftFought);
}

std::vector<CrossConnect> TableRounds::looked(Look look, TimePoint now) {
  look_.waiting = false;
  const Duration cost = kEntryPause * static_cast<std::int64_t>(look.entries) +
                        kHopPause * static_cast<std::int64_t>(look.hops);
  std::vector<CrossConnect> lost = look.missing;
  lost.insert(lost.end(), look.displaced.begin(), look.displaced.end());
  std::ranges::sort(lost);
  if (!look_.second && !lost.empty()) {
    look_.second = true;
    look_.suspects = std::move(lost);
    plan_.due = now + std::max(cost, kSecondLook);
    return {};
  }
  ++now_.ports;
  now_.entries += look.entries;
  now_.outputs_unknown += look.outputs_unknown;
  std::vector<CrossConnect> twice;
  std::ranges::set_intersection(look_.suspects, lost, std::back_inserter(twice));
  std::erase_if(drift_.left,
                [&](const CrossConnect& entry) { return entry.input_port == look_.port; });
  std::vector<CrossConnect> put_back;
  for (const CrossConnect& entry : twice) {
    const bool displaced = std::ranges::binary_search(look.displaced, entry);
    const bool may = !displaced && may_put_back(entry, now);
    if (may) {
      put_back.push_back(entry);
      drift_.mended.insert_or_assign(entry, now);
    } else {
      drift_.left.insert(entry);
    }
  }
  now_.missing += twice.size();
  now_.put_back += put_back.size();
  drift_.put_back += put_back.size();
  if (!twice.empty()) {
    drift_.found = true;
    drift_.last_loss = now;
  }
  port_done(cost, now);
  return put_back;
}

}  // namespace xbind
