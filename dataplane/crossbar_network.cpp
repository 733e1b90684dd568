#include "dataplane/crossbar_network.hpp"

#include <bit>

namespace xbind::dataplane {

std::string_view to_string(CrossbarSize size) {
  switch (size) {
    case CrossbarSize::kNone: return "none";
    case CrossbarSize::k4x4: return "4x4";
    case CrossbarSize::k16x16: return "16x16";
  }
  return "none";
}

std::uint32_t CrossbarNetwork::choose(std::uint32_t mask) {
  const auto count = static_cast<std::uint32_t>(std::popcount(mask));
  if (count > 1) {
    auto skipped = static_cast<std::uint32_t>(std::uint64_t{random_()} * count >> 32);
    for (; skipped > 0; --skipped) mask &= mask - 1;
  }
  return static_cast<std::uint32_t>(std::countr_zero(mask));
}

CrossbarNetwork::Cells CrossbarNetwork::through(const Cells& cells, const CrossbarOffers& offers,
                                                unsigned shift) {
  std::array<std::uint32_t, kWays> all{};  // of each output: the element's inputs that want it
  std::array<std::uint32_t, kWays> with_priority{};
  for (std::uint32_t at = 0; at < kWays; ++at) {
    const std::uint8_t cell = cells[at];
    if (cell == kNoCell) continue;
    const std::uint32_t digit = offers.outputs[cell] >> shift & (kWays - 1);
    all[digit] |= 1U << at;
    if ((offers.priority >> cell & 1) != 0) with_priority[digit] |= 1U << at;
  }
  Cells passed;
  for (std::uint32_t output = 0; output < kWays; ++output) {
    const std::uint32_t best = with_priority[output] != 0 ? with_priority[output] : all[output];
    passed[output] = best == 0 ? kNoCell : cells[choose(best)];
  }
  return passed;
}

std::uint32_t CrossbarNetwork::pass(const CrossbarOffers& offers) {
  const auto at_inputs = [&offers](std::uint32_t first) {
    Cells cells;
    for (std::uint32_t way = 0; way < kWays; ++way) {
      const std::uint32_t input = first + way;
      cells[way] = (offers.offered >> input & 1) != 0 ? static_cast<std::uint8_t>(input) : kNoCell;
    }
    return cells;
  };
  std::uint32_t acknowledged = 0;
  const auto leave = [&](const Cells& last_stage) {
    for (const std::uint8_t cell : through(last_stage, offers, 0)) {
      if (cell != kNoCell) acknowledged |= 1U << cell;
    }
  };
  if (size_ == CrossbarSize::k4x4) {
    leave(at_inputs(0));
    return acknowledged;
  }
  std::array<Cells, kWays> second{};  // the inputs of E, F, G and H: one from each of A, B, C and D
  for (std::uint32_t element = 0; element < kWays; ++element) {
    const Cells links = through(at_inputs(element * kWays), offers, 2);
    for (std::uint32_t way = 0; way < kWays; ++way) second[way][element] = links[way];
  }
  for (const Cells& cells : second) leave(cells);
  return acknowledged;
}

}  // namespace xbind::dataplane
