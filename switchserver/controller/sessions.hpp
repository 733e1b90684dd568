// The sessions of managers with a controller: who is attached, with which epoch, and until when the
// labels of a lapsed session rest.
//
// A name that attaches replaces its earlier session. An older epoch than the highest known is
// fenced off. Names of strangers are bounded by LedgerOptions::managers_max; one is given up only
// if nothing of it is left. Lapsed labels of a manager rest at most once at a time.
//
// One thread. Refusals are values.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/manager_epochs.hpp"
#include "core/result.hpp"
#include "switchserver/controller/values.hpp"

namespace xbind::controller {

struct Parts;

class Sessions {
 public:
  explicit Sessions(Parts& parts);

  // See SwitchController, for all of these.
  Result<Attachment> attach(std::string_view manager, Epoch epoch);
  void detach(std::string_view manager);
  ManagerEpochs epochs_of(std::string_view manager) const;
  Result<void> renew_epoch(std::string_view manager, Epoch newest);
  std::vector<KnownManager> known_managers() const;
  Result<std::uint64_t> forget(std::string_view manager);
  Result<std::uint64_t> clear_hops(std::string_view manager, ConnectionId connection, TimePoint now,
                                   std::vector<ClearedCall>* calls);
  std::vector<ManagerHoldings> holdings() const;

  // The index of a manager with a session. kNotFound: it has none.
  Result<ManagerIndex> attached(std::string_view manager) const;
  bool is_attached(ManagerIndex manager) const { return sessions_[manager.value()].attached; }

  // When on_time() is to be called, or kNever.
  TimePoint wake_at() const { return rests_.empty() ? kNever : rests_[0].until; }
  void on_time(TimePoint now);
  // Rests that began in this step have their time from now on.
  void end_step(TimePoint now);

 private:
  struct Session {  // by ManagerIndex
    bool attached = false;
    Epoch epoch;  // the highest ever seen, or that of the last renewal
    std::uint64_t renewals = 0;
  };
  struct Rest {  // of a manager's lapsed labels
    ManagerIndex manager;
    TimePoint until = kNever;  // kNever: it begins when the present step ends
  };

  void end(ManagerIndex manager);
  void end_rest_of(ManagerIndex manager);
  bool make_room();
  bool is_of(const HopRecord& record, HopRef ref, ManagerIndex manager,
             ConnectionId connection) const;

  Parts& parts_;
  std::vector<Session> sessions_;
  std::deque<Rest> rests_;  // in order of their ends; at most one for each manager
};

}  // namespace xbind::controller
