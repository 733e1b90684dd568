// The plain form of a line, as network emulators carry ATM over UDP: one cell of 53 octets per
// datagram, header with HEC (cell.hpp, hec.hpp), NNI form by default. Pure.
#pragma once

#include <span>

#include "dataplane/cells/cell.hpp"
#include "dataplane/cells/hec.hpp"

namespace xbind::dataplane {

// With HeaderForm::kUni `cell` has a VPI up to kUniVpiMax; the GFC is 0.
void encode_plain(const Cell& cell, HeaderForm form, std::span<std::byte, kCellOctets> octets);

enum class PlainVerdict : std::uint8_t {
  kGood,
  kCorrected,  // a cell with one corrected header bit
  kHecError,   // no cell
  kMalformed,  // no cell: not 53 octets
};
// `cell` is set with the first two verdicts only.
PlainVerdict decode_plain(std::span<const std::byte> datagram, HeaderForm form,
                          HecReceiver& receiver, Cell& cell);

}  // namespace xbind::dataplane
