// Reservations: RFC 3292 section 5.
#include "emulator/agent_request.hpp"

namespace xbind::emulator {

using gsmp::FailureCode;

void SwitchAgent::serve(Request& request, const gsmp::ReservationRequest& message) {
  FailureCode code = check(request, {message.input_port, message.output_port}, message.input_port,
                           message.port_session);
  if (code == FailureCode::kNone) code = fabric_.reserve(message);
  conclude(request, code);
}

// The session number is that of the reservation's input port: without the reservation there is none.
void SwitchAgent::serve(Request& request, const gsmp::DeleteReservation& message) {
  Reservations& held = fabric_.reservations();
  const Reservation* const found = held.find(message.reservation);
  FailureCode code = found == nullptr ? check(request, {})
                                      : check(request, {found->input_port}, found->input_port,
                                              message.port_session);
  if (code == FailureCode::kNone && found == nullptr) {
    const bool in_range = message.reservation != 0 && message.reservation <= held.max();
    code = in_range ? FailureCode::kNoSuchReservation : FailureCode::kReservationOutOfRange;
  }
  if (code == FailureCode::kNone) held.release(message.reservation);
  conclude(request, code);
}

void SwitchAgent::serve(Request& request, const gsmp::DeleteAllReservations&) {
  const FailureCode code = check(request, {});
  if (code == FailureCode::kNone) fabric_.reservations().clear();
  conclude(request, code);
}

}  // namespace xbind::emulator
