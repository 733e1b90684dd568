// smds_bench: how many headers a second one core processes, with lower layers that only count:
// Table 1 of the paper (docs/smds.md, D3 and D4).
//
//   smds_bench [PDUS]     per measurement; default 2 million
//
// A server with eight subscribers and two neighbours gets a fixed set of PDUs over and over: from
// subscribers to a neighbour, from a neighbour to subscribers, from one neighbour to the other.
// Each figure is the median of five alternating rounds.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/steady_now.hpp"
#include "smds/network_file.hpp"
#include "smds/null_layer.hpp"
#include "smds/server.hpp"

namespace {

using namespace xbind;
using namespace xbind::smds;

constexpr std::size_t kRounds = 5;
constexpr std::size_t kSubscribers = 8;
constexpr std::size_t kAtHand = 64;  // PDUs of the fixed set
constexpr PortIndex kNeighbour = kSubscribers;
constexpr Duration kApart{1'000'000'000};  // between PDUs, by the server's time

class CountedLines : public Lines {
 public:
  explicit CountedLines(NullLayer& layer) : layer_(layer) {}
  bool room(PortIndex) const override { return true; }
  void send(PortIndex port, std::span<const std::byte> head,
            std::span<const std::byte> pdu) override {
    layer_.send(port, head, pdu);
  }

 private:
  NullLayer& layer_;
};

// Three servers in a row; the one in the middle is measured.
Network network() {
  std::string text =
      "[[server]]\nname = \"a\"\nid = 1\nendpoint = \"a\"\n"
      "[[server]]\nname = \"b\"\nid = 2\nendpoint = \"b\"\n"
      "[[server]]\nname = \"c\"\nid = 3\nendpoint = \"c\"\n"
      "[[trunk]]\nbetween = [\"a\", \"b\"]\n[[trunk]]\nbetween = [\"b\", \"c\"]\n"
      "[[prefix]]\nprefix = \"C1\"\nserver = \"a\"\n[[prefix]]\nprefix = \"C3\"\nserver = \"c\"\n";
  for (std::size_t at = 0; at < kSubscribers; ++at) {
    text += fmt::format(
        "[[subscriber]]\nname = \"s{0}\"\nserver = \"b\"\nendpoint = \"h{0}\"\n"
        "addresses = [\"C200{0}\"]\n",
        at);
  }
  return parse_network(text, "bench").value();
}

struct Kind {
  const char* name;
  std::size_t octets;
  double paper;  // headers a second
  bool in_by_subscriber;
  bool out_to_subscriber;
};

NullLayer input(const Kind& kind) {
  std::vector<NullLayer::Given> frames;
  const wire::Buffer information(kind.octets);
  for (std::size_t at = 0; at < kAtHand; ++at) {
    const std::string own = fmt::format("C200{}", at % kSubscribers);
    const auto address = [](const std::string& text) { return Address::parse(text).value(); };
    wire::Buffer pdu;
    const bool written = write_pdu({.destination = address(kind.out_to_subscriber ? own : "C3001"),
                                    .source = address(kind.in_by_subscriber ? own : "C1001")},
                                   information, {.information_max = kJumboInformationMax}, pdu)
                             .has_value();
    if (!written) std::abort();
    if (!kind.in_by_subscriber) {
      const EnvelopeImage head = image_of({.hops = 9, .ingress = 1});
      pdu.insert(pdu.begin(), head.begin(), head.end());
    }
    const auto port =
        kind.in_by_subscriber ? static_cast<PortIndex>(at % kSubscribers) : kNeighbour;
    frames.push_back({port, std::move(pdu)});
  }
  return NullLayer(std::move(frames));
}

double rate_of(const Kind& kind, std::size_t count) {
  NullLayer layer = input(kind);
  CountedLines lines(layer);
  Server server(network(), 1, {.limits = {.information_max = kJumboInformationMax}}, lines);
  for (PortIndex port = 0; port < kSubscribers + 2; ++port) {
    server.forwarder().set_connected(port, true);
  }
  // The server's own time goes on by a second with each PDU, so that neither credit nor pace
  // counts.
  TimePoint now{kApart};
  const LowerLayer::Deliver deliver = [&](PortIndex in, std::span<const std::byte> frame,
                                          TimePoint) {
    now += kApart;
    server.received(in, frame, now);
  };
  const TimePoint begin = steady_now();
  for (std::size_t done = 0; done < count; done += kAtHand) layer.poll(now, deliver);
  const double seconds = std::chrono::duration<double>(steady_now() - begin).count();
  if (layer.frames_out() < count) {
    fmt::print("only {} of {} PDUs were forwarded\n", layer.frames_out(), count);
    std::exit(1);
  }
  return static_cast<double>(layer.frames_out()) / seconds;
}

double median(std::array<double, kRounds> rates) {
  std::ranges::sort(rates);
  return rates[kRounds / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2'000'000;
  const Kind kinds[] = {
      {"SNI to ISSI, 64 octets", 64, 5025, true, false},
      {"SNI to ISSI, 9188 octets", kInformationMax, 5025, true, false},
      {"ISSI to SNI, 64 octets", 64, 8093, false, true},
      {"ISSI to SNI, 9188 octets", kInformationMax, 8093, false, true},
      {"ISSI to ISSI, 64 octets", 64, 5347, false, false},
      {"ISSI to ISSI, 9188 octets", kInformationMax, 5347, false, false},
      {"ISSI to ISSI, 32768 octets", 32'768, 5347, false, false},
      {"ISSI to ISSI, 65484 octets", kJumboInformationMax, 5347, false, false},
  };
  std::array<std::array<double, kRounds>, std::size(kinds)> rates{};
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t kind = 0; kind < std::size(kinds); ++kind) {
      rates[kind][round] = rate_of(kinds[kind], count);
    }
  }
  fmt::print("{:<28} {:>14} {:>8} {:>12} {:>10}\n", "", "headers/s", "ns", "Gbit/s", "paper/s");
  for (std::size_t kind = 0; kind < std::size(kinds); ++kind) {
    const double rate = median(rates[kind]);
    fmt::print("{:<28} {:>14.0f} {:>8.0f} {:>12.2f} {:>10.0f}\n", kinds[kind].name, rate,
               1e9 / rate, rate * static_cast<double>(kinds[kind].octets) * 8 / 1e9,
               kinds[kind].paper);
  }
  return 0;
}
