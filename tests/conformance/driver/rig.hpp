// A switch that the kit may do anything to, with a driver in front of it. A rig is one kind of driver
// and one kind of switch: GSMP version 3, version 1.1, MPLS in memory. What a new driver needs to run
// the stories is one more class like this.
//
// Time is the kit's, handed in; nothing happens by itself. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/audit.hpp"
#include "core/clock.hpp"
#include "switchserver/drivers/running_driver.hpp"

namespace xbind::driver_kit {

// Where switches differ. A story that meets a "no" asserts what the driver says instead.
struct Abilities {
  // The table tells where each connection leads. No: outputs that the driver did not add itself have
  // port 0 and no label.
  bool lists_outputs = true;
  // Up says that the switch has started empty. No: `kept` is always true, and the table tells.
  bool says_emptied = true;
  // The driver learns unasked that another controller has brought a port up. No: the next request on
  // that port is refused with `again`.
  bool tells_takeovers = true;
  // The switch keeps cells to their contract. No: it treats them by priority.
  bool serves_contracts = true;
};

enum class RequestKind { kAdd, kMove };

class Rig {
 public:
  virtual ~Rig() = default;

  virtual Abilities abilities() const = 0;

  // The driver, not started. Once. It may be destroyed before the rig.
  virtual std::unique_ptr<RunningDriver> make_driver() = 0;

  // ----- the control channel -----
  // The driver reaches the switch. A new connection each time.
  virtual void connect(TimePoint now) = 0;
  virtual void cut(TimePoint now) = 0;
  // What has been sent and has not arrived arrives, one round. False: there was nothing, and nothing is
  // still to come.
  virtual bool carry_requests(TimePoint now) = 0;
  virtual bool carry_answers(TimePoint now) = 0;
  // What has been sent to the switch and has not arrived never will.
  virtual void lose_requests() = 0;
  // How many messages have left for the switch in one piece each, since the start.
  virtual int writes() const = 0;
  // After which the driver gives a request up; the control channel outlives it.
  virtual Duration request_timeout() const = 0;
  // Within which the driver notices what another controller has done.
  virtual Duration takeover_noticed_within() const = 0;

  // ----- the switch -----
  // It loses table and control channel, and starts anew.
  virtual void restart_empty(TimePoint now) = 0;
  virtual void set_line(PortId port, bool up, TimePoint now) = 0;
  // The next `count` requests of the kind are refused with refusal_code().
  virtual void refuse_next(std::uint64_t count, RequestKind kind) = 0;
  virtual std::uint8_t refusal_code() const = 0;
  // Another controller brings the port up: what came in there is gone (RFC 3292 section 6.1).
  virtual void another_brings_up(PortId port, TimePoint now) = 0;
  virtual void another_adds(const CrossConnect& at) = 0;
  virtual void cells_arrive(PortId port, Label label, std::uint64_t cells, TimePoint now) = 0;
  // The switch's table, read past the driver.
  virtual std::set<CrossConnect> table() const = 0;
  // Whether the switch holds the cells of this one, which it has, to a contract.
  virtual bool by_contract(const CrossConnect& at) const = 0;

  // ----- what the switch has -----
  // At least three ports, all up, in ascending order.
  virtual std::vector<SwitchPort> ports() const = 0;
  // Different labels that every port accepts: 0 to 1 999 at least.
  virtual Label label(std::uint32_t number) const = 0;
  // Of the ports' kind, in the range of none.
  virtual Label label_out_of_range() const = 0;
  virtual Label label_of_another_kind() const = 0;
};

using MakeRig = std::unique_ptr<Rig> (*)();

struct NamedRig {
  const char* name;
  MakeRig make;
};
const std::vector<NamedRig>& rigs();

// gsmp_rig.cpp, mpls_rig.cpp
std::unique_ptr<Rig> make_gsmp_v3_rig();
std::unique_ptr<Rig> make_gsmp_v1_rig();
std::unique_ptr<Rig> make_mpls_rig();

}  // namespace xbind::driver_kit
