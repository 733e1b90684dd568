// The costs of messages and items on one kind of machine. README.md says how the numbers were
// obtained; a new measurement changes them here and nowhere else.
#pragma once

#include "bench/model/machine.hpp"
#include "core/clock.hpp"

namespace xbind::model {

constexpr Duration us(double count) { return Duration{static_cast<Duration::rep>(count * 1'000)}; }

// Costs of one kind of process. An item is a request, a command, a result or an outcome in a
// message.
struct ProcessCosts {
  Duration receive{};   // an invocation of this process
  Duration reply{};     // a reply: to a two-way invocation of this process, or to GSMP requests
  Duration send{};      // a message
  Duration item_in{};   // each item of a received message
  Duration item_out{};  // each item of a sent message
};

struct Costs {
  HostCosts host;
  ProcessCosts client;
  ProcessCosts manager;
  ProcessCosts switch_server;
  ProcessCosts label_switch;  // its messages are writes of GSMP frames
  ProcessCosts mapper;        // RouteObject and QOSMapper, each
  Duration hand_over{};       // from thread to thread, at either end of a two-way invocation
  Duration network{};         // of a message between two hosts; zero within one host
  // For callers on many hosts: the cost of a message at one caller delays that message and no
  // other.
  Duration caller_sends{};
  Duration caller_takes{};
};

// Two cores of a virtual machine, loopback TCP, omniORB.
Costs native_costs();
}  // namespace xbind::model
