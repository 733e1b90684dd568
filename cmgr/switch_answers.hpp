// Messages from SwitchServers: sessions that begin and end, and the answers to commands, which it
// passes to the waiting procedures.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cmgr/parts/peers.hpp"
#include "cmgr/procedures/context.hpp"

namespace xbind::cmgr {

class SwitchAnswers {
 public:
  SwitchAnswers(Context& context, Peers& peers) : context_(context), peers_(peers) {}

  // As the operations of ConnectionManager with the same names.
  void attached(const std::string& name, SessionId session, std::uint32_t batches_in_flight,
                const std::vector<PortLabels>& quarantined, TimePoint now);
  void lost(SessionId session, std::string_view reason, TimePoint now);
  void on_results(SessionId session, session::Frame<HopResultBatch> frame, TimePoint now);
  void on_invoked(SessionId session, const HopBatch& asked, const Result<HopResultBatch>& answer,
                  TimePoint now);
  // Treats sessions that the switch desk has given up as lost.
  void tick(TimePoint now);

 private:
  // A hop of a connection, or of its procedure.
  struct Found {
    Connection* connection = nullptr;
    Hops* hops = nullptr;  // the tree that contains `hop`
    Hop* hop = nullptr;
  };

  // Ends the commands under way at that switch, which will not be answered.
  void abandon(SwitchIndex at, TimePoint now);
  void sort_quarantine(SwitchIndex at, const std::vector<PortLabels>& quarantined, TimePoint now);
  Found find_hop(SwitchIndex at, const HopKey& key) const;
  // Whether repeating a removal with unknown result would lose its label.
  bool loses_label(SwitchIndex at, const HopRemoval& removal) const;
  void on_result(SwitchIndex at, const HopResult& result, TimePoint now);
  void on_orphan_result(SwitchIndex at, const HopResult& result, TimePoint now);
  void on_setup_result(const Found& found, const HopResult& result, TimePoint now);
  void on_change_result(const Found& found, const HopResult& result, TimePoint now);
  void on_removal_result(const Found& found, const HopResult& result, TimePoint now);

  Context& context_;
  Peers& peers_;
};

}  // namespace xbind::cmgr
