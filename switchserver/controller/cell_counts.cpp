#include "switchserver/controller/cell_counts.hpp"

#include <utility>

#include "switchserver/controller/parts.hpp"

namespace xbind::controller {

Result<void> CellCounts::read(PortId port, Label label, Token token) {
  const std::string& name = parts_.options.name;
  if (!parts_.link.up()) {
    return fail(ErrorCode::kUnreachable, "the switch of {} is not up", name);
  }
  if (!parts_.ledger.ports().has(port)) {
    return fail(ErrorCode::kNotFound, "{} has no port {}", name, port);
  }
  if (open_.size() >= kMax) {
    return fail(ErrorCode::kExhausted, "{} readings of counters are open at {}", open_.size(),
                name);
  }
  open_.emplace(parts_.link.read_statistics(port, label), token);
  parts_.link.flush();
  return {};
}

void CellCounts::on_counted(const driver::Statistics& counted) {
  const auto asked = open_.extract(counted.cookie);
  if (asked.empty()) {
    ++parts_.counters.unexpected_answers;
    return;
  }
  parts_.outputs.statistics.push_back(
      {asked.mapped(), counted.cause, counted.failure_code, counted.absent, counted.counters});
}

void CellCounts::switch_down() {
  for (const auto& [cookie, token] : std::exchange(open_, {})) {
    parts_.outputs.statistics.push_back({token, Cause::kSwitchUnreachable, 0, false, {}});
  }
}

}  // namespace xbind::controller
