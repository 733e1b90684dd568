// A label: what a cell or packet of a connection carries on one link, in one direction.
// Nothing above the GSMP driver looks inside the value.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace xbind {

enum class LabelKind : std::uint8_t {
  kNone = 0,  // no label: "the SwitchServer is to allot one", or "not applicable"
  kAtm = 1,   // value: 4 bits 0, VPI 12, VCI 16 (RFC 3292 section 3.1.2)
  kMpls = 2,  // value: 12 bits 0, label 20
};

struct Label {
  LabelKind kind = LabelKind::kNone;
  std::uint32_t value = 0;

  bool present() const { return kind != LabelKind::kNone; }
  friend constexpr auto operator<=>(const Label&, const Label&) = default;
};

// Ranges: vpi 0..4095, vci 0..65535.
constexpr Label atm_label(std::uint32_t vpi, std::uint32_t vci) {
  return Label{LabelKind::kAtm, vpi << 16 | vci};
}
constexpr std::uint32_t vpi_of(Label label) { return label.value >> 16 & 0xfff; }
constexpr std::uint32_t vci_of(Label label) { return label.value & 0xffff; }

// "0/32" for ATM, "mpls 1000", "none".
std::string to_string(Label label);

// The ATM labels a port may use: vpi_min..vpi_max times vci_min..vci_max, both ends included.
struct LabelRange {
  std::uint32_t vpi_min = 0;
  std::uint32_t vpi_max = 0;
  std::uint32_t vci_min = 32;
  std::uint32_t vci_max = 1023;

  std::uint64_t size() const {
    return std::uint64_t{vpi_max - vpi_min + 1} * (vci_max - vci_min + 1);
  }
  bool contains(Label label) const {
    return label.kind == LabelKind::kAtm && label.value >> 28 == 0 && vpi_of(label) >= vpi_min &&
           vpi_of(label) <= vpi_max && vci_of(label) >= vci_min && vci_of(label) <= vci_max;
  }
  friend bool operator==(const LabelRange&, const LabelRange&) = default;
};

}  // namespace xbind

template <>
struct std::hash<xbind::Label> {
  std::size_t operator()(xbind::Label label) const {
    return std::hash<std::uint64_t>{}(std::uint64_t{static_cast<std::uint8_t>(label.kind)} << 32 |
                                      label.value);
  }
};
