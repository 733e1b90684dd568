// Breaks a ledger on purpose, so that tests can prove that the audit finds it. No program includes
// this file.
#pragma once

#include <optional>

#include "core/check.hpp"
#include "switchserver/controller/parts.hpp"
#include "switchserver/ledger/ledger.hpp"
#include "switchserver/switch_controller.hpp"

namespace xbind {

class LedgerTamper {
 public:
  explicit LedgerTamper(Ledger& ledger) : ledger_(ledger) {}
  explicit LedgerTamper(SwitchController& controller) : ledger_(controller.parts_->ledger) {}

  // Removes the port's next free output label from every list. Returns the label.
  Label withhold_label(PortId id) {
    LabelPool& pool = pool_of(id);
    const std::optional<Label> label = pool.next_free();
    XB_CHECK(label.has_value(), id);
    pool.move(*label, {LabelHolder::kFree, {}, {}});
    pool.unlink(pool.free_, pool.index_of(*label));
    return *label;
  }

  // Raises what the port's account counts as taken.
  void falsify_bandwidth(PortId id, Resources more) { account_of(id).taken += more; }
  void falsify_ingress(PortId id, std::uint64_t more) { account_of(id).ingress_taken += more; }

  // Changes the output label in the record of a hop.
  void change_output_label(ManagerIndex manager, const HopKey& key, Label label) {
    const std::optional<HopRef> ref = ledger_.hops().find(manager, key);
    XB_CHECK(ref.has_value(), manager);
    ledger_.hop(*ref).output_ = packed(label);
  }
  void change_input_label(ManagerIndex manager, const HopKey& key, Label label) {
    const std::optional<HopRef> ref = ledger_.hops().find(manager, key);
    XB_CHECK(ref.has_value(), manager);
    ledger_.hop(*ref).input_ = packed(label);
  }
  // Changes the output port in the record of a hop.
  void change_output_port(ManagerIndex manager, const HopKey& key, PortId id) {
    const std::optional<HopRef> ref = ledger_.hops().find(manager, key);
    XB_CHECK(ref.has_value(), manager);
    ledger_.hop(*ref).output_port_ = place_of(id);
  }
  // The hop is then no longer found by its key.
  void change_leg(ManagerIndex manager, const HopKey& key, std::uint16_t leg) {
    const std::optional<HopRef> ref = ledger_.hops().find(manager, key);
    XB_CHECK(ref.has_value(), manager);
    ledger_.hop(*ref).key.leg = leg;
  }

 private:
  PortIndex place_of(PortId id) {
    const auto place = ledger_.parts_->numbers.find(id);
    XB_CHECK(place.has_value(), id);
    return *place;
  }
  PortAccounts::Port& account_of(PortId id) {
    return ledger_.parts_->ports.ports_[place_of(id).value()];
  }
  LabelPool& pool_of(PortId id) { return ledger_.parts_->labels.output(place_of(id)); }

  Ledger& ledger_;
};

}  // namespace xbind
