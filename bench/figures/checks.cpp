#include "bench/figures/checks.hpp"

namespace xbind::figures {

std::vector<CheckPoint> check_points(const Bench& bench) {
  const Scale& scale = bench.scale();
  constexpr std::uint64_t kQuick = 300;
  constexpr std::uint64_t kFull = 600;  // in real time, two minutes at 5 calls/s
  const auto at = [&](std::string name, const System& system, double rate) {
    return CheckPoint{std::move(name), bench.point(system, rate, kQuick, kFull)};
  };
  return {at("Fig. 6: sequential, 5 calls/s", baseline_system(scale, Engine::kSequential), 5),
          at("Fig. 6: xbind T=1, 5 calls/s", xbind_system(scale, 1), 5),
          at("Fig. 6 and 10: xbind T=1, 30 calls/s", xbind_system(scale, 1), 30),
          at("Fig. 7 and 10: xbind T=10, 100 calls/s", xbind_system(scale, 10), 100)};
}

Result<std::vector<Check>> run_checks(Bench& bench, PointSource& second,
                                      const Bench::Progress& progress) {
  std::vector<Check> checks;
  for (const CheckPoint& each : check_points(bench)) {
    const auto first = bench.measure("check", each.point);
    if (!first) return tl::make_unexpected(first.error());
    if (progress) progress(fmt::format("check: {}, {}", each.name, second.name()));
    auto again = second.measure(each.point);
    Check check{each.name, second.name(), *first, {}, {}};
    if (again) {
      check.second = std::move(*again);
    } else {
      check.error = again.error().text;
    }
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace xbind::figures
