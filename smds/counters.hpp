// What a server counts for each port. The names in a status are those of the MIBs: of SIP (RFC
// 1304) and of the SMDS subscription (Bellcore TR-TSV-001062); the others are our own.
//
// Values only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "smds/l3_pdu.hpp"

namespace xbind::smds {

// The end of a received PDU.
enum class Fate : std::uint8_t {
  kForwarded,
  kMalformed,            // Decision::fault says how
  kBadEnvelope,          // between servers: too short, another version, an unknown server
  kUnassignedSource,     // not an address of the line
  kDestinationScreened,  // the sender's screen
  kSourceScreened,       // the receiver's screen; of a group, for each member
  kClassExceeded,        // the credit of the access class
  kUnknownIndividual,    // no subscriber has the address
  kUnknownGroup,         // or no member is left
  kSameLine,             // for the line on which it came
  kNoPath,               // no trunk leads to the server
  kNotConnected,         // the call of the line is not up
  kHopsExceeded,         // more servers than a path has
  kBufferFull,           // the input buffer of the port
};
inline constexpr std::size_t kFates = static_cast<std::size_t>(Fate::kBufferFull) + 1;

struct PortCounters {
  std::uint64_t received_individual = 0;  // PDUs without a fault, by their destination
  std::uint64_t received_group = 0;
  std::uint64_t received_octets = 0;  // of information
  std::uint64_t sent_individual = 0;
  std::uint64_t sent_group = 0;
  std::uint64_t sent_octets = 0;
  std::uint64_t waited = 0;  // PDUs that were copied into the input buffer
  std::array<std::uint64_t, kFates> fates{};
  std::array<std::uint64_t, std::size_t{static_cast<std::uint8_t>(kPduFaultLast)} + 1> faults{};

  std::uint64_t of(Fate fate) const { return fates[static_cast<std::size_t>(fate)]; }
};

struct PortCounterName {
  std::string_view name;  // "sipL3ReceivedIndividualDAs"
  std::string_view help;
  std::uint64_t (*value)(const PortCounters&);
};
// Every counter but those of the faults, which have the names of to_string(PduFault).
inline constexpr PortCounterName kPortCounters[] = {
    {"sipL3ReceivedIndividualDAs", "PDUs received for individual addresses.",
     [](const PortCounters& port) { return port.received_individual; }},
    {"sipL3ReceivedGAs", "PDUs received for groups.",
     [](const PortCounters& port) { return port.received_group; }},
    {"sipL3UnrecognizedIndividualDAs", "PDUs dropped: no subscriber has the destination.",
     [](const PortCounters& port) { return port.of(Fate::kUnknownIndividual); }},
    {"sipL3UnrecognizedGAs", "PDUs dropped: no such group, or no member is left.",
     [](const PortCounters& port) { return port.of(Fate::kUnknownGroup); }},
    {"sipL3SentIndividualDAs", "PDUs sent for individual addresses.",
     [](const PortCounters& port) { return port.sent_individual; }},
    {"sipL3SentGAs", "PDUs sent for groups.",
     [](const PortCounters& port) { return port.sent_group; }},
    {"sipL3Errors", "PDUs dropped for their format.",
     [](const PortCounters& port) { return port.of(Fate::kMalformed); }},
    {"smdsUnassignedSAs", "PDUs dropped: the source is not an address of the line.",
     [](const PortCounters& port) { return port.of(Fate::kUnassignedSource); }},
    {"smdsDAScreenViolations", "PDUs dropped by the screen of their sender.",
     [](const PortCounters& port) { return port.of(Fate::kDestinationScreened); }},
    {"smdsSAScreenViolations", "PDUs dropped by the screen of their receiver.",
     [](const PortCounters& port) { return port.of(Fate::kSourceScreened); }},
    {"smdsAccessClassExceeded", "PDUs dropped: the credit of the access class was used up.",
     [](const PortCounters& port) { return port.of(Fate::kClassExceeded); }},
    {"receivedOctets", "Octets of information received.",
     [](const PortCounters& port) { return port.received_octets; }},
    {"sentOctets", "Octets of information sent.",
     [](const PortCounters& port) { return port.sent_octets; }},
    {"badEnvelopes", "Dropped: an envelope of a neighbour that cannot be read.",
     [](const PortCounters& port) { return port.of(Fate::kBadEnvelope); }},
    {"sameLines", "PDUs dropped: for the line on which they came.",
     [](const PortCounters& port) { return port.of(Fate::kSameLine); }},
    {"noPaths", "PDUs dropped: no trunk leads to the server of the destination.",
     [](const PortCounters& port) { return port.of(Fate::kNoPath); }},
    {"notConnected", "PDUs dropped: the call of the line they should leave by is not up.",
     [](const PortCounters& port) { return port.of(Fate::kNotConnected); }},
    {"hopsExceeded", "PDUs dropped after more servers than a path has.",
     [](const PortCounters& port) { return port.of(Fate::kHopsExceeded); }},
    {"buffersFull", "PDUs dropped whole at the input buffer of the port.",
     [](const PortCounters& port) { return port.of(Fate::kBufferFull); }},
    {"waited", "PDUs that waited in the input buffer.",
     [](const PortCounters& port) { return port.waited; }},
};

}  // namespace xbind::smds
