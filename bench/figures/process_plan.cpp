#include "bench/figures/process_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.hpp"
#include "core/duration_numbers.hpp"

namespace xbind::figures {
namespace {

constexpr const char* kFrom = "host-a";
constexpr const char* kTo = "host-b";
// Lines and label ranges so large that no call of a figure is refused for them.
constexpr std::uint64_t kLineCells_per_s = 4'000'000'000;
constexpr std::size_t kLabelsPerPort = 65'504;
constexpr double kDrain_s = 30;
// One call after another, at the slowest hosts of any figure.
constexpr double kOneCall_s = 0.5;
constexpr double kAllowance_s = 60;

const char* word_of(Engine engine) {
  switch (engine) {
    case Engine::kXbind: return "xbind";
    case Engine::kSequential: return "sequential";
    case Engine::kThreaded: return "threaded";
  }
  XB_CHECK(false, static_cast<int>(engine));
  return "";
}

const char* word_of(Gathering gathering) {
  switch (gathering) {
    case Gathering::kFixed: return "fixed";
    case Gathering::kRegions: return "regions";
    case Gathering::kAdaptive: return "adaptive";
  }
  XB_CHECK(false, static_cast<int>(gathering));
  return "";
}

std::string switch_name(std::size_t number, std::size_t switches) {
  if (number == 0) return kFrom;
  return number + 1 == switches ? kTo : fmt::format("switch-{}", number);
}

// The manager refuses a timeout below 0.05 ms.
double flush_timeout_ms(const System& system) {
  return std::clamp(in_ms(system.flush_timeout), 0.05, 10'000.0);
}

void add_pace(Words& words, const std::string& option, const PaceOptions& pace) {
  if (!pace.on()) return;
  const auto add = [&](const char* name, auto value) {
    words.push_back(option);
    words.push_back(fmt::format("pace-{}={}", name, value));
  };
  add("message-us", pace.message_us);
  add("item-us", pace.item_us);
  add("before-leaving", pace.before_leaving);
  add("pause-chance", pace.pause_chance);
  add("pause-us", pace.pause_mean_us);
  add("seed", pace.seed);
}

std::string state_dir(const Places& places) { return places.directory + "/lab"; }

Words lab_words(const Places& places, const char* verb) {
  return {places.lab, verb, "--state-dir", state_dir(places)};
}

}  // namespace

Pacing pacing_of(const model::Costs& costs, std::uint64_t seed) {
  Pacing pacing;
  pacing.servants = {.message_us = in_us(costs.manager.receive),
                     .item_us = in_us(costs.manager.item_in),
                     .before_leaving = costs.host.before_leaving,
                     .pause_chance = costs.host.pause_chance,
                     .pause_mean_us = in_us(costs.host.pause_mean),
                     .seed = seed};
  pacing.switches = pacing.servants;
  pacing.switches.message_us = in_us(costs.label_switch.receive);
  pacing.switches.item_us = in_us(costs.label_switch.item_in);
  pacing.callers = costs.caller_sends + costs.caller_takes;
  return pacing;
}

std::string chain_topology(std::size_t switches) {
  XB_CHECK(switches >= kFewestSwitches && switches <= kMostSwitches, switches);
  std::string text = fmt::format("name = \"chain-{}\"\n", switches);
  for (std::size_t number = 0; number < switches; ++number) {
    text += fmt::format("\n[[switch]]\nname = \"{}\"\n", switch_name(number, switches));
    if (number == 0 || number + 1 == switches) {
      text += "endpoint = true\nmedia = { cells = \"none\" }\n";
    }
  }
  // Port 1 of an endpoint is the host's and port 2 leads on. In between port 1 leads back and port
  // 2 on.
  for (std::size_t number = 0; number + 1 < switches; ++number) {
    const bool last = number + 2 == switches;
    text += fmt::format(
        "\n[[link]]\nbetween = [\"{}:2\", \"{}:{}\"]\ncells-per-s = {}\ncells = \"none\"\n",
        switch_name(number, switches), switch_name(number + 1, switches), last ? 2 : 1,
        kLineCells_per_s);
  }
  return text;
}

std::string topology_file(const Places& places, std::size_t switches) {
  return fmt::format("{}/chain-{}.toml", places.directory, switches);
}

Words lab_up(const Places& places, const System& system, const Pacing& pacing) {
  Words words = lab_words(places, "up");
  const auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  add({topology_file(places, system.switches), "--bin-dir", places.bin_dir, "--names-port", "0",
       "--no-omniorb-config", "--nodes-per-process", "1", "--log-level", "warn",
       "--labels-per-port", std::to_string(kLabelsPerPort), "--engine", word_of(system.engine)});
  if (system.engine == Engine::kThreaded) add({"--threads", std::to_string(system.threads)});
  const auto manager = [&](std::string option) { add({"--cmgr-option", std::move(option)}); };
  if (system.engine == Engine::kXbind) {
    manager(fmt::format("aggregation={}", word_of(system.gathering)));
    manager(fmt::format("threshold={}", system.threshold));
    manager(fmt::format("flush-timeout-ms={}", flush_timeout_ms(system)));
    manager("label-policy=fixed");  // as in the model and in the paper
    manager(fmt::format("label-cache={}", system.labels_cached));
  }
  const auto validity_ms = static_cast<std::uint64_t>(std::max(1.0, in_ms(system.route_validity)));
  add({"--routeobject-option", fmt::format("validity-ms={}", validity_ms)});
  for (const char* program : {"cmgr", "switchserver", "routeobject", "qosmapper"}) {
    add_pace(words, fmt::format("--{}-option", program), pacing.servants);
  }
  add_pace(words, "--switch-option", pacing.switches);
  return words;
}

Words lab_down(const Places& places) { return lab_words(places, "down"); }
Words lab_env(const Places& places) { return lab_words(places, "env"); }

bool same_lab(const System& up, const System& next) {
  if (up == next) return true;
  if (up.engine != Engine::kXbind) return false;
  System changed = up;
  changed.gathering = next.gathering;
  changed.threshold = next.threshold;
  changed.flush_timeout = next.flush_timeout;
  return changed == next;
}

Words set_aggregation(const Places& places, const System& system) {
  Words words{places.bin_dir + "/xbindctl",
              "aggregation",
              "--mode",
              word_of(system.gathering),
              "--flush-timeout-ms",
              fmt::format("{}", flush_timeout_ms(system))};
  if (system.gathering == Gathering::kFixed) {
    words.insert(words.end(), {"--threshold", std::to_string(system.threshold)});
  }
  return words;
}

std::string report_file(const Places& places) { return places.directory + "/run.json"; }
std::string records_file(const Places& places) { return places.directory + "/records.csv"; }

Words run(const Places& places, const Load& load) {
  Words words{places.callgen,
              "run",
              "--quiet",
              "--json",
              report_file(places),
              "--records",
              records_file(places),
              "--from",
              kFrom,
              "--to",
              kTo,
              "--cells-per-s",
              "1",
              "--calls",
              std::to_string(load.calls),
              "--seed",
              std::to_string(load.seed),
              "--client-batch",
              std::to_string(load.client_batch),
              "--drain-timeout",
              fmt::format("{}", kDrain_s)};
  const auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (load.one_at_a_time) {
    add({"--arrivals", "one-at-a-time", "--hold", "0"});
    return words;
  }
  add({"--rate", fmt::format("{}", load.calls_per_s), "--hold",
       fmt::format("{}", in_seconds(load.hold_mean)), "--hold-distribution",
       std::string{callgen::to_string(load.hold_distribution)}});
  return words;
}

Duration longest(const Load& load) {
  const auto calls = static_cast<double>(load.calls);
  const double offered_s = load.one_at_a_time ? calls * kOneCall_s : calls / load.calls_per_s;
  // The longest of many exponential holding times is ten to twenty means.
  const double held_s = load.one_at_a_time ? 0 : 20 * in_seconds(load.hold_mean);
  const double all_s = 2 * (offered_s + held_s + kDrain_s) + kAllowance_s;
  return Duration{static_cast<Duration::rep>(all_s * 1e9)};
}

}  // namespace xbind::figures
