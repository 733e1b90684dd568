// Labels and quotas between the ledger and the managers' caches: what accepted setups want, grants
// on request, returns, and recalls from other managers when a port runs short (recall_desk.hpp).
//
// Nothing is granted at a port that waits for claims (Claims::awaited_at()). A grant is bounded by
// SwitchControllerOptions::labels_per_grant_max and by the manager's share.
//
// No memory once warm, apart from what is granted. One thread. Refusals are values.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/hop.hpp"
#include "core/result.hpp"
#include "switchserver/controller/values.hpp"
#include "switchserver/ledger/values.hpp"

namespace xbind::controller {

struct Parts;

class LabelExchange {
 public:
  explicit LabelExchange(Parts& parts) : parts_(parts) {}

  // ---- with a batch: begin(), want() of each accepted setup, then grant_wanted() ----

  void begin() { wanted_.clear(); }
  void want(const HopSetup& accepted);
  // Grants what the accepted setups want, as far as it is free.
  void grant_wanted(ManagerIndex manager, HopResultBatch& out);
  // What a batch returns; then its managers' shares may have changed.
  void take_back(ManagerIndex manager, const HopBatch& batch);

  // ---- two-way calls; see SwitchController ----

  Result<Grant> grant(std::string_view manager, PortId port, std::size_t labels, Resources quota,
                      TimePoint now);
  Result<void> give_back(std::string_view manager, const PortLabels& labels, Resources quota);

  // ---- shortages ----

  // Recalls what other managers could have spared to avoid this refusal.
  void note_shortage(ManagerIndex manager, const Admission& refused);
  // Recalls decided in this step are among the outputs.
  void end_step();

 private:
  struct Wanted {  // labels and quota that setups of the present batch want at a port
    PortId port;
    std::size_t labels = 0;
    Resources quota;
  };

  Grant grant_some(ManagerIndex manager, PortId port, std::size_t labels, Resources quota);
  void note_over_share(PortId port);
  void take_back(ManagerIndex manager, const PortLabels& returned);
  void take_back(ManagerIndex manager, PortId port, Resources quota);

  Parts& parts_;
  std::vector<Wanted> wanted_;  // of the present batch
};

}  // namespace xbind::controller
