#include "callgen/options/scenario_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "callgen/load/load_limits.hpp"
#include "callgen/load/pacer.hpp"
#include "callgen/load/words.hpp"
#include "callgen/options/contract_options.hpp"
#include "core/config/option_tables.hpp"
#include "core/duration_numbers.hpp"
#include "core/name.hpp"
#include "core/read_file.hpp"

namespace xbind::callgen {
namespace {

using config::OptionSet;
using config::OptionTable;

constexpr double kEventTimeout_s = 60;
constexpr std::size_t kNameOctetsMax = 64;

std::vector<config::OptionTableKind> kinds() {
  return {
      {.table = "phase",
       .known = {"name", "length", "rate", "ramp-to", "arrivals", "hold", "hold-distribution",
                 "hold-sigma", "mix", "classes", "matrix", "hotspot", "hotspot-share"},
       .needed = {"name", "length", "rate"},
       .tables_max = kPhasesMax},
      {.table = "class",
       .known = {"name", "priority", "from", "to", "cells-per-s", "buffer-cells", "frames-per-s",
                 "frame-octets", "service-class", "peak-to-mean", "burst-frames", "bits-per-s",
                 "peak-bits-per-s", "frame-loss", "frame-delay-ms"},
       .needed = {"name"},
       .tables_max = kClassesMax,
       .tables_min = 0},
      {.table = "event",
       .known = {"name", "at", "run", "timeout"},
       .needed = {"name", "at", "run"},
       .tables_max = kEventsMax,
       .tables_min = 0}};
}

// A refusal at the line of `key`.
tl::unexpected<Error> refuse(const OptionTable& table, const char* key,
                             const std::string& sentence) {
  return tl::make_unexpected(table.refusal(key, sentence));
}

class ScenarioReader {
 public:
  explicit ScenarioReader(std::string path) { file_.path = std::move(path); }

  Result<ScenarioFile> read(const std::map<std::string, std::vector<OptionTable>>& tables) {
    for (const OptionTable& table : tables.at("class"))
      if (auto good = read_class(table); !good) return tl::make_unexpected(good.error());
    for (const OptionTable& table : tables.at("phase"))
      if (auto good = read_phase(table); !good) return tl::make_unexpected(good.error());
    for (const OptionTable& table : tables.at("event"))
      if (auto good = read_event(table); !good) return tl::make_unexpected(good.error());
    if (auto good = check_whole(tables); !good) return tl::make_unexpected(good.error());
    std::stable_sort(file_.events.begin(), file_.events.end(),
                     [](const ScenarioEvent& a, const ScenarioEvent& b) { return a.at < b.at; });
    return std::move(file_);
  }

 private:
  // Names are quoted in reports, so they are short and plain.
  Result<void> take_name(const OptionTable& table, const std::string& name,
                         std::set<std::string>& names) {
    const bool plain = std::all_of(name.begin(), name.end(), [](char letter) {
      return letter > ' ' && letter < 127 && letter != '=' && letter != ',';
    });
    if (name.empty() || name.size() > kNameOctetsMax || !plain)
      return refuse(table, "name",
                    fmt::format("name '{}' has not 1 to {} visible characters without = and ,",
                                printable(name, kNameOctetsMax), kNameOctetsMax));
    if (!names.insert(name).second)
      return refuse(table, "name", fmt::format("the name {} is given twice", name));
    return {};
  }

  Result<void> read_class(const OptionTable& table) {
    CallClass read;
    std::uint32_t priority = 0;
    ContractOptions contract;
    std::vector<std::string> callers;
    std::vector<std::string> callees;
    OptionSet set("[[class]]", "A class of calls.");
    set.add_string("name", &read.name, "", "Name.");
    set.add_uint("priority", &priority, 0, {0, kPriorityMax}, "Priority of its setups.");
    set.add_strings("from", &callers, "Callers.");
    set.add_strings("to", &callees, "Callees.");
    declare_contract_options(set, contract);
    if (auto good = table.load(set); !good) return good;
    if (auto good = take_name(table, read.name, class_names_); !good) return good;
    read.priority = static_cast<std::uint8_t>(priority);
    read.service = service_of(contract);
    if (auto good = take_ends(table, "from", callers, read.callers); !good) return good;
    if (auto good = take_ends(table, "to", callees, read.callees); !good) return good;
    file_.classes.push_back(std::move(read));
    return {};
  }

