// Reservations (RFC 3292 section 5): resources held between two ports until an Add Branch with the
// reservation's id uses them, they are deleted, or the switch is reset.
//
// Reservation Request is a general connection message (connection_fields.hpp), with its id in
// Reservation ID, from 1 to the switch's Max Reservations. A label of type kNone will come with the
// Add Branch. The success copies the request. Delete Reservation:
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Port Session Number                      |  of its input port
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                        Reservation ID                         |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Delete All Reservations is a header only. The answers of both have the layout of the request.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gsmp/messages/connection_fields.hpp"

namespace xbind::gsmp {

struct ReservationRequest : ConnectionFields {
  Header header{.type = MessageType::kReservationRequest};

  friend bool operator==(const ReservationRequest&, const ReservationRequest&) = default;
};

struct DeleteReservation {
  Header header{.type = MessageType::kDeleteReservation};
  std::uint32_t port_session = 0;
  std::uint32_t reservation = 0;

  friend bool operator==(const DeleteReservation&, const DeleteReservation&) = default;
};

struct DeleteAllReservations {
  Header header{.type = MessageType::kDeleteAllReservations};

  friend bool operator==(const DeleteAllReservations&, const DeleteAllReservations&) = default;
};

void encode(const ReservationRequest& message, wire::Writer& out);
void encode(const DeleteReservation& message, wire::Writer& out);
void encode(const DeleteAllReservations& message, wire::Writer& out);
// Refuses as decode_add_branch does. In every request a service requires its traffic parameters.
Decoded<ReservationRequest> decode_reservation_request(const Header& header,
                                                       std::span<const std::byte> body);
// Refuses kTruncated.
Decoded<DeleteReservation> decode_delete_reservation(const Header& header,
                                                     std::span<const std::byte> body);
Decoded<DeleteAllReservations> decode_delete_all_reservations(const Header& header,
                                                              std::span<const std::byte> body);
std::string to_string(const ReservationRequest& message);
std::string to_string(const DeleteReservation& message);
std::string to_string(const DeleteAllReservations& message);

}  // namespace xbind::gsmp
