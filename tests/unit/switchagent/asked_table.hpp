// A table that only records its requests; the test completes them at any time and in any order.
// Three ports, no reservations, no region model, no virtual paths.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "switchagent/table/switch_table.hpp"

namespace xbind::switchagent::test {

class AskedTable final : public SwitchTable {
 public:
  static constexpr std::uint32_t kPorts = 3;
  static std::uint32_t session_of(std::uint32_t port) { return 0x5eed0000 + port; }

  struct Asked {
    std::string what;
    Ticket ticket;
  };
  std::vector<Asked> asked;
  std::size_t cleared = 0;

  void complete(std::size_t index, gsmp::FailureCode code = gsmp::FailureCode::kNone) {
    client_->completed(asked.at(index).ticket, code);
  }
  void complete(std::size_t index, TableReading reading) {
    client_->completed(asked.at(index).ticket, gsmp::FailureCode::kNone, std::move(reading));
  }
  void line(PortId port, bool up) {
    client_->port_changed(up ? gsmp::MessageType::kPortUp : gsmp::MessageType::kPortDown, port,
                          session_of(port.value()));
  }

  void set_client(TableClient* client) override { client_ = client; }
  std::uint32_t ports() const override { return kPorts; }
  std::uint32_t installed_ports() const override { return kPorts; }
  std::optional<std::uint32_t> port_session(PortId port) const override {
    if (port.value() < 1 || port.value() > kPorts) return std::nullopt;
    return session_of(port.value());
  }
  gsmp::PortStatus port_status(PortId) const override { return gsmp::PortStatus::kAvailable; }
  gsmp::PortRecord port_record(PortId port) const override {
    gsmp::PortRecord record;
    record.port = port;
    return record;
  }
  std::uint32_t rate(PortId) const override { return 353207; }
  PortEventState& events(PortId port) override { return events_.at(port.value() - 1); }
  std::size_t branches() const override { return 0; }
  const std::vector<gsmp::ServiceRecord>& services() const override { return services_; }

  void add_branch(const gsmp::AddBranch& request, Ticket ticket, TimePoint) override {
    if (request.header.type == gsmp::MessageType::kVpcAddBranch)
      return client_->completed(ticket, gsmp::FailureCode::kNoVpSwitching);
    ask(fmt::format("add {}", gsmp::label_of(request.input_label).value), ticket);
  }
  void move_output(const gsmp::MoveOutputBranch&, Ticket ticket, TimePoint) override {
    ask("move output", ticket);
  }
  void move_input(const gsmp::MoveInputBranch&, Ticket ticket, TimePoint) override {
    ask("move input", ticket);
  }
  void delete_branch(PortId, Label input, PortId, Label, Ticket ticket, TimePoint) override {
    ask(fmt::format("delete {}", input.value), ticket);
  }
  void delete_tree(PortId, Label, Ticket ticket, TimePoint) override { ask("delete tree", ticket); }
  void delete_all_input(PortId, Ticket ticket, TimePoint) override {
    ask("delete all input", ticket);
  }
  void delete_all_output(PortId, Ticket ticket, TimePoint) override {
    ask("delete all output", ticket);
  }
  void manage(const gsmp::PortManagement&, Ticket ticket, TimePoint) override {
    ask("manage", ticket);
  }
  void label_range(const gsmp::LabelRangeMessage&, Ticket ticket, TimePoint) override {
    ask("label range", ticket);
  }
  void read_connection(PortId, Label label, Ticket ticket, TimePoint) override {
    ask(fmt::format("read {}", label.value), ticket);
  }
  void read_port(PortId, Ticket ticket, TimePoint) override { ask("read port", ticket); }
  void report(PortId, Scope, Label, Ticket ticket, TimePoint) override { ask("report", ticket); }
  void clear(TimePoint) override { ++cleared; }
  void tick(TimePoint) override {}
  TimePoint next_deadline() const override { return kNever; }

 private:
  void ask(std::string what, Ticket ticket) { asked.push_back({std::move(what), ticket}); }

  std::vector<PortEventState> events_{kPorts};
  std::vector<gsmp::ServiceRecord> services_;
};

}  // namespace xbind::switchagent::test
