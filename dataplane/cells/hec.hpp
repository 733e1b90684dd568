// The header error control octet (ITU-T I.432.1 section 4.3): CRC-8, x^8 + x^2 + x + 1, over the
// first four octets, with the coset 0x55 added. The code can correct one wrong bit of the 40, or
// detect several.
//
//                 no error                  one bit: corrected
//               ┌─────────┐     ┌──────────────────────────────────────┐
//               ▼         │     │  more than one: cell dropped         ▼
//             ┌───────────────┐─┴─────────────────────────▶┌──────────────────┐
//             │  correction   │                            │    detection     │──┐ any error:
//             └───────────────┘◀───────────────────────────└──────────────────┘◀─┘ cell dropped
//                                       no error
//
// A bad line produces bursts, in which a pattern of many errors can look like one wrong bit. So
// after the first error nothing is corrected until a correct header has arrived.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/cells/cell.hpp"

namespace xbind::dataplane {

// HEC of the four header octets in wire form.
std::uint8_t hec(std::uint32_t wire_header);

enum class HecVerdict : std::uint8_t { kGood, kCorrected, kDropped };

// The receiver of one line. One thread at a time.
class HecReceiver {
 public:
  // kCorrected: the wrong bit in `header` has been inverted. kDropped: `header` is unchanged and
  // invalid.
  HecVerdict check(std::span<std::byte, kHeaderOctets> header);

 private:
  bool correcting_ = true;
};

}  // namespace xbind::dataplane
