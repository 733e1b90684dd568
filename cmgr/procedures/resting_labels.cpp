#include "cmgr/procedures/resting_labels.hpp"

#include "core/planted.hpp"

namespace xbind::cmgr {

void RestingLabels::rest(SwitchIndex at, const std::vector<PortLabels>& quarantined, bool done,
                         TimePoint now) {
  // Labels that lapse later are those of this process: it knows their hops.
  const bool ours = done && context_.switches.attachment(at) > 1;
  for (const PortLabels& port : quarantined) {
    for (const Label name : port.labels) {
      const Place place{name, at, port.port};
      const bool known = ours && !resting_.contains(place);
      const auto& resting = label(place);
      resting->in_quarantine = true;
      if (!done || (known ? may_reach(*resting) : is_held(*resting))) continue;
      return_unless_owed(resting, now);
      resting_.erase(place);
    }
  }
}

const std::shared_ptr<OwedLabel>& RestingLabels::label(const Place& place) {
  auto& resting = resting_[place];
  if (resting) return resting;
  const auto& [label, at, port] = place;
  resting = std::make_shared<OwedLabel>(OwedLabel{at, port, label, 0, false});
  context_.switches.caches().label_held(at, port);
  return resting;
}

std::shared_ptr<OwedLabel> RestingLabels::find(const Place& place) const {
  const auto resting = resting_.find(place);
  return resting == resting_.end() ? nullptr : resting->second;
}

void RestingLabels::owe(const Place& place) {
  const auto resting = resting_.find(place);
  if (resting != resting_.end() && !leads_to_unknown(*resting->second)) resting_.erase(resting);
}

void RestingLabels::add_unplaced(const FoundHop& hop) {
  const CrossConnect& ports = hop.hop.cross_connect;
  if (hop.begins() || !ports.input_label.present()) return;
  if (links_.shown(hop.at, ports.input_port)) return;
  unplaced_.emplace(ports.input_label,
                    std::pair{LinkMap::End{hop.at, ports.input_port}, hop.hop.key});
}

void RestingLabels::hold_for_unplaced(const std::shared_ptr<OwedLabel>& label) {
  const auto [first, last] = unplaced_.equal_range(label->label);
  for (auto hop = first; hop != last;) {
    const auto& [end, key] = hop->second;
    const bool owed = !may_lead({label->at, label->port}, end) ||
                      context_.switches.debts().hold_until_removed(end.first, key, label);
    hop = owed ? std::next(hop) : unplaced_.erase(hop);
  }
}

void RestingLabels::return_all(TimePoint now) {
  std::erase_if(resting_, [&](const auto& entry) {
    if (is_held(*entry.second)) return false;
    return_unless_owed(entry.second, now);
    return true;
  });
}

void RestingLabels::return_before(const std::vector<FoundHop>& hops, TimePoint now) {
  for (const FoundHop& hop : hops) {
    const Label label = hop.hop.cross_connect.input_label;
    auto resting = resting_.lower_bound({label, SwitchIndex{}, PortId{}});
    while (resting != resting_.end() && resting->second->label == label) {
      if (is_held(*resting->second)) {
        ++resting;
        continue;
      }
      return_unless_owed(resting->second, now);
      resting = resting_.erase(resting);
    }
  }
}

// Whether a call that waits may have a hop with the label at the other end of the link.
bool RestingLabels::may_reach(const OwedLabel& label) const {
  return waiting_.any_of(label.label, [&](const LinkMap::End& port) {
    return may_lead({label.at, label.port}, port);
  });
}

bool RestingLabels::is_held(const OwedLabel& label) {
  ++looks_;
  return leads_to_unknown(label) || may_reach(label);
}

void RestingLabels::return_unless_owed(const std::shared_ptr<OwedLabel>& label, TimePoint now) {
  hold_for_unplaced(label);
  if (label.use_count() == 1 && !planted(Bug::kQuarantineKept)) {
    context_.switches.caches().give_back(*label, now);
  }
}

bool RestingLabels::may_lead(const LinkMap::End& from, const LinkMap::End& to) const {
  const auto back = links_.shown(to.first, to.second);
  if (back) return *back == from;
  return !links_.shown(from.first, from.second) && from.first != to.first;
}

bool RestingLabels::leads_to_unknown(const OwedLabel& label) const {
  const auto end = links_.far_end(label.at, label.port);
  return !end || !ledgers_.whole(end->first) || entries_of_nobody_.contains(end->first);
}

}  // namespace xbind::cmgr
