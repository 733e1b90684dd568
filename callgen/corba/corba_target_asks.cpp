// CorbaTarget's queries before and after a run: counters, audits, and managers that never answered.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "callgen/corba/corba_target.hpp"
#include "callgen/timers.hpp"
#include "client/corba/two_way.hpp"
#include "core/log.hpp"
#include "naming/names.hpp"
#include "orb/remote_error.hpp"
#include "switch_server.hh"

namespace xbind::callgen {
namespace {

constexpr auto kSwitchStatusTimeoutMs =
    static_cast<CORBA::ULong>(kCallgenTimers.ms("switch-status").count());

Metrics to_core(const v2::MetricSeq& metrics) {
  Metrics out;
  for (CORBA::ULong i = 0; i < metrics.length(); ++i) {
    out[metrics[i].name.in()] = metrics[i].value;
  }
  return out;
}

}  // namespace

Result<std::vector<Metrics>> CorbaTarget::statuses() {
  std::vector<Metrics> statuses;
  for (const auto& manager : managers_) {
    const v2::ConnectionManager_var object = object_of(*manager);
    auto status = orb::remote(manager->peer, object, [&] {
      const v2::MetricSeq_var metrics = object->status();
      return to_core(metrics.in());
    });
    if (!status) return tl::make_unexpected(status.error());
    statuses.push_back(std::move(*status));
  }
  return statuses;
}

std::map<std::string, Metrics> CorbaTarget::switch_statuses() {
  std::map<std::string, Metrics> statuses;
  const auto paths = names_.list(std::string{naming::kRoot} + "/" + naming::kSwitchServers);
  if (!paths) {
    log::warn("{}", paths.error().text);
    return statuses;
  }
  for (const std::string& path : *paths) {
    const auto object = names_.resolve(path);
    if (!object) continue;
    const v2::SwitchServer_var server = v2::SwitchServer::_unchecked_narrow(*object);
    omniORB::setClientCallTimeout(server, kSwitchStatusTimeoutMs);
    auto status = orb::remote(path, server, [&] {
      const v2::MetricSeq_var metrics = server->status();
      return to_core(metrics.in());
    });
    if (status) {
      statuses.emplace(path, std::move(*status));
    } else {
      log::info("{}", status.error().text);
    }
  }
  return statuses;
}

faults::FaultCounters CorbaTarget::own_faults() {
  return within([this] { return outbox_.counters(); });
}

v2::ConnectionManager_var CorbaTarget::object_of(const Manager& manager) {
  return within([&manager] { return manager.object; });
}

Reattached CorbaTarget::reattached() {
  return within([this] {
    Reattached sum;
    for (const auto& manager : managers_) {
      const client::Requester::Counters& counters = manager->requester.counters();
      sum.sessions_lost += counters.sessions_lost;
      sum.sessions_opened += counters.attached - std::min<std::uint64_t>(counters.attached, 1);
      sum.requests_repeated += counters.repeated;
    }
    return sum;
  });
}

std::map<std::string, Result<RemoteAudit>> CorbaTarget::audits() {
  std::map<std::string, Result<RemoteAudit>> audits;
  for (const auto& manager : managers_) audits.emplace(manager->name, audit(*manager));
  return audits;
}

Result<RemoteAudit> CorbaTarget::audit(const Manager& manager) {
  const auto asked = client::TwoWay(object_of(manager), manager.peer).audit();
  if (!asked) return tl::make_unexpected(asked.error());
  RemoteAudit audit{asked->totals, {}, asked->connections};
  for (const Finding& finding : asked->findings) {
    audit.findings.push_back(
        fmt::format("{} at {}: {}", to_string(finding.kind), finding.element, finding.text));
  }
  return audit;
}

std::map<std::string, std::string> CorbaTarget::unheard() {
  return within([this] {
    std::map<std::string, std::string> silent;
    for (const auto& manager : managers_) {
      if (!is_unheard(*manager)) continue;
      silent[manager->name] = orb::address_of(manager->observer.reference());
    }
    return silent;
  });
}

}  // namespace xbind::callgen
