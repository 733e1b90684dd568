#include "smds/status_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/name.hpp"
#include "core/utc_text.hpp"

namespace xbind::smds {
namespace {

// Members stay in the order in which they are added.
using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

// The entry of the port's call; null: a UDP line has none.
const keeper::Entry* entry_of(const Port& port, const keeper::WantedCalls& wanted) {
  const auto& entries = wanted.entries();
  const auto found = std::ranges::find_if(
      entries, [&](const keeper::Entry& entry) { return entry.wanted.name == port.name; });
  return port.endpoint.empty() || found == entries.end() ? nullptr : &*found;
}

Json label_json(Label label) { return label.present() ? Json(to_string(label)) : Json(nullptr); }

Json call_json(const keeper::Entry* entry) {
  if (entry == nullptr) return nullptr;
  const keeper::Call& call = entry->calls.front();
  return {{"state", std::string{to_string(call.state)}},
          {"id", call.connection == ConnectionId{} ? Json(nullptr)
                                                   : Json(fmt::format("{}", call.connection))},
          {"refusals", entry->refusals},
          {"last_refusal", entry->last_refusal.empty()
                               ? Json(nullptr)
                               : Json(printable(entry->last_refusal, kRefusalOctetsMax))}};
}

Json counters_json(const PortSnapshot& port) {
  Json counters = Json::object();
  for (const PortCounterName& counter : kPortCounters) {
    counters[std::string(counter.name)] = counter.value(port.counters);
  }
  counters["smdsMCDUsExceededIngress"] = port.mcdus_exceeded;
  return counters;
}

Json faults_json(const PortCounters& port) {
  Json faults = Json::object();
  for (std::size_t number = 1; number < port.faults.size(); ++number) {
    faults[std::string(to_string(static_cast<PduFault>(number)))] = port.faults[number];
  }
  return faults;
}

Json layer_json(const LayerSnapshot& layer) {
  return {{"frames_in", layer.frames_in},   {"frames_out", layer.frames_out},
          {"bad_frames", layer.bad_frames}, {"unknown_label_cells", layer.unknown_label_cells},
          {"foreign", layer.foreign},       {"lost", layer.lost}};
}

Result<Json> parsed(const std::vector<std::string>& documents) {
  Json all = Json::array();
  for (const std::string& document : documents) {
    Json one = Json::parse(document, nullptr, false);
    if (!one.is_object() || one.value("format", 0) != kFormat || !one.contains("server")) {
      return fail(ErrorCode::kBadInput, "'{}' is not the status of a server", document);
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::string line_state(const Port& port, const LineLabels& labels,
                       const keeper::WantedCalls& wanted) {
  const keeper::Entry* entry = entry_of(port, wanted);
  if (entry == nullptr) return "connected";
  const keeper::CallState state = entry->calls.front().state;
  if (state != keeper::CallState::kUp) return std::string{to_string(state)};
  if (!labels.send.present()) return "no label to send with";
  if (!labels.receive.present()) return "the neighbour's call is not up";
  return "connected";
}

std::string status_document(const StatusHead& head, const ServerSpec& server,
                            const std::vector<Port>& ports, const std::vector<LineLabels>& labels,
                            const keeper::WantedCalls& wanted, const Snapshot& snapshot) {
  Json lines = Json::array();
  std::size_t connected = 0;
  for (PortIndex index = 0; index < ports.size(); ++index) {
    const Port& port = ports[index];
    const std::string state = line_state(port, labels[index], wanted);
    connected += state == "connected" ? 1 : 0;
    lines.push_back({{"name", port.name},
                     {"kind", port.kind == PortKind::kSubscriber ? "subscriber" : "neighbour"},
                     {"endpoint", port.endpoint.empty() ? Json(nullptr) : Json(port.endpoint)},
                     {"adaptation", std::string{to_string(port.adaptation)}},
                     {"mbit_per_s", port.mbit_per_s},
                     {"state", state},
                     {"call", call_json(entry_of(port, wanted))},
                     {"send_label", label_json(labels[index].send)},
                     {"receive_label", label_json(labels[index].receive)},
                     {"waiting", snapshot.ports[index].waiting},
                     {"counters", counters_json(snapshot.ports[index])},
                     {"faults", faults_json(snapshot.ports[index].counters)}});
  }
  const Json document{{"format", kFormat},
                      {"written", utc_iso(head.wall.time_since_epoch())},
                      {"server", server.name},
                      {"id", server.id},
                      {"endpoint", server.endpoint},
                      {"manager", head.manager},
                      {"running", head.running},
                      {"attached", head.attached},
                      {"lines", std::move(lines)},
                      {"connected", connected},
                      {"atm", layer_json(snapshot.atm)},
                      {"udp", layer_json(snapshot.udp)}};
  return document.dump() + "\n";
}

Result<std::string> status_array(const std::vector<std::string>& documents) {
  const auto all = parsed(documents);
  if (!all) return tl::make_unexpected(all.error());
  return all->dump(2) + "\n";
}

Result<std::string> status_table(const std::vector<std::string>& documents) {
  const auto all = parsed(documents);
  if (!all) return tl::make_unexpected(all.error());
  std::string text;
  for (const Json& server : *all) {
    const auto number = [](const Json& counters, const char* name) {
      return counters.value(name, std::uint64_t{0});
    };
    text += fmt::format("{} at {}: {}, {} of {} lines connected\n", server.value("server", ""),
                        server.value("endpoint", ""),
                        !server.value("running", false)   ? "ended"
                        : server.value("attached", false) ? "attached"
                                                          : "not attached",
                        server.value("connected", 0), server.value("lines", Json::array()).size());
    for (const Json& line : server.value("lines", Json::array())) {
      const Json counters = line.value("counters", Json::object());
      text += fmt::format(
          "  {:<10} {:<16} {:<6} {} in, {} out  {}\n", line.value("kind", ""),
          line.value("name", ""), line.value("adaptation", ""),
          number(counters, "sipL3ReceivedIndividualDAs") + number(counters, "sipL3ReceivedGAs"),
          number(counters, "sipL3SentIndividualDAs") + number(counters, "sipL3SentGAs"),
          line.value("state", ""));
    }
  }
  return text;
}

}  // namespace xbind::smds
