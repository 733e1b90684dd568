// xbind-callgen search: the next rate of a search whose runs another program makes.
#include <fmt/format.h>

#include "bench/commands/commands.hpp"
#include "bench/search/objective.hpp"
#include "bench/search/rate_search.hpp"
#include "core/config/options.hpp"
#include "core/output.hpp"

namespace xbind::callgen {
namespace {

struct SearchOptions {
  std::string rates;
  std::string precision;
  std::vector<std::string> kept;
  std::vector<std::string> broken;
  RatePlan plan;
  std::vector<double> kept_rates;
  std::vector<double> broken_rates;
};

std::optional<std::string> read_rates(const char* name, const std::vector<std::string>& texts,
                                      std::vector<double>& rates) {
  for (const std::string& text : texts) {
    const auto some = parse_rates(text);
    if (!some) return fmt::format("option --{}: {}", name, some.error().text);
    rates.insert(rates.end(), some->begin(), some->end());
  }
  return std::nullopt;
}

void declare(config::OptionSet& set, SearchOptions& options) {
  RatePlan& plan = options.plan;
  set.add_string("rates", &options.rates, "100",
                 "Rates that are tried first, ascending, as 20,50,100.");
  set.add_double("growth", &plan.growth, plan.growth, {1.01, 100},
                 "Factor from one rate to the next beyond these.");
  set.add_string("precision", &options.precision, "5%",
                 "How near the rate found and one that is broken are to be, 1% to 50%.");
  set.add_double("highest-rate", &plan.highest, 1e6, {0.01, 1e6}, "No higher rate is tried.");
  set.add_double("lowest-rate", &plan.lowest, 1, {0.01, 1e6}, "No lower rate is tried.");
  set.add_strings("kept", &options.kept, "Rates that were kept.");
  set.add_strings("broken", &options.broken, "Rates that were broken.");
  set.add_check([&options, &plan]() -> std::optional<std::string> {
    const auto precision = fraction_of(options.precision);
    if (!precision || *precision < 0.01 || *precision > 0.5)
      return fmt::format("option --precision: '{}' is not 1% to 50%", options.precision);
    plan.precision = *precision;
    if (plan.lowest > plan.highest)
      return fmt::format("options --lowest-rate {} and --highest-rate {} are not in order",
                         plan.lowest, plan.highest);
    plan.rates.clear();
    if (auto wrong = read_rates("rates", {options.rates}, plan.rates)) return wrong;
    if (auto wrong = read_rates("kept", options.kept, options.kept_rates)) return wrong;
    return read_rates("broken", options.broken, options.broken_rates);
  });
}

int search_command(int argc, char** argv) {
  SearchOptions options;
  config::OptionSet set("xbind-callgen search",
                        "Prints the rate to try next, for a search whose runs another program "
                        "makes: a line of JSON with next (null: the search is over), kept and "
                        "broken.");
  declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  RateSearch search(options.plan);
  for (const double rate : options.kept_rates) search.add(rate, true);
  for (const double rate : options.broken_rates) search.add(rate, false);
  print_output(to_json(search));
  return 0;
}

}  // namespace

const Command kSearch{"search", "The next rate of a search by another program.", search_command};

}  // namespace xbind::callgen
