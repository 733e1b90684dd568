// What the live page of a run shows: the run so far, in bounded memory, as JSON.
//
// Samples come with the progress of the run. When there are kSamplesMax, neighbours are joined: a
// joined sample has the mean of the rates and the greater of the percentiles, so that no peak is
// lost. Pure; one thread at a time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "callgen/run/offer.hpp"
#include "callgen/run/run_figures.hpp"

namespace xbind::callgen {

class LiveState {
 public:
  static constexpr std::size_t kSamplesMax = 600;

  // The command line, for the title.
  explicit LiveState(std::string words) : words_(std::move(words)) {}

  // The run has come so far.
  void take(const Progress& progress);
  // The page's data, "xbind.live/1": callgen/README.md has the keys.
  std::string json() const;

 private:
  struct Sample {
    double at_s = 0;
    double seconds = 0;  // seconds of the run that this sample covers
    std::optional<double> asked_per_s{};
    double offered_per_s = 0;
    double connected_per_s = 0;
    double refused_per_s = 0;  // and busy ones
    std::uint64_t up = 0;
    // Of the calls connected in it; nullopt: none was.
    std::optional<double> p50_ms{};
    std::optional<double> p90_ms{};
    std::optional<double> p99_ms{};
  };
  // Of the answered calls, refused and busy ones; nullopt: none is answered.
  std::optional<double> refused_share() const;
  static Sample joined(const Sample& a, const Sample& b);

  std::string words_;
  Progress last_;
  bool began_ = false;
  std::vector<Sample> samples_;
  std::size_t join_ = 1;     // number of looks that are joined into one sample
  std::size_t in_last_ = 0;  // looks in the last sample
};

}  // namespace xbind::callgen
