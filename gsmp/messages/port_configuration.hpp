// Port Configuration (RFC 3292 section 8.2). The request is header and Port. The success carries
// the record below; All Ports Configuration has one such record for every port.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                             Port                              |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Port Session Number                      |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                     Event Sequence Number                     |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |          Event Flags          |     Port Attribute Flags      |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |   PortType    |S|      x      |      Data Fields Length       |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |P|M|L|R|Q|  Label Range Count  |      Label Range Length       |  P: x at an MPLS port
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~     ranges: Min Label (8 octets), Max Label (8 octets)        ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                 Receive Data Rate, cells a second             |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                 Transmit Data Rate, cells a second            |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |  Port Status  |   Line Type   |  Line Status  |  Priorities   |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |     Physical Slot Number      |     Physical Port Number      |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |               x               |   Number of Service Specs     |  when S
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~   specs: Service ID (2 octets), Capability Set ID (2 octets)  ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Our choices: Port Attribute Flags have 16 bits (the figure shows 17); Data Fields Length counts
// the port-type data and the service data. Port types other than ATM (1) and MPLS (3) are refused.
// The rates of an MPLS port are also cells per second (the RFC counts octets there), because its
// lines carry cells.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "gsmp/messages/header.hpp"
#include "gsmp/messages/label_field.hpp"

namespace xbind::gsmp {

enum class PortStatus : std::uint8_t {  // set by the operator
  kAvailable = 1,
  kUnavailable = 2,
  kInternalLoopback = 3,
  kExternalLoopback = 4,
  kBothwayLoopback = 5,
};
enum class LineStatus : std::uint8_t { kUp = 1, kDown = 2, kTest = 3 };

inline constexpr std::uint8_t kPortTypeAtm = 1;
inline constexpr std::uint8_t kPortTypeMpls = 3;
inline constexpr std::uint8_t kLineTypeAtm = 37;    // IANAifType
inline constexpr std::uint8_t kLineTypeMpls = 166;  // IANAifType

struct ServiceSpec {
  std::uint16_t service = 0;         // Service ID: 1 CBR.1, 5 nrt-VBR.1, 8 UBR.1, ...
  std::uint16_t capability_set = 0;  // Capability Set ID, of Service Configuration
  friend bool operator==(ServiceSpec, ServiceSpec) = default;
};

// A range of incoming labels. For ATM: all of min.vpi .. max.vpi times min.vci .. max.vci.
struct LabelRangeField {
  LabelField min;
  LabelField max;
  friend bool operator==(const LabelRangeField&, const LabelRangeField&) = default;
};

// Fields hold the octets as received: decoding does not check the ranges of the two statuses, the
// line type, the rates and the priorities.
struct PortRecord {
  PortId port;
  std::uint32_t port_session = 0;
  std::uint32_t event_sequence = 0;       // number of the port's last event (event.hpp)
  std::uint16_t event_flags = 0;          // kEvent... bits (port_management.hpp)
  std::uint16_t attribute_flags = 0;      // 0x8000: connection replace is on
  std::uint8_t port_type = kPortTypeAtm;  // or kPortTypeMpls
  bool vp_switching = false;              // P; an MPLS port has no such bit
  bool multicast_labels = false;          // M: branches of one connection may have different labels
  bool logical_multicast = false;         // L: several branches on one port
  bool label_range_message = false;       // R: accepts the Label Range message
  bool qos_messages = false;              // Q: accepts the QoS messages
  std::vector<LabelRangeField> label_ranges;  // at most 2047: the count has 11 bits
  std::uint32_t receive_cells_per_s = 0;
  std::uint32_t transmit_cells_per_s = 0;
  PortStatus port_status = PortStatus::kAvailable;
  std::uint8_t line_type = kLineTypeAtm;
  LineStatus line_status = LineStatus::kUp;
  std::uint8_t priorities = 1;           // >= 1; priority 0 is the highest
  std::uint16_t physical_slot = 0xffff;  // 0xffff: unknown
  std::uint16_t physical_port = 0xffff;
  std::optional<std::vector<ServiceSpec>> services;  // S; nullopt: no service data

  friend bool operator==(const PortRecord&, const PortRecord&) = default;
};

// The ranges of the record, unchecked. A range whose kind is unknown to core, or whose ends differ
// in kind, is kNone.
LabelRanges label_ranges(const PortRecord& record);
// The first ATM range; nullopt if the port has none.
std::optional<AtmBounds> atm_label_range(const PortRecord& record);

struct PortConfigurationRequest {
  Header header{.type = MessageType::kPortConfiguration};
  PortId port;
  friend bool operator==(const PortConfigurationRequest&,
                         const PortConfigurationRequest&) = default;
};

struct PortConfiguration {
  Header header{.type = MessageType::kPortConfiguration, .result = ResultField::kSuccess};
  PortRecord record;
  friend bool operator==(const PortConfiguration&, const PortConfiguration&) = default;
};

// The caller ensures at most 2047 label ranges, and at most 65535 octets behind Data Fields Length.
// Neither limit is checked; beyond it the encoded count or length is wrong.
void encode(const PortRecord& record, wire::Writer& out);
std::size_t encoded_octets(const PortRecord& record);
// Reads one record from `in`. Notes kPortType, kDataFieldsLength, kLabelRangeLength, kLabelLength,
// kLabelStacked. If `in` ends before Data Fields Length, in.ok() is false instead. After any of
// these the returned record is incomplete. Octets between the last field and the end that Data
// Fields Length gives are ignored.
PortRecord decode_port_record(wire::Reader& in, Problem& problem);
std::string to_string(const PortRecord& record);

void encode(const PortConfigurationRequest& message, wire::Writer& out);
void encode(const PortConfiguration& message, wire::Writer& out);
// Both refuse kTruncated; the second also the refusals of decode_port_record.
Decoded<PortConfigurationRequest> decode_port_configuration_request(
    const Header& header, std::span<const std::byte> body);
Decoded<PortConfiguration> decode_port_configuration(const Header& header,
                                                     std::span<const std::byte> body);
std::string to_string(const PortConfigurationRequest& message);
std::string to_string(const PortConfiguration& message);

}  // namespace xbind::gsmp
