// Commands that change a manager's settings.
#include <string>

#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"

namespace xbind::ctl {

std::string name_of_mode(CORBA::Octet mode) {
  switch (mode) {
    case v2::aggregation_fixed: return "fixed";
    case v2::aggregation_regions: return "regions";
    case v2::aggregation_adaptive: return "adaptive";
    default: return fmt::format("kind {}", mode);
  }
}

Result<v2::Aggregation> aggregation_after(const client::TwoWay& manager,
                                          const std::optional<AggregationChange>& change) {
  auto settings = manager.aggregation();
  if (!settings || !change) return settings;
  settings->mode = change->mode;
  if (change->threshold) settings->threshold = *change->threshold;
  if (change->flush_timeout_ms) settings->flush_timeout_ms = *change->flush_timeout_ms;
  return manager.set_aggregation(*settings);
}

int aggregation(const client::TwoWay& manager, const std::optional<AggregationChange>& change) {
  const auto settings = aggregation_after(manager, change);
  if (!settings) return explain(settings.error());
  say(fmt::format("mode {}, threshold {}, flush timeout {} ms", name_of_mode(settings->mode),
                  settings->threshold, settings->flush_timeout_ms));
  return 0;
}

int prepare(const client::TwoWay& manager, const std::string& from, const std::string& to,
            const ServiceSpec& service, std::uint32_t count) {
  const auto prepared = manager.prepare(from, to, service, count);
  if (!prepared) return explain(prepared.error());
  // The manager sets them up afterwards, and as many as fit.
  say(count == 0 ? fmt::format("{} -> {}: no connection is kept ready any more", from, to)
                 : fmt::format("{} -> {}: up to {} will be kept ready, as many as fit; `xbindctl "
                               "caches` shows how many are ready",
                               from, to, counted(count, "connection")));
  return 0;
}

}  // namespace xbind::ctl
