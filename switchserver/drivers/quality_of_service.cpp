#include "switchserver/drivers/quality_of_service.hpp"

#include <algorithm>
#include <utility>

#include "core/log.hpp"

namespace xbind {

void QualityOfService::set(gsmp::QosFields& fields, const TrafficContract& contract, PortId input,
                           const PortTable::Port& in, PortId output) {
  if (!contract.present()) return;  // priority 0
  const PortTable::Port& out = ports_.at(output);
  if ((in.services & out.services & service_bit(contract.category)) != 0) {
    ++link_.counters.by_service;
    set_service(fields, contract, ports_.tc_flags());
    return;
  }
  ++link_.counters.by_priority;
  // Version 1.1 has one priority for both sides.
  const std::uint8_t least = std::min(in.priorities, out.priorities);
  const bool one = link_.session.version() != gsmp::kVersion;
  set_priorities(fields, contract.category, one ? least : in.priorities,
                 one ? least : out.priorities);
  for (const auto& [port, about] : {std::pair{input, &in}, {output, &out}}) {
    if ((about->services & service_bit(contract.category)) != 0) continue;
    if (!named_.insert(port).second) continue;
    log::gsmp.warn(
        "port {} does not offer {}: connections of services that it does not offer are mapped to a "
        "priority",
        port, to_string(contract.category));
  }
}

}  // namespace xbind
