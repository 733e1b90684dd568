// Decides which managers a SwitchServer that runs short asks to return labels or quota of a port:
// those that have labels in no connection, or quota that no hop needs. They return what they can
// spare; nothing is taken from them.
//
// A manager is asked at most once per port in kInterval, and never for more than it has unused. A
// shortage within that interval is not queued: the caller must report it again.
//
// Values only; one thread.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/clock.hpp"
#include "core/hop.hpp"
#include "switchserver/controller/timers.hpp"
#include "switchserver/ledger/ledger.hpp"

namespace xbind {

class RecallDesk {
 public:
  static constexpr Duration kInterval = kSwitchServerTimers["recall-interval"];
  // A port is low when less than one part in kLowPart of its output labels is free.
  static constexpr std::uint64_t kLowPart = 16;

  struct Recall {
    ManagerIndex manager;
    PortRecall what;
  };

  // `asker` lacks `missing` at the port. Asks each other manager for as much of it as it has
  // unused, and for its labels in no connection that exceed its share.
  void short_of(const Ledger& ledger, ManagerIndex asker, const PortRecall& missing, TimePoint now);
  // The same if the port is low, for the labels that it lacks up to that bound.
  void check_low(const Ledger& ledger, ManagerIndex asker, PortId port, TimePoint now);
  // Asks every manager that exceeds its share of the port for its excess labels in no connection.
  void check_shares(const Ledger& ledger, PortId port, TimePoint now);
  // The manager's session has ended; its next session may be asked at once.
  void session_ended(ManagerIndex manager);

  bool idle() const { return pending_.empty(); }
  std::vector<Recall> take();

  // The sum of the other managers' unused quotas on the port.
  static Resources unused_of_others(const Ledger& ledger, ManagerIndex asker, PortId port);

 private:
  void ask(ManagerIndex manager, const PortRecall& what, TimePoint now);

  std::vector<Recall> pending_;
  std::unordered_map<std::uint64_t, TimePoint> asked_at_;  // by manager and port
};

}  // namespace xbind
