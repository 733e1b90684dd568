// A report as one page that opens from a file without a network: what was offered and what came of it, in
// tables and pictures.
#pragma once

#include <string>
#include <vector>

#include "callgen/page/page.hpp"
#include "callgen/plot/plot.hpp"
#include "callgen/report/report.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

struct NamedPlot {
  std::string name;  // "percentiles": fit for a file name
  plot::Plot plot;
  std::string caption;
};
// Those that there are figures for.
std::vector<NamedPlot> report_plots(const RunReport& report);

// The whole page. kSystem: gnuplot has failed (check_gnuplot() before the run tells whether it is there).
Result<std::string> report_page(const RunReport& report, const std::string& title);
// The same on a page that others have begun.
Result<void> add_report(const RunReport& report, page::Page& page);

}  // namespace xbind::callgen
