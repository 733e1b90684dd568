#include "gsmp/messages/reservation.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

void encode(const ReservationRequest& message, wire::Writer& out) {
  encode_connection(message.header, message, out);
}

void encode(const DeleteReservation& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.port_session);
  out.u32(message.reservation);
  finish_message(out, start);
}

void encode(const DeleteAllReservations& message, wire::Writer& out) {
  finish_message(out, begin_message(out, message.header));
}

Decoded<ReservationRequest> decode_reservation_request(const Header& header,
                                                       std::span<const std::byte> body) {
  Decoded<ReservationRequest> out(tl::in_place);
  out->header = header;
  const TrafficRule rule = header.request() ? TrafficRule::kRequired : TrafficRule::kOptional;
  if (const auto error = decode_connection(body, *out, rule)) {
    return tl::make_unexpected(*error);
  }
  return out;
}

Decoded<DeleteReservation> decode_delete_reservation(const Header& header,
                                                     std::span<const std::byte> body) {
  wire::Reader in(body);
  DeleteReservation out;
  out.header = header;
  out.port_session = in.u32();
  out.reservation = in.u32();
  if (const auto error = trouble(in, {}, body.size())) return tl::make_unexpected(*error);
  return out;
}

Decoded<DeleteAllReservations> decode_delete_all_reservations(const Header& header,
                                                              std::span<const std::byte>) {
  return DeleteAllReservations{header};
}

std::string to_string(const ReservationRequest& message) {
  return fmt::format("{}: {}", to_string(message.header),
                     to_string(static_cast<const ConnectionFields&>(message)));
}

std::string to_string(const DeleteReservation& message) {
  return fmt::format("{}: session 0x{:08x}, reservation {}", to_string(message.header),
                     message.port_session, message.reservation);
}

std::string to_string(const DeleteAllReservations& message) { return to_string(message.header); }

}  // namespace xbind::gsmp
