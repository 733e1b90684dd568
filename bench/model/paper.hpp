// The hosts of the paper (section III-A), and a run on them.
#pragma once

#include "bench/model/costs.hpp"
#include "bench/model/point.hpp"
#include "core/clock.hpp"

namespace xbind::model {

// The paper's workstations, every one the same serial server, on a 10 Mbit/s Ethernet.
struct PaperHosts {
  Duration message{};         // GIOP: taken or sent, request or reply, at any host
  double before_leaving = 1;  // share of it that is paid before a message that is sent leaves
  Duration command{};         // each request, command, result or outcome in a message
  Duration switch_command{};  // each GSMP request, at the switch
  double pause_chance = 0;    // with each message taken
  Duration pause_mean{};

  friend bool operator==(const PaperHosts&, const PaperHosts&) = default;
};
// What fit_to_paper() (fit.hpp) has found; model_bench fit prints it.
PaperHosts paper_hosts();
Costs costs_of(const PaperHosts& hosts);

// Everything of the paper's runs but the load, the engine and T: a host for every process, callers that
// are many and not in each other's way, one request in a message, 0.5 s of holding, and sessions whose
// timers are as slow as the hosts.
PointPlan paper_plan(const PaperHosts& hosts);
PointPlan paper_plan();

}  // namespace xbind::model
