// The hosts of the paper (section III-A), and a run on them.
#pragma once

#include "bench/model/costs.hpp"
#include "bench/model/point.hpp"
#include "core/clock.hpp"

namespace xbind::model {

// The paper's workstations: identical serial servers on a 10 Mbit/s Ethernet.
struct PaperHosts {
  Duration message{};         // a GIOP message, received or sent, request or reply, at any host
  double before_leaving = 1;  // fraction of it that a sender pays before the message leaves
  Duration command{};         // each request, command, result or outcome in a message
  Duration switch_command{};  // each GSMP request, at the switch
  double pause_chance = 0;    // with each message taken
  Duration pause_mean{};

  friend bool operator==(const PaperHosts&, const PaperHosts&) = default;
};
// The result of fit_to_paper() (fit.hpp); model_bench fit prints it.
PaperHosts paper_hosts();
Costs costs_of(const PaperHosts& hosts);

// The plan of the paper's runs except load, engine and T: every process on its own host, many
// callers that do not delay each other, one request in a message, a holding time of 0.5 s, and
// session timers as slow as the hosts.
PointPlan paper_plan(const PaperHosts& hosts);
PointPlan paper_plan();

}  // namespace xbind::model
