#include "switchserver/controller/recall_desk.hpp"

#include <algorithm>
#include <utility>

namespace xbind {
namespace {

std::uint64_t key_of(ManagerIndex manager, PortId port) {
  return std::uint64_t{manager.value()} << 32 | port.value();
}

Resources smaller(Resources a, Resources b) {
  return {std::min(a.cells_per_s, b.cells_per_s), std::min(a.buffer_cells, b.buffer_cells)};
}

std::uint32_t labels(std::uint64_t count) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, 0xffff'ffff));
}

// Labels in no connection that the manager holds in excess of its share.
std::uint64_t beyond_share(const Ledger& ledger, ManagerIndex manager, PortId port) {
  const auto share = ledger.labels().share(manager, port);
  const std::uint64_t held = ledger.labels().held(manager, port);
  if (!share || held <= *share) return 0;
  return std::min(held - *share, ledger.labels().loose(manager, port));
}

template <class Visitor>
void for_each_in_session(const Ledger& ledger, Visitor&& visit) {
  for (std::size_t i = 0; i < ledger.managers().size(); ++i) {
    const ManagerIndex manager{static_cast<std::uint16_t>(i)};
    if (ledger.managers().in_session(manager)) visit(manager);
  }
}

}  // namespace

void RecallDesk::short_of(const Ledger& ledger, ManagerIndex asker, const PortRecall& missing,
                          TimePoint now) {
  const PortId port = missing.port;
  for_each_in_session(ledger, [&](ManagerIndex manager) {
    if (manager == asker) return;
    const std::uint64_t loose = ledger.labels().loose(manager, port);
    const std::uint64_t wanted = std::max(std::min<std::uint64_t>(missing.labels, loose),
                                          beyond_share(ledger, manager, port));
    ask(manager,
        {port, labels(wanted), smaller(missing.quota, ledger.ports().unused_quota(manager, port))},
        now);
  });
}

void RecallDesk::check_low(const Ledger& ledger, ManagerIndex asker, PortId port, TimePoint now) {
  const auto labels_there = ledger.labels().output_stock(port);
  if (labels_there.free * kLowPart >= labels_there.all) return;
  const std::uint64_t missing = (labels_there.all + kLowPart - 1) / kLowPart - labels_there.free;
  short_of(ledger, asker, {port, labels(missing), {}}, now);
}

void RecallDesk::check_shares(const Ledger& ledger, PortId port, TimePoint now) {
  for_each_in_session(ledger, [&](ManagerIndex manager) {
    ask(manager, {port, labels(beyond_share(ledger, manager, port)), {}}, now);
  });
}

void RecallDesk::ask(ManagerIndex manager, const PortRecall& what, TimePoint now) {
  if (what.labels == 0 && what.quota == Resources{}) return;
  const auto same = std::find_if(pending_.begin(), pending_.end(), [&](const Recall& recall) {
    return recall.manager == manager && recall.what.port == what.port;
  });
  if (same != pending_.end()) {
    PortRecall& all = same->what;
    all.labels = std::max(all.labels, what.labels);
    all.quota.cells_per_s = std::max(all.quota.cells_per_s, what.quota.cells_per_s);
    all.quota.buffer_cells = std::max(all.quota.buffer_cells, what.quota.buffer_cells);
    return;
  }
  const auto [asked, first] = asked_at_.try_emplace(key_of(manager, what.port), now);
  if (!first && now < asked->second + kInterval) return;
  asked->second = now;
  pending_.push_back({manager, what});
}

void RecallDesk::session_ended(ManagerIndex manager) {
  std::erase_if(asked_at_, [&](const auto& entry) {
    return entry.first >> 32 == std::uint64_t{manager.value()};
  });
  std::erase_if(pending_, [&](const Recall& recall) { return recall.manager == manager; });
}

std::vector<RecallDesk::Recall> RecallDesk::take() { return std::exchange(pending_, {}); }

Resources RecallDesk::unused_of_others(const Ledger& ledger, ManagerIndex asker, PortId port) {
  Resources unused;
  for_each_in_session(ledger, [&](ManagerIndex manager) {
    if (manager != asker) unused += ledger.ports().unused_quota(manager, port);
  });
  return unused;
}

}  // namespace xbind
