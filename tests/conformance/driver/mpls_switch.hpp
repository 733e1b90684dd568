// A simulated label switch with MPLS labels (RFC 3031): a table, its rules and its counters. Its
// own control protocol carries neither GSMP nor octets. It answers late and out of order. With
// mpls_driver.hpp it shows that the driver's interfaces and the kit depend on neither ATM nor GSMP.
//
//   MplsDriver ──MplsRequest──▶ MplsWire ──▶ MplsSwitch
//              ◀──MplsArrival──          ◀──
//
// Single-threaded.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/audit.hpp"
#include "switchserver/drivers/switch_driver.hpp"
#include "tests/conformance/driver/rig.hpp"

namespace xbind::driver_kit {

enum class MplsFailure : std::uint8_t {
  kNone = 0,
  kNoSuchPort = 1,
  kLabelOfAnotherKind = 2,
  kLabelOutOfRange = 3,
  kNothingThere = 4,
  kRefusedOnPurpose = 5,
};

struct MplsRequest {
  enum class Kind { kAdd, kRemove, kMove, kTable, kCounters };
  Kind kind = Kind::kAdd;
  std::uint64_t id = 0;
  CrossConnect at;  // for counters: the input
  PortId to_port{};
  Label to_label{};
  TrafficContract contract{};
};

struct MplsAnswer {
  std::uint64_t id = 0;
  MplsFailure failure = MplsFailure::kNone;
  std::vector<CrossConnect> table;
  CellCounters counters;
};

// What reaches the driver.
struct MplsHello {
  std::uint32_t boot = 0;  // a different value: the switch has restarted
  std::vector<SwitchPort> ports;
};
struct MplsPorts {
  std::vector<SwitchPort> ports;
  std::vector<PortId> renewed;
};
struct MplsClosed {
  std::string reason;
};
using MplsArrival = std::variant<MplsHello, MplsAnswer, MplsPorts, MplsClosed>;

// The connection between the two; at most one at a time.
struct MplsWire {
  std::function<void(MplsArrival)> arrived;  // set by the driver; empty: it is not running
  bool connected = false;
  std::deque<std::vector<MplsRequest>> requests;  // one message each
  int writes = 0;
};

class MplsSwitch {
 public:
  static constexpr std::uint32_t kFirstLabel = 16;  // 0 to 15 are reserved (RFC 3032 section 2.1)
  static constexpr std::uint32_t kLastLabel = 4'015;

  MplsSwitch();

  MplsAnswer serve(const MplsRequest& request);

  std::vector<SwitchPort> ports() const;
  const std::map<CrossConnect, TrafficContract>& table() const { return table_; }
  std::uint32_t boot() const { return boot_; }

  void restart();
  void set_line(PortId port, bool up) { ports_.at(port).up = up; }
  void drop_inputs(PortId port);
  void refuse_next(std::uint64_t count, MplsRequest::Kind kind) { refusals_ = {count, kind}; }
  void count(PortId port, Label label, std::uint64_t packets);

 private:
  struct Port {
    bool up = true;
    std::uint64_t input = 0;
    std::map<Label, std::uint64_t> input_of;
  };

  MplsFailure check(PortId port, Label label) const;
  MplsFailure add(const CrossConnect& at, const TrafficContract& contract);
  MplsFailure remove(const CrossConnect& at);
  MplsFailure move(const MplsRequest& request);
  MplsFailure counters(const MplsRequest& request, CellCounters& counters) const;

  std::map<PortId, Port> ports_;
  std::map<CrossConnect, TrafficContract> table_;
  std::pair<std::uint64_t, MplsRequest::Kind> refusals_{0, MplsRequest::Kind::kAdd};
  std::uint32_t boot_ = 1;
};

}  // namespace xbind::driver_kit
