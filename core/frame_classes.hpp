// The classes of a switch's edge ports: which IPv4 packets "class N" of core/frame_traffic.hpp
// stands for. Both kinds of switch that carry frames read them from their option --classes.
//
// Values only; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "core/label.hpp"
#include "core/result.hpp"

namespace xbind {

struct Ipv4Prefix {
  std::uint32_t address = 0;  // 10.0.0.1 is 0x0a000001; bits beyond the prefix do not count
  std::uint8_t bits = 32;     // 1 to 32

  bool contains(std::uint32_t other) const { return ((address ^ other) >> (32 - bits)) == 0; }
  friend bool operator==(const Ipv4Prefix&, const Ipv4Prefix&) = default;
};

// What a class of an edge port takes: its number, and the destination of its packets.
using FrameClasses = std::map<std::uint16_t, Ipv4Prefix>;

// "7=10.1.0.0/16": class 7 takes IPv4 packets to that prefix. kBadInput: another form, a class
// above 4095, or bits of the address beyond the prefix.
Result<std::pair<std::uint16_t, Ipv4Prefix>> parse_frame_class(const std::string& text);
// All classes of a switch. kBadInput: as above, a repeated number or prefix, or numbers that need
// more label ranges than a port can have.
Result<FrameClasses> parse_frame_classes(std::span<const std::string> texts);

// The labels of an edge port: "port", every VLAN, and these classes; at most kLabelRangesMax ranges
// if parse_frame_classes() has made `classes`.
LabelRanges frame_labels(const FrameClasses& classes);

}  // namespace xbind
