#include "switchserver/drivers/port_table.hpp"

#include <algorithm>
#include <utility>

#include "core/log.hpp"
#include "core/planted.hpp"

namespace xbind {

const PortTable::Port& PortTable::at(PortId port) const {
  static const Port kUnknown;
  const auto found = ports_.find(port);
  return found == ports_.end() ? kUnknown : found->second;
}

PortTable::Port* PortTable::find(PortId port) {
  const auto found = ports_.find(port);
  return found == ports_.end() ? nullptr : &found->second;
}

const PortTable::Port* PortTable::find(PortId port) const {
  const auto found = ports_.find(port);
  return found == ports_.end() ? nullptr : &found->second;
}

std::optional<std::uint32_t> PortTable::know(const gsmp::PortRecord& record) {
  const auto [known, fresh] = ports_.try_emplace(record.port);
  Port& port = known->second;
  const std::uint32_t session_before = port.session;
  CheckedRanges labels = checked_ranges(gsmp::label_ranges(record));
  if (!labels.left_out.empty() && labels.left_out != port.left_out) {
    log::gsmp.warn(
        "port {}: label ranges {} are ignored: unknown kind, invalid, overlapping, or more than {} "
        "ranges",
        record.port, to_string(labels.left_out), kLabelRangesMax);
  }
  port.left_out = std::move(labels.left_out);
  if (labels.taken.empty() && port.has_labels)
    log::gsmp.warn("port {} has no label range and is ignored", record.port);
  port.has_labels = !labels.taken.empty();
  port.about = {record.port, std::move(labels.taken), record.transmit_cells_per_s,
                record.line_status == gsmp::LineStatus::kUp &&
                    record.port_status == gsmp::PortStatus::kAvailable};
  if (fresh || !planted(Bug::kPortSessionKept)) port.session = record.port_session;
  port.sequence = record.event_sequence;
  port.priorities = record.priorities;
  port.services = services_of(record);
  if (fresh) return std::nullopt;
  return session_before;
}

void PortTable::clear() {
  ports_.clear();
  reported_.clear();
}

bool PortTable::any_services() const {
  return std::ranges::any_of(ports_, [](const auto& entry) { return entry.second.services != 0; });
}

std::vector<SwitchPort> PortTable::usable() const {
  std::vector<SwitchPort> ports;
  for (const auto& [id, port] : ports_) {
    if (port.has_labels) ports.push_back(port.about);
  }
  return ports;
}

const std::vector<SwitchPort>& PortTable::report_all() {
  for (auto& [id, port] : ports_) port.reported_session = port.session;
  reported_ = usable();
  return reported_;
}

std::optional<driver::Ports> PortTable::report_changes() {
  driver::Ports news;
  for (auto& [id, port] : ports_) {
    if (port.reported_session == port.session) continue;
    port.reported_session = port.session;
    if (port.has_labels) news.renewed.push_back(id);
  }
  news.ports = usable();
  if (news.ports == reported_ && news.renewed.empty()) return std::nullopt;
  reported_ = news.ports;
  return news;
}

}  // namespace xbind
