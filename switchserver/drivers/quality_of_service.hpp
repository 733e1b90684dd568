// Chooses how a request states its traffic contract: as a service when both ports offer it with
// capability set 1, otherwise as a priority by category (gsmp_service.hpp). The log names each port
// that lacks a service once.
//
// Bounded by the switch's ports. Not thread-safe.
#pragma once

#include <set>

#include "core/ids.hpp"
#include "core/traffic_contract.hpp"
#include "gsmp/messages/qos_fields.hpp"
#include "switchserver/drivers/gsmp_link.hpp"
#include "switchserver/drivers/port_table.hpp"

namespace xbind {

class QualityOfService {
 public:
  // Both must outlive this object.
  QualityOfService(GsmpLink& link, const PortTable& ports) : link_(link), ports_(ports) {}

  // Writes the contract into a request from port `input`, whose entry is `in`, to `output`. Without
  // a contract: priority 0.
  void set(gsmp::QosFields& fields, const TrafficContract& contract, PortId input,
           const PortTable::Port& in, PortId output);

 private:
  GsmpLink& link_;
  const PortTable& ports_;
  std::set<PortId> named_;  // ports that the log has named
};

}  // namespace xbind
