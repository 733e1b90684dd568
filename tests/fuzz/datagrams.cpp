// What arrives at the emulated lines, under libFuzzer: the datagrams of RFC 4717 in both of its
// modes, plain cells, cells of a Cambridge Fast Ring, Ethernet frames with and without MPLS labels,
// AAL5, and ERF captures. An input is a row of datagrams,
//
//   | kind 1 | octets 1, times 2 | datagram |
//
// or, with the first octet 'E', a capture.
//
// A refused datagram adds no cell. Cells that are accepted are encoded and decoded as the same.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "dataplane/aal5.hpp"
#include "dataplane/cells/cfr_cell.hpp"
#include "dataplane/erf.hpp"
#include "dataplane/links/cfr_repacking.hpp"
#include "dataplane/links/ethernet.hpp"
#include "dataplane/links/frame_line.hpp"
#include "dataplane/links/lsp.hpp"
#include "dataplane/links/mpls.hpp"
#include "dataplane/links/plain.hpp"
#include "tests/fuzz/property.hpp"

namespace {

using namespace xbind;
using namespace xbind::dataplane;
using namespace xbind::fuzz;

using Octets = std::span<const std::byte>;

constexpr std::uint32_t kLabel = 1001;
constexpr Aal5ReceiverOptions kAal5{.frame_octets_max = 4096, .connections_max = 4};

// The state that a line keeps from one datagram to the next.
struct Line {
  MplsReceiver mpls{kLabel};
  HecReceiver uni;
  HecReceiver nni;
  CfrRepacking ring{std::chrono::milliseconds{5}};
  FrameLine host{{{7, {0x0a010000, 16}}}};
  FrameLine bridge{{}, FrameLine::Form::kLabels};
  Aal5Receiver aal5{kAal5};
};

void check_mpls(Line& line, Octets datagram, std::vector<Cell>& cells) {
  const MplsVerdict verdict = line.mpls.decode(datagram, cells);
  require((verdict == MplsVerdict::kCells) == !cells.empty(), "cells of a refused pseudowire");
  if (verdict != MplsVerdict::kMalformed && verdict != MplsVerdict::kForeign) {
    require(mpls_label(datagram) == kLabel, "a datagram of another label is accepted");
  }
  if (cells.empty()) return;
  require(mpls_octets(cells.size()) <= datagram.size(), "a datagram has more cells than octets");
  std::vector<std::byte> written(mpls_octets(cells.size()));
  encode_mpls(cells, kLabel, 1, written);
  MplsReceiver receiver(kLabel);
  std::vector<Cell> again;
  require(receiver.decode(written, again) == MplsVerdict::kCells && again == cells,
          "cells of a pseudowire are not read as written");
}

void check_lsp(Octets datagram, std::vector<Cell>& cells) {
  const LspVerdict verdict = decode_lsp(datagram, cells);
  require((verdict == LspVerdict::kCells) == !cells.empty(), "cells of a refused label");
  if (cells.empty()) return;
  require(cells.size() <= kLspCellsMax, "a datagram has too many cells");
  for (const Cell& cell : cells) {
    require(has_lsp_label(cell) && lsp_label(cell) == lsp_label(cells.front()),
            "a cell has an invalid label, or another one");
  }
  std::vector<std::byte> written(lsp_octets(cells.size()));
  encode_lsp(cells, written);
  std::vector<Cell> again;
  require(decode_lsp(written, again) == LspVerdict::kCells && again == cells,
          "cells of a label are not read as written");
}

void check_plain(HecReceiver& receiver, HeaderForm form, Octets datagram,
                 std::vector<Cell>& cells) {
  Cell cell;
  const PlainVerdict verdict = decode_plain(datagram, form, receiver, cell);
  if (verdict != PlainVerdict::kGood && verdict != PlainVerdict::kCorrected) return;
  std::array<std::byte, kCellOctets> written{};
  encode_plain(cell, form, written);
  HecReceiver fresh;
  Cell again;
  require(decode_plain(written, form, fresh, again) == PlainVerdict::kGood && again == cell,
          "a plain cell is not read as written");
  cells.push_back(cell);
}

void check_cfr(CfrRepacking& ring, Octets datagram, std::vector<Cell>& cells) {
  CfrCell cell;
  if (decode_cfr(datagram, cell) != CfrVerdict::kGood) return;
  std::array<std::byte, kCfrCellOctets> written{};
  encode_cfr(cell, written);
  require(std::ranges::equal(datagram, written),
          "a cell of the ring is not written as it was read");
  ring.from_ring(cell, TimePoint{}, cells);
  require(cells.size() <= 2, "a cell of the ring became more than two");
}

// A frame of an interface. What leaves again enters as the same.
void check_ethernet(FrameLine& frames, Octets datagram, std::vector<Cell>& cells) {
  const bool taken = frames.take_frame({.octets = datagram}, cells);
  require(taken == !cells.empty(), "cells of a refused frame");
  std::vector<std::byte> left;
  for (const Cell& cell : cells) {
    require(cell.header >> 4 == cells.front().header >> 4, "a frame has two labels");
    const auto frame = frames.take_cell(cell);
    require(frame.empty() || &cell == &cells.back(), "a frame leaves before its last cell");
    left.assign(frame.begin(), frame.end());
  }
  if (!taken) return;
  // The tag of no VLAN stays behind; what follows it may be another tag.
  require(left.size() == datagram.size() || left.size() + kVlanTagOctets == datagram.size(),
          "a frame leaves with another length");
  require(
      std::ranges::equal(std::span(left).first(kAddressesOctets), datagram.first(kAddressesOctets)),
      "a frame leaves with other addresses");
  if (left.size() != datagram.size()) return;
  std::vector<Cell> again;
  require(frames.take_frame({.octets = left}, again) && again == cells,
          "a frame that has left does not enter as the same");
}

// The frames that the cells complete, each segmented and reassembled once more.
void check_frames(Aal5Receiver& receiver, std::span<const Cell> cells) {
  for (const Cell& cell : cells) {
    if (receiver.push(cell, TimePoint{}) != Aal5Outcome::kFrame) continue;
    const Aal5Frame& frame = receiver.frame();
    require(!frame.octets.empty() && frame.octets.size() <= kAal5.frame_octets_max,
            "a frame is empty or too long");
    std::vector<Cell> segments;
    require(aal5_segment(frame.octets, {.vci = 32, .uu = frame.uu, .cpi = frame.cpi}, segments)
                .has_value(),
            "a frame that arrived cannot be sent");
    Aal5Reassembly again(kAal5.frame_octets_max);
    Aal5Outcome last = Aal5Outcome::kMore;
    for (const Cell& segment : segments) last = again.push(segment);
    require(last == Aal5Outcome::kFrame && std::ranges::equal(again.frame().octets, frame.octets),
            "a frame is not reassembled as it was sent");
  }
  require(receiver.connections() <= kAal5.connections_max, "too many connections are kept");
}

void check_capture(Octets file) {
  const auto records = read_erf(file);
  if (!records) return require_sentence(records.error().text);
  for (const CaptureForm form : {CaptureForm::kErf, CaptureForm::kPcap}) {
    wire::Buffer written;
    ErfWriter writer(form, written);
    for (const ErfRecord& record : *records) {
      const Cell head{.header = record.header};
      if (record.type == ErfType::kCell) {
        require(record.octets.size() == kPayloadOctets, "the record of a cell is no cell");
        Cell cell{.header = record.header};
        std::ranges::copy(record.octets, cell.payload.begin());
        writer.cell(record.time, record.interface, cell);
      } else {
        writer.aal5(record.time, record.interface, head.vpi(), head.vci(), record.octets);
      }
    }
    const auto again = read_erf(written);
    require(again.has_value(), "a capture that was read and written is refused",
            again ? "" : again.error().text);
    require(again->size() == records->size(), "a capture loses records");
  }
}

void check_datagram(Line& line, std::uint8_t kind, Octets datagram) {
  std::vector<Cell> cells;
  switch (kind % 7) {
    case 0: check_mpls(line, datagram, cells); break;
    case 1: check_lsp(datagram, cells); break;
    case 2: check_plain(line.uni, HeaderForm::kUni, datagram, cells); break;
    case 4: check_cfr(line.ring, datagram, cells); break;
    case 5: check_ethernet(line.bridge, datagram, cells); break;
    case 6: check_ethernet(line.host, datagram, cells); break;
    default: check_plain(line.nni, HeaderForm::kNni, datagram, cells);
  }
  check_frames(line.aal5, cells);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::span input(data, size);
  if (!input.empty() && input[0] == 'E') {
    check_capture(std::as_bytes(input.subspan(1)));
    return 0;
  }
  Line line;
  while (input.size() >= 2) {
    const std::size_t octets = std::min<std::size_t>(2U * input[1], input.size() - 2);
    check_datagram(line, input[0], std::as_bytes(input.subspan(2, octets)));
    input = input.subspan(2 + octets);
  }
  return 0;
}
