// A switch under the kit's full control, with a driver in front of it. A rig stands for one kind of
// driver and one kind of switch: GSMP version 3, version 1.1, MPLS in memory, Open vSwitch. To run
// the stories, a new driver needs only one more such class.
//
// The kit passes the time as an argument; nothing happens by itself. Single-threaded.
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

// How switches differ. Where an ability is false, the story checks what the driver reports instead.
struct Abilities {
  // The table reports where each connection leads. False: outputs that the driver did not add
  // itself have port 0 and no label.
  bool lists_outputs = true;
  // Up reports that the switch started empty. False: `kept` is always true, and the table shows it.
  bool says_emptied = true;
  // The switch notifies the driver when another controller has brought a port up. False: the next
  // request on that port is refused with `again`.
  bool tells_takeovers = true;
  // The switch enforces contracts. False: it treats cells by priority.
  bool serves_contracts = true;
};

enum class RequestKind { kAdd, kMove };

class Rig {
 public:
  virtual ~Rig() = default;

  virtual Abilities abilities() const = 0;

  // Returns the driver, not started. Call once. The driver may be destroyed before the rig.
  virtual std::unique_ptr<RunningDriver> make_driver() = 0;

  // ----- the control channel -----
  // Connects the driver to the switch, over a new connection each time.
  virtual void connect(TimePoint now) = 0;
  virtual void cut(TimePoint now) = 0;
  // Delivers what is in flight, one round. Returns false when nothing was in flight and nothing is
  // delayed.
  virtual bool carry_requests(TimePoint now) = 0;
  virtual bool carry_answers(TimePoint now) = 0;
  // Drops everything in flight to the switch.
  virtual void lose_requests() = 0;
  // Number of separate writes to the switch since the start.
  virtual int writes() const = 0;
  // After this time the driver gives a request up; the control channel lasts longer.
  virtual Duration request_timeout() const = 0;
  // The driver notices another controller's actions within this time.
  virtual Duration takeover_noticed_within() const = 0;

  // ----- the switch -----
  // The switch loses its table and its control channel, and restarts.
  virtual void restart_empty(TimePoint now) = 0;
  virtual void set_line(PortId port, bool up, TimePoint now) = 0;
  // The next `count` requests of the kind are refused with refusal_code().
  virtual void refuse_next(std::uint64_t count, RequestKind kind) = 0;
  virtual std::uint8_t refusal_code() const = 0;
  // Another controller brings the port up, which removes the connections that enter there (RFC 3292
  // section 6.1).
  virtual void another_brings_up(PortId port, TimePoint now) = 0;
  virtual void another_adds(const CrossConnect& at) = 0;
  virtual void cells_arrive(PortId port, Label label, std::uint64_t cells, TimePoint now) = 0;
  // The switch's table, read without the driver.
  virtual std::set<CrossConnect> table() const = 0;
  // Whether the switch enforces a contract for `at`, which is in its table.
  virtual bool by_contract(const CrossConnect& at) const = 0;

  // ----- properties of the switch -----
  // At least three ports, all up, in ascending order.
  virtual std::vector<SwitchPort> ports() const = 0;
  // Distinct labels that every port accepts, at least for numbers 0 to 1 999.
  virtual Label label(std::uint32_t number) const = 0;
  // A label of the ports' kind that is outside all their ranges.
  virtual Label label_out_of_range() const = 0;
  virtual Label label_of_another_kind() const = 0;
};

using MakeRig = std::unique_ptr<Rig> (*)();

struct NamedRig {
  const char* name;
  MakeRig make;
};
const std::vector<NamedRig>& rigs();

// gsmp_rig.cpp, mpls_rig.cpp, ovs_rig.cpp
std::unique_ptr<Rig> make_gsmp_v3_rig();
std::unique_ptr<Rig> make_gsmp_v1_rig();
std::unique_ptr<Rig> make_mpls_rig();
std::unique_ptr<Rig> make_ovs_rig();

}  // namespace xbind::driver_kit
