// Whom a SwitchServer that runs short asks for what: managers that have labels in no connection, or
// quota that none of their hops needs, of the port in question. What they can spare comes back as returned
// labels and quota; nothing is taken from them.
//
// A manager is asked at most once per port in kInterval, and never for more than it has unused. A
// want that falls into that time is not kept: who still wants it says so again.
//
// Values only; one thread.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/clock.hpp"
#include "core/hop.hpp"
#include "switchserver/ledger.hpp"
#include "switchserver/timers.hpp"

namespace xbind {

class RecallDesk {
 public:
  static constexpr Duration kInterval = kSwitchServerTimers["recall-interval"];
  // A port with less than this part of its output labels free is low.
  static constexpr std::uint64_t kLowPart = 16;

  struct Recall {
    ManagerIndex manager;
    PortRecall what;
  };

  // `asker` could not have all it wanted of the port: each other manager is asked for as much of the
  // missing as it has unused, and for what it has in no connection beyond its share.
  void short_of(const Ledger& ledger, ManagerIndex asker, const PortRecall& missing, TimePoint now);
  // The same when the port is low, for what is missing to kLowPart.
  void check_low(const Ledger& ledger, ManagerIndex asker, PortId port, TimePoint now);
  // Asks every manager that holds more than its share of the port for what it has in no connection of that.
  void check_shares(const Ledger& ledger, PortId port, TimePoint now);
  // A new session of the manager may be asked at once.
  void session_ended(ManagerIndex manager);

  bool idle() const { return pending_.empty(); }
  std::vector<Recall> take();

  // What the quotas of the others have unused on the port.
  static Resources unused_of_others(const Ledger& ledger, ManagerIndex asker, PortId port);

 private:
  void ask(ManagerIndex manager, const PortRecall& what, TimePoint now);

  std::vector<Recall> pending_;
  std::unordered_map<std::uint64_t, TimePoint> asked_at_;  // by manager and port
};

}  // namespace xbind
