// Adapts the emulator's fabric to the table interface of the GSMP agent. The fabric executes every
// request during the call. The answer comes at once, or after answer_delay, as from a remote table.
// Delayed answers wait in parallel, unlike requests before a slow processor (faults.hpp).
//
// The agent's limit of open requests bounds the waiting answers. Not thread-safe; the caller
// supplies the time.
#pragma once

#include <map>

#include "switchagent/table/fabric_state.hpp"

namespace xbind::switchagent {

class FabricTable : public FabricState {
 public:
  // `fabric` must outlive the table.
  explicit FabricTable(Fabric& fabric);
  ~FabricTable() override;
  FabricTable(const FabricTable&) = delete;
  FabricTable& operator=(const FabricTable&) = delete;

  // Applies to later requests; 0: answers at once.
  void set_answer_delay(Duration delay) { answer_delay_ = delay; }

  void set_client(TableClient* client) override;

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
  void reserve(const gsmp::ReservationRequest& request, Ticket ticket, TimePoint now) override;
  void release(std::uint32_t reservation, Ticket ticket, TimePoint now) override;
  void release_all(Ticket ticket, TimePoint now) override;
  void manage(const gsmp::PortManagement& request, Ticket ticket, TimePoint now) override;
  void label_range(const gsmp::LabelRangeMessage& request, Ticket ticket, TimePoint now) override;
  void read_connection(PortId port, Label label, Ticket ticket, TimePoint now) override;
  void read_port(PortId port, Ticket ticket, TimePoint now) override;
  void report(PortId port, Scope scope, Label label, Ticket ticket, TimePoint now) override;
  void clear(TimePoint) override { fabric_.clear(); }

  // Ends expired loopbacks and delivers the answers that are due.
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

  Duration answer_delay_{};
  std::multimap<TimePoint, Answer> waiting_;  // by due time
};

}  // namespace xbind::switchagent
