#include "dataplane/policing.hpp"

namespace xbind::dataplane {

Duration burst_tolerance(const PolicedContract& contract) {
  const std::uint64_t scr = contract.scr_cells_per_s;
  const std::uint64_t pcr = contract.pcr_cells_per_s;
  if (scr == 0 || pcr <= scr || contract.mbs_cells == 0) return {};
  const std::uint64_t cells_ns = (contract.mbs_cells - std::uint64_t{1}) * 1'000'000'000;
  return Duration{(cells_ns + scr - 1) / scr - cells_ns / pcr};
}

Policer::Policer(const PolicedContract& contract)
    : contract_(contract),
      peak_(contract.pcr_cells_per_s, std::chrono::microseconds{contract.cdvt_us}),
      sustainable_(contract.scr_cells_per_s,
                   burst_tolerance(contract) + std::chrono::microseconds{contract.cdvt_us}) {}

Verdict Policer::police(bool clp, TimePoint now) {
  if (!peak_.conforms(now)) return Verdict::kDiscard;
  const bool counts = !contract_.scr_of_clp0 || !clp;
  if (counts && !sustainable_.conforms(now)) {
    if (!contract_.tagging || !contract_.scr_of_clp0) return Verdict::kDiscard;
    peak_.pass(now);
    return Verdict::kTag;
  }
  peak_.pass(now);
  if (counts) sustainable_.pass(now);
  return Verdict::kPass;
}

}  // namespace xbind::dataplane
