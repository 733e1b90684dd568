#include "switchagent/table/fabric.hpp"

#include <utility>

#include "core/check.hpp"

namespace xbind::switchagent {

Fabric::Fabric(FabricOptions options, std::function<std::uint32_t()> random)
    : options_(std::move(options)),
      cells_({.ports = options_.ports,
              .labels = {options_.labels.range()},
              .connections_max = options_.connections_max,
              .branches_max = options_.branches_max,
              .branches_per_connection_max = options_.branches_per_connection_max},
             {.cells_max = options_.buffer_cells,
              .priorities = static_cast<std::uint16_t>(options_.priorities + 1)},
             {.on_unknown_label =
                  [this](PortId port, std::uint16_t vpi, std::uint16_t vci, TimePoint now) {
                    if (on_unknown_label_) on_unknown_label_(port, label_at(port, vpi, vci), now);
                  },
              .on_cells = {}}),
      reservations_(options_.max_reservations),
      region_(options_.ports),
      ports_(options_, cells_, std::move(random)),
      labels_(options_, cells_),
      services_(options_, region_),
      branches_(cells_.table(), labels_, services_),
      connection_requests_({.options = options_,
                            .ports = ports_,
                            .labels = labels_,
                            .services = services_,
                            .region = region_,
                            .table = cells_.table(),
                            .branches = branches_,
                            .reservations = reservations_}),
      port_requests_(options_, ports_, labels_, branches_, region_),
      label_requests_(labels_, cells_, options_.labels_grantable) {
  XB_CHECK(options_.ports >= 1 && options_.ports <= 0xffff, options_.ports);
}

void Fabric::set_bounds(std::size_t branches_max, std::size_t buffer_cells) {
  options_.branches_max = options_.connections_max = branches_max;
  options_.buffer_cells = buffer_cells;
  cells_.table().set_bounds(branches_max, branches_max);
  cells_.set_buffer(buffer_cells);
}

gsmp::PortRecord Fabric::port_record(PortId port) const {
  gsmp::PortRecord record;
  ports_.describe(port, record);
  labels_.describe(port, record);
  record.vp_switching = options_.vp_switching && labels_.kind(port) == LabelKind::kAtm;
  record.multicast_labels = true;
  record.logical_multicast = true;
  record.label_range_message = true;
  record.priorities = options_.priorities;
  if (!options_.services.empty()) {
    auto& specs = record.services.emplace();
    for (const gsmp::ServiceRecord& service : options_.services) {
      for (const gsmp::CapabilitySet& set : service.sets)
        specs.push_back({static_cast<std::uint16_t>(service.service), set.id});
    }
  }
  return record;
}

void Fabric::clear() {
  branches_.clear();
  reservations_.clear();
  region_.clear();
}

}  // namespace xbind::switchagent
