// SMDS under libFuzzer. The first octet chooses:
//
//   p   a PDU, also as a server receives it from a subscriber and from a neighbour
//   c   cells of AAL3/4: CRC-10 of each as it is, or as the target repairs it
//   n   the file of a network
//   l   a line of datagrams, as an option has it
//
// What is accepted is within its bounds and written as it was read; a refusal of text says why.
#include <algorithm>
#include <set>

#include "dataplane/aal34.hpp"
#include "dataplane/oam/crc10.hpp"
#include "smds/forwarder.hpp"
#include "smds/network_file.hpp"
#include "smds/udp_layer.hpp"
#include "tests/fuzz/property.hpp"

namespace {

using namespace xbind;
using namespace xbind::fuzz;

constexpr const char* kNetwork = R"([[server]]
name = "s1"
id = 1
endpoint = "n1"
[[server]]
name = "s2"
id = 2
endpoint = "n2"
[[trunk]]
between = ["s1", "s2"]
[[subscriber]]
name = "a"
server = "s1"
endpoint = "h1"
addresses = ["C1"]
[[group]]
address = "E1"
members = ["C1"]
[[prefix]]
prefix = "C2"
server = "s2"
)";

std::span<const std::byte> octets_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

void pdu(std::string_view text) {
  const auto octets = octets_of(text);
  const smds::PduLimits limits{.information_max = smds::kJumboInformationMax};
  smds::Pdu read;
  if (smds::read_pdu(octets, limits, read) == smds::PduFault::kNone) {
    require(read.information.data() >= octets.data() &&
                read.information.data() + read.information.size() <= octets.data() + octets.size(),
            "the information lies outside the PDU");
    require(read.destination.valid() && read.source.individual(), "an address is none");
    wire::Buffer written;
    require(smds::write_pdu({.destination = read.destination,
                             .source = read.source,
                             .be_tag = read.be_tag,
                             .hlpi = read.hlpi,
                             .crc = true},
                            read.information, limits, written)
                .has_value(),
            "a PDU that was read cannot be written");
    smds::Pdu again;
    require(smds::read_pdu(written, limits, again) == smds::PduFault::kNone &&
                std::ranges::equal(again.information, read.information) &&
                again.destination == read.destination && smds::crc_good(again),
            "a PDU is not read as it was written");
    const auto shown = smds::Address::parse(smds::to_string(read.destination));
    require(shown && *shown == read.destination, "an address is not read as it was written");
  }
  static smds::Forwarder forwarder(*smds::parse_network(kNetwork, kFile), 0, {});
  smds::Decision decision;
  for (smds::PortIndex port = 0; port < forwarder.ports().size(); ++port) {
    forwarder.set_connected(port, true);
    forwarder.decide(port, octets, TimePoint{}, decision);
    require((decision.fate == smds::Fate::kForwarded) == !decision.out.empty(),
            "a PDU is forwarded without a port, or dropped and sent");
    require(std::ranges::find(decision.out, port) == decision.out.end(), "a PDU is sent back");
    require(decision.pdu_at <= octets.size(), "a PDU begins behind its frame");
    require_sentence(forwarder.line_of(port, decision));
  }
  const auto envelope = smds::read_envelope(octets);
  if (envelope) {
    require(smds::read_envelope(smds::image_of(*envelope)) == envelope,
            "an envelope is not read as it was written");
  }
}

void cells(std::string_view text) {
  const auto octets = octets_of(text);
  if (octets.empty()) return;
  const bool repair = octets[0] != std::byte{0};
  dataplane::Aal34Receiver receiver({.frame_octets_max = 2000, .mids_max = 4});
  for (auto rest = octets.subspan(1); rest.size() >= dataplane::kPayloadOctets;
       rest = rest.subspan(dataplane::kPayloadOctets)) {
    dataplane::Cell cell{.header = dataplane::cell_header(0, 40)};
    std::copy_n(rest.begin(), dataplane::kPayloadOctets, cell.payload.begin());
    if (repair) {
      cell.payload[46] &= std::byte{0xfc};
      cell.payload[47] = {};
      const std::uint16_t crc = dataplane::crc10(cell.payload);
      cell.payload[46] |= static_cast<std::byte>(crc >> 8);
      cell.payload[47] = static_cast<std::byte>(crc & 0xff);
    }
    if (receiver.push(cell, TimePoint{}) == dataplane::Aal34Outcome::kFrame) {
      require(!receiver.frame().empty() && receiver.frame().size() <= 2000,
              "a frame is not within its bounds");
      std::vector<dataplane::Cell> again;
      require(dataplane::aal34_segment({}, receiver.frame(), {}, again).has_value(),
              "a frame that was received cannot be sent");
    }
  }
}

void network(std::string_view text) {
  const auto read = smds::parse_network(text, kFile);
  if (!read) return require_refusal(read.error());
  std::set<std::string> endpoints;
  std::uint32_t last = 0;
  for (const smds::ServerSpec& server : read->servers) {
    require(server.id > last, "ids do not ascend");
    last = server.id;
    require(endpoints.insert(server.endpoint).second, "two lines have one endpoint");
  }
  for (std::uint32_t server = 0; server < std::min<std::size_t>(read->servers.size(), 4);
       ++server) {
    smds::Forwarder forwarder(*read, server, {});
    require(forwarder.ports().size() <= read->subscribers.size() + read->trunks.size(),
            "a server has too many lines");
  }
}

void line(std::string_view text) {
  const auto read = smds::parse_udp_line(text);
  if (!read) {  // of an option, so without a file
    require(read.error().code == ErrorCode::kBadInput, "a refusal is not bad input");
    return require_sentence(read.error().text);
  }
  require(!read->name.empty() && read->line.peer.port != 0, "a line leads nowhere");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = text_of(std::span(data + 1, size - 1));
  switch (data[0]) {
    case 'p': pdu(text); break;
    case 'c': cells(text); break;
    case 'n': network(text); break;
    case 'l': line(text); break;
    default: break;
  }
  return 0;
}
