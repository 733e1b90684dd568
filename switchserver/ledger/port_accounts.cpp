#include "switchserver/ledger/port_accounts.hpp"

#include <algorithm>
#include <cmath>

#include "core/planted.hpp"

namespace xbind {
namespace {

// Line rate times factor, with saturation instead of overflow.
std::uint64_t times(std::uint64_t rate, double factor) {
  const double product = static_cast<double>(rate) * factor;
  constexpr double kMost = 9.0e18;
  if (!(product > 0)) return 0;
  return product >= kMost ? static_cast<std::uint64_t>(kMost) : static_cast<std::uint64_t>(product);
}

// Rounds up, so that no more of a port is promised than it has.
std::uint32_t thousandths(double factor) {
  const double parts = std::ceil(factor * PortPolicy::kOverbookingNone - 1e-6);
  return static_cast<std::uint32_t>(std::clamp(parts, 1.0, double{PortPolicy::kOverbookingMax}));
}

}  // namespace

// ===== ports =====

void PortAccounts::miss_all() {
  for (Port& port : ports_) port.present = false;
}

void PortAccounts::set(PortIndex at, const SwitchPort& about) {
  if (at.value() >= ports_.size()) ports_.resize(at.value() + std::size_t{1});
  Port& port = ports_[at.value()];
  port.about = about;
  port.present = true;
  set_capacity(port);
}

void PortAccounts::set_capacity(Port& port) const {
  const SwitchPort& about = port.about;
  const auto own = options_.port_overbooking.find(about.port);
  const double factor = own == options_.port_overbooking.end() ? options_.overbooking : own->second;
  port.capacity = {times(about.cells_per_s, planted(Bug::kCapacityOfLine) ? 1.0 : factor),
                   options_.buffer_cells};
  port.policy = {.cells_per_s = about.cells_per_s,
                 .buffer_cells = options_.buffer_cells,
                 .overbooking = thousandths(factor),
                 .rt_wait_us = options_.rt_wait_us};
}

void PortAccounts::apply_options() {
  for (Port& port : ports_) {
    if (port.present) set_capacity(port);
  }
}

std::vector<SwitchPort> PortAccounts::present() const {
  std::vector<SwitchPort> present;
  for (const Port& port : ports_) {
    if (port.present) present.push_back(port.about);
  }
  return present;
}

// ===== reads =====

Resources PortAccounts::charge_of(PortIndex out, const Resources& demand,
                                  const TrafficContract& contract) const {
  if (planted(Bug::kChargedAsDemanded)) return demand;
  return admission_of(options_.admission, demand, contract, ports_[out.value()].policy);
}

PortUsage PortAccounts::usage(PortIndex at) const {
  const Port& port = ports_[at.value()];
  PortUsage usage{port.capacity, port.taken, {}, port.ingress_taken, 0, 0};
  for (const Account& account : port.accounts) usage.hops += account.hops;
  return usage;
}

Resources PortAccounts::quota(ManagerIndex manager, PortId id) const {
  const auto at = numbers_.find(id);
  return at ? quota(manager, *at) : Resources{};
}

Resources PortAccounts::unused_quota(ManagerIndex manager, PortIndex out) const {
  const Account& have = account_of(ports_[out.value()], manager);
  return {rest(have.quota.cells_per_s, have.hops.cells_per_s),
          rest(have.quota.buffer_cells, have.hops.buffer_cells)};
}

Resources PortAccounts::unused_quota(ManagerIndex manager, PortId id) const {
  const auto at = numbers_.find(id);
  return at ? unused_quota(manager, *at) : Resources{};
}

// ===== changes =====

void PortAccounts::grow(Port& port, ManagerIndex manager) {
  port.accounts.resize(manager.value() + std::size_t{1});
}

void PortAccounts::set_quota(Port& port, Account& of, Resources quota) {
  port.taken -= greater(of.quota, of.hops);
  of.quota = quota;
  port.taken += greater(of.quota, of.hops);
}

Resources PortAccounts::grant_quota(ManagerIndex manager, PortIndex out, Resources wanted) {
  Port& of = ports_[out.value()];
  if (!of.present) return {};
  Account& have = account(of, manager);
  // Hops in excess of the quota are counted already: a quota that covers them needs nothing more.
  const auto most = [](std::uint64_t capacity, std::uint64_t taken, std::uint64_t quota,
                       std::uint64_t hops) { return rest(capacity, taken) + rest(hops, quota); };
  const Resources granted{
      std::min(wanted.cells_per_s, most(of.capacity.cells_per_s, of.taken.cells_per_s,
                                        have.quota.cells_per_s, have.hops.cells_per_s)),
      std::min(wanted.buffer_cells, most(of.capacity.buffer_cells, of.taken.buffer_cells,
                                         have.quota.buffer_cells, have.hops.buffer_cells))};
  Resources quota = have.quota;
  set_quota(of, have, quota += granted);
  return granted;
}

bool PortAccounts::return_quota(ManagerIndex manager, PortIndex out, Resources amount) {
  Port& of = ports_[out.value()];
  Account& books = account(of, manager);
  const Resources have = books.quota;
  set_quota(
      of, books,
      {rest(have.cells_per_s, amount.cells_per_s), rest(have.buffer_cells, amount.buffer_cells)});
  return amount.fits_within(have);
}

void PortAccounts::drop_quotas(ManagerIndex manager) {
  for (Port& port : ports_) {
    if (manager.value() < port.accounts.size()) set_quota(port, account(port, manager), {});
  }
}

void PortAccounts::clear_hops() {
  for (Port& port : ports_) {
    port.taken = {};
    port.ingress_taken = 0;
    for (Account& account : port.accounts) {
      account.hops = {};
      port.taken += account.quota;
    }
  }
}

}  // namespace xbind
