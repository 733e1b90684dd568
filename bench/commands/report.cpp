// xbind-callgen report DIR: makes the files of a run's folder again from its run.json.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "bench/commands/commands.hpp"
#include "bench/forms/output_options.hpp"
#include "bench/forms/report_file.hpp"
#include "bench/plot/plot.hpp"
#include "core/config/options.hpp"
#include "core/output.hpp"

namespace xbind::callgen {
namespace {

int report_command(int argc, char** argv) {
  std::vector<std::string> folders;
  bool quiet = false;
  config::OptionSet set("xbind-callgen report",
                        "Regenerates the page, the summary and the tables of a folder of run --out "
                        "from its run.json; nothing is run.");
  set.take_arguments("DIR", &folders, 1, 1);
  set.add_flag("quiet", &quiet, "Print no summary.");
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  const std::string& folder = folders.front();

  const std::string file = folder + "/run.json";
  const auto report = read_report(file);
  if (!report) return refuse("report", report.error().text);
  if (const auto gnuplot = plot::check_gnuplot(); !gnuplot)
    return refuse("report", gnuplot.error().text);
  // run.json itself stays unchanged.
  if (const auto written = write_renderings(folder, *report); !written) {
    std::fprintf(stderr, "xbind-callgen: %s\n", written.error().text.c_str());
    return 1;
  }
  if (!quiet) print_output(to_text(*report));
  return exit_code(judge(*report));
}

}  // namespace

const Command kReport{"report", "Regenerates the page and tables of a run from its run.json.",
                      report_command};

}  // namespace xbind::callgen
