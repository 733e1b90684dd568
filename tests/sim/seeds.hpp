// Environment variables that choose the seeds of a test:
//   XBIND_SIM_SEEDS=N       run N seeds instead of the usual number
//   XBIND_SIM_SEED=S        run seed S alone; a failing run prints its seed
//   XBIND_SIM_SHARD=K/N     run every N-th seed from the K-th (from 0): kSeedsOfAShard seeds
//   XBIND_SIM_FROM=N        begin with seed N instead of 1
//   XBIND_SIM_MINUTES=M     run new seeds for M minutes, instead of a fixed number
//   XBIND_SIM_VERBOSE=1     print how often each event happened
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace xbind::sim {

inline constexpr std::uint64_t kSeedsOfAShard = 400;

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text);
}

inline std::vector<std::uint64_t> seeds(std::uint64_t usual) {
  if (const std::uint64_t one = number_from("XBIND_SIM_SEED", 0); one != 0) return {one};
  std::uint64_t shard = 0;
  std::uint64_t shards = 1;
  if (const char* text = std::getenv("XBIND_SIM_SHARD"); text != nullptr) {
    const std::string both = text;
    shard = std::stoull(both);
    shards = std::stoull(both.substr(both.find('/') + 1));
    usual = kSeedsOfAShard * shards;
  }
  std::vector<std::uint64_t> all;
  const std::uint64_t first = number_from("XBIND_SIM_FROM", 1);
  const std::uint64_t last = first - 1 + number_from("XBIND_SIM_SEEDS", usual);
  for (std::uint64_t seed = first + shard; seed <= last; seed += shards) {
    all.push_back(seed);
  }
  return all;
}

}  // namespace xbind::sim
