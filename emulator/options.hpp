// The options of xbind-switch: the single source of --help, the error texts and docs/options.md.
// The options of one switch are also the keys of a [[switch]] table in the file of --switches
// (switch_set.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/host_port.hpp"
#include "core/config/options.hpp"
#include "core/ids.hpp"
#include "core/impairments/impairments.hpp"
#include "core/label.hpp"
#include "core/log.hpp"
#include "core/log_output.hpp"
#include "core/result.hpp"
#include "dataplane/links/link_spec.hpp"
#include "emulator/emulated_switch.hpp"
#include "gsmp/messages/traffic.hpp"

namespace xbind::emulator {

// The options of one switch, as given. The texts in lists have been checked.
struct SwitchOptions {
  std::string listen;
  std::string name;
  std::uint32_t ports = 0;
  AtmBounds labels;                      // of ATM ports without labels of their own
  std::vector<std::string> port_labels;  // "PORT=RANGE"
  bool one_kind = false;
  std::uint32_t link_cells_per_s = 0;
  std::vector<std::string> port_rates;  // "PORT=RATE"
  std::uint8_t priorities = 0;
  std::vector<std::string> services;       // empty: default_services(); "none": none
  std::vector<std::string> gsmp_versions;  // empty: 3, 1
  std::uint16_t window = 0;
  std::uint8_t timer = 0;
  std::uint64_t branches_max = 0;
  std::uint64_t buffer_cells = 0;
  std::uint32_t max_reservations = 0;
  bool region_model = false;
  PolicingMode policing = PolicingMode::kOff;
  QueueingKind queueing = QueueingKind::kFifo;
  dataplane::CrossbarSize crossbar = dataplane::CrossbarSize::kNone;
  std::vector<std::string> port_delays;       // "PORT=US"
  std::vector<std::string> port_controllers;  // "PORT=PROFILE"
  std::vector<std::string> links;             // "PORT=SPEC"
  std::vector<std::string> classes;           // "NUMBER=PREFIX"
  std::vector<std::string> captures;          // "PORT=FILE"
  std::vector<std::string> faults;            // commands of control.hpp
  std::uint64_t refuse_next = 0;
  std::uint8_t refuse_code = 0;
  std::uint64_t seed = 0;
  // Of a [[switch]] table: all options as texts, for a reload (changes_of() in switch_set.hpp).
  std::vector<config::OptionValue> values;
};

// The options of the process.
struct Options {
  SwitchOptions one;
  std::string switches;     // a file; empty: `one` is the only switch
  std::string control;      // net::parse_control_address(); empty: none
  std::string capture_dir;  // below which the order "capture" writes; empty: it is refused
  ImpairmentOptions impairments;
  log::Output log;
};

// Parses "2=/tmp/x.pcap" into port and file. nullopt unless the port is at least 1 and the name is
// not empty.
std::optional<std::pair<PortId, std::string>> parse_port_file(const std::string& text);
// "cbr", "nrt-vbr.2", "gfr.1": a service of RFC 3292 section 10.4 in lower case; ".1" may be
// omitted. kBadInput: no ATM service.
Result<gsmp::ServiceId> parse_service(const std::string& text);

// Both add options, and the checks across options, to a set. `options` must outlive the set.
void declare(config::OptionSet& set, SwitchOptions& options);
void declare(config::OptionSet& set, Options& options);
// Names of the options of one switch.
std::vector<std::string> switch_option_names();

// Converts checked options. Uses `seed` if the options have none.
EmulatedSwitchOptions emulated_options(const SwitchOptions& options, std::uint64_t seed);
std::vector<dataplane::PortLink> links_of(const SwitchOptions& options);
// Delay of the port's line; 0: none.
Duration delay_of(const SwitchOptions& options, PortId port);

}  // namespace xbind::emulator
