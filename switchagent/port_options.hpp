// Values of options that say something of a port: PORT=VALUE. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "core/label.hpp"
#include "core/result.hpp"

namespace xbind::switchagent {

// The port before the equal sign and the text after it. nullopt unless the port is at least 1.
std::optional<std::pair<PortId, std::string>> port_and_text(const std::string& text);
// Parses "2=353207" into port and rate. nullopt unless the port is at least 1 and the rate 1 to
// 4294967295.
std::optional<std::pair<PortId, std::uint32_t>> parse_port_rate(const std::string& text);
// Parses texts like "2=mpls:16-1023" (core/label_text.hpp) and collects the ranges of each port. An
// ATM port's VCIs must be above 31. kBadInput: not PORT=RANGE, a port beyond `ports`, two kinds at
// one port, more than one range for ATM or kLabelRangesMax for MPLS, overlapping ranges.
Result<std::map<PortId, LabelRanges>> parse_port_labels(const std::vector<std::string>& texts,
                                                        std::uint32_t ports);

}  // namespace xbind::switchagent
