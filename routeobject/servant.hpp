// The CORBA servants of RouteObject and Router: they convert, call and convert back. Upcalls run
// concurrently and wait for nothing outside this process; RouteService and RemoteWatchers are
// thread-safe.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/config/reload.hpp"
#include "core/impairments/impairments.hpp"
#include "core/metrics/metric_table.hpp"
#include "exporter/reading.hpp"
#include "orb/supervised.hpp"
#include "route_object.hh"
#include "routeobject/drain_keeper.hpp"
#include "routeobject/network_keeper.hpp"
#include "routeobject/remote_watchers.hpp"
#include "routeobject/route_service.hpp"

namespace xbind {

// The operators' interface of RouteObject.
class RouteOperationsServant : public orb::Supervised<POA_xbind::v2::RouteOperations> {
 public:
  // All arguments must outlive this object.
  RouteOperationsServant(orb::Dispatch& dispatch, orb::Supervision& supervision,
                         RouteService& routes, RemoteWatchers& watchers, DrainKeeper& drains,
                         NetworkKeeper& network, config::Reloadable& options)
      : Supervised(dispatch, supervision, options),
        routes_(routes),
        watchers_(watchers),
        drains_(drains),
        network_(network) {}

  void drain(const v2::RouteElement& element, CORBA::Boolean drained) override;
  v2::LinkStateSeq* links(CORBA::ULong first, CORBA::ULong limit) override;
  v2::NetworkDifference* plan_network(const v2::NetworkEdit& edit) override;
  v2::NetworkDifference* change_network(const v2::NetworkEdit& edit,
                                        CORBA::ULongLong network_version,
                                        CORBA::Boolean force) override;
  v2::NetworkText* network_text(CORBA::ULongLong first) override;

 private:
  RouteService& routes_;
  RemoteWatchers& watchers_;
  DrainKeeper& drains_;
  NetworkKeeper& network_;
};

class RouteObjectServant : public orb::Dispatched<POA_xbind::v2::RouteObject> {
 public:
  // All arguments must outlive this object. With a pace, every query of a manager takes the paced
  // time.
  RouteObjectServant(orb::Dispatch& dispatch, RouteService& routes, RemoteWatchers& watchers,
                     v2::RouteOperations_ptr operations, Impairments* impairments = nullptr);

  v2::RouteAnswers* find_paths(const v2::RouteQuerySeq& queries) override;
  v2::RouteAnswers* find_alternates(const v2::RouteQuery& query, CORBA::ULong count) override;
  v2::ReportAnswer* report_ports(const char* switch_name, v2::Epoch incarnation,
                                 CORBA::ULongLong number, const v2::PortNewsSeq& ports) override;
  v2::TopologyState* watch(const char* watcher, v2::TopologyObserver_ptr observer) override;
  void unwatch(const char* watcher) override;
  v2::TopologyState* unusable_elements(CORBA::ULong first, CORBA::ULong limit) override;
  v2::NameSeq* switches(CORBA::ULong first, CORBA::ULong limit) override;
  v2::NameSeq* endpoints(CORBA::ULong first, CORBA::ULong limit) override;
  v2::TrafficDemandSeq* demands(CORBA::ULong first, CORBA::ULong limit) override;
  v2::RouteOperations_ptr route_operations() override;
  v2::MetricSeq* status() override;

  // What the daemon exposes over HTTP. It must not be asked after this object has ended.
  exporter::Part exposed_part();

 private:
  Metrics metrics() const;  // without those of orb/

  RouteService& routes_;
  RemoteWatchers& watchers_;
  v2::RouteOperations_var operations_;
  Impairments* const impairments_;
  std::atomic<std::uint64_t> queries_{0};
  std::atomic<std::uint64_t> invocations_{0};
};

// The metrics of its status; --print-metrics lists them.
std::vector<MetricTable> route_object_metrics();

}  // namespace xbind
