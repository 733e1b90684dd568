// A report as one page that opens from a file without a network: the offered load and its results,
// in tables and pictures.
#pragma once

#include <string>
#include <vector>

#include "bench/page/page.hpp"
#include "bench/plot/plot.hpp"
#include "callgen/report/report.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

struct NamedPlot {
  std::string name;  // "percentiles": usable in a file name
  plot::Plot plot;
  std::string caption;
};
// The plots for which the report has figures.
std::vector<NamedPlot> report_plots(const RunReport& report);

// The whole page. kSystem: gnuplot failed (call check_gnuplot() before the run to see whether it is
// installed).
Result<std::string> report_page(const RunReport& report, const std::string& title);
// Adds the same content to an existing page.
Result<void> add_report(const RunReport& report, page::Page& page);

}  // namespace xbind::callgen
