// The frames of a line that belong to a call, and the label that stands for them.
//
// At an edge port of a switch that carries frames (docs/decisions/0066-attachments-are-labels.md),
// the MPLS label of a call's end says which frames of the port are the call's. A label that no row
// has carries no frames there:
//
//     text        label      frames of the port, received or sent
//     ──────────  ─────────  ─────────────────────────────────────────────────────────────
//     "port", ""  16         every frame that no other call of the port takes, without a tag; of a
//                            bridge IPv4 frames only
//     "vlan N"    4096 + N   frames with the IEEE 802.1Q tag of VLAN N, 1..4094
//     "class N"   8192 + N   what the switch's operator has configured as class N, 0..4095: an
//                            IPv4 prefix
//
// Values only; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/label.hpp"
#include "core/result.hpp"

namespace xbind {

class FrameTraffic {
 public:
  FrameTraffic() = default;  // "port"
  // Reads the text of the table: one space, a decimal number without leading zeros. kBadInput
  // quotes any other text.
  static Result<FrameTraffic> parse(std::string_view text);
  // The frames that the label stands for; nullopt for a label that is in no row.
  static std::optional<FrameTraffic> of(Label label);

  // nullopt beyond the numbers of the table.
  static std::optional<FrameTraffic> of_vlan(std::uint32_t number);
  static std::optional<FrameTraffic> of_class(std::uint32_t number);

  Label label() const { return {LabelKind::kMpls, value_}; }
  // The number of a "vlan N", of a "class N"; nullopt for other rows.
  std::optional<std::uint16_t> vlan() const;
  std::optional<std::uint16_t> class_number() const;
  std::string text() const;  // parse() of it gives the same value; "port" rather than ""

  friend bool operator==(const FrameTraffic&, const FrameTraffic&) = default;

 private:
  explicit FrameTraffic(std::uint32_t value) : value_(value) {}

  std::uint32_t value_ = kMplsLabelMin;  // of the label
};

}  // namespace xbind
