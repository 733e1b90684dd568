#include "switchserver/switch_controller.hpp"

#include <algorithm>
#include <utility>

#include "switchserver/controller/hop_listing.hpp"
#include "switchserver/controller/parts.hpp"

namespace xbind {

SwitchController::SwitchController(SwitchControllerOptions options, SwitchDriver& driver)
    : parts_(std::make_unique<controller::Parts>(std::move(options), driver)) {}

SwitchController::~SwitchController() = default;

// ===== the switch, and time =====

void SwitchController::on_driver(const driver::Event& event, TimePoint now) {
  parts_->life.on_event(event, now);
}

void SwitchController::expect_later(const driver::Event& event) const {
  if (const auto* done = std::get_if<driver::Done>(&event)) {
    parts_->ledger.hops().prefetch(controller::SwitchLink::hop_of(done->cookie));
  }
}

void SwitchController::expect_soon(const driver::Event& event) const {
  if (const auto* done = std::get_if<driver::Done>(&event)) parts_->hops.expect_soon(done->cookie);
}

TimePoint SwitchController::wake_at() const {
  return std::min({parts_->life.wake_at(), parts_->settling.deadline(),
                   parts_->check.rounds().due(), parts_->sessions.wake_at()});
}

void SwitchController::on_time(TimePoint now) {
  parts_->claims.on_time(now);
  parts_->sessions.on_time(now);
  parts_->check.on_time(now);
  parts_->life.reread_if_due(now);
  parts_->link.flush();
}

void SwitchController::take_outputs(TimePoint now, Outputs& outputs) {
  parts_->answers.end_step(now);
  parts_->sessions.end_step(now);
  parts_->exchange.end_step();
  outputs.clear();
  std::swap(outputs, parts_->outputs);
}

SwitchController::Outputs SwitchController::take_outputs() {
  Outputs outputs;
  take_outputs(parts_->now, outputs);
  return outputs;
}

// ===== managers =====

Result<SwitchController::Attachment> SwitchController::attach(std::string_view manager,
                                                              Epoch epoch) {
  return parts_->sessions.attach(manager, epoch);
}

void SwitchController::detach(std::string_view manager) { parts_->sessions.detach(manager); }

ManagerEpochs SwitchController::epochs_of(std::string_view manager) const {
  return parts_->sessions.epochs_of(manager);
}

Result<void> SwitchController::renew_epoch(std::string_view manager, Epoch newest) {
  return parts_->sessions.renew_epoch(manager, newest);
}

HeldHops SwitchController::held_hops(std::string_view manager, std::uint64_t from, std::size_t most,
                                     TimePoint now, std::vector<std::uint64_t>* places) const {
  return controller::held_hops(*parts_, manager, from, most, now, places);
}

Result<ClaimsTaken> SwitchController::claim(std::string_view manager, const HopClaims& page,
                                            TimePoint now) {
  return parts_->claims.take(manager, page, now);
}

std::uint64_t SwitchController::entries_of_nobody() const {
  return parts_->match.count_unclaimed();
}

std::size_t SwitchController::removals_waiting() const { return parts_->claims.uncertain(); }

const Settling& SwitchController::settling() const { return parts_->settling; }

const TableRounds& SwitchController::rounds() const { return parts_->check.rounds(); }

HopTraces& SwitchController::traces() { return parts_->traces; }

std::vector<KnownManager> SwitchController::known_managers() const {
  return parts_->sessions.known_managers();
}

Result<std::uint64_t> SwitchController::forget(std::string_view manager) {
  return parts_->sessions.forget(manager);
}

Result<std::uint64_t> SwitchController::clear_hops(std::string_view manager,
                                                   ConnectionId connection, TimePoint now,
                                                   std::vector<ClearedCall>* calls) {
  return parts_->sessions.clear_hops(manager, connection, now, calls);
}

std::vector<SwitchController::ManagerHoldings> SwitchController::holdings() const {
  return parts_->sessions.holdings();
}

// ===== commands =====

std::vector<HopRoom> SwitchController::would_take(std::string_view manager,
                                                  std::span<const HopQuestion> hops) const {
  return parts_->commands.would_take(manager, hops);
}

Result<void> SwitchController::apply(std::string_view manager, const HopBatch& batch, Token token,
                                     TimePoint now) {
  return parts_->commands.apply(manager, batch, token, now);
}

Result<void> SwitchController::execute(std::string_view manager, const HopBatch& batch, Token token,
                                       TimePoint now) {
  auto applied = parts_->commands.apply(manager, batch, token, now);
  if (applied) ++parts_->counters.executes;
  return applied;
}

Result<SwitchController::Grant> SwitchController::grant(std::string_view manager, PortId port,
                                                        std::size_t labels, Resources quota,
                                                        TimePoint now) {
  return parts_->exchange.grant(manager, port, labels, quota, now);
}

Result<void> SwitchController::give_back(std::string_view manager, const PortLabels& labels,
                                         Resources quota) {
  return parts_->exchange.give_back(manager, labels, quota);
}

// ===== audits and counters =====

Result<void> SwitchController::audit(std::string_view manager, Token token) {
  return parts_->audits.audit(manager, token);
}

Result<void> SwitchController::repair(std::vector<Finding> seen, Token token, TimePoint now) {
  return parts_->audits.repair(std::move(seen), token, now);
}

Result<void> SwitchController::look_at_call(std::string_view manager, CallQuestion question,
                                            Token token) {
  return parts_->looks.look(manager, std::move(question), token);
}

Result<void> SwitchController::mend_call(std::string_view manager, ConnectionId connection,
                                         std::vector<EntryDifference> seen, Token token,
                                         TimePoint now) {
  return parts_->looks.mend(manager, connection, std::move(seen), token, now);
}

Result<void> SwitchController::read_statistics(PortId port, Label label, Token token) {
  return parts_->cells.read(port, label, token);
}

// ===== what it is =====

bool SwitchController::up() const { return parts_->link.up(); }
const Ledger& SwitchController::ledger() const { return parts_->ledger; }
const SwitchCounters& SwitchController::counters() const { return parts_->counters; }
std::size_t SwitchController::open_batches() const { return parts_->answers.open_batches(); }

void SwitchController::change_capacities(const LedgerOptions& options) {
  parts_->ledger.change_capacities(options);
}

}  // namespace xbind
