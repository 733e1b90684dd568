// Points from real processes: a lab of deploy/lab for the System, and `xbind-callgen run` for the Load,
// each a process of its own. The lab stays for the next point, if that is of the same system or differs
// in nothing but the aggregation, which is switched while it is up; it is ended when a point has failed,
// when the audit has found something, and with the source.
//
// While a source exists, SIGINT, SIGTERM and SIGHUP end what it is doing, and every later point is refused
// (processes/interrupts.hpp); the lab is ended with the source. One source at a time, one thread.
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
  // A sentence that whoever reads the figures should know: a point that is void, a lab begun anew.
  using Note = std::function<void(const std::string&)>;

  // `places.directory` exists and is for this source alone.
  ProcessSource(Places places, Pacing pacing, RunChild run_child, Note note);
  ~ProcessSource() override;
  ProcessSource(const ProcessSource&) = delete;
  ProcessSource& operator=(const ProcessSource&) = delete;

  std::string name() const override;
  // Errors: kBadInput for a point that no lab can be made for, those of run_child(), and kSystem when a
  // program has refused, with what it said.
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
  std::string deploy;  // the folder deploy/; empty: beside the folder of this program's build
  Pacing pacing;       // off by default: as fast as this machine is
};
// A source with a directory of its own below TMPDIR or /tmp, which goes with it; notes go to standard error.
// kNotFound: there is no deploy/lab, or no daemon where this program is; the error names what was looked
// for.
Result<std::unique_ptr<PointSource>> make_process_source(const ProcessOptions& options);

}  // namespace xbind::figures