  Result<void> read_phase(const OptionTable& table) {
    ScenarioPhase read;
    double length = 0, rate = 0, ramp_to = 0, hold = 0, sigma = 0;
    auto arrivals = Arrivals::kPoisson;
    auto distribution = HoldDistribution::kConstant;
    auto matrix = Matrix::kTopology;
    std::vector<std::string> mix;
    std::vector<std::string> classes;
    OptionSet set("[[phase]]", "A phase of a run.");
    set.add_string("name", &read.name, "", "Name.");
    set.add_double("length", &length, 1, {0.001, kLongestArrivals_s}, "Seconds.");
    set.add_double("rate", &rate, 0, {0, kRateMax}, "Calls a second.");
    set.add_double("ramp-to", &ramp_to, 0, {0, kRateMax}, "Calls a second at its end.");
    set.add_enum("arrivals", &arrivals, arrivals,
                 {{"poisson", Arrivals::kPoisson}, {"constant", Arrivals::kConstant}}, "Arrivals.");
    set.add_double("hold", &hold, 0, {0, kHoldMax_s}, "Mean seconds.");
    set.add_enum("hold-distribution", &distribution, distribution,
                 {{"constant", HoldDistribution::kConstant},
                  {"exponential", HoldDistribution::kExponential},
                  {"lognormal", HoldDistribution::kLognormal}},
                 "Distribution.");
    set.add_double("hold-sigma", &sigma, 1, {0, 3}, "Sigma.");
    set.add_strings("mix", &mix, "Mix.");
    set.add_strings("classes", &classes, "Classes.");
    set.add_enum("matrix", &matrix, matrix,
                 {{"topology", Matrix::kTopology},
                  {"uniform", Matrix::kUniform},
                  {"gravity", Matrix::kGravity},
                  {"hotspot", Matrix::kHotspot}},
                 "Matrix.");
    set.add_string("hotspot", &read.hotspot, "", "Endpoint.");
    set.add_double("hotspot-share", &read.hotspot_share, MatrixSpec{}.hotspot_share, {0.001, 1},
                   "Share.");
    if (auto good = table.load(set); !good) return good;
    if (auto good = take_name(table, read.name, phase_names_); !good) return good;
    read.rate = {.length = duration_of(length),
                 .from = rate,
                 .to = set.given("ramp-to") ? ramp_to : rate,
                 .even = arrivals == Arrivals::kConstant};
    if (set.given("hold")) read.hold = hold;
    if (set.given("hold-distribution")) read.hold_distribution = distribution;
    if (set.given("hold-sigma")) read.hold_sigma = sigma;
    if (set.given("matrix")) read.matrix = matrix;
    if (auto good = check_matrix(table, set, read); !good) return good;
    if (set.given("mix")) {
      auto parsed = parse_mix(mix);
      if (!parsed) return refuse(table, "mix", parsed.error().text);
      read.mix = *parsed;
    }
    if (auto good = take_weights(table, classes, read); !good) return good;
    file_.phases.push_back(std::move(read));
    return {};
  }

  static Result<void> check_matrix(const OptionTable& table, const OptionSet& set,
                                   const ScenarioPhase& read) {
    const bool hotspot = read.matrix == Matrix::kHotspot;
    for (const char* const key : {"hotspot", "hotspot-share"}) {
      if (set.given(key) && !hotspot)
        return refuse(table, key, fmt::format("{} needs matrix = \"hotspot\"", key));
    }
    if (hotspot && read.hotspot.empty())
      return refuse(table, "matrix", "matrix = \"hotspot\" needs hotspot, the endpoint");
    return {};
  }

  struct Weighted {
    std::string name;
    double weight = 1;
  };
  // "voice=9"; without a number the weight is 1.
  static Result<Weighted> weighted(const OptionTable& table, const char* key,
                                   const std::string& part) {
    const std::size_t equals = part.find('=');
    const auto weight =
        equals == std::string::npos ? 1.0 : number_of(std::string_view{part}.substr(equals + 1));
    if (!weight || *weight <= 0 || *weight > kWeightMax)
      return refuse(table, key,
                    fmt::format("'{}': the weight is no number above 0 and up to {:.0f}",
                                printable(part, kNameOctetsMax), kWeightMax));
    return Weighted{part.substr(0, equals), *weight};
  }

  // Names of endpoints, which are looked up when the run knows the network.
  static Result<void> take_ends(const OptionTable& table, const char* key,
                                const std::vector<std::string>& parts,
                                std::vector<WeightedEnd>& ends) {
    std::set<std::string> names;
    for (const std::string& part : parts) {
      const auto end = weighted(table, key, part);
      if (!end) return tl::make_unexpected(end.error());
      if (!is_name(end->name))
        return refuse(
            table, key,
            fmt::format("'{}' is no name of an endpoint", printable(end->name, kNameOctetsMax)));
      if (!names.insert(end->name).second)
        return refuse(table, key, fmt::format("endpoint {} is named twice", end->name));
      ends.push_back({end->name, end->weight});
    }
    return {};
  }

