// Points from real processes: a lab of deploy/lab for the System, and `xbind-callgen run` for the
// Load, each a process of its own. The lab stays up for the next point if that has the same system
// or differs only in the aggregation, which is switched at run time. The lab ends when a point has
// failed, when the audit has found something, and with the source.
//
// While a source exists, SIGINT, SIGTERM and SIGHUP end its current work, and every later point is
// refused (processes/interrupts.hpp); the lab ends with the source. One source at a time, one
// thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bench/figures/point_source.hpp"
#include "bench/figures/process_plan.hpp"
#include "bench/processes/child_process.hpp"

namespace xbind::figures {

class ProcessSource final : public PointSource {
 public:
  using RunChild = std::function<Result<callgen::ChildEnd>(const callgen::ChildPlan&)>;
  // A remark for the reader of the figures: a point that is void, a lab that was restarted.
  using Note = std::function<void(const std::string&)>;

  // `places.directory` must exist; this source uses it alone.
  ProcessSource(Places places, Pacing pacing, RunChild run_child, Note note);
  ~ProcessSource() override;
  ProcessSource(const ProcessSource&) = delete;
  ProcessSource& operator=(const ProcessSource&) = delete;

  std::string name() const override;
  // Errors: kBadInput for a point that needs an impossible lab, those of run_child(), and kSystem,
  // with the message of the program that failed.
  Result<Shown> measure(const Point& point) override;

 private:
  Result<void> provide(const System& system);
  Result<void> start_lab(const System& system);
  Result<void> end_lab();
  Result<Shown> offer(const Point& point);
  Result<callgen::ChildEnd> run_in_lab(const Words& command, Duration timeout);

  Places places_;
  Pacing pacing_;
  RunChild run_child_;
  Note note_;
  std::optional<System> up_;
  std::map<std::string, std::string> environment_;  // in which programs find the lab
};

struct ProcessOptions {
  std::string deploy;  // the folder deploy/; empty: the one beside this program's build folder
  Pacing pacing;       // off by default: full speed of this machine
};
// A source with its own directory below TMPDIR or /tmp, which is removed with it; notes go to
// standard error. kNotFound: no deploy/lab, or no daemon beside this program; the error names the
// path.
Result<std::unique_ptr<PointSource>> make_process_source(const ProcessOptions& options);

}  // namespace xbind::figures
