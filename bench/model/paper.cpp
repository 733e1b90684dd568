#include "bench/model/paper.hpp"

namespace xbind::model {
namespace {

// Enough callers that the outcomes of one batch go to different ones.
constexpr std::size_t kCallers = 64;

// A message costs more than anything else, so during the run nothing is repeated and no
// acknowledgement is sent alone. The paper's sessions are plain TCP without credits. With our
// windows a manager with more outstanding messages than its window would gather, and T = 1 would
// carry more than it does.
session::Limits patient() {
  constexpr Duration kLongerThanARun = std::chrono::hours{24};
  session::Limits limits;
  limits.batches_in_flight = 1'000'000;
  limits.octets_in_flight = std::size_t{1} << 40;
  limits.resend_after = kLongerThanARun;
  limits.gap_after = kLongerThanARun;
  limits.resend_max = kLongerThanARun;
  limits.give_up_after = kLongerThanARun;
  limits.confirm_after = kLongerThanARun;
  limits.heartbeat = kLongerThanARun;
  limits.lease = 2 * kLongerThanARun;
  return limits;
}

}  // namespace

// Found by `model_bench fit`.
PaperHosts paper_hosts() {
  return {.message = us(829.3),
          .before_leaving = 0.05,
          .command = us(41.5),
          .switch_command = us(162.3),
          .pause_chance = 0.0092,
          .pause_mean = us(6'150)};
}

Costs costs_of(const PaperHosts& hosts) {
  Costs costs;
  costs.host = {.messages_a_run = 1,
                .before_leaving = hosts.before_leaving,
                .pause_chance = hosts.pause_chance,
                .pause_mean = hosts.pause_mean};
  costs.manager = {.receive = hosts.message,
                   .reply = hosts.message,
                   .send = hosts.message,
                   .item_in = hosts.command,
                   .item_out = hosts.command};
  costs.switch_server = costs.manager;
  costs.mapper = costs.manager;
  // GSMP is not GIOP: each request to a switch has a cost, the message has none.
  costs.label_switch = {.item_in = hosts.switch_command};
  // 150 octets at 10 Mbit/s.
  costs.network = us(120);
  costs.caller_sends = Duration{static_cast<Duration::rep>(
      static_cast<double>(hosts.message.count()) * hosts.before_leaving)};
  costs.caller_takes = hosts.message;
  return costs;
}

PointPlan paper_plan(const PaperHosts& hosts) {
  PointPlan plan;
  plan.costs = costs_of(hosts);
  plan.placement = Placement::kOwnHosts;
  plan.cores = 1;
  plan.hold_distribution = callgen::HoldDistribution::kExponential;
  plan.hold_mean = std::chrono::milliseconds{500};
  plan.client_batch = 1;
  plan.callers = kCallers;
  plan.sessions = patient();
  plan.manager.label_cache_target = 256;
  plan.manager.aggregation.flush_timeout = std::chrono::seconds{1};
  return plan;
}

PointPlan paper_plan() { return paper_plan(paper_hosts()); }

}  // namespace xbind::model
