// Two ends of a link for the tests of the handshake, with the names and
// numbers of the worked messages.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "gsmp/adjacency_fsm.hpp"
#include "tests/unit/gsmp/hex.hpp"

namespace xbind::gsmp::test::adjacency {

inline constexpr std::uint64_t kControllerName = 0x0200000a0001;
inline constexpr std::uint64_t kSwitchName = 0x0200000b0001;
inline const TimePoint kStart{};

// One end, with a script of instance numbers, and its output.
struct End {
  AdjacencyOptions options;
  std::vector<std::uint32_t> instances;
  std::size_t drawn = 0;
  Adjacency adjacency;
  wire::Buffer out;
  TimePoint now = kStart;

  End(AdjacencyOptions given, std::vector<std::uint32_t> given_instances)
      : options(given),
        instances(std::move(given_instances)),
        adjacency(options, [this] { return instances.at(drawn++); }) {}

  // The frames that this end has sent since the last call, in hex.
  std::vector<std::string> sent() {
    std::vector<std::string> frames;
    FrameReader reader;
    reader.feed(out, [&](std::span<const std::byte> message) {
      wire::Buffer frame;
      wire::Writer writer(frame);
      writer.u16(kFrameType);
      writer.u16(static_cast<std::uint16_t>(message.size()));
      writer.bytes(message);
      frames.push_back(to_hex(frame));
      return true;
    });
    out.clear();
    return frames;
  }
  AdjacencyChange hears(std::span<const std::byte> frame) {
    const auto message = decode_adjacency(frame.subspan(kFrameHeaderOctets));
    EXPECT_TRUE(message);
    return adjacency.receive(*message, now, out);
  }
  AdjacencyChange hears(const std::string& id) { return hears(golden(id)); }
};

inline AdjacencyOptions controller_options() {
  AdjacencyOptions options;
  options.name = kControllerName;
  options.port = 1;
  options.partition_flag = kNewAdjacency;  // as in the worked messages
  return options;
}
inline AdjacencyOptions switch_options() {
  AdjacencyOptions options;
  options.master = false;
  options.name = kSwitchName;
  options.port = 0x10;
  options.partition_flag = kNewAdjacency;
  return options;
}
inline End controller() { return End(controller_options(), {0x0a1b2c, 0x111111, 0x222222}); }
inline End the_switch() { return End(switch_options(), {0x3d4e5f, 0x333333, 0x444444}); }

// Carries messages in both directions until no end has output; returns their number.
inline int talk(End& a, End& b, int limit = 50) {
  int carried = 0;
  while ((!a.out.empty() || !b.out.empty()) && carried < limit) {
    for (auto [from, to] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
      const wire::Buffer stream = std::exchange(from->out, {});
      FrameReader reader;
      reader.feed(stream, [&](std::span<const std::byte> message) {
        to->adjacency.receive(*decode_adjacency(message), to->now, to->out);
        ++carried;
        return true;
      });
    }
  }
  return carried;
}

// The worked messages of these names, in the form of End::sent().
inline std::vector<std::string> frames(std::initializer_list<const char*> ids) {
  std::vector<std::string> all;
  for (const char* id : ids) all.push_back(to_hex(golden(id)));
  return all;
}

}  // namespace xbind::gsmp::test::adjacency
