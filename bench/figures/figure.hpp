// A reproduced figure of the paper: its points, its pictures, the paper's numbers beside ours, and
// the rule that decides whether the shape is the paper's. Each figure is a function of a Bench
// (baselines.cpp, throughput.cpp, cache.cpp, invocations.cpp). output.hpp writes figures to pages
// and files.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/figures/point_source.hpp"
#include "bench/plot/plot.hpp"
#include "core/result.hpp"

namespace xbind::figures {

// Scales the paper's loads to another system: `speed` times as many calls a second, and every time
// (holding, flush timeout, validity of routes) shorter by the same factor.
struct Scale {
  double speed = 1;
  bool quick = true;  // fewer points, fewer calls in each
  std::uint64_t seed = 1;
  // The most calls of a point; 0: as the figure wants. For tests.
  std::uint64_t calls_at_most = 0;
  // Limits the calls of a point to those that arrive in this time, but never below the smaller of
  // kCallsAtLeast and what the figure wants; 0: as the figure wants. For sources in real time.
  double seconds_at_most = 0;
  static constexpr std::uint64_t kCallsAtLeast = 300;

  Duration of(double paper_seconds) const {
    return Duration{static_cast<Duration::rep>(paper_seconds * 1e9 / speed)};
  }
};

// Measures points of one source, each once, and reports the current one.
class Bench {
 public:
  using Progress = std::function<void(const std::string& line)>;

  // `source` must outlive the bench.
  Bench(PointSource& source, Scale scale, Progress progress);

  const Scale& scale() const { return scale_; }
  // The paper's System and Load scaled; rates and times are given in the paper's units.
  Point point(System system, double paper_rate, std::uint64_t quick_calls,
              std::uint64_t full_calls) const;
  Result<Shown> measure(const std::string& figure, const Point& point);
  std::size_t measured() const { return known_.size(); }

 private:
  PointSource& source_;
  Scale scale_;
  Progress progress_;
  std::vector<std::pair<Point, Shown>> known_;
};

// How many conditions of a rule hold: all, some, none.
enum class Shape : std::uint8_t { kReproduced, kPartly, kNot };
std::string_view to_string(Shape shape);  // "reproduced", "partly", "not"
Shape shape_of(std::initializer_list<bool> conditions);

struct Verdict {
  Shape shape = Shape::kNot;
  std::string rule;     // a sentence, with every condition
  std::string decided;  // with the numbers that decided it

  bool reproduced() const { return shape == Shape::kReproduced; }
};

struct Table {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

struct Picture {
  std::string name;  // of its files, without the extension
  std::string caption;
  plot::Plot plot;
};

struct Figure {
  std::string id;     // "fig6": names its files and its place on the page
  std::string title;  // "Fig. 6: ..."
  std::string about;  // what runs, and what the paper reports of it
  Verdict verdict;
  std::vector<Picture> pictures;
  std::vector<Table> tables;  // paper beside ours
  std::vector<std::pair<std::string, double>>
      numbers;                       // every number that is shown, for figures.json
  std::vector<std::string> remarks;  // further remarks for the reader
  std::string csv;                   // raw data, one line for each point
};

// The engines and thresholds of the paper.
System xbind_system(const Scale& scale, std::size_t threshold);
System baseline_system(const Scale& scale, Engine engine);

// One line of a curve's CSV, and its heading.
std::string csv_head();
std::string csv_line(const std::string& curve, const Scale& scale, const Point& point,
                     const Shown& shown);

std::string engine_word(const System& system);  // "sequential", "xbind T=4", "adaptive"
// "12.30", "0.0412": three or four significant digits; "none" for NaN.
std::string digits(double value);

// --- the figures ---
// Errors: those of the source.
Result<Figure> baseline_one_at_a_time(Bench& bench);  // B1
Result<Figure> threaded_one_at_a_time(Bench& bench);  // B2
Result<Figure> three_managers(Bench& bench);          // Fig. 6
Result<Figure> thresholds(Bench& bench);              // Fig. 7
Result<Figure> labels_in_use(Bench& bench);           // Fig. 9
Result<Figure> cache_sizes(Bench& bench);             // Table I
Result<Figure> invocations(Bench& bench);             // Fig. 10
Result<Figure> load_regions(Bench& bench);            // Fig. 11
Result<Figure> cache_memory(Bench& bench);            // section IV-A, storage

struct Recipe {
  std::string id;
  Result<Figure> (*make)(Bench& bench);
};
// In the paper's order.
const std::vector<Recipe>& recipes();

// For another system: the speed at which T = 1 sustains the paper's rate (60 calls/s there).
// Measures a few short points. kExhausted: the speed is below a thousandth or above a million times
// the paper's.
Result<double> find_speed(PointSource& source, const Scale& scale, const Bench::Progress& progress);

}  // namespace xbind::figures
