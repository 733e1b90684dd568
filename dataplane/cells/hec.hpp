// The header error control octet (ITU-T I.432.1 section 4.3): CRC-8, x^8 + x^2 + x + 1, over the first
// four octets, with the coset 0x55 added. Its code can correct one wrong bit of the 40 or tell more
// from none.
//
//                    no error                        one bit: corrected
//                  ┌─────────┐        ┌──────────────────────────────────────────┐
//                  ▼         │        │   more than one: cell dropped            ▼
//                ┌─────────────────┐──┴──────────────────────────────▶┌──────────────────┐
//                │    correction   │                                  │     detection    │──┐ any error:
//                └─────────────────┘◀─────────────────────────────────└──────────────────┘◀─┘ cell
//                                               no error                                      dropped
//
// A line that gets bad does so in bursts, in which a pattern of many errors looks like one bit: hence
// after the first error nothing is corrected until a header has come whole.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/cells/cell.hpp"

namespace xbind::dataplane {

// Of the four header octets as they stand on the wire.
std::uint8_t hec(std::uint32_t wire_header);

enum class HecVerdict : std::uint8_t { kGood, kCorrected, kDropped };

// One line's receiver. One thread at a time.
class HecReceiver {
 public:
  // kCorrected: the wrong bit has been turned over in `header`. kDropped: `header` is as it came and
  // not to be trusted.
  HecVerdict check(std::span<std::byte, kHeaderOctets> header);

  bool correcting() const { return correcting_; }

 private:
  bool correcting_ = true;
};

}  // namespace xbind::dataplane
