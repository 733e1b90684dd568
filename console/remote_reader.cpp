#include "console/remote_reader.hpp"

#include <fmt/format.h>
#include <omniORB4/omniORB.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "client/corba/two_way.hpp"
#include "console/remote_failure.hpp"
#include "console/timers.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"
#include "naming/names.hpp"
#include "orb/process.hpp"
#include "xbindctl/documents.hpp"
#include "xbindctl/network.hpp"

namespace xbind::console {
namespace {

constexpr CORBA::ULong kNamesPage = 1'000;
constexpr auto kAnswer = kConsoleTimers.ms("daemon-answer").count();

template <class Interface>
typename Interface::_var_type narrowed(const Daemon& daemon) {
  typename Interface::_var_type object = Interface::_unchecked_narrow(daemon.object);
  omniORB::setClientCallTimeout(object, static_cast<CORBA::ULong>(kAnswer));
  return object;
}

std::uint64_t value_of(const Metrics& metrics, std::string_view name) {
  const auto found = std::ranges::find(metrics, name, &Metrics::value_type::first);
  return found == metrics.end() ? 0 : found->second;
}

std::uint64_t micros(Duration duration) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(duration).count());
}

// The mean of an operation's whole time in milliseconds; null: there was none.
ctl::Json total_ms(const ctl::TopFigures& figures, std::string_view operation) {
  for (const ctl::TopFigures::Stage& stage : figures.stages) {
    if (stage.operation == operation && stage.stage == "total") return stage.mean_us / 1e3;
  }
  return nullptr;
}

ctl::Json sample_of(const ctl::TopFigures& figures, const Metrics& metrics,
                    std::uint64_t labels_wanted) {
  ctl::Json sample{
      {"at_ms", std::chrono::duration_cast<std::chrono::milliseconds>(orb::since_1970()).count()},
      {"connections", figures.connections}};
  for (const ctl::TopFigures::Rate& rate : figures.rates) {
    sample[rate.name + "_per_s"] = rate.per_s;
  }
  sample["setup_ms"] = total_ms(figures, "setup");
  sample["release_ms"] = total_ms(figures, "release");
  sample["threshold"] = value_of(metrics, "threshold");
  sample["operations_per_s"] = value_of(metrics, "operations_per_s");
  sample["labels_cached"] = value_of(metrics, "labels_cached");
  sample["labels_wanted"] = labels_wanted;
  sample["label_hits"] = figures.label_hits ? ctl::Json(*figures.label_hits) : ctl::Json(nullptr);
  return sample;
}

std::string key_of(const ctl::Json& end) {
  return fmt::format("{}:{}", end["switch"].get<std::string>(), end["port"].get<std::uint32_t>());
}

std::set<std::string> endpoints_of(v2::RouteObject_ptr route_object) {
  std::set<std::string> names;
  for (CORBA::ULong first = 0;;) {
    const v2::NameSeq_var page = route_object->endpoints(first, kNamesPage);
    if (page->length() == 0) return names;
    for (CORBA::ULong i = 0; i < page->length(); ++i) names.insert(printable(page.in()[i].in()));
    first += page->length();
  }
}

Rows rows_of_links(const ctl::Json& document) {
  Rows rows;
  for (const ctl::Json& link : document["links"]) {
    ctl::Json row{{"link", key_of(link["end"])}};
    row.update(link);
    row.erase("report_age_ms");  // would change with every reading
    rows.emplace(key_of(link["end"]), text_of(row));
  }
  return rows;
}

Rows rows_of_switches(const std::vector<std::string>& switches,
                      const std::set<std::string>& endpoints, const ctl::Json& document) {
  std::set<std::string> unknown;
  for (const ctl::Json& one : document["unknown_switches"]) {
    unknown.insert(one["switch"].get<std::string>());
  }
  Rows rows;
  for (const std::string& name : switches) {
    rows.emplace(name, text_of({{"switch", name},
                                {"endpoint", endpoints.contains(name)},
                                {"unknown", unknown.contains(name)}}));
  }
  return rows;
}

}  // namespace

ctl::PeerKind kind_of(const std::string& kind) {
  if (kind == naming::kConnectionManagers) return ctl::PeerKind::kManager;
  if (kind == naming::kSwitchServers) return ctl::PeerKind::kSwitchServer;
  if (kind == naming::kRouteObjects) return ctl::PeerKind::kRouteObject;
  if (kind == naming::kQosMappers) return ctl::PeerKind::kQosMapper;
  return ctl::PeerKind::kNone;
}

ctl::Peer peer_of(const Daemon& daemon) {
  return {kind_of(daemon.kind), daemon.path, daemon.address};
}

ctl::OrFailure<DaemonStatus> RemoteReader::read(const Daemon& daemon) {
  auto status = read_state(daemon);
  if (!status) return status;
  if (auto failure = events_.read(daemon)) return tl::make_unexpected(std::move(*failure));
  return status;
}

