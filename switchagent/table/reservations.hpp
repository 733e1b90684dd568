// Reservations of the emulated switch (RFC 3292 section 5): the parameters of a Reservation
// Request, until an Add Branch uses them, the reservation is deleted, or the switch restarts. Hard
// state: it never expires. A reservation has a number, two ports, labels and QoS; it reserves no
// bandwidth.
//
// Bounded by Max Reservations. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>

#include "core/ids.hpp"
#include "core/label.hpp"
#include "gsmp/messages/failure_code.hpp"
#include "switchagent/table/qos_profiles.hpp"

namespace xbind::switchagent {

struct Reservation {
  PortId input_port;
  PortId output_port;
  Label input_label;   // kNone: comes with the Add Branch
  Label output_label;  // likewise
  QosProfile qos;
};

class Reservations {
 public:
  explicit Reservations(std::uint32_t max) : max_(max) {}

  std::uint32_t max() const { return max_; }
  std::size_t size() const { return held_.size(); }
  // kNone, kReservationOutOfRange or kReservationInUse.
  gsmp::FailureCode check_free(std::uint32_t id) const {
    if (id == 0 || id > max_) return gsmp::FailureCode::kReservationOutOfRange;
    return held_.contains(id) ? gsmp::FailureCode::kReservationInUse : gsmp::FailureCode::kNone;
  }
  // Whether an Add Branch may use the reservation: kNone, kReservationOutOfRange,
  // kNoSuchReservation, kReservationPortsDiffer (also for a label other than the reserved one).
  gsmp::FailureCode check_use(std::uint32_t id, PortId input_port, PortId output_port,
                              Label input_label, Label output_label) const;
  // Null: no such reservation.
  const Reservation* find(std::uint32_t id) const {
    const auto found = held_.find(id);
    return found == held_.end() ? nullptr : &found->second;
  }
  // `id` must be free.
  void hold(std::uint32_t id, const Reservation& reservation) { held_.emplace(id, reservation); }
  void release(std::uint32_t id) { held_.erase(id); }
  void clear() { held_.clear(); }

 private:
  std::uint32_t max_;
  std::map<std::uint32_t, Reservation> held_;
};

}  // namespace xbind::switchagent
