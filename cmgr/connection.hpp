// One connection and its hops as the manager keeps them: plain data.
#pragma once

#include <boost/intrusive/list_hook.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cmgr/call_fsm.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"
#include "core/hop.hpp"

namespace xbind::cmgr {

using SwitchIndex = std::uint32_t;  // of ConnectionManager's table of switches; stable for its life
using ClientIndex = std::uint32_t;  // the same of clients; 0 is the manager itself (two-way calls)

enum class HopState : std::uint8_t {
  kIdle,       // nothing has been said to the switch
  kReserving,  // phase one is on its way
  kReserved,
  kCommitting,  // phase two is on its way
  kCommitted,
  kRefused,   // the switch said no; nothing of it is left there
  kRemoving,  // the removal is on its way
  kRemoved,
  kNotRemoved,  // nobody to tell, or the switch cannot be reached: the removal will be owed
};

struct Hop {
  SwitchIndex at = 0;
  PortId input_port;
  PortId output_port;
  Label input_label;   // known before the commit, but for the first hop
  Label output_label;  // known before the commit, but for the last hop
  HopState state = HopState::kIdle;
  bool reserved = false;           // phase one was used: until removed, a reservation may be there
  bool in_quarantine = false;      // the SwitchServer has said that output_label rests there
  std::uint16_t labels_asked = 0;  // replacements asked for with the command under way
  std::uint32_t attachment = 0;  // of the switch when the path was chosen (SwitchDesk::attachment)
};

// A call's ends, shared by all its messages.
struct CallEnds {
  std::string from;
  std::string to;
};

// Why the call ended as it did; the first refusal counts.
struct Refusal {
  Cause cause = Cause::kNone;
  std::string element;
  std::uint64_t asked = 0;
  std::uint64_t free = 0;
};

struct Connection
    : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
  ConnectionId id;
  Generation generation{1};
  State state = State::kRouting;
  ClientIndex client = 0;  // who asked for the setup
  RequestId request;
  ClientIndex releaser = 0;  // who asked for the release
  RequestId release_request;
  std::shared_ptr<const CallEnds> ends;
  Resources demand;
  std::vector<Hop> hops;
  std::uint16_t pending = 0;  // answers still expected in this state
  Refusal refusal;
  TimePoint deadline = kNever;  // of the state's timer
};

}  // namespace xbind::cmgr
