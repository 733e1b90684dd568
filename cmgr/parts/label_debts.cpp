#include "cmgr/parts/label_debts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/log.hpp"
#include "core/log_about.hpp"

namespace xbind::cmgr {
namespace {

// The label in the list of labels that debts hold; null if it is not there.
const std::shared_ptr<OwedLabel>* find_debt_label(const DebtLabels* debt_labels,
                                                  const OwedLabel& label) {
  if (debt_labels == nullptr) return nullptr;
  for (const auto& it : *debt_labels) {
    if (it->at == label.at && it->port == label.port && it->label == label.label) {
      it->in_quarantine = it->in_quarantine || label.in_quarantine;
      return &it;
    }
  }
  return nullptr;
}

// The output label of `hop` for debts to hold: the entry of the list, or a new one.
std::shared_ptr<OwedLabel> debt_label_of(const DebtLabels* debt_labels, const Hop& hop) {
  const OwedLabel label = label_of(hop);
  const auto* const held = find_debt_label(debt_labels, label);
  return held != nullptr ? *held : std::make_shared<OwedLabel>(label);
}

}  // namespace

OwedLabel label_of(const Hop& hop) {
  return {hop.at, hop.output_port, hop.output_label, hop.attachment, hop.in_quarantine};
}

std::shared_ptr<OwedLabel> share_label_with_debts(Connection& connection, const Hop& owner) {
  if (owner.last() || !owner.output_label.present()) return nullptr;
  DebtLabels& debt_labels = connection.note().debt_labels;
  std::erase_if(debt_labels, [](const auto& it) { return it.use_count() == 1; });
  auto label = debt_label_of(&debt_labels, owner);
  if (label.use_count() == 1) debt_labels.push_back(label);
  return label;
}

void owe_unconfirmed(const GoingHops& going, SwitchDesk& switches, TimePoint now) {
  Hops& hops = going.hops;
  std::vector<std::shared_ptr<OwedLabel>> labels(hops.size());
  const auto own_label = [&](Hop& hop) {
    auto& label = labels[hops.place_of(hop).value()];
    if (!label && hop.output_label.present() && !hop.last()) {
      label = debt_label_of(going.debt_labels, hop);
      hop.output_label = {};
    }
    return label;
  };
  const auto label_out_of = [&](Hop& hop) {
    if (!hop.borrows()) return own_label(hop);
    if (going.stock == nullptr) return own_label(Hops::owner_of(hop, hops));
    return share_label_with_debts(going.connection, Hops::owner_of(hop, *going.stock));
  };
  for (Hop& hop : hops) {
    if (!hop.owes_removal()) continue;
    const auto& passed_on = labels[hops.place_of(hop).value()];  // to an earlier debt
    const Label output = passed_on ? passed_on->label : static_cast<Label>(hop.output_label);
    Debt debt{{hop.input_port, hop.input_label, hop.output_port, output},
              hop.count(),
              going.stock == nullptr && going.connection.stage() == Stage::kReleasing,
              hop.state == HopState::kRemoving && hop.errand == Errand::kNone,
              {}};
    const auto hold = [&](std::shared_ptr<OwedLabel> label) {
      if (label) debt.labels.push_back(std::move(label));
    };
    if (!hop.last()) hold(label_out_of(hop));
    if (Hop* const upstream = hops.upstream_of(hop); upstream != nullptr) {
      hold(label_out_of(*upstream));
    } else if (going.stock != nullptr) {
      if (const Hop* const outer = Hops::outer_of(hop, *going.stock); outer != nullptr) {
        hold(share_label_with_debts(going.connection, *outer));
      }
    }
    const log::AboutCall about(going.connection.id.value());
    log::calls.warn("connection {}: the removal of hop {} of leg {} at {} is owed",
                    going.connection.id, hop.number, hop.leg, switches.name(hop.at));
    switches.debts().owe(hop.at, key_of(going.connection, hop), std::move(debt), now);
  }
}

void settle_labels(const Hops& hops, DebtLabels* debt_labels, SwitchDesk& switches, TimePoint now,
                   const Hop* refused) {
  for (const Hop& hop : hops) {
    if (hop.last() || !hop.output_label.present() || hop.borrows()) continue;
    const OwedLabel label = label_of(hop);
    const auto* const held = find_debt_label(debt_labels, label);
    if (held != nullptr && held->use_count() > 1) continue;  // one reference is the list's own
    switches.caches().give_back(label, now, &hop != refused);
  }
  if (debt_labels != nullptr) debt_labels->clear();
}

void move_debt_labels(const Hops& hops, DebtLabels* from, DebtLabels& to) {
  if (from == nullptr) return;
  std::erase_if(*from, [&](const auto& debt_labels) {
    const bool goes = std::any_of(hops.begin(), hops.end(), [&](const Hop& hop) {
      return !hop.borrows() && hop.at == debt_labels->at && hop.output_port == debt_labels->port &&
             hop.output_label == debt_labels->label;
    });
    if (goes) to.push_back(debt_labels);
    return goes;
  });
}

}  // namespace xbind::cmgr
