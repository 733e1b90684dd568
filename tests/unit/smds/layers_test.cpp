// The same input gives the same forwarding log on all lower layers: the server between them is one.
#include <gtest/gtest.h>

#include <memory>

#include "dataplane/links/ring.hpp"
#include "smds/atm_layer.hpp"
#include "smds/null_layer.hpp"
#include "smds/server.hpp"
#include "smds/udp_layer.hpp"
#include "tests/unit/smds/draws.hpp"
#include "tests/unit/smds/pdus.hpp"

namespace xbind::smds {
namespace {

constexpr std::size_t kFrameOctets =
    kEnvelopeOctets + kHeaderOctets + kInformationMax + 3 + kCrcOctets + kTrailerOctets;
const TimePoint kStart{std::chrono::seconds{1000}};

class LayerLines : public Lines {
 public:
  explicit LayerLines(LowerLayer& layer) : layer_(layer) {}
  bool room(PortIndex) const override { return layer_.room(); }
  void send(PortIndex port, std::span<const std::byte> head,
            std::span<const std::byte> pdu) override {
    layer_.send(port, head, pdu);
  }

 private:
  LowerLayer& layer_;
};

// Frames of three lines of s1, and what their server should make of them.
std::vector<NullLayer::Given> input() {
  std::vector<NullLayer::Given> frames;
  Draws random(7);
  const char* destinations[] = {"C11", "C12", "C21", "C31", "C41", "C77", "C95", "E1", "E2"};
  for (int at = 0; at < 200; ++at) {
    const PortIndex port = random.below(3);
    const char* source = port == 0 ? "C11" : port == 1 ? "C12" : "C21";
    if (port != 2 && random.below(10) == 0) source = "C99";
    wire::Buffer pdu = pdu_of(source, destinations[random.below(std::size(destinations))],
                              1 + random.below(900), static_cast<std::uint8_t>(at));
    if (random.below(10) == 0) pdu[1] ^= std::byte{1};
    if (port == 2) {
      const EnvelopeImage head =
          image_of({.hops = static_cast<std::uint8_t>(random.below(3)), .ingress = 20});
      pdu.insert(pdu.begin(), head.begin(), head.end());
    }
    frames.push_back({port, std::move(pdu)});
  }
  return frames;
}

Network network() {
  return network_of(
      ring_of_four("[[group]]\naddress = \"E1\"\nmembers = [\"C11\", \"C21\", \"C41\"]\n"));
}

struct World {
  explicit World(LowerLayer& lower) : lines(lower), server(network(), 0, {}, lines) {
    for (PortIndex port = 0; port < 4; ++port) server.forwarder().set_connected(port, true);
    server.forwarder().set_observer([this](PortIndex in, const Decision& decision) {
      log.push_back(server.forwarder().line_of(in, decision));
    });
  }
  LowerLayer::Deliver deliver() {
    return [this](PortIndex in, std::span<const std::byte> frame, TimePoint) {
      // Far enough apart that neither credit nor pace matters.
      now += std::chrono::milliseconds{50};
      server.received(in, frame, now);
    };
  }

  TimePoint now = kStart;
  LayerLines lines;
  Server server;
  std::vector<std::string> log;
};

std::vector<std::string> log_on_null() {
  NullLayer layer(input());
  World world(layer);
  layer.poll(kStart, world.deliver());
  EXPECT_GT(layer.frames_out(), 50U);
  return world.log;
}

// A host line on a ring, whose other end plays all hosts and neighbours.
std::vector<std::string> log_on_atm(Adaptation adaptation, std::size_t& frames_out) {
  auto [here, there] = dataplane::make_ring(1U << 16);
  dataplane::HostLine line(std::move(here), {.waiting_cells_max = 1U << 16});
  AtmLayer layer(line, kFrameOctets);
  const auto label = [](PortIndex port) { return atm_label(0, 40 + port); };
  for (PortIndex port = 0; port < 4; ++port) {
    layer.open(port, adaptation, atm_label(0, 80 + port), label(port), 1);
  }
  World world(layer);
  for (const NullLayer::Given& frame : input()) {
    std::vector<dataplane::Cell> cells;
    if (adaptation == Adaptation::kAal5) {
      EXPECT_TRUE(dataplane::aal5_segment(
          frame.frame, {.vci = static_cast<std::uint16_t>(40 + frame.port)}, cells));
    } else {
      EXPECT_TRUE(dataplane::aal34_segment(
          {}, frame.frame, {.vci = static_cast<std::uint16_t>(40 + frame.port), .mid = 9}, cells));
    }
    EXPECT_EQ(there->send(cells), cells.size());
    while (layer.poll(world.now, world.deliver()) > 0) {
    }
  }
  frames_out = layer.counters().frames_out;
  EXPECT_EQ(layer.counters().bad_frames, 0U);
  return world.log;
}

// A socket for each line; the layer of the server is that of the port.
class UdpLines : public LowerLayer {
 public:
  UdpLines() {
    for (PortIndex port = 0; port < 4; ++port) {
      // Each end needs the port of the other: the server's is opened to have one, and again when
      // its peer has one.
      auto own = UdpLayer::open(port, {{"127.0.0.1", 0}, {"127.0.0.1", 1}}, kFrameOctets).value();
      peers_.push_back(
          UdpLayer::open(port, {{"127.0.0.1", 0}, {"127.0.0.1", own->local_port()}}, kFrameOctets)
              .value());
      const std::uint16_t at = own->local_port();
      own.reset();
      own_.push_back(UdpLayer::open(port,
                                    {{"127.0.0.1", at}, {"127.0.0.1", peers_[port]->local_port()}},
                                    kFrameOctets)
                         .value());
    }
  }
  bool room() const override { return true; }
  void send(PortIndex port, std::span<const std::byte> head,
            std::span<const std::byte> body) override {
    own_[port]->send(port, head, body);
    own_[port]->flush();
  }
  std::size_t poll(TimePoint now, const Deliver& deliver) override {
    std::size_t moved = 0;
    for (auto& layer : own_) moved += layer->poll(now, deliver);
    return moved;
  }
  void host_sends(const NullLayer::Given& frame) {
    peers_[frame.port]->send(frame.port, {}, frame.frame);
    peers_[frame.port]->flush();
  }
  std::uint64_t frames_out() const {
    std::uint64_t all = 0;
    for (const auto& layer : own_) all += layer->counters().frames_out;
    return all;
  }

