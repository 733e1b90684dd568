// Commands that change a manager's settings, or what SwitchServers store about managers.
#include <cstdio>
#include <string>
#include <vector>

#include "naming/names.hpp"
#include "switch_server.hh"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"

namespace xbind::ctl {
namespace {

int forget_at(orb::NameClient& names, const std::string& path, const std::string& manager) {
  const auto object = names.resolve(path);
  if (!object) return explain(object.error().text);
  const v2::SwitchServer_var server = v2::SwitchServer::_unchecked_narrow(*object);
  return guarded(
      path, server,
      [&] {
        const v2::SwitchOperations_var operations = server->switch_operations();
        const CORBA::ULong hops = operations->forget_manager(manager.c_str());
        say(fmt::format("{}: manager '{}' is forgotten, {} {}", path, manager, counted(hops, "hop"),
                        hops == 1 ? "stays" : "stay"));
        return 0;
      },
      [&](const v2::BadRequest& refused) {
        return explain(fmt::format("{}: {}", path, refused.reason.in()));
      });
}

}  // namespace

std::string name_of_mode(CORBA::Octet mode) {
  switch (mode) {
    case v2::aggregation_fixed: return "fixed";
    case v2::aggregation_regions: return "regions";
    case v2::aggregation_adaptive: return "adaptive";
    default: return fmt::format("kind {}", mode);
  }
}

int aggregation(const client::TwoWay& manager, const std::optional<AggregationChange>& change) {
  auto settings = manager.aggregation();
  if (settings && change) {
    settings->mode = change->mode;
    if (change->threshold) settings->threshold = *change->threshold;
    if (change->flush_timeout_ms) settings->flush_timeout_ms = *change->flush_timeout_ms;
    settings = manager.set_aggregation(*settings);
  }
  if (!settings) return explain(settings.error().text);
  say(fmt::format("mode {}, threshold {}, flush timeout {} ms", name_of_mode(settings->mode),
                  settings->threshold, settings->flush_timeout_ms));
  return 0;
}

int prepare(const client::TwoWay& manager, const std::string& from, const std::string& to,
            const ServiceSpec& service, std::uint32_t count) {
  const auto prepared = manager.prepare(from, to, service, count);
  if (!prepared) return explain(prepared.error().text);
  say(fmt::format("{} -> {}: {} will be kept ready; `xbindctl caches` shows how many are", from, to,
                  counted(count, "connection")));
  return 0;
}

int forget_manager(orb::NameClient& names, const std::string& switch_name,
                   const std::string& manager) {
  std::vector<std::string> paths{naming::path_of(naming::kSwitchServers, switch_name)};
  if (switch_name == "all") {
    const std::string context = std::string{naming::kRoot} + "/" + naming::kSwitchServers;
    auto bound = names.list(context);
    if (!bound) return explain(bound.error().text);
    if (bound->empty()) return explain(fmt::format("no SwitchServer is bound below {}", context));
    paths = std::move(*bound);
  }
  int exit_code = 0;
  for (const std::string& path : paths) {
    if (forget_at(names, path, manager) != 0) exit_code = 1;
  }
  return exit_code;
}

}  // namespace xbind::ctl
