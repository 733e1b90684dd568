// The driver's conversation with the switch about its ports, from the adjacency on:
//
//   adjacency ──▶ Switch Configuration ──▶ All Ports Configuration ──▶ Service Configuration, if a
//   port has services ──▶ driver::Up ──▶ readings of ports, after events and with other
//   controllers ──▶ driver::Ports
//
// A switch that refuses the first two is dropped. One that does not report its services may still
// have them; then connections carry no TC flags.
//
// Also here: the requests that the switch has refused because of their port's session number (code
// 5). They wait for a reading of the port, which shows whether a repetition is worth it.
//
// Bounded by the switch's ports and the session's window. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.hpp"
#include "switchserver/drivers/gsmp_link.hpp"
#include "switchserver/drivers/port_events.hpp"
#include "switchserver/drivers/port_queries.hpp"
#include "switchserver/drivers/port_table.hpp"

namespace xbind {

class SwitchPorts {
 public:
  // `link` must outlive this object.
  explicit SwitchPorts(GsmpLink& link) : link_(link) {}
  SwitchPorts(const SwitchPorts&) = delete;  // its parts refer to each other
  SwitchPorts& operator=(const SwitchPorts&) = delete;

  const PortTable& table() const { return table_; }
  std::uint32_t session(PortId port) const { return table_.session(port); }
  void read(PortId port) { queries_.read(port); }
  // Sends the queries that are due. False: the session has no room for more.
  bool send() { return queries_.send(); }
  TimePoint next_deadline() const { return queries_.next_deadline(); }

  // `kept`: the switch has kept its connections.
  void adjacency_up(bool kept);
  // Answers the refused requests that wait.
  void adjacency_down();

  // Answers of the switch, and its events.
  void on_switch_configuration(const gsmp::Response& response);
  void on_all_ports(const gsmp::Response& response);
  void on_services(const gsmp::Response& response);
  void on_port(const gsmp::Response& response);
  void on_reset(const gsmp::Response& response) { events_.on_reset(response); }
  void on(const gsmp::Event& event) { events_.on(event); }
  // Requests without an answer.
  void port_not_read(PortId port) { port_read(port); }
  void services_not_read() { come_up(); }

  // The switch has refused a request that carried the session number `session` of the port.
  void refused(driver::Done done, PortId port, std::uint32_t session);

 private:
  struct Stale {  // refused because of its port session number; the port is being read
    driver::Done done;
    PortId port;
    std::uint32_t session = 0;
  };

  void come_up();
  void know(const gsmp::PortRecord& record);
  // The port has been read, or reading it failed.
  void port_read(PortId port);
  void report_changes();

  GsmpLink& link_;
  PortTable table_;
  PortQueries queries_{link_, table_};
  PortEvents events_{link_, table_, queries_};
  std::vector<Stale> stale_;
  bool kept_ = true;
};

}  // namespace xbind
