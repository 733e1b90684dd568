#include "dataplane/port_controller_profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "core/name.hpp"

namespace xbind::dataplane {
namespace {

using std::chrono::nanoseconds;

// Sets one key of a profile from a number; false: the number is out of its range.
struct Key {
  std::string_view name;
  double min;
  double max;
  void (*set)(PortControllerProfile&, double);
};

constexpr double kMicrosecondsMax = 1'000'000;

Duration microseconds(double value) {
  return Duration{static_cast<Duration::rep>(std::llround(value * 1'000))};
}

constexpr std::array kKeys{
    Key{"burst-us", 0, kMicrosecondsMax,
        [](PortControllerProfile& profile, double us) { profile.burst = microseconds(us); }},
    Key{"cell-us", 0, kMicrosecondsMax,
        [](PortControllerProfile& profile, double us) { profile.cell = microseconds(us); }},
    Key{"gap-us", 0, kMicrosecondsMax,
        [](PortControllerProfile& profile, double us) { profile.gap = microseconds(us); }},
    Key{"mbit", 0.001, 100'000,
        [](PortControllerProfile& profile, double mbit) {
          profile.line_bits_per_s = static_cast<std::uint64_t>(std::llround(mbit * 1e6));
        }},
    Key{"overhead", 0, 1'000,
        [](PortControllerProfile& profile, double octets) {
          profile.overhead_octets = static_cast<std::uint32_t>(octets);
        }},
    Key{"buffer", 1, 1'000'000,
        [](PortControllerProfile& profile, double cells) {
          profile.buffer_cells = static_cast<std::uint32_t>(cells);
        }},
};

std::string known_words() {
  std::vector<std::string_view> names;
  for (const NamedPortController& one : port_controllers()) names.push_back(one.name);
  std::vector<std::string_view> keys;
  for (const Key& key : kKeys) keys.push_back(key.name);
  return fmt::format("{}, or KEY:VALUE/KEY:VALUE... of {}", fmt::join(names, ", "),
                     fmt::join(keys, ", "));
}

// What is wrong with one KEY:VALUE, or nullopt.
std::optional<std::string> read_key(std::string_view part, std::set<std::string_view>& given,
                                    PortControllerProfile& profile) {
  const std::size_t colon = part.find(':');
  const std::string_view name = part.substr(0, colon);
  const auto* const key = std::ranges::find(kKeys, name, &Key::name);
  if (key == kKeys.end() || colon == std::string_view::npos) {
    return fmt::format("there is no '{}'; there are {}", printable(part), known_words());
  }
  if (!given.insert(key->name).second) return fmt::format("{} comes twice", key->name);
  const std::string_view number = part.substr(colon + 1);
  double value = 0;
  const char* const last = number.data() + number.size();
  const auto [end, error] = std::from_chars(number.data(), last, value, std::chars_format::fixed);
  const bool whole = key->name == "overhead" || key->name == "buffer";
  if (error != std::errc{} || end != last || !(value >= key->min && value <= key->max) ||
      (whole && value != std::floor(value))) {
    return fmt::format("'{}' of {} is not a {}number of {} to {}", printable(number), key->name,
                       whole ? "whole " : "", key->min, key->max);
  }
  key->set(profile, value);
  return std::nullopt;
}

}  // namespace

const std::vector<NamedPortController>& port_controllers() {
  static const std::vector<NamedPortController> all{
      {"fpc2-arm3", {.burst = nanoseconds{6'000}, .cell = nanoseconds{5'232}}},
      {"fpc2-arm600",
       {.burst = nanoseconds{5'000}, .cell = nanoseconds{4'400}, .gap = nanoseconds{4'655}}},
      {"fpc3", {.burst = nanoseconds{5'000}, .cell = nanoseconds{4'400}}}};
  return all;
}

Result<PortControllerProfile> parse_port_controller(std::string_view text) {
  for (const NamedPortController& one : port_controllers()) {
    if (one.name == text) return one.profile;
  }
  PortControllerProfile profile;
  std::set<std::string_view> given;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('/', start), text.size());
    if (auto fault = read_key(text.substr(start, end - start), given, profile)) {
      return fail(ErrorCode::kBadInput, "{}", *fault);
    }
    start = end + 1;
  }
  return profile;
}

}  // namespace xbind::dataplane
