#include "switchserver/controller/repairs.hpp"

#include <vector>

#include "switchserver/controller/parts.hpp"

namespace xbind::controller {

bool Repairs::repair(const std::optional<CrossConnect>& extra,
                     const std::optional<CrossConnect>& missing) {
  // A removal names the branch's output. A switch of version 1.1 does not report outputs.
  if (extra && extra->output_port == PortId{}) return false;
  if (extra) {
    remove_stray(*extra);
  } else if (missing) {
    put_back_on(*missing);
  }
  return true;
}

void Repairs::remove_stray(const CrossConnect& entry) {
  strays_.emplace(parts_.link.remove_stray(entry), entry);
}

void Repairs::on_removed(const driver::Done& done) {
  const auto found = strays_.extract(done.cookie);
  if (found.empty()) {
    ++parts_.counters.unexpected_answers;
    return;
  }
  if (done.cause != Cause::kNone && !done.absent) return;  // the next audit names it again
  ++parts_.counters.strays_removed;
  parts_.match.stray_removed(found.mapped());
  put_back_on(found.mapped());
}

// Puts back the hops on that input that the switch may lack. It replaces an entry that is there.
void Repairs::put_back_on(const CrossConnect& at) {
  const Ledger& ledger = parts_.ledger;
  std::vector<HopRef> lost;
  ledger.users().for_each_on_input(at.input_port, at.input_label,
                                   [&](HopRef ref, const HopRecord& record) {
                                     if (record.settled() && !ledger.stacks().above(ref))
                                       lost.push_back(ref);
                                   });
  for (const HopRef ref : lost) parts_.hops.put_back(ref);
}

}  // namespace xbind::controller
