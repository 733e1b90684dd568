// Recovery: what does not stand, and what owners release, is removed.
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "cmgr/parts/label_debts.hpp"
#include "cmgr/procedures/procedure.hpp"
#include "cmgr/procedures/recovery.hpp"
#include "cmgr/procedures/removal_order.hpp"
#include "core/log.hpp"
#include "core/log_about.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {

// What the ledgers have of the call is not enough, and no client has released it.
void Recovery::note_end(ConnectionId id, const Call& call) {
  const auto owned =
      std::ranges::find_if(call, [](const FoundHop& hop) { return !hop.owner().client.empty(); });
  if (owned == call.end()) return;
  const HopOwner& owner = owned->owner();
  const ConnectionId shown = owned->hop.shown_id;
  const CallEndsRef ends = context_.connections.ends(owner.from, owner.to);
  context_.log.ended(EndWhy::kIncomplete, shown != ConnectionId{} ? shown : id, owner.client,
                     ends.get());
}

// Whether that is a hop of the connection, or of its procedure.
bool Recovery::has(Connection& connection, const FoundHop& found) {
  if (connection.hops().find(found.at, found.hop.key) != nullptr) return true;
  Procedure* const procedure = connection.procedure.get();
  return procedure != nullptr && procedure->aside() &&
         procedure->hops().find(found.at, found.hop.key) != nullptr;
}

void Recovery::remove(Connection* connection, ConnectionId id, const Call& call, TimePoint now) {
  std::map<RestingLabels::Place, std::shared_ptr<OwedLabel>>
      labels;  // of the hops that are removed
  const auto place_of = [](const FoundHop& hop) {
    return RestingLabels::Place{hop.hop.cross_connect.output_label, hop.at,
                                hop.hop.cross_connect.output_port};
  };
  if (planted(Bug::kPartsNotRemoved)) return;
  std::vector<const FoundHop*> going;
  for (const FoundHop& found : call) {
    if (connection != nullptr && has(*connection, found)) continue;
    going.push_back(&found);
    if (found.last() || !found.hop.cross_connect.output_label.present()) continue;
    labels.emplace(place_of(found), labels_.label(place_of(found)));
  }
  // A hop at the other end of the link may still be found at a switch that has not been read.
  if (done()) {
    for (const auto& [place, label] : labels) labels_.owe(place);
  }
  // The label with that name at that output: of a hop that goes, or of one that stays.
  const auto label_at = [&](const RestingLabels::Place& place) -> std::shared_ptr<OwedLabel> {
    if (connection != nullptr) {
      for (const Hop& hop : connection->hops()) {
        if (RestingLabels::Place{hop.output_label, hop.at, hop.output_port} == place) {
          return share_label_with_debts(*connection, hop);
        }
      }
    }
    if (const auto own = labels.find(place); own != labels.end()) return own->second;
    return labels_.find(place);
  };
  std::vector<Debt> debts;
  for (const FoundHop* const found : going) {
    const CrossConnect& cross_connect = found->hop.cross_connect;
    Debt& debt = debts.emplace_back(Debt{cross_connect, found->hop.hop_count, true, false, {}});
    const auto hold = [&](std::shared_ptr<OwedLabel> label) {
      // Once: a label is free when no debt has it any more.
      const bool fresh = label && std::ranges::find(debt.labels, label) == debt.labels.end();
      if (fresh) debt.labels.push_back(std::move(label));
    };
    if (!found->last()) hold(label_at(place_of(*found)));
    for (const auto& from : links_.far_ends(found->at, cross_connect.input_port)) {
      if (!from) continue;
      const RestingLabels::Place upstream{cross_connect.input_label, from->first, from->second};
      auto label = label_at(upstream);
      if (!label && !ledgers_.whole(from->first)) label = labels_.label(upstream);
      hold(std::move(label));
    }
    labels_.add_unplaced(*found);
  }
  if (connection != nullptr) arrange_removals(*connection, going, debts);
  for (std::size_t i = 0; i < going.size(); ++i) {
    context_.switches.debts().owe(going[i]->at, going[i]->hop.key, std::move(debts[i]), now);
  }
  counters_.hops_removed += going.size();
  for (const auto& [place, label] : labels) labels_.hold_for_unplaced(label);
  if (!going.empty()) {
    const log::AboutCall about(id.value());
    log::calls.info("connection {}: {} hops of an earlier epoch are removed", id, going.size());
  }
}

// A lost ledger may be asked later for hops beside these.
void Recovery::keep_going(ConnectionId id, const Call& call) {
  if (knows_ledgers()) return;
  Call& gone = going_[id];
  gone.insert(gone.end(), call.begin(), call.end());
}

bool Recovery::release(ConnectionId id, TimePoint now, std::vector<SwitchIndex>& owing) {
  if (released_.size() >= kReleasesMax) return false;
  const ConnectionId own = names_.own(id);
  released_.insert(own);
  const auto call = calls_.find(own);
  if (call == calls_.end()) return true;
  for (const FoundHop& hop : call->second) owing.push_back(hop.at);
  ++counters_.rolled_back;
  remove(nullptr, own, call->second, now);
  incomplete_.erase(own);
  const Call gone = std::move(forget(call).mapped());
  keep_going(own, gone);
  if (let_go_of_lost()) {
    labels_.return_all(now);
  } else if (done()) {
    labels_.return_before(gone, now);
  }
  context_.switches.debts().pay_soon(now);
  return true;
}

}  // namespace xbind::cmgr
