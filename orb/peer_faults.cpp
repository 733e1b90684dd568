#include "orb/peer_faults.hpp"

#include <fmt/format.h>
#include <omniORB4/CORBA.h>
#include <omniORB4/omniInterceptors.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <mutex>
#include <string>

#include "core/line_limits.hpp"
#include "core/log.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"
#include "orb/accepted_connections.hpp"
#include "orb/caller.hpp"
#include "orb/object_questions.hpp"

namespace xbind::orb {
namespace {

using Counts = std::array<std::atomic<std::uint64_t>, kPeerFaults>;
Counts counts{};
std::atomic<std::uint64_t> closed_idle = 0;

std::uint64_t count(PeerFault fault) { return counts[static_cast<std::size_t>(fault)]; }

constexpr MetricRow<Counts> kFaultMetrics[] = {
    {"malformed_messages", MetricKind::kCounter, "",
     "Messages that the ORB could not decode; it closed their connections.",
     [](const Counts&) { return count(PeerFault::kMalformed); }, MetricScope::kProcess},
    {"unknown_objects", MetricKind::kCounter, "", "Requests to objects that do not exist.",
     [](const Counts&) { return count(PeerFault::kUnknownObject); }, MetricScope::kProcess},
    {"unknown_operations", MetricKind::kCounter, "",
     "Requests for operations that their objects do not have.",
     [](const Counts&) { return count(PeerFault::kUnknownOperation); }, MetricScope::kProcess},
    {"undecodable_batches", MetricKind::kCounter, "",
     "Batches with a value outside their contract; each ended its session.",
     [](const Counts&) { return count(PeerFault::kUndecodable); }, MetricScope::kProcess},
    {"connections_refused", MetricKind::kCounter, "",
     "Connections closed at once because too many were open, in total or from one host.",
     [](const Counts&) { return count(PeerFault::kRefused); }, MetricScope::kProcess},
    {"connections_closed_idle", MetricKind::kCounter, "",
     "Accepted connections closed because they were idle.",
     [](const Counts&) { return closed_idle.load(); }, MetricScope::kProcess},
    {"connections_accepted", MetricKind::kGauge, "",
     "Accepted connections that are open, as of a quarter of a second ago.",
     [](const Counts&) { return std::uint64_t{accepted_connections().open()}; },
     MetricScope::kProcess},
};

std::string_view words(PeerFault fault) {
  switch (fault) {
    case PeerFault::kMalformed: return "malformed message";
    case PeerFault::kUnknownObject: return "request to an unknown object";
    case PeerFault::kUnknownOperation: return "request for an unknown operation";
    case PeerFault::kUndecodable: return "batch that is not understood";
    case PeerFault::kRefused: return "connection refused";
  }
  return "";
}

MinuteLog& minute_log() {
  static MinuteLog log;
  return log;
}

// "giop:tcp:127.0.0.1:46744" without the transport.
std::string_view plain(const char* address) {
  std::string_view text = address == nullptr ? "" : address;
  for (const std::string_view part : {"giop:", "tcp:"}) {
    if (text.starts_with(part)) text.remove_prefix(part.size());
  }
  return text;
}

CORBA::Boolean on_exception(omni::omniInterceptors::serverSendException_T::info_T& info) {
  if (info.exception == nullptr ||
      std::string_view{info.exception->_name()} != "OBJECT_NOT_EXIST") {
    return true;
  }
  // Whether an object exists may be asked of every reference, and this is the answer.
  if (is_object_question(info.operation())) return true;
  note_fault(PeerFault::kUnknownObject, plain(info.peeraddress()), info.operation());
  return true;
}

// A line of omniORB without its beginning: "omniORB: (6) 2026-11-26 00:12:48.755646: ", of which
// thread and time may be missing. Our log has a time of its own.
std::string_view text_of(std::string_view line) {
  constexpr std::string_view kProgram = "omniORB: ";
  constexpr std::string_view kTime = "2026-11-26 00:12:48.755646: ";
  while (line.ends_with('\n')) line.remove_suffix(1);
  if (!line.starts_with(kProgram)) return line;
  line.remove_prefix(kProgram.size());
  if (line.starts_with('(')) {
    const std::size_t end = line.find(") ");
    if (end != std::string_view::npos) line.remove_prefix(end + 2);
  }
  const bool timed = line.size() > kTime.size() && line[4] == '-' && line[10] == ' ' &&
                     line.substr(kTime.size() - 2).starts_with(": ");
  if (timed) line.remove_prefix(kTime.size());
  return line;
}

// "From endpoint: giop:tcp:127.0.0.1:44062. Detected GIOP 1.2 protocol error in input message.
// giopImpl12.cc:460. Connection is closed.": omniORB writes such a line for every malformed
// message.
void on_log(const char* line) {
  constexpr std::string_view kEndpoint = "endpoint: giop:tcp:";
  constexpr std::size_t kKeyOctets = 80;
  constexpr std::size_t kOctetsMax = 1'000;
  const std::string_view text = text_of(line);
  const std::size_t endpoint = text.find(kEndpoint);
  if (endpoint != std::string_view::npos) {
    std::string_view rest = text.substr(endpoint + kEndpoint.size());
    const std::size_t end = rest.find(". ");
    const std::string_view peer = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
    return note_fault(PeerFault::kMalformed, peer, rest);
  }
  // Lines that differ in numbers alone are one.
  std::string key;
  for (const char one : text.substr(0, kKeyOctets)) {
    if (std::isdigit(static_cast<unsigned char>(one)) == 0) key += one;
  }
  if (const auto times = minute_log().noted(key, steady_now())) {
    log::orb.warn(
        "omniORB: {}{}", printable(text, kOctetsMax),
        *times == 1 ? "" : fmt::format(" (the last of {} within a minute or more)", *times));
  }
}

}  // namespace

void note_fault(PeerFault fault, std::string_view peer, std::string_view detail) {
  ++counts[static_cast<std::size_t>(fault)];
  const std::string_view host =
      peer.empty() ? "an unknown address" : peer.substr(0, peer.rfind(':'));
  const auto times =
      minute_log().noted(fmt::format("{} {}", static_cast<int>(fault), host), steady_now());
  if (!times) return;
  log::orb.warn("{} from {}: {}{}", words(fault), host, printable(detail),
                *times == 1 ? "" : fmt::format("; the last of {} within a minute or more", *times));
}

void note_callers_fault(PeerFault fault, std::string_view detail) {
  note_fault(fault, caller_address(), detail);
}

std::uint64_t peer_faults(PeerFault fault) { return count(fault); }

void count_closed_idle(std::uint64_t connections) { closed_idle += connections; }

void take_orb_log() { omniORB::setLogFunction(on_log); }

void watch_peer_faults() {
  static std::once_flag once;
  std::call_once(once, [] { omniORB::getInterceptors()->serverSendException.add(on_exception); });
}

void append_peer_faults(Metrics& metrics) { append(kFaultMetrics, counts, metrics); }

void append_peer_faults(MetricTable& table) { append(kFaultMetrics, table); }

}  // namespace xbind::orb
