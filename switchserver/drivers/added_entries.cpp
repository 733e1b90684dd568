#include "switchserver/drivers/added_entries.hpp"

namespace xbind {

void AddedEntries::done(const driver::Done& done) {
  const auto wanted = open_.extract(done.cookie);
  if (wanted.empty()) return;
  const CrossConnect& gone = wanted.mapped().gone;
  const CrossConnect& there = wanted.mapped().there;
  const bool moved = gone.input_label.present() && there.input_label.present();
  const bool unknown = done.cause == Cause::kTimeout || done.cause == Cause::kSwitchUnreachable;
  if (done.cause == Cause::kNone || (moved && done.absent)) added_.erase(gone);
  if (there.input_label.present() && (done.cause == Cause::kNone || (moved && unknown)))
    added_[there] = adjacency_;
}

void AddedEntries::seen(PortId port, Label label, bool active, std::vector<CrossConnect>& entries) {
  const CrossConnect input{port, label, {}, {}};
  bool known = false;
  for (auto at = added_.lower_bound(input);
       at != added_.end() && at->first.input_port == port && at->first.input_label == label;) {
    if (active) {
      entries.push_back(at->first);
      at->second = adjacency_;
      known = true;
    } else if (at->second != adjacency_) {  // the switch has restarted without it
      at = added_.erase(at);
      continue;
    }
    ++at;
  }
  if (active && !known) entries.push_back(input);
}

}  // namespace xbind
