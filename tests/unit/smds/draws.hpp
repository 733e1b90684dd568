// Small random numbers from a seed, the same everywhere.
#pragma once

#include <cstdint>
#include <random>

namespace xbind::smds {

class Draws {
 public:
  explicit Draws(std::uint32_t seed) : engine_(seed) {}
  // 0 to below - 1.
  std::uint32_t below(std::uint32_t below) { return static_cast<std::uint32_t>(engine_() % below); }

 private:
  std::mt19937 engine_;
};

}  // namespace xbind::smds
