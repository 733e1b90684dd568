#include "cmgr/parts/outcomes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/log.hpp"
#include "core/log_about.hpp"

namespace xbind::cmgr {

Outcome outcome_of(Refusal refusal) {
  Outcome outcome;
  outcome.kind = refusal.cause == Cause::kBusy ? OutcomeKind::kBusy : OutcomeKind::kRefused;
  outcome.cause = refusal.cause;
  outcome.element = std::move(refusal.element);
  outcome.asked = refusal.asked;
  outcome.free = refusal.free;
  outcome.reason = std::move(refusal.reason);
  return outcome;
}

bool Outcomes::admit(ClientIndex client, RequestId request, std::uint64_t digest,
                     ConnectionId about) {
  const ClientDesk::Admission admission = clients_.admit(client, request, digest);
  if (admission == ClientDesk::Admission::kNew) return true;
  Refusal refusal{Cause::kBusy, "manager", config_.clients.requests_max + 1,
                  config_.clients.requests_max};
  switch (admission) {
    case ClientDesk::Admission::kNew:
    case ClientDesk::Admission::kTooMany: break;
    case ClientDesk::Admission::kRepeated:
      // The outcome has been sent or will be. For a token in use, it goes to the token's first
      // user.
      if (client != ClientDesk::kLocal) return false;
      break;
    case ClientDesk::Admission::kOther:
      refusal = {Cause::kInvalidRequest,
                 {},
                 0,
                 0,
                 fmt::format("request number {} is another request's", request)};
      break;
    case ClientDesk::Admission::kOtherUnderWay:
      refusal = {
          Cause::kBusy,
          fmt::format("request number {}, which is under way for an earlier epoch", request)};
      break;
  }
  refuse_unadmitted(client, request, about, std::move(refusal));
  return false;
}

void Outcomes::refuse_unadmitted(ClientIndex client, RequestId request, ConnectionId about,
                                 Refusal refusal) {
  ++(refusal.cause == Cause::kBusy ? counters_.busy : counters_.refused);
  counters_.by_cause.count(refusal.cause);
  Outcome outcome = outcome_of(std::move(refusal));
  outcome.request = request;
  outcome.connection = about;
  if (outcome.kind == OutcomeKind::kBusy) outcome.retry_after_ms = retry_after_ms();
  log_.outcome(outcome, clients_.name(client), nullptr);
  if (client == ClientDesk::kLocal) {
    peers_.local_outcome(request, std::move(outcome));
  } else {
    clients_.answer_unremembered(client, std::move(outcome));
  }
}

void Outcomes::tell(const Asker& asker, Outcome&& outcome, const CallEnds* ends, TimesIndex times,
                    bool is_event) {
  outcome.request = asker.request;
  switch (outcome.kind) {
    case OutcomeKind::kConnected: ++counters_.connected; break;
    case OutcomeKind::kRefused:
      ++counters_.refused;
      counters_.by_cause.count(outcome.cause);
      break;
    case OutcomeKind::kReleased: ++counters_.released; break;
    case OutcomeKind::kBusy:
      outcome.retry_after_ms = retry_after_ms();
      ++counters_.busy;
      counters_.by_cause.count(outcome.cause);
      break;
    case OutcomeKind::kHeld: ++counters_.held; break;
    case OutcomeKind::kModified: ++counters_.modified; break;
    case OutcomeKind::kLeafAdded: ++counters_.leaves_added; break;
    case OutcomeKind::kLeafDropped: ++counters_.leaves_dropped; break;
  }
  if (is_event) log_.outcome(outcome, clients_.name(asker.client), ends);
  answer(asker, std::move(outcome), times);
}

void Outcomes::tell_again(const Asker& asker, Outcome&& outcome) {
  outcome.request = asker.request;
  answer(asker, std::move(outcome), kNotTimed);
}

void Outcomes::answer(const Asker& asker, Outcome&& outcome, TimesIndex times) {
  if (log::calls.enabled(log::Level::kDebug)) log_outcome(asker, outcome);
  gate_.ended();
  clients_.answer(asker.client, std::move(outcome), times);
}

void Outcomes::log_outcome(const Asker& asker, const Outcome& outcome) const {
  std::optional<log::AboutCall> about;  // a refused setup has said its own
  if (outcome.connection != ConnectionId{}) about.emplace(outcome.connection.value());
  const std::string call = outcome.connection == ConnectionId{}
                               ? std::string{"a setup"}
                               : fmt::format("connection {}", outcome.connection);
  log::calls.debug("{}, request {} of client {}: {}", call, asker.request,
                   clients_.name(asker.client), explain(outcome));
}

void Outcomes::refuse(const Asker& asker, ConnectionId about, Refusal refusal) {
  Outcome outcome = outcome_of(std::move(refusal));
  outcome.connection = about;
  tell(asker, std::move(outcome), nullptr);
}

void Outcomes::turn_away(const Asker& asker, ConnectionId about, Refusal refusal,
                         Duration retry_after) {
  ++counters_.busy;
  counters_.by_cause.count(refusal.cause);
  Outcome outcome = outcome_of(std::move(refusal));
  outcome.request = asker.request;
  outcome.connection = about;
  const auto least = std::chrono::ceil<std::chrono::milliseconds>(retry_after).count();
  outcome.retry_after_ms = std::max(retry_after_ms(), static_cast<std::uint32_t>(least));
  log_.outcome(outcome, clients_.name(asker.client), nullptr);
  clients_.answer(asker.client, std::move(outcome));
}

void Outcomes::describe_debts(const Hops& hops, const std::vector<SwitchIndex>& owing,
                              Outcome& outcome) const {
  const auto owes = [](const Hop& hop) { return hop.owes_removal(); };
  if (owing.empty() && std::none_of(hops.begin(), hops.end(), owes)) return;
  constexpr std::size_t kNamed = 3;
  std::vector<SwitchIndex> at;
  const auto note = [&](SwitchIndex where) {
    ++outcome.owed.removals;
    if (std::find(at.begin(), at.end(), where) == at.end()) at.push_back(where);
  };
  for (const SwitchIndex where : owing) note(where);
  for (const Hop& hop : hops) {
    if (owes(hop)) note(hop.at);
  }
  for (std::size_t i = 0; i < std::min(at.size(), kNamed); ++i) {
    outcome.owed.element += (i == 0 ? "" : ", ") + switches_.name(at[i]);
  }
  if (at.size() > kNamed) outcome.owed.element += fmt::format(" and {} more", at.size() - kNamed);
}

namespace {

// Why the client cannot have the label that it has asked for at an end; empty: it was refused for
// another reason.
std::string reason_of_label(const Hop& hop, const HopResult& result) {
  const bool taken = result.cause == Cause::kNoLabel;
  if (!taken && result.cause != Cause::kInvalidRequest) return {};
  const bool enters = hop.number == 0 && !hop.branch && !hop.takes_over;
  const auto is_it = [&](bool at_end, PortId port, Label label) {
    return at_end && result.port == port && label.present() && result.asked == label.value;
  };
  Label asked;
  if (is_it(enters, hop.input_port, hop.input_label)) asked = hop.input_label;
  if (is_it(hop.last() && !hop.joins, hop.output_port, hop.output_label)) asked = hop.output_label;
  if (!asked.present()) return {};
  const auto frames = FrameTraffic::of(asked);
  return fmt::format("the label {} of '{}' {}", to_string(asked), frames ? frames->text() : "",
                     taken ? "is taken" : "is none of the port's");
}

// The name of the number that a SwitchServer has refused as invalid, with the number: the answer
// has the number alone, and the manager knows what it has sent. Empty: none was refused so.
std::string reason_of_number(const Hop& hop, const HopResult& result) {
  if (result.cause != Cause::kInvalidRequest) return {};
  const auto is_label = [&](PortId port, Label label) {
    return result.port == port && label.present() && result.asked == label.value;
  };
  const Label input = hop.input_label;
  const Label output = hop.output_label;
  if (is_label(hop.input_port, input)) {
    return fmt::format("input label {} of port {}", to_string(input), result.port);
  }
  if (is_label(hop.output_port, output)) {
    return fmt::format("output label {} of port {}", to_string(output), result.port);
  }
  if (result.port.value() != 0) {
    const bool port = result.port == hop.output_port && result.asked == result.port.value();
    if (port) return fmt::format("output port {}, which another hop of the label has", result.port);
    const bool count = result.port == hop.output_port && result.asked == hop.count();
    if (count) return fmt::format("hop count {}", result.asked);
    return fmt::format("label {} of port {}", result.asked, result.port);
  }
  if (result.asked == hop.number && result.free == hop.count()) {
    return fmt::format("hop number {} of {} hops", result.asked, result.free);
  }
  if (result.free != 0) {
    return fmt::format("traffic contract: {}, bound {}", result.asked, result.free);
  }
  std::vector<std::string> names;
  if (result.asked == hop.generation) names.emplace_back("generation");
  if (result.asked == hop.number) names.emplace_back("hop number");
  if (names.empty()) names.emplace_back("number");
  return fmt::format("{} {}", fmt::join(names, " or "), result.asked);
}

}  // namespace

Refusal Outcomes::refusal_of(const Hop& hop, const HopResult& result) const {
  std::string reason = reason_of_label(hop, result);
  if (result.cause == Cause::kNoLabel && reason.empty()) {
    if (const auto silent = switches_.debts().keeps_labels_of(hop.at, result.port)) {
      return {Cause::kSwitchUnreachable, switches_.name(*silent), 0, 0,
              fmt::format("labels of {} port {} wait for removals that it owes",
                          switches_.name(hop.at), result.port)};
    }
  }
  if (reason.empty()) reason = reason_of_number(hop, result);
  return {result.cause,
          result.port.value() == 0 ? switches_.name(hop.at)
                                   : fmt::format("{} port {}", switches_.name(hop.at), result.port),
          result.asked, result.free, std::move(reason)};
}

// The time after which a rejected request may be accepted, 10 ms to the queue timer: the number of
// waiting requests divided by the request rate, because the manager begins requests at the rate at
// which clients send them.
std::uint32_t Outcomes::retry_after_ms() const {
  constexpr double kLeast = 10;  // shorter than a message takes on a loaded machine
  const double most =
      std::chrono::duration<double, std::milli>(std::max(config_.queue_timer, Duration{1})).count();
  const double rate = switches_.queues().aggregation().operations_per_s();
  const double wait = rate > 0 ? 1'000.0 * static_cast<double>(gate_.waiting() + 1) / rate : most;
  return static_cast<std::uint32_t>(std::clamp(wait, std::min(kLeast, most), most));
}

}  // namespace xbind::cmgr
