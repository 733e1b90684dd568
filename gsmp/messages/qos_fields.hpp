// The quality-of-service fields of Add Branch, the Moves and Reservation Request: two selectors,
// the word with their models, and the traffic parameters at the end (RFC 3292 sections 4.1 and 10).
// Their offsets depend on the message.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |IQS|OQS|P|x|N|O|              Adaptation Method                |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                             labels                            ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~   traffic block of the input side, or (P) of both sides       ~  when IQS or OQS is 0b10
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~   traffic block of the output side                            ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Our choices: if both sides have the same parameters, P = 1 and one block; otherwise P = 0 and two
// blocks, with TC flag P set in the input block. The decoder also accepts a single block with
// P = 0; its TC flag P distinguishes input and output. A message has no block if its reservation
// supplies the parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gsmp/messages/traffic.hpp"

namespace xbind::gsmp {

enum class QosModel : std::uint8_t {  // IQS and OQS, 2 bits
  kPriority = 0,                      // the selector is a priority, 0 the highest
  kProfile = 1,
  kService = 2,  // the selector is Service ID (16 bits) and Capability Set ID (16 bits)
  kOptional = 3,
};

constexpr std::uint32_t service_selector(std::uint16_t service, std::uint16_t capability_set) {
  return std::uint32_t{service} << 16 | capability_set;
}
constexpr std::uint32_t service_selector(ServiceId service, std::uint16_t capability_set) {
  return service_selector(static_cast<std::uint16_t>(service), capability_set);
}
constexpr ServiceId service_of(std::uint32_t selector) {
  return static_cast<ServiceId>(selector >> 16);
}

struct QosFields {
  std::uint32_t input_selector = 0;
  std::uint32_t output_selector = 0;
  QosModel input_qos = QosModel::kPriority;
  QosModel output_qos = QosModel::kPriority;
  bool one_traffic_block = false;              // P: input_traffic serves both sides
  bool no_adaptation = true;                   // N: both ports have the same kind
  bool opaque_adaptation = false;              // O: 24 vendor-specific bits
  std::uint32_t adaptation = 0;                // 24 bits
  std::optional<TrafficBlock> input_traffic;   // of both sides when one_traffic_block
  std::optional<TrafficBlock> output_traffic;  // of the output side alone

  // The parameters of the output side, from either block; null if there are none.
  const TrafficBlock* traffic_out() const {
    if (output_traffic) return &*output_traffic;
    return one_traffic_block && input_traffic ? &*input_traffic : nullptr;
  }
  friend bool operator==(const QosFields&, const QosFields&) = default;
};

// The service model on both sides, with the same service and parameters: IQS = OQS = 0b10, P = 1.
void set_service(QosFields& fields, ServiceId service, std::uint16_t capability_set,
                 const TrafficBlock& both);
// The service model with different services or parameters: P = 0, two blocks.
void set_services(QosFields& fields, std::uint32_t input_selector, const TrafficBlock& input,
                  std::uint32_t output_selector, const TrafficBlock& output);

std::uint32_t qos_word(const QosFields& fields);
inline void encode_qos_word(const QosFields& fields, wire::Writer& out) {
  out.u32(qos_word(fields));
}
void encode_traffic(const QosFields& fields, wire::Writer& out);

void set_qos_word(std::uint32_t word, QosFields& fields);
inline void decode_qos_word(wire::Reader& in, QosFields& fields) { set_qos_word(in.u32(), fields); }
// Decodes the rest of the message. Notes kTrafficMissing if a service lacks `required` parameters,
// and kTrafficShared if one block would serve two services with different layouts. A truncated
// block fails in the reader. Octets after the blocks are additional data.
void decode_traffic(wire::Reader& in, QosFields& fields, bool required, Problem& problem);

std::string selector_to_string(QosModel model, std::uint32_t selector);  // "CBR.1 capset 1"
// ", adaptation 0x000100, tc U, pcr 4528 cells/s cdvt 250 us"; empty when there is nothing to say.
std::string to_string(const QosFields& fields);

}  // namespace xbind::gsmp
