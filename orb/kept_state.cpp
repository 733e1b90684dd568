#include "orb/kept_state.hpp"

#include <atomic>
#include <cstdint>

#include "core/config/kept_settings.hpp"
#include "core/durable_file.hpp"
#include "core/log.hpp"
#include "orb/process.hpp"

namespace xbind::orb {
namespace {

enum class Kept : std::uint8_t { kNotAsked, kNo, kYes };
std::atomic<Kept> kept = Kept::kNotAsked;

constexpr MetricRow<Kept> kStateMetrics[] = {
    {"state_kept", MetricKind::kGauge, "",
     "1: the daemon has a --state-dir; 0: what it would keep there ends with its process.",
     [](const Kept& at) { return std::uint64_t{at == Kept::kYes}; }, MetricScope::kProcess},
};

}  // namespace

void add_state_option(config::OptionSet& set, std::string* directory, const std::string& what) {
  set.add_string("state-dir", directory, "", what + "; empty: nothing is stored.");
}

bool begin_state(const std::string& directory, std::string_view what) {
  kept = directory.empty() ? Kept::kNo : Kept::kYes;
  if (directory.empty()) {
    log::warn("without --state-dir these end with this process: {}", what);
    return true;
  }
  return make_state_dir(directory);
}

std::optional<std::string> refusal_of_settings(const std::string& path) {
  const auto read = config::read_settings(path);
  return read ? std::nullopt : std::optional(read.error().text);
}

bool or_end_process(const Result<void>& begun) {
  constexpr int kExitRefused = 2;
  if (!begun) end_process(kExitRefused, begun.error().text);
  return begun.has_value();
}

void append_kept_state(Metrics& metrics) {
  const Kept now = kept;
  if (now != Kept::kNotAsked) append(kStateMetrics, now, metrics);
}

void append_kept_state(MetricTable& table) { append(kStateMetrics, table); }

}  // namespace xbind::orb
