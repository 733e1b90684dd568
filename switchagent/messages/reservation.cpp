// Reservation Request, Delete Reservation, Delete All Reservations: RFC 3292 section 5. Only with a
// table that has reservations.
#include "switchagent/messages/handlers.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::FailureCode;
using gsmp::MessageType;

struct ReservationRequestHandler : ConcludesWithCode {
  using Message = gsmp::ReservationRequest;

  static void serve(Request& request, const Message& message) {
    if (!request.passes({message.input_port, message.output_port}, message.input_port,
                        message.port_session))
      return;
    request.ask_table<ReservationRequestHandler>(message, 1, false, [&](Ticket ticket) {
      request.table.reserve(message, ticket, request.now);
    });
  }
};

struct DeleteReservationHandler : ConcludesWithCode {
  using Message = gsmp::DeleteReservation;

  // The session number belongs to the reservation's input port, so it is checked after the
  // reservation.
  static void serve(Request& request, const Message& message) {
    const Reservations& held = *request.table.reservations();
    const Reservation* const found = held.find(message.reservation);
    FailureCode code = found == nullptr ? request.check()
                                        : request.check({found->input_port}, found->input_port,
                                                        message.port_session);
    if (code == FailureCode::kNone && found == nullptr) {
      const bool in_range = message.reservation != 0 && message.reservation <= held.max();
      code = in_range ? FailureCode::kNoSuchReservation : FailureCode::kReservationOutOfRange;
    }
    if (!request.passes(code)) return;
    request.ask_table<DeleteReservationHandler>(message, 1, false, [&](Ticket ticket) {
      request.table.release(message.reservation, ticket, request.now);
    });
  }
};

struct DeleteAllReservationsHandler : ConcludesWithCode {
  using Message = gsmp::DeleteAllReservations;

  static void serve(Request& request, const Message& message) {
    if (!request.passes()) return;
    request.ask_table<DeleteAllReservationsHandler>(
        message, 1, false, [&](Ticket ticket) { request.table.release_all(ticket, request.now); });
  }
};

bool has_reservations(SwitchTable& table) { return table.reservations() != nullptr; }

}  // namespace

HandlerRows reservation_handlers() {
  static constexpr Handler kRows[] = {
      handler_of<ReservationRequestHandler>(MessageType::kReservationRequest, has_reservations),
      handler_of<DeleteReservationHandler>(MessageType::kDeleteReservation, has_reservations),
      handler_of<DeleteAllReservationsHandler>(MessageType::kDeleteAllReservations,
                                               has_reservations),
  };
  return kRows;
}

}  // namespace xbind::switchagent
