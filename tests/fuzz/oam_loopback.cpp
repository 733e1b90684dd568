// OAM loopback under libFuzzer: each input is a row of cells for a switch with a channel, a tree
// and a path.
//
//   | port - 1, times 2; plus 1: the target sets type and CRC | header 4 | payload 48 |
//
// Whatever comes in, no cell multiplies except by the tree, and an answer follows a request.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "dataplane/oam/loopback_cell.hpp"
#include "dataplane/switch_fabric.hpp"

namespace {

using namespace xbind;
using namespace xbind::dataplane;

constexpr std::uint32_t kPorts = 3;
constexpr std::size_t kRecordOctets = 53;
constexpr std::size_t kCopiesMax = 2;  // branches of the tree
constexpr TimePoint kNow{};

void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", property);
  std::abort();
}

// As a sender would complete it: random octets almost never have the right CRC.
void complete(Payload& payload) {
  LoopbackCell cell{.request = (payload[1] & std::byte{1}) != std::byte{0},
                    .tag = get_u32(payload.data() + 2)};
  std::copy_n(payload.begin() + 6, cell.location.size(), cell.location.begin());
  std::copy_n(payload.begin() + 22, cell.source.size(), cell.source.begin());
  payload = encode_loopback(cell);
}

void check_codec(const Payload& payload) {
  LoopbackCell cell;
  if (decode_loopback(payload, cell) != LoopbackVerdict::kLoopback) return;
  LoopbackCell again;
  require(
      decode_loopback(encode_loopback(cell), again) == LoopbackVerdict::kLoopback && again == cell,
      "a loopback cell is not read as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  SwitchFabric fabric({.ports = kPorts, .labels = {atm_range(0, 15, 32, 1023)}}, {});
  fabric.set_node_name("n");
  const auto add = [&](const VirtualLink& input, const Branch& branch) {
    require(fabric.table().add_branch(input, branch).has_value(), "the table refuses a branch");
  };
  add(channel(PortId{1}, 0, 32), {.port = PortId{2}, .vpi = 0, .vci = 33});
  add(channel(PortId{1}, 0, 40), {.port = PortId{2}, .vpi = 0, .vci = 41});
  add(channel(PortId{1}, 0, 40), {.port = PortId{3}, .vpi = 0, .vci = 42});
  add(path(PortId{1}, 5), {.port = PortId{2}, .vpi = 6});

  std::span octets(reinterpret_cast<const std::byte*>(data), size);
  for (; octets.size() >= kRecordOctets; octets = octets.subspan(kRecordOctets)) {
    const auto steer = std::to_integer<std::uint32_t>(octets[0]);
    Cell cell{.header = get_u32(octets.data() + 1)};
    std::copy_n(octets.begin() + 5, kPayloadOctets, cell.payload.begin());
    if ((steer & 1) != 0) complete(cell.payload);
    check_codec(cell.payload);

    fabric.receive(PortId{1 + (steer >> 1) % kPorts}, std::span(&cell, 1), kNow);
    std::size_t sent = 0;
    for (std::uint32_t port = 1; port <= kPorts; ++port) {
      std::vector<Cell> cells(8);
      sent += fabric.transmit(PortId{port}, cells, kNow);
    }
    require(sent <= kCopiesMax, "a cell has multiplied");
    const LoopbackCounters counters = fabric.loopback_counters();
    require(counters.returned <= kCopiesMax * counters.passed,
            "an answer was returned to which no request belongs");
  }
  return 0;
}
