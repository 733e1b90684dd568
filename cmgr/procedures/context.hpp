// The parts of a connection manager that its procedures use. All of them outlive the procedures.
#pragma once

#include "cmgr/call_times.hpp"
#include "cmgr/client_desk.hpp"
#include "cmgr/config.hpp"
#include "cmgr/connection_table.hpp"
#include "cmgr/counters.hpp"
#include "cmgr/procedures/occurrences.hpp"
#include "cmgr/procedures/timers.hpp"
#include "cmgr/switch_desk.hpp"

namespace xbind::cmgr {

class HopTeller;
class Outcomes;
class PathWatch;
class PreparedDesk;
class RouteDesk;

struct Context {
  const Config& config;
  CallCounters& counters;
  Occurrences& occurrences;
  CallTimes& times;
  ClientDesk& clients;
  SwitchDesk& switches;
  ConnectionTable& connections;
  ProcedureTimers& timers;
  HopTeller& teller;
  Outcomes& outcomes;
  RouteDesk& routes;
  PathWatch& paths;
  PreparedDesk& prepared;
};

}  // namespace xbind::cmgr
