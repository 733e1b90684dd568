// When a SwitchServer compares its switch's table with its ledger in the background, and what the
// comparisons have found. The controller reads the ports and compares
// (switch_controller_rounds.cpp); this class decides when, and which entries are put back.
//
// A round reads each port once. Its ports are spread over the interval. The pause behind a port
// grows with the entries that were compared, so that a round takes at most one percent of a core;
// with a very large table a round therefore takes longer than the interval. When another controller
// comes to the switch or leaves it, a round begins at once; while it stays, round follows round.
//
//     port read ──▶ all there ───────────────────────────────────▶ next port
//         │                                                          ▲
//         └──▶ some missing ──pause──▶ read again ──▶ missing twice: put back, or left
//
// An entry that was missing in both looks, and whose hop has not changed since before the first, is
// put back once within an interval. One that is lost again is left: another controller removes it,
// and two controllers must not fight. Entries that no hop has are not looked at.
//
// Not thread-safe; owned by the controller.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/audit.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "switchserver/controller/timers.hpp"
#include "switchserver/drivers/switch_driver.hpp"

namespace xbind {

class TableRounds {
 public:
  static constexpr Duration kSecondLook = kSwitchServerTimers["table-second-look"];
  static constexpr Duration kSharedPause = kSwitchServerTimers["table-round-shared"];
  // The pauses for each entry and for each hop of the ledger that a look compares: one percent of a
  // core at 2 us an entry and 0.1 us a hop.
  static constexpr Duration kEntryPause = kSwitchServerTimers["table-entry-pause"];
  static constexpr Duration kHopPause = kSwitchServerTimers["table-hop-pause"];

  // `interval` 0: there are no rounds.
  explicit TableRounds(Duration interval) : interval_(interval) {}

  // The whole table has just been compared.
  void switch_up(std::size_t ports, TimePoint now);
  void switch_down();
  // The number of controllers of the switch has changed.
  void others(std::uint64_t controllers, TimePoint now);

  // When next_port() is to be called, or kNever.
  TimePoint due() const { return look_.waiting ? kNever : plan_.due; }
  // The port to be read now; nullopt: there is none.
  std::optional<PortId> next_port(const std::vector<SwitchPort>& ports, TimePoint now);
  // It is being read. `clock`: the ledger's.
  void asked(driver::Cookie cookie, std::uint64_t clock);
  // Whether this is the answer that is awaited.
  bool waits_for(driver::Cookie cookie) const { return look_.waiting && look_.cookie == cookie; }
  // Whether a port is being looked at: removals since then are to be known.
  bool looking() const { return look_.waiting || look_.second; }
  PortId port() const { return look_.port; }
  // The ledger's clock before the first look at the port.
  std::uint64_t since() const { return look_.since; }

  // What a look at port() has cost and found.
  struct Look {
    std::uint64_t entries = 0;              // in the switch's table
    std::uint64_t hops = 0;                 // of the ledger, all ports
    std::uint64_t outputs_unknown = 0;      // entries whose output the switch cannot report
    std::vector<CrossConnect> missing{};    // ascending
    std::vector<CrossConnect> displaced{};  // missing, with an unknown entry on the same input
  };
  // The port could not be read.
  void unread(TimePoint now);
  // Returns the entries to be put back now. After a first look that misses something: none, and the
  // port is read again.
  std::vector<CrossConnect> looked(Look look, TimePoint now);

  // The last whole round; all 0 before its end.
  struct Round {
    std::uint64_t number = 0;
    Duration took{};
    std::uint64_t ports = 0;
    std::uint64_t unread = 0;  // ports that could not be read
    std::uint64_t entries = 0;
    std::uint64_t missing = 0;   // twice
    std::uint64_t put_back = 0;  // of these
    std::uint64_t outputs_unknown = 0;
  };
  const Round& last() const { return last_; }
  // Entries that the switch lacks and that are not put back.
  std::size_t left() const { return drift_.left.size(); }
  // Whether entries are left, or were lost within the last interval; and how many were put back
  // since that began.
  bool drifts() const { return drift_.found; }
  std::uint64_t put_back() const { return drift_.put_back; }

 private:
  void begin_round(TimePoint at, bool urgent);
  void end_round(TimePoint now);
  void port_done(Duration cost, TimePoint now);
  bool may_put_back(const CrossConnect& entry, TimePoint now) const;

  struct Plan {
    bool up = false;
    bool shared = false;   // another controller is there
    bool urgent = false;   // the round is not spread over the interval
    bool restart = false;  // begin a round when the present look ends
    bool begun = false;    // the ports of the round are known
    TimePoint due = kNever;
    TimePoint began{};
    std::vector<PortId> ports;  // of the round, still to be read; the next one last
    std::size_t ports_in_all = 1;
  };
  struct Current {         // the look at a port
    bool waiting = false;  // for the driver's answer
    bool second = false;   // the first look has missed `suspects`
    driver::Cookie cookie = 0;
    PortId port;
    std::uint64_t since = 0;
    std::vector<CrossConnect> suspects;
  };
  struct Drift {
    std::set<CrossConnect> left;
    std::map<CrossConnect, TimePoint> mended;  // when it was put back
    TimePoint last_loss{};
    bool found = false;
    std::uint64_t put_back = 0;
  };

  Duration interval_;
  Plan plan_;
  Current look_;
  Drift drift_;
  Round now_;
  Round last_;
};

}  // namespace xbind
