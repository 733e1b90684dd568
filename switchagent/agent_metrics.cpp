#include "switchagent/agent_metrics.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "gsmp/messages/header.hpp"
#include "gsmp/messages/header_v1.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::MessageType;

struct ShownAgent {
  const AgentReading& agent;
  const Fabric& fabric;
  std::uint64_t ports_down = 0;
};

template <std::uint64_t AgentCounters::*member>
std::uint64_t counted(const ShownAgent& one) {
  return one.agent.counters.*member;
}

constexpr MetricRow<ShownAgent> kAgentRows[] = {
    {"controllers", MetricKind::kGauge, "", "Controllers that are connected.",
     [](const ShownAgent& one) { return one.agent.controllers; }},
    {"adjacencies", MetricKind::kGauge, "", "Controllers whose adjacency is established.",
     [](const ShownAgent& one) { return one.agent.adjacencies; }},
    {"adjacencies_up", MetricKind::kCounter, "", "Times that an adjacency was established.",
     counted<&AgentCounters::adjacencies_up>},
    {"adjacencies_down", MetricKind::kCounter, "", "Times that an established adjacency ended.",
     counted<&AgentCounters::adjacencies_down>},
    {"connections", MetricKind::kGauge, "", "Connections in the table.",
     [](const ShownAgent& one) -> std::uint64_t {
       return one.fabric.branch_table().connections();
     }},
    {"branches", MetricKind::kGauge, "", "Branches of the connections.",
     [](const ShownAgent& one) -> std::uint64_t { return one.fabric.branches(); }},
    {"branches_max", MetricKind::kGauge, "", "Branches that the table may hold.",
     [](const ShownAgent& one) -> std::uint64_t { return one.fabric.options().branches_max; }},
    {"ports", MetricKind::kGauge, "", "Ports whose card is in.",
     [](const ShownAgent& one) -> std::uint64_t { return one.fabric.port_states().cards(); }},
    {"ports_down", MetricKind::kGauge, "",
     "Ports that carry nothing: line down, or out of service.",
     [](const ShownAgent& one) { return one.ports_down; }},
    {"open_requests", MetricKind::kGauge, "", "Requests that the table has not completed.",
     [](const ShownAgent& one) { return one.agent.open_requests; }},
    {"branches_added", MetricKind::kCounter, "", "Add Branch requests that succeeded.",
     counted<&AgentCounters::branches_added>},
    {"branches_deleted", MetricKind::kCounter, "", "Branches deleted by Delete Branches requests.",
     counted<&AgentCounters::branches_deleted>},
    {"undecodable", MetricKind::kCounter, "", "Requests that could not be decoded.",
     counted<&AgentCounters::undecodable>},
    {"messages_dropped", MetricKind::kCounter, "",
     "Messages dropped: before the adjacency, of another version, or not for a switch.",
     counted<&AgentCounters::dropped>},
    {"refused_open", MetricKind::kCounter, "",
     "Requests refused with code 19 because too many were open.",
     counted<&AgentCounters::refused_open>},
    {"answers_void", MetricKind::kCounter, "",
     "Answers of the table that came after their adjacency had ended.",
     counted<&AgentCounters::answers_void>},
    {"events_sent", MetricKind::kCounter, "", "Events sent, counted for each controller.",
     counted<&AgentCounters::events_sent>},
    {"events_held", MetricKind::kCounter, "",
     "Events held back by flow control, or without a controller.",
     counted<&AgentCounters::events_held>},
};

constexpr MetricNames kAgentFamilies{{
    {"requests/<message>", MetricKind::kCounter, "",
     "Requests of the message type; only where there were any."},
    {"failed_requests/<message>", MetricKind::kCounter, "",
     "Requests of the message type that were answered with a failure; only where there were any."},
    {"failures/<code>", MetricKind::kCounter, "",
     "Failures sent with the GSMP failure code; only where there were any."},
    {"port_up/<port>", MetricKind::kGauge, "",
     "1: the port is in service and its line is up; 0: it is not."},
}};
constexpr std::string_view kRequests = kAgentFamilies["requests/<message>"];
constexpr std::string_view kFailedRequests = kAgentFamilies["failed_requests/<message>"];
constexpr std::string_view kFailures = kAgentFamilies["failures/<code>"];
constexpr std::string_view kPortUp = kAgentFamilies["port_up/<port>"];

// "add-branch"; empty: no version of GSMP has the type.
std::string word_of(MessageType type) {
  if (!gsmp::exists_in(type, gsmp::kVersion) && !gsmp::exists_in(type, gsmp::v1::kVersion)) {
    return {};
  }
  std::string word = gsmp::to_string(type);
  std::ranges::replace(word, ' ', '-');
  return word;
}

// Appends the counts of message types that exist, and under "other" the sum of the rest: a
// controller may send any of 256 numbers.
void append_types(std::string_view family, const std::array<std::uint64_t, 256>& counts,
                  Metrics& metrics) {
  std::uint64_t rest = 0;
  for (std::size_t type = 0; type < counts.size(); ++type) {
    if (counts[type] == 0) continue;
    const std::string word = word_of(static_cast<MessageType>(type));
    if (word.empty()) {
      rest += counts[type];
    } else {
      metrics.emplace_back(filled(family, {word}), counts[type]);
    }
  }
  if (rest > 0) metrics.emplace_back(filled(family, {"other"}), rest);
}

}  // namespace

void append_metrics(const AgentReading& agent, const Fabric& fabric, Metrics& metrics) {
  ShownAgent reading{agent, fabric};
  for (std::uint32_t number = 1; number <= fabric.ports(); ++number) {
    const PortId port(number);
    if (!fabric.has(port)) continue;
    const bool up = fabric.port_states().line_up(port) &&
                    fabric.port_status(port) == gsmp::PortStatus::kAvailable;
    if (!up) ++reading.ports_down;
    metrics.emplace_back(filled(kPortUp, {std::to_string(number)}), up ? 1 : 0);
  }
  append(kAgentRows, reading, metrics);
  append_types(kRequests, agent.counters.requests_of, metrics);
  append_types(kFailedRequests, agent.counters.failures_of, metrics);
  for (std::size_t code = 0; code < agent.counters.failures_with.size(); ++code) {
    const std::uint64_t count = agent.counters.failures_with[code];
    if (count > 0) metrics.emplace_back(filled(kFailures, {std::to_string(code)}), count);
  }
}

MetricTable agent_metrics() { return metric_table("emulator", kAgentRows, kAgentFamilies); }

}  // namespace xbind::switchagent
