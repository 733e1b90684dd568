// Points from the performance model (bench/model): the real manager and SwitchServers on virtual
// time, on the hosts of the paper.
#pragma once

#include <string>

#include "bench/figures/point_source.hpp"
#include "bench/model/paper.hpp"

namespace xbind::figures {

class ModelSource final : public PointSource {
 public:
  explicit ModelSource(model::PaperHosts hosts = model::paper_hosts()) : hosts_(hosts) {}

  std::string name() const override { return "model of the paper's hosts"; }
  // kBadInput: a number that the model cannot take; no other error.
  Result<Shown> measure(const Point& point) override;

 private:
  model::PaperHosts hosts_;
};

// The plan that ModelSource runs for a point.
model::PointPlan plan_of(const Point& point, const model::PaperHosts& hosts);

}  // namespace xbind::figures