  // "voice=9": weights by class; without any all classes alike.
  Result<void> take_weights(const OptionTable& table, const std::vector<std::string>& parts,
                            ScenarioPhase& phase) {
    if (parts.empty()) {
      phase.classes.assign(file_.classes.size(), 1);
      return {};
    }
    phase.classes.assign(file_.classes.size(), 0);
    for (const std::string& part : parts) {
      const std::string name = part.substr(0, part.find('='));
      const auto found = std::find_if(file_.classes.begin(), file_.classes.end(),
                                      [&](const CallClass& one) { return one.name == name; });
      if (found == file_.classes.end())
        return refuse(table, "classes",
                      fmt::format("there is no [[class]] {}", printable(name, kNameOctetsMax)));
      const auto read = weighted(table, "classes", part);
      if (!read) return tl::make_unexpected(read.error());
      double& taken = phase.classes[static_cast<std::size_t>(found - file_.classes.begin())];
      if (taken != 0) return refuse(table, "classes", fmt::format("class {} is named twice", name));
      taken = read->weight;
    }
    return {};
  }

  Result<void> read_event(const OptionTable& table) {
    ScenarioEvent read;
    double at = 0, timeout = 0;
    std::string command;
    OptionSet set("[[event]]", "A command at a time.");
    set.add_string("name", &read.name, "", "Name.");
    set.add_double("at", &at, 0, {0, kLongestArrivals_s}, "Seconds.");
    set.add_string("run", &command, "", "Program and arguments.");
    set.add_double("timeout", &timeout, kEventTimeout_s, {0.1, kEventTimeoutMax_s}, "Seconds.");
    if (auto good = table.load(set); !good) return good;
    if (auto good = take_name(table, read.name, event_names_); !good) return good;
    each_line(command, [&read](std::size_t, const std::vector<std::string_view>& words) {
      for (const std::string_view word : words) read.command.emplace_back(word);
      return true;
    });
    if (read.command.empty() || read.command.size() > kEventWordsMax)
      return refuse(
          table, "run",
          fmt::format("run has {} words, 1 to {} are taken", read.command.size(), kEventWordsMax));
    read.at = duration_of(at);
    read.timeout = duration_of(timeout);
    read.place = table.place("run");
    const Duration end = file_.length();
    if (read.at >= end)
      return refuse(table, "at", fmt::format("the phases are over at {} s", in_seconds(end)));
    file_.events.push_back(std::move(read));
    return {};
  }

  Result<void> check_whole(const std::map<std::string, std::vector<OptionTable>>& tables) const {
    const Duration length = file_.length();
    if (in_seconds(length) > kLongestArrivals_s)
      return refuse(tables.at("phase").back(), "length",
                    fmt::format("the phases take {:.0f} days, at most {:.0f} are taken",
                                in_seconds(length) / 86'400, kLongestArrivals_s / 86'400));
    double calls = 0;
    for (const ScenarioPhase& phase : file_.phases)
      calls += (phase.rate.from + phase.rate.to) / 2 * in_seconds(phase.rate.length);
    if (calls <= 0)
      return refuse(tables.at("phase").front(), "rate", "no phase has a rate above 0");
    if (calls > static_cast<double>(kCallsMax))
      return refuse(
          tables.at("phase").back(), "rate",
          fmt::format("the phases make {:.0f} calls, at most {} are taken", calls, kCallsMax));
    for (std::size_t i = 0; i < file_.classes.size(); ++i) {
      const bool offered = std::any_of(file_.phases.begin(), file_.phases.end(),
                                       [i](const auto& phase) { return phase.classes[i] > 0; });
      if (!offered)
        return refuse(tables.at("class")[i], "name",
                      fmt::format("no phase offers calls of class {}", file_.classes[i].name));
    }
    return {};
  }

  ScenarioFile file_;
  std::set<std::string> phase_names_;
  std::set<std::string> class_names_;
  std::set<std::string> event_names_;
};

}  // namespace

Duration ScenarioFile::length() const {
  Duration length{};
  // Each length is bounded, and so is their number: a year times kPhasesMax is no overflow.
  for (const ScenarioPhase& phase : phases) length += phase.rate.length;
  return length;
}

Result<ScenarioFile> parse_scenario(std::string_view text, const std::string& path) {
  const auto tables = config::read_option_tables(text, path, kinds());
  if (!tables) return tl::make_unexpected(tables.error());
  return ScenarioReader(path).read(*tables);
}

Result<ScenarioFile> load_scenario(const std::string& path) {
  const auto text = read_file(path, kScenarioOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  return parse_scenario(*text, path);
}

}  // namespace xbind::callgen
