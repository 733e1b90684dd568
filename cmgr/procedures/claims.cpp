#include "cmgr/procedures/claims.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "cmgr/procedures/procedure.hpp"
#include "cmgr/procedures/recovery.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {
namespace {

class Claims {
 public:
  Claims(const Context& context, SwitchIndex at, TimePoint now, std::size_t per_page)
      : context_(context), at_(at), now_(now), per_page_(per_page), pages_(1) {}

  std::vector<HopClaims> pages() {
    if (!planted(Bug::kNothingClaimed)) collect();
    pages_.back().last = true;
    pages_.back().all = context_.recovery.claims_all(at_) || planted(Bug::kClaimsAllAtOnce);
    return std::move(pages_);
  }

 private:
  void collect() {
    std::vector<Connection*> passing = context_.connections.passing(at_);
    // A connection that passes several times is listed as often.
    std::sort(passing.begin(), passing.end(),
              [](const Connection* a, const Connection* b) { return a->id < b->id; });
    passing.erase(std::unique(passing.begin(), passing.end()), passing.end());
    for (Connection* const connection : passing) {
      add(*connection, connection->hops());
      Procedure* const procedure = connection->procedure.get();
      if (procedure != nullptr && procedure->aside()) add(*connection, procedure->hops());
    }
    context_.switches.debts().for_each(at_, [&](const HopKey& key, const Debt& debt) {
      LedgerHop hop;
      hop.key = key;
      hop.cross_connect = debt.cross_connect;
      hop.hop_count = debt.hop_count;
      hop.stage = HopStage::kRemoving;
      hop.settled = debt.confirmed;
      if (!planted(Bug::kDebtsNotClaimed)) add(std::move(hop), std::nullopt);
    });
    context_.recovery.for_each_at(
        at_,
        [&](const FoundHop& found) {
          LedgerHop hop = found.hop;
          hop.hold_left = found.hold_left(now_);
          if (hop.stage == HopStage::kCommitting) hop.stage = HopStage::kRemoving;
          if (hop.stage == HopStage::kRemoving) hop.settled = true;  // a ledger had it
          add(std::move(hop), found.owner());
        },
        [&](PortId port, Label label) { rest(port, label); });
    context_.recovery.for_each_rebuilt_at(at_, [&](const Gap& gap) {
      add(gap.claim, gap.owner);
      // The switch may have lost the hop, and the far end has one that uses its label.
      if (gap.out) rest(gap.out->port, gap.out->label);
    });
    for (const auto& label : context_.switches.debts().owed_labels(at_)) {
      if (is_ours(label->attachment, label->in_quarantine)) rest(label->port, label->label);
    }
  }

  void add(Connection& connection, const Hops& hops) {
    for (const Hop& hop : hops) {
      if (hop.at != at_) continue;
      const auto stage = stage_of(connection, hop);
      if (stage) add(claim_of(connection, hops, hop, *stage), owner_of(connection, hop));
      // The switch may have nothing of a hop that is being removed, and the far end one that uses
      // its label.
      if (stage.value_or(HopStage::kRemoving) == HopStage::kRemoving && !hop.last() &&
          !hop.borrows() && hop.output_label.present() &&
          is_ours(hop.attachment, hop.in_quarantine)) {
        rest(hop.output_port, hop.output_label);
      }
    }
  }

  // A label that was granted in an earlier session may have lapsed, so that another manager has it.
  bool is_ours(std::uint32_t attachment, bool in_quarantine) const {
    return in_quarantine || attachment == context_.switches.attachment(at_);
  }

  // Nothing: the switch has nothing of the hop.
  static std::optional<HopStage> stage_of(const Connection& connection, const Hop& hop) {
    switch (hop.state) {
      case HopState::kIdle:
      case HopState::kRefused:
      case HopState::kRemoved: return std::nullopt;
      case HopState::kReserving:
      case HopState::kReserved: {
        // Any other reservation has lapsed with its session.
        const Procedure* const procedure = connection.procedure.get();
        if (procedure != nullptr && procedure->holds()) return HopStage::kReserved;
        return std::nullopt;
      }
      case HopState::kCommitted:
      case HopState::kChanging: return HopStage::kCommitted;
      case HopState::kCommitting:
      case HopState::kRemoving:
      case HopState::kNotRemoved: return HopStage::kRemoving;
    }
    return std::nullopt;
  }

