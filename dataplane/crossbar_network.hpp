// The switching network of an input-buffered crossbar: which of the cells that the inputs offer in
// one slot reach their outputs, and which come back.
//
// It is built of elements with 4 inputs and 4 outputs. A cell carries its output as digits of base
// 4, one for each stage; an element reads one digit, and its output of that number takes one cell.
// Of several cells for it, those with the priority bit exclude the others, and chance chooses among
// the rest. Every other cell is refused (NACK) and stays at its input.
//
// 4x4: one element. 16x16: eight elements, with one link between each two of different stages:
//
//   inputs  0..3  ══▶ A ──┐                               ┌──▶ E ══▶ outputs  0..3
//   inputs  4..7  ══▶ B ──┤  A has four links: to E, F,   ├──▶ F ══▶ outputs  4..7
//   inputs  8..11 ══▶ C ──┤  G and H; so have B, C and D  ├──▶ G ══▶ outputs  8..11
//   inputs 12..15 ══▶ D ──┘                               └──▶ H ══▶ outputs 12..15
//
// The first stage reads output / 4, which selects the link; the second reads output % 4. Each pair
// of input and output has one path. So two cells of different inputs for different outputs block
// each other exactly when the inputs are at one element and the outputs too: 0 to 5 and 1 to 6 both
// need the link from A to F. A cell that is refused in the second stage has kept its link from
// others.
//
// Source: the notes of the University of Cambridge Computer Laboratory on the fabric of Fairisle
// (bluebook 29), which show this network and these two pairs. They do not say how an element
// chooses among equals; chance is ours, as in the analysis of Karol, Hluchyj and Morgan (1987).
//
// Pure: chance is a parameter. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace xbind::dataplane {

enum class CrossbarSize : std::uint8_t {
  kNone,  // no crossbar; no network has it
  k4x4,
  k16x16,
};

inline constexpr std::uint32_t kCrossbarInputs = 16;  // of the larger one

// Inputs and outputs, numbered from 0.
constexpr std::uint32_t ports_of(CrossbarSize size) {
  switch (size) {
    case CrossbarSize::kNone: return 0;
    case CrossbarSize::k4x4: return 4;
    case CrossbarSize::k16x16: return kCrossbarInputs;
  }
  return 0;
}
// "none", "4x4", "16x16".
std::string_view to_string(CrossbarSize size);

// What the inputs offer in one slot: at most one cell each.
struct CrossbarOffers {
  // `input` and `output` below ports_of().
  void add(std::uint32_t input, std::uint32_t output, bool has_priority) {
    outputs[input] = static_cast<std::uint8_t>(output);
    offered |= 1U << input;
    if (has_priority) priority |= 1U << input;
  }

  std::array<std::uint8_t, kCrossbarInputs> outputs{};
  std::uint32_t offered = 0;   // a bit for each input
  std::uint32_t priority = 0;  // the same
};

class CrossbarNetwork {
 public:
  // 32 even random bits.
  using Random = std::function<std::uint32_t()>;

  CrossbarNetwork(CrossbarSize size, Random random) : size_(size), random_(std::move(random)) {}

  CrossbarSize size() const { return size_; }
  // A bit for each input whose cell passes; the other cells of `offers` are refused.
  std::uint32_t pass(const CrossbarOffers& offers);

 private:
  static constexpr std::uint32_t kWays = 4;
  static constexpr std::uint8_t kNoCell = 0xff;
  // At the four inputs or outputs of an element: the input of the switch whose cell is there.
  using Cells = std::array<std::uint8_t, kWays>;

  // The cells at the outputs of an element. `shift`: of the digit that the element reads.
  Cells through(const Cells& cells, const CrossbarOffers& offers, unsigned shift);
  // One of the set bits; `mask` has one.
  std::uint32_t choose(std::uint32_t mask);

  CrossbarSize size_;
  Random random_;
};

}  // namespace xbind::dataplane