ctl::OrFailure<DaemonStatus> RemoteReader::read_state(const Daemon& daemon) {
  if (daemon.kind == naming::kConnectionManagers) {
    auto status = read_manager(daemon);
    if (!status) calls_.fail(daemon.name, status.error());
    return status;
  }
  auto status = read_status(daemon);
  if (!status || daemon.kind != naming::kRouteObjects) return status;
  if (auto failure = read_network(daemon)) return tl::make_unexpected(std::move(*failure));
  return status;
}

void RemoteReader::forget(const Daemon& daemon) {
  for (const char* section : {"managers", "caches", "switches", "links"}) {
    board_.publish(section, daemon.path, {});
  }
  events_.forget(daemon);
  if (daemon.kind != naming::kConnectionManagers) return;
  calls_.forget(daemon.name);
  board_.publish("calls", daemon.name, {});
  const std::lock_guard lock(mutex_);
  before_.erase(daemon.path);
}

ctl::OrFailure<DaemonStatus> RemoteReader::read_status(const Daemon& daemon) {
  const v2::Monitored_var monitored = narrowed<v2::Monitored>(daemon);
  const ctl::Peer peer = peer_of(daemon);
  return ctl::call_peer(peer, monitored, [&]() -> ctl::OrFailure<DaemonStatus> {
    const TimePoint begun = steady_now();
    const v2::MetricSeq_var rows = monitored->status();
    DaemonStatus status{micros(steady_now() - begun), 0};
    for (CORBA::ULong i = 0; i < rows->length(); ++i) {
      if (std::string_view{rows.in()[i].name.in()} == "rss_kib") {
        status.rss_kib = rows.in()[i].value;
      }
    }
    return status;
  });
}

ctl::OrFailure<DaemonStatus> RemoteReader::read_manager(const Daemon& daemon) {
  const v2::ConnectionManager_var object = narrowed<v2::ConnectionManager>(daemon);
  const client::TwoWay manager(object, daemon.path);
  ctl::TopReading now;
  const TimePoint begun = steady_now();
  auto metrics = manager.status();
  if (!metrics) return ctl::failed(metrics.error(), peer_of(daemon));
  now.at = steady_now();
  now.metrics = std::move(*metrics);
  const DaemonStatus status{micros(now.at - begun), value_of(now.metrics, "rss_kib")};
  const ctl::DocumentOrFailure settings = ctl::aggregation_document(manager, std::nullopt);
  if (!settings) return tl::make_unexpected(settings.error());
  const ctl::DocumentOrFailure caches = ctl::caches_document(manager);
  if (!caches) return tl::make_unexpected(caches.error());
  publish_manager(daemon, now, settings->body, caches->body["caches"]);
  if (calls_.wanted(daemon.name)) {
    if (auto failure = calls_.read(daemon.name, manager)) {
      return tl::make_unexpected(std::move(*failure));
    }
  }
  return status;
}

void RemoteReader::publish_manager(const Daemon& daemon, const ctl::TopReading& now,
                                   const ctl::Json& settings, const ctl::Json& caches) {
  Rows rows;
  std::uint64_t wanted = 0;
  for (const ctl::Json& cache : caches) {
    const auto kind = cache["cache"].get<std::string>();
    if (kind == "labels") wanted += cache["wanted"].get<std::uint64_t>();
    ctl::Json row{{"manager", daemon.name}};
    row.update(cache);
    row.erase("age_ms");  // would change with every reading
    rows.emplace(fmt::format("{}/{}/{}", daemon.name, kind, cache["element"].get<std::string>()),
                 text_of(row));
  }
  board_.publish("caches", daemon.path, std::move(rows));

  ctl::TopReading before;
  {
    const std::lock_guard lock(mutex_);
    ctl::TopReading& last = before_[daemon.path];
    before = std::exchange(last, now);
  }
  if (before.metrics.empty()) return;  // there is no rate yet
  const ctl::TopFigures figures = ctl::top_figures(before, now);
  ctl::Json sample = sample_of(figures, now.metrics, wanted);
  board_.add_sample(daemon.name, text_of(sample));
  board_.publish("managers", daemon.path,
                 {{daemon.name, text_of({{"manager", daemon.name},
                                         {"settings", settings},
                                         {"figures", ctl::json_of(figures)},
                                         {"sample", std::move(sample)}})}});
}

std::optional<ctl::Failure> RemoteReader::read_network(const Daemon& daemon) {
  const v2::RouteObject_var route_object = narrowed<v2::RouteObject>(daemon);
  const ctl::DocumentOrFailure links = ctl::links_document(route_object);
  if (!links) return links.error();
  const auto read = ctl::call_peer(peer_of(daemon), route_object, [&]() -> ctl::OrFailure<bool> {
    std::vector<std::string> switches;
    ctl::for_each_switch(route_object,
                         [&](const std::string& name) { switches.push_back(printable(name)); });
    board_.publish("switches", daemon.path,
                   rows_of_switches(switches, endpoints_of(route_object), links->body));
    return true;
  });
  if (!read) return read.error();
  board_.publish("links", daemon.path, rows_of_links(links->body));
  return std::nullopt;
}

}  // namespace xbind::console
