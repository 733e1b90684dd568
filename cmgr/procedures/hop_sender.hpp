// Sends the commands for the hops of a connection: at once, each in its switch's queue; or, in the
// engines that wait (Config::one_by_one), one after another as separate invocations.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include "cmgr/parts/client_desk.hpp"
#include "cmgr/parts/config.hpp"
#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/switch_desk.hpp"
#include "core/clock.hpp"

namespace xbind::cmgr {

class Procedure;

class HopSender {
 public:
  HopSender(const Config& config, ClientDesk& clients, SwitchDesk& switches)
      : config_(config), clients_(clients), switches_(switches) {}

  // Sends the command, or records it for send_next(). The hop's state is that of the command from
  // then on.
  void tell(Procedure& procedure, Hop& hop, Errand errand, TimePoint now);
  // For the engines that wait: sends the next recorded command when no answer is outstanding.
  void send_next(Procedure& procedure, TimePoint now);
  static void drop_pending_commands(Hops& hops);

  // Adds the hop's demand to the quota cache, or subtracts it.
  void book(const Connection& connection, Hop& hop, TimePoint now);
  void unbook(const Connection& connection, Hop& hop);
  // The replacement labels that the hop's command requested have arrived, or never will.
  void labels_answered(Hop& hop) {
    if (hop.labels_asked != 0) take_labels_answered(hop);
  }

 private:
  void take_labels_answered(Hop& hop);
  void say(Procedure& procedure, Hop& hop, TimePoint now);
  Owner owner_of(const Procedure& procedure) const;
  void fill_in(HopSetup& setup, Procedure& procedure, Hop& hop, bool commit, TimePoint now);
  [[gnu::cold]] void trace(SwitchIndex at, ConnectionId connection, HopBatch* one);
  void note_change(const Connection& connection, Hop& hop);

  const Config& config_;
  ClientDesk& clients_;
  SwitchDesk& switches_;
};

}  // namespace xbind::cmgr
