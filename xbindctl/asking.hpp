// From a command line to what its command asks, and to the peers that it asks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "client/corba/two_way.hpp"
#include "core/config/options.hpp"
#include "orb/name_client.hpp"
#include "route_object.hh"
#include "xbindctl/alarms.hpp"
#include "xbindctl/call_filter.hpp"
#include "xbindctl/command_line.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl/document.hpp"
#include "xbindctl/events.hpp"
#include "xbindctl/failure.hpp"
#include "xbindctl/network_change.hpp"
#include "xbindctl/network_room.hpp"
#include "xbindctl/questions.hpp"
#include "xbindctl/trace.hpp"

namespace xbind::ctl {

// The phase with these words; "switching-over" stands for "switching over".
std::optional<v2::PhaseCode> phase_of(std::string word);

// `set`: loaded, with `line` as its targets.
std::optional<AggregationChange> change_of(const CommandLine& line, const config::OptionSet& set);
ConnectRequest request_of(const CommandLine& line, RequestId number);
// Asks RouteObject for the bridges; `names` and `line` must outlive it.
PingWish ping_of(orb::NameClient& names, const CommandLine& line, std::uint64_t session);
RouteWish wish_of(const CommandLine& line, const config::OptionSet& set);
// With --unusable RouteObject is asked what is unusable now.
OrFailure<CallPage::Plan> plan_of(orb::NameClient& names, const CommandLine& line);
FitQuestion question_of(const CommandLine& line);
AlarmWish alarms_of(const CommandLine& line);
EventWish events_of(const CommandLine& line);
// Who acknowledges an alarm: --who, or the name of this process's user.
std::string who_of(const CommandLine& line);
std::optional<std::string> client_of(const CommandLine& line);
DaemonNames names_of(const CommandLine& line);
TraceWish trace_of(const CommandLine& line);
// Asks the manager when it is called; `names` must outlive it.
Recorded recorded_of(orb::NameClient& names, const CommandLine& line);
// Reads the file of `network load`.
OrFailure<NetworkWish> network_wish_of(const CommandLine& line);
PathElement element_of(const CommandLine& line);  // of the arguments SWITCH and [PORT]

OrFailure<client::TwoWay> manager_of(orb::NameClient& names, const CommandLine& line);
OrFailure<v2::RouteObject_var> route_object_of(orb::NameClient& names, const CommandLine& line);

// Reads links and endpoints from RouteObject. `names` and `line` must outlive it.
PlanReader plan_reader(orb::NameClient& names, const CommandLine& line);

// What a command takes from outside; main.cpp has chance and sleep.
struct Surroundings {
  // A random number, so that the outcome of a connect can be looked up by it later.
  std::function<RequestId()> new_request;
  std::function<std::uint64_t()> new_session;  // random
  Pause pause;                                 // before a SwitchServer is asked again
  Pause network_pause;                         // before a change of the network looks again
};

// run_json.cpp: the JSON document of any command but top and completion.
DocumentOrFailure document_of(const CommandLine& line, const config::OptionSet& set,
                              orb::NameClient& names, const Surroundings& surroundings);

}  // namespace xbind::ctl
