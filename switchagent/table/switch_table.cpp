#include "switchagent/table/switch_table.hpp"

namespace xbind::switchagent {

using gsmp::FailureCode;

void SwitchTable::reserve(const gsmp::ReservationRequest&, Ticket ticket, TimePoint) {
  client_->completed(ticket, FailureCode::kNotImplemented);
}
void SwitchTable::release(std::uint32_t, Ticket ticket, TimePoint) {
  client_->completed(ticket, FailureCode::kNotImplemented);
}
void SwitchTable::release_all(Ticket ticket, TimePoint) {
  client_->completed(ticket, FailureCode::kNotImplemented);
}

}  // namespace xbind::switchagent
