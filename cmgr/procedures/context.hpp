// The parts of a connection manager that its procedures use. All of them outlive the procedures.
#pragma once

#include "cmgr/parts/call_log.hpp"
#include "cmgr/parts/call_times.hpp"
#include "cmgr/parts/call_traces.hpp"
#include "cmgr/parts/client_desk.hpp"
#include "cmgr/parts/config.hpp"
#include "cmgr/parts/counters.hpp"
#include "cmgr/parts/switch_desk.hpp"
#include "cmgr/procedures/connection_table.hpp"
#include "cmgr/procedures/occurrences.hpp"
#include "cmgr/procedures/timers.hpp"

namespace xbind::cmgr {

class HopSender;
class Outcomes;
class PathWatch;
class PreparedDesk;
class Recovery;
class RouteDesk;

struct Context {
  const Config& config;
  CallCounters& counters;
  Occurrences& occurrences;
  CallTimes& times;
  CallTraces& traces;
  CallLog& log;
  ClientDesk& clients;
  SwitchDesk& switches;
  ConnectionTable& connections;
  ProcedureTimers& timers;
  HopSender& sender;
  Outcomes& outcomes;
  RouteDesk& routes;
  PathWatch& paths;
  PreparedDesk& prepared;
  Recovery& recovery;
};

}  // namespace xbind::cmgr
