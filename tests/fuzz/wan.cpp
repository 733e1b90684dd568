// The WAN under libFuzzer: its file of sites, orders to it, and packets. The first octet chooses.
//
//   'f'  a file of --sites
//   'o'  orders, one a line
//   else packets, each | site, time 1 | octets 2 | packet |; with 'c' the target sets the header's
//        checksum, which random octets almost never have
//
// What is accepted is in its bounds. Every packet is delivered, held or counted under one reason,
// and only whole packets between two sites are delivered, unchanged.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "net/lines.hpp"
#include "tests/fuzz/property.hpp"
#include "wan/control.hpp"
#include "wan/network_file.hpp"
#include "wan/wan.hpp"

namespace {

using namespace xbind;
using namespace xbind::fuzz;
using namespace xbind::wan;

constexpr const char* kSites = R"([[site]]
name = "a"
[[site]]
name = "b"
nodes = ["n1"]
[[path]]
from = "a"
to = "10.78.2.1"
both = true
octets-per-s = 100000
delay-us = 2000
loss = 0.1
duplicate = 0.1
reorder = 0.1
reorder-us = 500
queue-octets = 3000
[[path]]
from = "a"
to = "10.78.2.2"
)";

Wan small_wan() { return {parse_network(kSites, kFile).value(), {.held_octets_max = 20'000}}; }

void require_rule(const Rule& rule) {
  require(rule.octets_per_s >= 1 && rule.octets_per_s <= kRateMax, "a rate out of its bounds");
  require(rule.delay >= Duration::zero() && rule.delay <= std::chrono::microseconds(kDelayUsMax),
          "a delay out of its bounds");
  for (const double probability : {rule.loss, rule.duplicate, rule.reorder}) {
    require(probability >= 0 && probability <= 1, "a probability out of its bounds");
  }
  require(rule.queue_octets <= kQueueOctetsMax, "a queue out of its bounds");
}

void file(std::string_view text) {
  const auto read = parse_network(text, kFile);
  if (!read) return require_refusal(read.error());
  require(read->sites.size() <= kSitesMax, "too many sites");
  require(read->rules.size() <= kPairsMax, "too many pairs");
  std::set<Address> addresses;
  for (const Site& site : read->sites) {
    require(!site.addresses.empty() && site.addresses.size() <= kSiteAddressesMax,
            "a site with too few or too many addresses", site.name);
    for (const Address address : site.addresses) {
      require(addresses.insert(address).second, "an address comes twice", to_string(address));
      const auto again = parse_address(to_string(address));
      require(again && *again == address, "an address is not read as it is written");
    }
  }
  for (const auto& [pair, rule] : read->rules) {
    require_rule(rule);
    require(read->site_of(pair.from) != read->site_of(pair.to), "a rule within a site");
  }
  const auto changes = changes_of(*read, *read);
  require(changes && changes->empty(), "a file differs from itself");
}

void orders(std::string_view octets) {
  Wan wan = small_wan();
  net::LineSplitter lines(kOrderOctetsMax);
  const TuneOrder tune = [](const std::string&, const std::optional<std::string>&)
      -> Result<std::vector<config::OptionChange>> { return fail(ErrorCode::kBadInput, "no"); };
  lines.feed(octets, [&](std::string_view line) {
    const std::string answer = answer_order(line, wan, tune, TimePoint{});
    require(answer == "ok" || answer.starts_with("ok ") || answer.starts_with("error "),
            "an answer is neither ok nor an error", answer);
    require_sentence(answer, 4 * kSentenceOctetsMax);
    require(is_order(line) || answer.starts_with("error "), "what is no order is carried out");
  });
  for (const auto& [pair, rule] : wan.network().rules) require_rule(wan.line(pair)->rule());
}

void set_checksum(std::vector<std::byte>& packet) {
  if (packet.size() < kIpv4HeaderOctets) return;
  const std::size_t header =
      std::min<std::size_t>(packet.size(), (std::to_integer<std::size_t>(packet[0]) & 15) * 4);
  packet[10] = packet[11] = std::byte{0};
  const std::uint16_t sum = ipv4_checksum(std::span(packet).first(header));
  packet[10] = static_cast<std::byte>(sum >> 8);
  packet[11] = static_cast<std::byte>(sum & 255);
}

void packets(std::span<const std::uint8_t> input, bool checksums) {
  Wan wan = small_wan();
  TimePoint now{};
  std::multiset<std::vector<std::byte>> sent;
  std::uint64_t delivered = 0;
  const auto take = [&](std::size_t site, std::span<const std::byte> packet) {
    const auto pair = read_packet(packet, 1500);
    require(pair.has_value(), "a packet is delivered that is none");
    require(wan.network().site_of(pair->to) == site, "a packet is at the wrong site");
    require(sent.contains({packet.begin(), packet.end()}), "a packet is not as it was sent");
    ++delivered;
    return true;
  };
  while (input.size() >= 3) {
    const std::size_t site = input[0] & 1;
    now += std::chrono::microseconds(std::uint64_t{input[0]} * 16);
    const std::size_t octets =
        std::min<std::size_t>(std::size_t{input[1]} << 8 | input[2], input.size() - 3);
    std::vector<std::byte> packet(octets);
    std::ranges::transform(input.subspan(3, octets), packet.begin(),
                           [](std::uint8_t octet) { return std::byte{octet}; });
    input = input.subspan(3 + octets);
    if (checksums) set_checksum(packet);
    wan.accept(site, packet, now);
    sent.insert(std::move(packet));
    wan.deliver(now, 4, take);
    require(wan.held_octets() <= 20'000, "more is held than may be");
  }
  wan.deliver(kNever, sent.size() * 2, take);
  std::uint64_t in = 0, dropped = 0, copies = 0;
  for (const std::size_t site : {std::size_t{0}, std::size_t{1}}) {
    const SiteCounters& counters = wan.counters(site);
    in += counters.packets_in;
    dropped += std::accumulate(counters.drops.begin(), counters.drops.end(), std::uint64_t{0});
  }
  for (const auto& [pair, rule] : wan.network().rules)
    copies += wan.line(pair)->counters.duplicated;
  require(wan.held_packets() == 0 && wan.held_octets() == 0, "a packet is held for ever");
  require(in + copies == delivered + dropped, "a packet is neither delivered nor counted");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span rest(data + 1, size - 1);
  switch (data[0]) {
    case 'f': file(text_of(rest)); break;
    case 'o': orders(text_of(rest)); break;
    default: packets(rest, data[0] == 'c');
  }
  return 0;
}
