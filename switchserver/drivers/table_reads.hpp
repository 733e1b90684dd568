// The readings of the switch's table that are under way: of all ports, one port, or single inputs.
// Each may take several requests, and ends with one driver::Table when all of them are answered; it
// keeps the first failure.
//
// Version 3 lists a port's connections (Report Connection State). Version 1.1 has no message for
// that: the driver requests for every label whether anything enters with it (VC Activity), in the
// first kScanMax labels of each port, and reports the outputs that it has added itself
// (added_entries.hpp). For any other entry it reports output port 0, which blocks the input label.
//
// Bounded by the controller, which has one reading of each kind at a time. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/ids.hpp"
#include "gsmp/messages/connection_activity.hpp"
#include "switchserver/drivers/gsmp_link.hpp"
#include "switchserver/drivers/port_table.hpp"

namespace xbind {

class TableReads {
 public:
  static constexpr std::size_t kScanMax = 65'536;

  // Both must outlive this object.
  TableReads(GsmpLink& link, const PortTable& ports) : link_(link), ports_(ports) {}

  // As SwitchDriver::read_table(), read_port(), read_inputs().
  void read_table(driver::Cookie cookie);
  void read_port(PortId port, driver::Cookie cookie);
  void read_inputs(const std::vector<driver::Input>& inputs, driver::Cookie cookie);

  // Answers to Report Connection State and Connection Activity.
  void on_report(const gsmp::Response& response);
  void on_activity(const gsmp::Response& response);
  // One request of a reading has been answered, or never will be.
  void end(std::uint64_t read, Cause cause);

 private:
  struct Read {
    driver::Cookie cookie = 0;
    std::size_t answers_missing = 0;
    driver::Table table;
  };

  std::uint64_t open(driver::Cookie cookie, std::size_t answers);
  // Of this port, or of all.
  std::vector<gsmp::ActivityRecord> labels_to_scan(std::optional<PortId> only = {}) const;
  void scan(const std::vector<gsmp::ActivityRecord>& records, std::uint64_t read);

  GsmpLink& link_;
  const PortTable& ports_;
  std::uint64_t next_ = 1;
  std::unordered_map<std::uint64_t, Read> reads_;
};

}  // namespace xbind
