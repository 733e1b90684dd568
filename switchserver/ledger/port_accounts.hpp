// The accounts of a ledger's ports: what bandwidth and buffer each may promise, and to which
// manager it is promised.
//
// A manager's part of a port's account is the greater of its quota and the sum of its hops, for
// cells/s and for buffer each. A hop within the quota is therefore never refused for want of
// either, and a removal fills the quota again. All amounts are charges (charge_of()), not the
// managers' demands. A port's capacity is line rate x overbooking factor, and the buffer of the
// options. The receive side of a port has an account of its own, in cells/s, for the hops that
// enter the network there.
//
// Invariants, after each call:
// - taken() is the sum over the managers of the greater of quota and hops.
// - grant_quota() never lets taken() exceed the capacity. change_hops() does not look: its caller
//   has compared the charge with room_for() (setup_checks.hpp), or enters a hop that the switch has
//   already (claim.hpp).
// - A changed rate or factor changes capacities alone; earlier promises stay intact.
//
// Every call takes constant time, except where all ports are visited. `numbers` and `options` must
// outlive this object; the caller changes `options` and then calls apply_options(). One thread; no
// errors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/resources.hpp"
#include "switchserver/drivers/switch_driver.hpp"
#include "switchserver/ledger/port_numbers.hpp"
#include "switchserver/ledger/values.hpp"
#include "traffic/admission.hpp"

namespace xbind {

class PortAccounts {
 public:
  PortAccounts(const PortNumbers& numbers, const LedgerOptions& options)
      : numbers_(numbers), options_(options) {}

  // ---- ports ----

  // No port is present until it is set again.
  void miss_all();
  // Sets a port present; `at` is a known place or the next new one.
  void set(PortIndex at, const SwitchPort& about);
  // Computes the capacities of the present ports again.
  void apply_options();
  std::vector<SwitchPort> present() const;
  bool has(PortId id) const {  // known and present
    const auto at = numbers_.find(id);
    return at && is_present(*at);
  }
  bool is_present(PortIndex at) const { return ports_[at.value()].present; }

  // ---- reads ----

  // What a hop needs of its output port, alone; the only place that computes it.
  Resources charge_of(PortIndex out, const Resources& demand,
                      const TrafficContract& contract) const;
  // The account of a port, without its labels.
  PortUsage usage(PortIndex at) const;
  const Resources& capacity(PortIndex at) const { return ports_[at.value()].capacity; }
  // What the port may still promise that manager: the unused part of its quota and the free part of
  // the port. In a component in which its hops exceed the quota, no quota is unused.
  Resources room_for(PortIndex out, ManagerIndex manager) const {
    const Port& port = ports_[out.value()];
    const Account& of = account_of(port, manager);
    return {rest(port.capacity.cells_per_s, port.taken.cells_per_s) +
                rest(of.quota.cells_per_s, of.hops.cells_per_s),
            rest(port.capacity.buffer_cells, port.taken.buffer_cells) +
                rest(of.quota.buffer_cells, of.hops.buffer_cells)};
  }
  // Of the receive side, for cells that enter the network here.
  std::uint64_t ingress_room(PortIndex in) const {
    return rest(ports_[in.value()].capacity.cells_per_s, ports_[in.value()].ingress_taken);
  }
  Resources hops(ManagerIndex manager, PortIndex out) const {
    return account_of(ports_[out.value()], manager).hops;
  }
  Resources quota(ManagerIndex manager, PortIndex out) const {
    return account_of(ports_[out.value()], manager).quota;
  }
  Resources quota(ManagerIndex manager, PortId id) const;  // an unknown port has none
  // The part of the quota that no hop needs.
  Resources unused_quota(ManagerIndex manager, PortIndex out) const;
  Resources unused_quota(ManagerIndex manager, PortId id) const;

  // ---- changes ----

  // The manager's hops there need `charge` instead of `charged`, which is part of what they have.
  void change_hops(PortIndex out, ManagerIndex manager, Resources charged, Resources charge) {
    Port& port = ports_[out.value()];
    Account& of = account(port, manager);
    change(port.taken.cells_per_s, of.quota.cells_per_s, of.hops.cells_per_s, charged.cells_per_s,
           charge.cells_per_s);
    change(port.taken.buffer_cells, of.quota.buffer_cells, of.hops.buffer_cells,
           charged.buffer_cells, charge.buffer_cells);
  }
  // The hops that enter there need `demand` cells/s instead of `counted`.
  void change_ingress(PortIndex in, std::uint64_t counted, std::uint64_t demand) {
    std::uint64_t& taken = ports_[in.value()].ingress_taken;
    taken = taken - counted + demand;
  }
  // Raises the quota by as much of `wanted` as is free; not at a missing port. Returns the
  // increase.
  Resources grant_quota(ManagerIndex manager, PortIndex out, Resources wanted);
  // Lowers the quota. Returns false if the quota was smaller than `amount`; it is then zero.
  bool return_quota(ManagerIndex manager, PortIndex out, Resources amount);
  void drop_quotas(ManagerIndex manager);
  // For repairs: no hop is counted any more, at any port; quotas stay.
  void clear_hops();

 private:
  friend class LedgerTamper;  // breaks the accounts on purpose (tests)

  struct Account {  // of one manager at one output port
    Resources quota;
    Resources hops;
  };
  struct Port {
    SwitchPort about;
    bool present = false;
    Resources capacity;
    PortPolicy policy;
    Resources taken;
    std::uint64_t ingress_taken = 0;  // cells/s that enter from endpoints, receive direction
    std::vector<Account> accounts;    // by ManagerIndex, grown when first needed
  };

  void set_capacity(Port& port) const;
  static std::uint64_t rest(std::uint64_t of, std::uint64_t taken) {
    return of > taken ? of - taken : 0;
  }
  static void change(std::uint64_t& taken, std::uint64_t quota, std::uint64_t& hops,
                     std::uint64_t charged, std::uint64_t charge) {
    taken -= std::max(quota, hops);
    hops = hops - charged + charge;
    taken += std::max(quota, hops);
  }
  static Account& account(Port& port, ManagerIndex manager) {
    if (manager.value() >= port.accounts.size()) [[unlikely]]
      grow(port, manager);
    return port.accounts[manager.value()];
  }
  // Apart, so that account() stays small: it is called for every hop.
  [[gnu::noinline]] static void grow(Port& port, ManagerIndex manager);
  static const Account& account_of(const Port& port, ManagerIndex manager) {
    static constexpr Account kNone;
    return manager.value() < port.accounts.size() ? port.accounts[manager.value()] : kNone;
  }
  static void set_quota(Port& port, Account& of, Resources quota);

  const PortNumbers& numbers_;
  const LedgerOptions& options_;
  std::vector<Port> ports_;  // by PortIndex
};

}  // namespace xbind
