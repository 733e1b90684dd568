// Captures of cells and AAL5 frames as ERF records (Endace extensible record format, types 3 and
// 4), which tshark, Wireshark and tcpdump read. Two file forms: bare records (.erf), or each record
// in a pcap packet of link type 197. The pcap form identifies itself and can be read while it is
// being written.
//
//   | seconds since 1970 and 2^-32 of them 8, little-endian | type 1 | flags 1 | record length 2 |
//   | loss 2 | wire length 2 | cell header without HEC 4 | payload of the cell, or the AAL5 PDU |
//
// The readers interpret the header in its UNI form: of a VPI above 255 they show the lower eight
// bits, and the rest as GFC.
//
// Pure: produces octets, which the owner writes.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "core/wire/writer.hpp"
#include "dataplane/cells/cell.hpp"

namespace xbind::dataplane {

enum class CaptureForm : std::uint8_t { kErf, kPcap };

// Since 1970-01-01 UTC; before 2106.
using CaptureTime = std::chrono::nanoseconds;

enum class ErfType : std::uint8_t { kCell = 3, kAal5 = 4 };

// Longer AAL5 PDUs are cut to this length and marked as cut.
inline constexpr std::size_t kErfPduMax = 65535 - 20;

class ErfWriter {
 public:
  // Appends to `out`, which must outlive this object; the owner may empty it at any time. With
  // kPcap the constructor writes the file header.
  ErfWriter(CaptureForm form, wire::Buffer& out);

  // `interface`, 0..3, distinguishes records of one capture: directions, or ports.
  void cell(CaptureTime time, std::uint8_t interface, const Cell& cell);
  // `pdu` with pad and trailer (Aal5Frame::pdu).
  void aal5(CaptureTime time, std::uint8_t interface, std::uint16_t vpi, std::uint16_t vci,
            std::span<const std::byte> pdu);

 private:
  void record(CaptureTime time, ErfType type, std::uint8_t interface, std::uint32_t header,
              std::span<const std::byte> octets);

  CaptureForm form_;
  wire::Buffer& out_;
};

struct ErfRecord {
  CaptureTime time{};
  ErfType type = ErfType::kCell;
  std::uint8_t interface = 0;
  std::uint32_t header = 0;       // as Cell::header
  std::vector<std::byte> octets;  // payload of a cell, or PDU

  friend bool operator==(const ErfRecord&, const ErfRecord&) = default;
};

// Parses the output of ErfWriter, in either form. kBadInput: anything else.
Result<std::vector<ErfRecord>> read_erf(std::span<const std::byte> file);

}  // namespace xbind::dataplane
