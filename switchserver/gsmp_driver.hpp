// SwitchDriver spoken in GSMPv3: one adjacency to one switch, requests pipelined, answers matched by
// transaction.
//
// Bringing up: adjacency (PFlag 2: the switch is asked to keep its connections), Switch Configuration,
// All Ports Configuration, then driver::Up with the ports. A port that comes up again has a new
// session number: the ports are read again and driver::Up is repeated.
//
// Deletes are gathered into Delete Branches messages of up to 511 elements; an add that touches a
// label with a delete waiting sends that one first, so that the order of the controller is kept.
//
// Pure: octets in, octets out, time in. Owner and threads: as SwitchController, the same thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/clock.hpp"
#include "switchserver/gsmp/session.hpp"
#include "switchserver/switch_driver.hpp"

namespace xbind {

class GsmpDriver : public SwitchDriver {
 public:
  // `random` gives 32 bits at each call: instance numbers of the adjacency.
  GsmpDriver(const gsmp::SessionOptions& options, std::function<std::uint32_t()> random);

  // SwitchDriver. Requests use the time of the last call below.
  void add(const CrossConnect& cross_connect, driver::Cookie cookie) override;
  void remove(const CrossConnect& cross_connect, driver::Cookie cookie) override;
  void read_table(driver::Cookie cookie) override;
  void flush() override;

  // The transport's side.
  void connected(TimePoint now);
  void closed(TimePoint now);
  void receive(std::span<const std::byte> octets, TimePoint now);
  void tick(TimePoint now);
  TimePoint next_deadline() const { return session_.next_deadline(); }

  // What came of it. take_output: octets for one write; `into` lends its memory.
  void take_output(wire::Buffer& into) { session_.take_output(into); }
  std::vector<driver::Event> take_events();
  // Not empty: the connection is of no use any more, for that reason. Taken once.
  std::string take_drop_reason();

  const gsmp::SessionCounters& counters() const { return session_.counters(); }

 private:
  struct TableRead {
    driver::Cookie cookie = 0;
    std::size_t ports_missing = 0;
    driver::Table table;
  };

  void drain();
  void on(const gsmp::SessionUp& up);
  void on(const gsmp::SessionDown& down);
  void on(const gsmp::DropTransport& drop);
  void on(const gsmp::Response& response);
  void on(const gsmp::RequestTimeout& timeout);
  void on(const gsmp::RequestLost& lost);
  void on(const gsmp::SwitchEvent& event);

  void on_deleted(const gsmp::Response& response);
  void on_ports(const gsmp::Response& response);
  void on_report(const gsmp::Response& response);
  void fail_request(gsmp::MessageType type, std::uint64_t cookie, Cause cause);
  void end_deletes(std::uint64_t group, Cause cause);
  void end_report(std::uint64_t read, Cause cause);
  void send_deletes();
  void read_ports();
  std::uint32_t port_session(PortId port) const;
  static Cause cause_of(const Error& error);

  gsmp::Session session_;
  TimePoint now_{};
  bool kept_ = true;
  std::map<PortId, std::uint32_t> port_sessions_;
  std::vector<SwitchPort> ports_;         // as told by the last driver::Up
  std::vector<SwitchPort> ports_coming_;  // of an All Ports Configuration under way
  bool reading_ports_ = false;
  bool reread_ports_ = false;  // a port changed meanwhile

  std::vector<gsmp::DeleteElement> deletes_;  // waiting for flush
  std::vector<driver::Cookie> delete_cookies_;
  std::unordered_set<std::uint64_t> delete_labels_;  // input and output labels of deletes_
  std::uint64_t next_group_ = 1;
  std::unordered_map<std::uint64_t, std::vector<driver::Cookie>> delete_groups_;
  std::uint64_t next_read_ = 1;
  std::unordered_map<std::uint64_t, TableRead> table_reads_;

  std::vector<gsmp::SessionEvent> session_events_;  // reused
  std::vector<driver::Event> events_;
  std::string drop_reason_;
};

}  // namespace xbind
