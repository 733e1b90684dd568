// Commands that change how a manager works, or what SwitchServers know of managers.
#include <cstdio>
#include <string>
#include <vector>

#include "naming/names.hpp"
#include "orb/convert.hpp"
#include "switch_server.hh"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"

namespace xbind::ctl {
namespace {

constexpr const char* kManager = "the manager";

int forget_at(orb::NameClient& names, const std::string& path, const std::string& manager) {
  const auto object = names.resolve(path);
  if (!object) return explain(object.error().text);
  const v2::SwitchServer_var server = v2::SwitchServer::_unchecked_narrow(*object);
  return guarded(path, server, [&] {
    try {
      const CORBA::ULong hops = v2::SwitchOperations_var {
        server->switch_operations()
        } -> forget_manager(manager.c_str());
      say(fmt::format("{}: manager '{}' is forgotten, {} {}", path, manager, counted(hops, "hop"),
                      hops == 1 ? "stays" : "stay"));
      return 0;
    } catch (const v2::BadRequest& refused) {
      return explain(fmt::format("{}: {}", path, refused.reason.in()));
    }
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

int aggregation(v2::ConnectionManager_ptr manager, const std::optional<AggregationChange>& change) {
  return guarded(kManager, manager, [&] {
    const v2::ManagerOperations_var operations = manager->manager_operations();
    v2::Aggregation settings = operations->aggregation_now();
    if (change) {
      settings.mode = change->mode;
      if (change->threshold) settings.threshold = *change->threshold;
      if (change->flush_timeout_ms) settings.flush_timeout_ms = *change->flush_timeout_ms;
      operations->set_aggregation(settings);
      settings = operations->aggregation_now();
    }
    say(fmt::format("mode {}, threshold {}, flush timeout {} ms", name_of_mode(settings.mode),
                    settings.threshold, settings.flush_timeout_ms));
    return 0;
  });
}

int prepare(v2::ConnectionManager_ptr manager, const std::string& from, const std::string& to,
            const ServiceSpec& service, std::uint32_t count) {
  return guarded(kManager, manager, [&] {
    const v2::ManagerOperations_var operations = manager->manager_operations();
    operations->prepare(from.c_str(), to.c_str(), orb::to_idl(service), count);
    say(
        fmt::format("{} -> {}: {} connection{} will be kept ready; `xbindctl caches` shows how "
                    "many are",
                    from, to, count, count == 1 ? "" : "s"));
    return 0;
  });
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