 private:
  std::vector<std::unique_ptr<UdpLayer>> own_;
  std::vector<std::unique_ptr<UdpLayer>> peers_;
};

TEST(LayersTest, TheSameInputGivesTheSameLogOnAll) {
  const std::vector<std::string> expected = log_on_null();
  ASSERT_EQ(expected.size(), 200U);
  std::size_t aal5_frames = 0;
  std::size_t aal34_frames = 0;
  EXPECT_EQ(log_on_atm(Adaptation::kAal5, aal5_frames), expected);
  EXPECT_EQ(log_on_atm(Adaptation::kAal34, aal34_frames), expected);
  EXPECT_EQ(aal5_frames, aal34_frames);

  UdpLines udp;
  World world(udp);
  for (const NullLayer::Given& frame : input()) {
    udp.host_sends(frame);
    ASSERT_EQ(udp.poll(world.now, world.deliver()), 1U);  // loopback delivers as it is sent
  }
  EXPECT_EQ(world.log, expected);
  EXPECT_EQ(udp.frames_out(), aal5_frames);
}

TEST(LayersTest, ALineOfDatagramsIsReadFromItsOption) {
  const auto line = parse_udp_line("anna=127.0.0.1:17000/[::1]:17001");
  ASSERT_TRUE(line) << line.error().text;
  EXPECT_EQ(line->name, "anna");
  EXPECT_EQ(line->line.local.port, 17'000);
  EXPECT_EQ(line->line.peer.host, "::1");
  for (const char* text : {"", "anna", "=127.0.0.1:1/127.0.0.1:2", "anna=127.0.0.1:1",
                           "anna=127.0.0.1:1/127.0.0.1:0", "anna=host:1/127.0.0.1:2", "a/b=c"}) {
    EXPECT_FALSE(parse_udp_line(text)) << text;
  }
}

TEST(LayersTest, ALabelThatChangesClosesTheOldOne) {
  auto [here, there] = dataplane::make_ring(4096);
  dataplane::HostLine line(std::move(here));
  AtmLayer layer(line, kFrameOctets);
  layer.open(0, Adaptation::kAal5, atm_label(0, 50), atm_label(0, 40), 1);
  std::vector<PortIndex> from;
  const auto deliver = [&from](PortIndex port, std::span<const std::byte>, TimePoint) {
    from.push_back(port);
  };
  const auto host_sends = [&, &far = there](std::uint16_t vci) {
    std::vector<dataplane::Cell> cells;
    EXPECT_TRUE(dataplane::aal5_segment(pdu_of("C11", "C12"), {.vci = vci}, cells));
    EXPECT_EQ(far->send(cells), cells.size());
    while (layer.poll(kStart, deliver) > 0) {
    }
  };
  host_sends(40);
  EXPECT_EQ(from.size(), 1U);
  layer.open(0, Adaptation::kAal5, atm_label(0, 50), atm_label(0, 41), 1);
  host_sends(40);
  EXPECT_EQ(from.size(), 1U);
  EXPECT_EQ(layer.counters().unknown_label_cells, 2U);
  host_sends(41);
  EXPECT_EQ(from.size(), 2U);
}

TEST(LayersTest, MoreDataUnitsAtATimeThanTheLineMayHaveAreRefused) {
  auto [here, there] = dataplane::make_ring(4096);
  dataplane::HostLine line(std::move(here));
  AtmLayer layer(line, kFrameOctets);
  layer.open(0, Adaptation::kAal34, atm_label(0, 50), atm_label(0, 40), 2);
  std::vector<std::vector<dataplane::Cell>> frames(3);
  for (std::uint16_t mid = 0; mid < 3; ++mid) {
    ASSERT_TRUE(dataplane::aal34_segment({}, pdu_of("C11", "C12", 100),
                                         {.vci = 40, .mid = mid, .tag = 1}, frames[mid]));
  }
  std::size_t whole = 0;
  const auto deliver = [&whole](PortIndex, std::span<const std::byte>, TimePoint) { ++whole; };
  // Cell by cell in turns, so that all three are in transit at the same time.
  for (std::size_t at = 0; at < frames[0].size(); ++at) {
    for (const auto& frame : frames) EXPECT_EQ(there->send({&frame[at], 1}), 1U);
  }
  while (layer.poll(kStart, deliver) > 0) {
  }
  EXPECT_EQ(whole, 2U);
  EXPECT_EQ(layer.too_many(0), 1U);
}

}  // namespace
}  // namespace xbind::smds
