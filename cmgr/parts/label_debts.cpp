#include "cmgr/parts/label_debts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/log.hpp"

namespace xbind::cmgr {
namespace {

// The label in the list of labels that debts hold; null if it is not there.
const std::shared_ptr<OwedLabel>* find_lent(const LentLabels* lent, const OwedLabel& label) {
  if (lent == nullptr) return nullptr;
  for (const auto& it : *lent) {
    if (it->at == label.at && it->port == label.port && it->label == label.label) {
      it->in_quarantine = it->in_quarantine || label.in_quarantine;
      return &it;
    }
  }
  return nullptr;
}

// The output label of `hop` for debts to hold: the entry of the list, or a new one.
std::shared_ptr<OwedLabel> lent_label(const LentLabels* lent, const Hop& hop) {
  const OwedLabel label = label_of(hop);
  const auto* const held = find_lent(lent, label);
  return held != nullptr ? *held : std::make_shared<OwedLabel>(label);
}

// The output label of a hop of the connection, for debts of a scion: the hop may be removed before
// they are paid.
std::shared_ptr<OwedLabel> lend_label(Connection& connection, const Hop& owner) {
  if (owner.last() || !owner.output_label.present()) return nullptr;
  LentLabels& lent = connection.note().lent;
  std::erase_if(lent, [](const auto& it) { return it.use_count() == 1; });
  auto label = lent_label(&lent, owner);
  if (label.use_count() == 1) lent.push_back(label);
  return label;
}

}  // namespace

OwedLabel label_of(const Hop& hop) {
  return {hop.at, hop.output_port, hop.output_label, hop.attachment, hop.in_quarantine};
}

void owe_unconfirmed(const GoingHops& going, SwitchDesk& switches, TimePoint now) {
  Hops& hops = going.hops;
  std::vector<std::shared_ptr<OwedLabel>> labels(hops.size());
  const auto own_label = [&](Hop& hop) {
    auto& label = labels[hops.place_of(hop).value()];
    if (!label && hop.output_label.present() && !hop.last()) {
      label = lent_label(going.lent, hop);
      hop.output_label = {};
    }
    return label;
  };
  const auto label_out_of = [&](Hop& hop) {
    if (!hop.borrows()) return own_label(hop);
    if (going.stock == nullptr) return own_label(Hops::owner_of(hop, hops));
    return lend_label(going.connection, Hops::owner_of(hop, *going.stock));
  };
  for (Hop& hop : hops) {
    if (!hop.owes_removal()) continue;
    Debt debt{hop.output_port, hop.state == HopState::kRemoving && hop.errand == Errand::kNone, {}};
    const auto hold = [&](std::shared_ptr<OwedLabel> label) {
      if (label) debt.labels.push_back(std::move(label));
    };
    if (!hop.last()) hold(label_out_of(hop));
    if (Hop* const upstream = hops.upstream_of(hop); upstream != nullptr) {
      hold(label_out_of(*upstream));
    } else if (going.stock != nullptr) {
      if (const Hop* const outer = Hops::outer_of(hop, *going.stock); outer != nullptr) {
        hold(lend_label(going.connection, *outer));
      }
    }
    log::warn("connection {}: the removal of hop {} of leg {} at {} is owed", going.connection.id,
              hop.number, hop.leg, switches.name(hop.at));
    switches.owe(hop.at, key_of(going.connection, hop), std::move(debt), now);
  }
}

void settle_labels(const Hops& hops, LentLabels* lent, SwitchDesk& switches, TimePoint now) {
  for (const Hop& hop : hops) {
    if (hop.last() || !hop.output_label.present() || hop.borrows()) continue;
    const OwedLabel label = label_of(hop);
    const auto* const held = find_lent(lent, label);
    if (held != nullptr && held->use_count() > 1) continue;  // one reference is the list's own
    switches.give_back(label, now);
  }
  if (lent != nullptr) lent->clear();
}

void move_lent(const Hops& hops, LentLabels* from, LentLabels& to) {
  if (from == nullptr) return;
  std::erase_if(*from, [&](const auto& lent) {
    const bool goes = std::any_of(hops.begin(), hops.end(), [&](const Hop& hop) {
      return !hop.borrows() && hop.at == lent->at && hop.output_port == lent->port &&
             hop.output_label == lent->label;
    });
    if (goes) to.push_back(lent);
    return goes;
  });
}

}  // namespace xbind::cmgr
