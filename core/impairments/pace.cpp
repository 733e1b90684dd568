#include "core/impairments/pace.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace xbind {
namespace {

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

Duration us(double count) { return Duration{std::llround(count * 1e3)}; }

// In [0, 1), every value a multiple of 2^-53: the logarithm of 1 minus it is finite.
double unit_interval(std::mt19937_64& bits) { return static_cast<double>(bits() >> 11) * 0x1p-53; }

}  // namespace

Pace::Pace(const PaceOptions& options, std::string_view name, Clock clock)
    : options_(options),
      on_(options.on()),
      clock_(std::move(clock)),
      bits_(options.seed ^ hash_of(name)) {}

void Pace::serve(std::size_t items, bool taken) {
  const double cost_us = options_.message_us + options_.item_us * static_cast<double>(items);
  TimePoint done;
  {
    const std::lock_guard lock(mutex_);
    const TimePoint now = clock_.now();
    const TimePoint begins = std::max(now, busy_until_);
    busy_until_ = begins + us(cost_us + (taken ? pause_us() : 0));
    done = taken ? busy_until_ : begins + us(cost_us * options_.before_leaving);
    if (done <= now) return;
  }
  clock_.wait_until(done);
}

double Pace::pause_us() {
  if (options_.pause_chance <= 0 || unit_interval(bits_) >= options_.pause_chance) return 0;
  return -options_.pause_mean_us * std::log1p(-unit_interval(bits_));
}

}  // namespace xbind
