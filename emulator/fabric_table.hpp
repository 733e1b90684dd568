// The emulator's fabric as the table under a GSMP agent. The fabric carries every request out during
// the call; its answer goes at once, or after answer_delay: a switch whose table is somewhere else.
// Answers wait side by side, unlike requests before a slow processor (faults.hpp).
//
// Answers that wait are bounded by the requests that the agent leaves open. Not thread-safe; time is
// handed in.
#pragma once

#include <map>

#include "emulator/fabric.hpp"
#include "emulator/switch_table.hpp"

namespace xbind::emulator {

class FabricTable : public SwitchTable {
 public:
  // `fabric` outlives the table.
  explicit FabricTable(Fabric& fabric);
  ~FabricTable() override;
  FabricTable(const FabricTable&) = delete;
  FabricTable& operator=(const FabricTable&) = delete;

  // Of the answers to later requests; 0: at once.
  void set_answer_delay(Duration delay) { answer_delay_ = delay; }
  std::size_t answers_waiting() const { return waiting_.size(); }

  // ----- what happens to the switch; the client learns of each change -----
  // The line of a port goes down, or up with a new session number. `port` exists.
  void set_line(PortId port, bool up);
  // A card is put in or pulled out, with the connections of its port. 1..ports.
  void set_installed(PortId port, bool installed);

  void set_client(TableClient* client) override;

  std::uint32_t ports() const override { return fabric_.ports(); }
  std::uint32_t installed_ports() const override { return fabric_.installed_ports(); }
  std::optional<std::uint32_t> port_session(PortId port) const override;
  gsmp::PortStatus port_status(PortId port) const override { return fabric_.port_status(port); }
  gsmp::PortRecord port_record(PortId port) const override { return fabric_.port_record(port); }
  std::uint32_t rate(PortId port) const override { return fabric_.rate(port); }
  PortEventState& events(PortId port) override { return fabric_.events(port); }
  std::size_t branches() const override { return fabric_.branches(); }
  const std::vector<gsmp::ServiceRecord>& services() const override {
    return fabric_.options().services;
  }
  RegionModel* region() override { return &fabric_.region(); }
  const Reservations* reservations() const override { return &fabric_.reservations(); }

  void add_branch(const gsmp::AddBranch& request, Ticket ticket, TimePoint now) override;
  void move_output(const gsmp::MoveOutputBranch& request, Ticket ticket, TimePoint now) override;
  void move_input(const gsmp::MoveInputBranch& request, Ticket ticket, TimePoint now) override;
  void delete_branch(PortId input_port, Label input_label, PortId output_port, Label output_label,
                     Ticket ticket, TimePoint now) override;
  void delete_tree(PortId input_port, Label input_label, Ticket ticket, TimePoint now) override;
  void delete_all_input(PortId port, Ticket ticket, TimePoint now) override;
  void delete_all_output(PortId port, Ticket ticket, TimePoint now) override;
  void prefetch(PortId port, Label label) const override { fabric_.prefetch(port, label); }
  void reserve(const gsmp::ReservationRequest& request, Ticket ticket, TimePoint now) override;
  void release(std::uint32_t reservation, Ticket ticket, TimePoint now) override;
  void release_all(Ticket ticket, TimePoint now) override;
  void manage(const gsmp::PortManagement& request, Ticket ticket, TimePoint now) override;
  void label_range(const gsmp::LabelRangeMessage& request, Ticket ticket, TimePoint now) override;
  void read_connection(PortId port, Label label, Ticket ticket, TimePoint now) override;
  void read_port(PortId port, Ticket ticket, TimePoint now) override;
  void report(PortId port, Scope scope, Label label, Ticket ticket, TimePoint now) override;
  void clear(TimePoint) override { fabric_.clear(); }

  // Ends loopbacks whose time is over, and gives the answers that are due.
  void tick(TimePoint now) override;
  TimePoint next_deadline() const override;

 private:
  struct Answer {
    Ticket ticket;
    gsmp::FailureCode code;
    TableReading reading;
  };

  void answer(Ticket ticket, gsmp::FailureCode code, TimePoint now);
  void answer(Ticket ticket, gsmp::FailureCode code, TableReading reading, TimePoint now);

  Fabric& fabric_;
  Duration answer_delay_{};
  std::multimap<TimePoint, Answer> waiting_;  // by when they are due
};

}  // namespace xbind::emulator