  LedgerHop claim_of(const Connection& connection, const Hops& hops, const Hop& hop,
                     HopStage stage) const {
    LedgerHop claim;
    claim.key = key_of(connection, hop);
    claim.cross_connect = {hop.input_port, hop.input_label, hop.output_port, hop.output_label};
    claim.demand = connection.demand_of_leg(hop.leg);
    claim.contract = connection.traffic_of_leg(hop.leg);
    claim.hop_count = hop.count();
    claim.request = connection.asker().value_or(Asker{}).request;
    claim.stage = stage;
    claim.held = stage == HopStage::kReserved;
    if (claim.held) claim.hold_left = connection.procedure->hold_left(now_);
    claim.branch = hop.branch;
    claim.bidirectional = connection.both();
    claim.enters = enters(connection, hops, hop);
    const Procedure* const procedure = connection.procedure.get();
    const bool changes = procedure != nullptr && connection.stage() == Stage::kUp &&
                         !procedure->aside() && stage == HopStage::kCommitted;
    if (changes && procedure->state() == State::kLowering) {
      // Every hop has what the old and the new contract need; it may have the new one already.
      const HopModify change = procedure->change_for(hop);
      claim.demand = change.demand;
      claim.contract = change.contract;
    }
    // The change that is under way is still to come.
    claim.revision = connection.revision();
    if (changes && claim.revision != 0) --claim.revision;
    // A switch may lack the last change although its SwitchServer had accepted it.
    claim.settled = stage == HopStage::kRemoving
                        ? &hops == &connection.hops() && connection.stage() == Stage::kReleasing
                        : !changes && connection.revision() == 0;
    if (connection.asker() && connection.shown_id() != connection.id) {
      claim.shown_id = connection.shown_id();
    }
    return claim;
  }

  // Whether the connection's cells enter the network at this hop. If only branches are left there,
  // one of them counts.
  static bool enters(const Connection& connection, const Hops& hops, const Hop& hop) {
    const auto enters_first = [](const Hop& it) { return it.number == 0 && !it.branch; };
    if (!hop.starts() || &hops != &connection.hops() || enters_first(hop)) {
      return enters_first(hop);
    }
    const Hop* counts = nullptr;
    for (const Hop& other : hops) {
      const bool same =
          other.starts() && other.at == hop.at && other.input_port == hop.input_port &&
          static_cast<Label>(other.input_label) == static_cast<Label>(hop.input_label);
      if (same && (counts == nullptr || enters_first(other))) counts = &other;
    }
    return counts == &hop;
  }

  HopOwner owner_of(const Connection& connection, const Hop& hop) const {
    const ClientIndex client = connection.asker().value_or(Asker{}).client;
    const bool beside = connection.procedure != nullptr && connection.procedure->aside();
    const CallEnds& ends = beside && hop.leg >= 2 ? connection.procedure->ends() : *connection.ends;
    HopOwner owner{context_.clients.name(client), context_.clients.epoch(client), ends.from,
                   ends.to};
    for (const Leaf& leaf : connection.leaves()) {
      if (leaf.leg == hop.leg) owner.to = leaf.end;
    }
    return owner;
  }

  void add(LedgerHop hop, const std::optional<HopOwner>& owner) {
    if (pages_.back().hops.size() >= per_page_) pages_.emplace_back();
    HopClaims& page = pages_.back();
    hop.owner = kNoOwner;
    if (owner && !owner->from.empty()) hop.owner = number_of(page, *owner);
    page.hops.push_back(std::move(hop));
  }

  // Owners of neighbouring connections often repeat; a page may list one more than once.
  static std::uint32_t number_of(HopClaims& page, const HopOwner& owner) {
    constexpr std::size_t kLookedAt = 16;
    const std::size_t from = page.owners.size() > kLookedAt ? page.owners.size() - kLookedAt : 0;
    for (std::size_t i = from; i < page.owners.size(); ++i) {
      if (page.owners[i] == owner) return static_cast<std::uint32_t>(i);
    }
    page.owners.push_back(owner);
    return static_cast<std::uint32_t>(page.owners.size() - 1);
  }

  void rest(PortId port, Label label) {
    const std::size_t page = resting_++ / per_page_;
    if (page == pages_.size()) pages_.emplace_back();
    std::vector<PortLabels>& ports = pages_[page].resting;
    const auto same = std::find_if(ports.begin(), ports.end(),
                                   [&](const PortLabels& labels) { return labels.port == port; });
    (same == ports.end() ? ports.emplace_back(PortLabels{port, {}}) : *same)
        .labels.push_back(label);
  }

  const Context& context_;
  SwitchIndex at_;
  TimePoint now_;
  std::size_t per_page_;
  std::vector<HopClaims> pages_;
  std::size_t resting_ = 0;  // labels
};

}  // namespace

std::vector<HopClaims> claims_at(const Context& context, SwitchIndex at, TimePoint now,
                                 std::size_t per_page) {
  return Claims(context, at, now, per_page).pages();
}

}  // namespace xbind::cmgr
