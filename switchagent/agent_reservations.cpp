// Reservations: RFC 3292 section 5.
#include "switchagent/agent_request.hpp"

namespace xbind::switchagent {

using gsmp::FailureCode;

void SwitchAgent::serve(Request& request, const gsmp::ReservationRequest& message) {
  const FailureCode code = check(request, {message.input_port, message.output_port},
                                 message.input_port, message.port_session);
  if (code != FailureCode::kNone) return fail_request(request, code);
  ask_table(request, message, 1, false, [&] {
    table_.reserve(message, {asking_, 0}, request.now);
  });
}

// The session number belongs to the reservation's input port, so it is checked after the
// reservation.
void SwitchAgent::serve(Request& request, const gsmp::DeleteReservation& message) {
  const Reservations& held = *table_.reservations();
  const Reservation* const found = held.find(message.reservation);
  FailureCode code = found == nullptr ? check(request, {})
                                      : check(request, {found->input_port}, found->input_port,
                                              message.port_session);
  if (code == FailureCode::kNone && found == nullptr) {
    const bool in_range = message.reservation != 0 && message.reservation <= held.max();
    code = in_range ? FailureCode::kNoSuchReservation : FailureCode::kReservationOutOfRange;
  }
  if (code != FailureCode::kNone) return fail_request(request, code);
  ask_table(request, message, 1, false, [&] {
    table_.release(message.reservation, {asking_, 0}, request.now);
  });
}

void SwitchAgent::serve(Request& request, const gsmp::DeleteAllReservations& message) {
  if (const auto code = check(request, {}); code != FailureCode::kNone)
    return fail_request(request, code);
  ask_table(request, message, 1, false, [&] { table_.release_all({asking_, 0}, request.now); });
}

}  // namespace xbind::switchagent
