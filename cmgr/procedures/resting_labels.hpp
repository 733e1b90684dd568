// Labels of earlier epochs of which no connection or debt is known to use them: in quarantine at
// their SwitchServer, or of hops that recovery removes. Each rests until no hop at the other end of
// its link can use it (recovery.hpp).
//
// Such a hop may belong to a call that waits, may be at a switch that has not been read or that has
// entries of nobody, or its removal may be owed. Where no call shows the link, the topology may be
// wrong: then it is any hop whose input label has the same value.
//
// Not thread-safe; owned by Recovery.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "cmgr/parts/found_call.hpp"
#include "cmgr/parts/inputs_by_label.hpp"
#include "cmgr/parts/label_debts.hpp"
#include "cmgr/parts/ledgers_read.hpp"
#include "cmgr/procedures/context.hpp"

namespace xbind::cmgr {

class RestingLabels {
 public:
  using Place = std::tuple<Label, SwitchIndex, PortId>;  // of an output label

  // The links, which ledgers have been read, and the switches that have or may have
  // entries of nobody; all must outlive this object.
  RestingLabels(Context& context, const KnownLinks& links, const LedgersRead& ledgers,
                const std::map<SwitchIndex, std::uint64_t>& entries_of_nobody)
      : context_(context),
        links_(links),
        ledgers_(ledgers),
        entries_of_nobody_(entries_of_nobody) {}
  RestingLabels(const RestingLabels&) = delete;
  RestingLabels& operator=(const RestingLabels&) = delete;

  // A hop of a call that waits; and it waits no more.
  void wait(const FoundHop& hop) { waiting_.add(hop); }
  void wait_no_more(const FoundHop& hop) { waiting_.remove(hop); }
  // Labels that the SwitchServer has in quarantine. `done`: recovery has read every switch.
  void rest(SwitchIndex at, const std::vector<PortLabels>& quarantined, bool done, TimePoint now);
  // The label at that place, which rests from now on; null: it does not.
  const std::shared_ptr<OwedLabel>& label(const Place& place);
  std::shared_ptr<OwedLabel> find(const Place& place) const;
  // Debts have the label from now on. It rests all the same while its port may lead to a switch
  // that has not been read, or that may have entries of nobody.
  void owe(const Place& place);
  // The removal of a hop is owed, and no call shows the link at its input.
  void add_unplaced(const FoundHop& hop);
  // The label stays until the removals of those that may use it are confirmed.
  void hold_for_unplaced(const std::shared_ptr<OwedLabel>& label);
  // Returns those that no debt has, and that no hop can use any more.
  void return_all(TimePoint now);
  // The same after these hops wait no more.
  void return_before(const std::vector<FoundHop>& hops, TimePoint now);

  // visit_label(PortId, Label).
  template <class Visit>
  void for_each_at(SwitchIndex at, Visit&& visit_label) const {
    for (const auto& [place, label] : resting_) {
      if (label->at == at) visit_label(label->port, label->label);
    }
  }
  // How often it has decided about a label.
  std::uint64_t looks() const { return looks_; }

 private:
  bool may_reach(const OwedLabel& label) const;
  // Whether a hop that is not known to be removed may use the label.
  bool is_held(const OwedLabel& label);
  void return_unless_owed(const std::shared_ptr<OwedLabel>& label, TimePoint now);
  // Whether calls have not shown that the first end of a link is no other than that of the second.
  bool may_lead(const LinkMap::End& from, const LinkMap::End& to) const;
  // Whether the port may lead to a switch that has hops which are not known.
  bool leads_to_unknown(const OwedLabel& label) const;

  Context& context_;
  const KnownLinks& links_;
  const LedgersRead& ledgers_;
  const std::map<SwitchIndex, std::uint64_t>& entries_of_nobody_;
  InputsByLabel waiting_;
  std::map<Place, std::shared_ptr<OwedLabel>> resting_;
  // By input label: where they are entered.
  std::multimap<Label, std::pair<LinkMap::End, HopKey>> unplaced_;
  std::uint64_t looks_ = 0;
};

}  // namespace xbind::cmgr
