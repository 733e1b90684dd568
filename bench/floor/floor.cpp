#include "bench/floor/floor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "bench/floor/processors.hpp"
#include "callgen/corba/corba_target.hpp"
#include "callgen/timers.hpp"
#include "core/duration_numbers.hpp"
#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "orb/process.hpp"
#include "orb/remote_error.hpp"

namespace xbind::callgen::null {
namespace {

constexpr Duration kStartPatience = kCallgenTimers["null-start"];

AuditReport report_of(const RemoteAudit& audit) {
  AuditReport report;
  report.made = true;
  report.clean = audit.totals.clean;
  report.owed = audit.totals.owed;
  report.findings = audit.findings;
  return report;
}

}  // namespace

// ===== processes =================================================================================

Result<std::unique_ptr<Floor>> Floor::start(const FloorSetup& setup, orb::Runtime& runtime) {
  std::unique_ptr<Floor> floor{new Floor(setup, runtime)};
  floor->processors_ = processors();
  std::vector<std::string> references;
  for (std::uint32_t i = 0; i < setup.switches; ++i) {
    auto child = OwnChild::start({"null-switch", "--listen-address", setup.listen_address});
    if (!child) return tl::make_unexpected(child.error());
    floor->switches_.push_back(std::move(*child));
  }
  for (OwnChild& child : floor->switches_) {
    auto reference = child.line(kStartPatience);
    if (!reference) return tl::make_unexpected(reference.error());
    references.push_back(std::move(*reference));
  }
  const Gathering& gathering = setup.gathering;
  std::vector<std::string> words{"null-manager", "--listen-address", setup.listen_address,
                                 "--switches", fmt::format("{}", setup.switches)};
  if (gathering.adaptive) {
    words.insert(words.end(),
                 {"--adaptive", "--in-flight", fmt::format("{}", gathering.in_flight)});
  } else {
    const double flush_ms =
        std::chrono::duration<double, std::milli>(gathering.flush_timeout).count();
    words.insert(words.end(), {"--threshold", fmt::format("{}", gathering.threshold),
                               "--flush-timeout-ms", fmt::format("{}", flush_ms)});
  }
  auto manager = OwnChild::start(words);
  if (!manager) return tl::make_unexpected(manager.error());
  floor->manager_.emplace(std::move(*manager));
  for (const std::string& reference : references) {
    if (auto written = floor->manager_->tell(reference); !written) {
      return tl::make_unexpected(written.error());
    }
  }
  const auto reference = floor->manager_->line(kStartPatience);
  if (!reference) return tl::make_unexpected(reference.error());
  const auto known = orb::remote("the null manager", [&] {
    floor->object_ = runtime.orb()->string_to_object(reference->c_str());
  });
  if (!known) return tl::make_unexpected(known.error());
  return floor;
}

Floor::~Floor() {
  if (manager_) manager_->end();  // first, because it talks to the switches
  for (OwnChild& child : switches_) child.end();
}

Duration Floor::cpu_of_switches() const {
  Duration sum{};
  for (const OwnChild& child : switches_) sum += cpu_time(child.pid());
  return sum;
}

// ===== measurements ==============================================================================

Result<Pings> Floor::orb_pings() {
  return process_pings(manager_->pid(), [this]() -> Result<void> {
    return orb::remote("the null manager", [this] { object_->_non_existent(); });
  });
}

template <class Play>
Result<void> Floor::with_client(Play&& play) {
  if (setup_.apart && processors_.size() > 1) {
    const std::vector<int> others(processors_.begin() + 1, processors_.end());
    if (auto bound = bind_process(manager_->pid(), others); !bound) return bound;
    for (const OwnChild& child : switches_) {
      if (auto bound = bind_process(child.pid(), others); !bound) return bound;
    }
    if (auto bound = bind_process(getpid(), {processors_.front()}); !bound) return bound;
  }
  const auto done = [&]() -> Result<void> {
    CorbaTarget target(runtime_, "", {});
    const std::string client = fmt::format("floor-{}-{}", getpid(), ++clients_);
    if (auto attached = target.attach_to("null", object_, client); !attached) return attached;
    const TimePoint begun = steady_now();
    const Cost before{{}, own_cpu_time(), cpu_time(manager_->pid()), cpu_of_switches()};
    if (auto played = play(target); !played) return played;
    cost_ = {steady_now() - begun, own_cpu_time() - before.generator,
             cpu_time(manager_->pid()) - before.manager, cpu_of_switches() - before.switches};
    target.detach();
    return {};
  }();
  if (setup_.apart && processors_.size() > 1) {
    if (const auto bound = bind_process(getpid(), processors_); !bound) {
      log::warn("{}", bound.error().text);
    }
  }
  return done;
}

Result<RunReport> Floor::offer(const RunPlan& plan, Workload workload) {
  RunReport report;
  const auto done = with_client([&](CorbaTarget& target) -> Result<void> {
    const auto before = target.statuses();
    if (!before) return tl::make_unexpected(before.error());
    const RunFigures figures = target.run(plan, std::move(workload), nullptr, Duration::zero(), {});
    report = callgen::report_of(plan, figures);
    const auto after = target.statuses();
    if (!after) return tl::make_unexpected(after.error());
    fill_from_managers(*before, *after, report);
    for (const auto& [manager, audit] : target.audits()) {
      report.audits[manager] = audit ? report_of(*audit) : AuditReport{};
    }
    report.audit = sum_of(report.audits);
    return {};
  });
  if (!done) return tl::make_unexpected(done.error());
  report.engine = "null";
  report.threshold = setup_.gathering.adaptive ? 1 : setup_.gathering.threshold;
  report.rss_mb["xbind-callgen"] = static_cast<double>(orb::own_resident_kib()) / 1024;
  if (const auto kib = orb::resident_kib(manager_->pid()))
    report.rss_mb["null-manager"] = static_cast<double>(*kib) / 1024;
  return report;
}

Result<LoopFigures> Floor::loop(const LoopPlan& plan, Workload workload) {
  ClosedLoop loop(plan, std::move(workload));
  const auto done = with_client([&](CorbaTarget& target) -> Result<void> {
    target.play(loop);
    return {};
  });
  if (!done) return tl::make_unexpected(done.error());
  if (loop.figures().target_lost) return fail(ErrorCode::kUnreachable, "the null manager was lost");
  return loop.figures();
}

// ===== figures ===================================================================================

void add_pings(const std::string& what, const Pings& pings, FloorFigures& figures) {
  const auto add = [&](const char* where, const Histogram& seen) {
    if (seen.count() == 0) return;
    figures[fmt::format("{}{}_p50_us", what, where)] = in_us(seen.percentile(50));
    figures[fmt::format("{}{}_p99_us", what, where)] = in_us(seen.percentile(99));
  };
  add("", pings.as_scheduled);
  add("_same_processor", pings.same_processor);
  add("_other_processor", pings.other_processor);
}

void add_cost(const std::string& of, const Cost& cost, double calls, FloorFigures& figures) {
  if (calls <= 0 || cost.wall <= Duration::zero()) return;
  figures[of + "generator_cpu_us_per_call"] = in_us(cost.generator) / calls;
  figures[of + "generator_processors"] = in_us(cost.generator) / in_us(cost.wall);
  figures[of + "manager_cpu_us_per_call"] = in_us(cost.manager) / calls;
  figures[of + "switches_cpu_us_per_call"] = in_us(cost.switches) / calls;
}

void add_latencies(const RunReport& report, FloorFigures& figures) {
  figures["calls_per_s"] = report.sent_setups_per_s;
  figures["setup_p50_us"] = report.setup_latency.p50;
  figures["setup_p99_us"] = report.setup_latency.p99;
  figures["setup_p999_us"] = report.setup_latency.p999;
  figures["release_p50_us"] = report.release_latency.p50;
  figures["release_p99_us"] = report.release_latency.p99;
  figures["slip_p99_us"] = report.generator_slip.p99;
}

void add_ceiling(const LoopPlan& plan, const LoopFigures& loop, FloorFigures& figures) {
  figures["ceiling_operations_per_s"] = loop.operations_per_s();
  figures["ceiling_in_flight"] = static_cast<double>(plan.in_flight);
  figures["ceiling_latency_p50_us"] = in_us(loop.latency.percentile(50));
  figures["ceiling_latency_p99_us"] = in_us(loop.latency.percentile(99));
  figures["ceiling_refused"] = static_cast<double>(loop.refused);
  figures["ceiling_unanswered"] = static_cast<double>(loop.unanswered);
}

}  // namespace xbind::callgen::null
