// Traffic classes and their QoS in the model "xbind-sr" (MType 201): messages of
// draft-adam-gsmp-sr-00 under the header of RFC 3292. A class is a statistical model (a kind and
// bounds on its traffic) with bounds on its QoS. Get Traffic and QoS Parameter Support (220)
// reports what an estimator supports:
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// | SR-E  |           x           |       Qualitative mask        |  masks 0 in the request
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |       Quantitative mask       |           QoS mask            |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Set Traffic Classes and QoS (221) and Get Traffic Classes and QoS (222):
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                             Port                              |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Port Session Number                      |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |A|                          x                          |Classes|
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                            classes                            ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// class:
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |      Buffer ID      | Kind    |       Quantitative mask       |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |           QoS mask            |               x               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~    traffic parameters, then QoS parameters, 4 octets each     ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Request, success and failure of each type share one layout; the request of a Get has no classes.
// Our choices: a parameter has 4 octets (the draft's text says 2, its figure 4). There is one
// parameter for each set bit, including unknown bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "gsmp/messages/estimation_policy.hpp"
#include "gsmp/messages/header.hpp"

namespace xbind::gsmp {

// Kind of a class (5 bits); also its bit number in the qualitative mask.
enum class TrafficKind : std::uint8_t { kCbr = 0, kVideo = 1, kVoice = 2, kAudio = 3 };

// Bit number in the quantitative mask. Every class requires kPcr; otherwise kUnsupportedParameter.
enum class TrafficParameter : std::uint8_t {
  kPcr = 0,   // cells/s
  kScr = 1,   // cells/s
  kMbs = 2,   // cells
  kCdvt = 3,  // us
};

// Bit number in the QoS mask.
enum class QosParameter : std::uint8_t {
  kCtdMax = 0,      // us
  kCtdAverage = 1,  // us
  kClr = 2,         // n for a cell loss ratio of 10^-n
  kGapLoss = 3,     // average gap loss, millionths of a cell
  kCdv = 4,         // us
};

std::string to_string(TrafficKind kind);            // "voice"; without a name: "kind 7"
std::string to_string(TrafficParameter parameter);  // "pcr"; without a name: "parameter 7"
std::string to_string(QosParameter parameter);      // "ctd max"; without a name: "qos parameter 7"

// A 16-bit mask with one value for each set bit.
template <class Name>
struct Selected {
  std::uint16_t mask = 0;
  std::array<std::uint32_t, 16> values{};  // by bit number; 0 if the bit is not set

  bool has(Name name) const { return (mask & mask_bit(static_cast<unsigned>(name))) != 0; }
  std::uint32_t of(Name name) const { return values.at(static_cast<std::size_t>(name)); }
  void set(Name name, std::uint32_t value) {
    values.at(static_cast<std::size_t>(name)) = value;
    mask |= mask_bit(static_cast<unsigned>(name));
  }
  friend bool operator==(const Selected&, const Selected&) = default;
};

struct TrafficClass {
  std::uint16_t buffer = 0;  // 11 bits; unique for each class
  TrafficKind kind = TrafficKind::kCbr;
  Selected<TrafficParameter> traffic;
  Selected<QosParameter> qos;

  friend bool operator==(const TrafficClass&, const TrafficClass&) = default;
};

struct ParameterSupport {
  Header header{.type = MessageType::kGetParameterSupport};
  Estimator estimator = Estimator::kPeakRate;
  std::uint16_t kinds = 0;  // masks
  std::uint16_t traffic_parameters = 0;
  std::uint16_t qos_parameters = 0;

  friend bool operator==(const ParameterSupport&, const ParameterSupport&) = default;
};

struct TrafficClasses {
  Header header{.type = MessageType::kGetTrafficClasses};  // or kSetTrafficClasses
  PortId port;
  std::uint32_t port_session = 0;
  bool all_ports = false;             // A: Port and its session number are ignored
  std::vector<TrafficClass> classes;  // at most kTrafficClassesMax

  friend bool operator==(const TrafficClasses&, const TrafficClasses&) = default;
};

void encode(const ParameterSupport& message, wire::Writer& out);
void encode(const TrafficClasses& message, wire::Writer& out);
// Both refuse kTruncated.
Decoded<ParameterSupport> decode_parameter_support(const Header& header,
                                                   std::span<const std::byte> body);
Decoded<TrafficClasses> decode_traffic_classes(const Header& header,
                                               std::span<const std::byte> body);
std::string to_string(const ParameterSupport& message);
std::string to_string(const TrafficClasses& message);

}  // namespace xbind::gsmp
