#include "switchagent/table/reservations.hpp"

namespace xbind::switchagent {

using gsmp::FailureCode;

FailureCode Reservations::check_use(std::uint32_t id, PortId input_port, PortId output_port,
                                    Label input_label, Label output_label) const {
  if (id == 0 || id > max_) return FailureCode::kReservationOutOfRange;
  const Reservation* const held = find(id);
  if (held == nullptr) return FailureCode::kNoSuchReservation;
  const bool same = held->input_port == input_port && held->output_port == output_port &&
                    (!held->input_label.present() || held->input_label == input_label) &&
                    (!held->output_label.present() || held->output_label == output_label);
  return same ? FailureCode::kNone : FailureCode::kReservationPortsDiffer;
}

}  // namespace xbind::switchagent
