// What things cost on one kind of machine. README.md tells how the numbers were obtained; whoever
// measures anew changes them here and nowhere else.
#pragma once

#include "bench/model/machine.hpp"
#include "core/clock.hpp"

namespace xbind::model {

// Of one kind of process. An item is a request, a command, a result or an outcome in a message.
struct ProcessCosts {
  Duration receive{};   // a message that is an invocation of the process
  Duration reply{};     // one that answers: a two-way invocation of its own, or GSMP requests
  Duration send{};      // a message
  Duration item_in{};   // each item of a message taken
  Duration item_out{};  // each item of a message sent
};

struct Costs {
  HostCosts host;
  ProcessCosts client;
  ProcessCosts manager;
  ProcessCosts switch_server;
  ProcessCosts label_switch;  // its messages are writes of GSMP frames
  ProcessCosts mapper;        // RouteObject and QOSMapper, each
  Duration hand_over{};       // from thread to thread, at either end of a two-way invocation
  Duration network{};         // of a message between two hosts; within one there is none
  // Callers that are many hosts: what a message costs one of them delays that message and no other.
  Duration caller_sends{};
  Duration caller_takes{};
};

// Two cores of a virtual machine, loopback TCP, omniORB.
Costs native_costs();
}  // namespace xbind::model
