// The CORBA face of RouteObject and Router: convert, call, convert. Upcalls run beside each other and wait
// for nobody outside this process; RouteService and RemoteWatchers are thread-safe.
#pragma once

#include <atomic>

#include "core/pace.hpp"
#include "orb/dispatch.hpp"
#include "route_object.hh"
#include "routeobject/drain_keeper.hpp"
#include "routeobject/remote_watchers.hpp"
#include "routeobject/route_service.hpp"

namespace xbind {

class RouteObjectServant : public orb::Dispatched<POA_xbind::v1::RouteObject> {
 public:
  // All must outlive this. With `pace`, every question of a manager costs what it says.
  RouteObjectServant(orb::Dispatch& dispatch, RouteService& routes, RemoteWatchers& watchers,
                     DrainKeeper& drains, Pace* pace = nullptr)
      : Dispatched(dispatch), routes_(routes), watchers_(watchers), drains_(drains), pace_(pace) {}

  v1::RouteAnswers* find_paths(const v1::RouteQuerySeq& queries) override;
  v1::RouteAnswers* find_alternates(const v1::RouteQuery& query, CORBA::ULong count) override;
  void report_ports(const char* switch_name, v1::Epoch incarnation, CORBA::ULongLong number,
                    const v1::PortNewsSeq& ports) override;
  v1::TopologyState* watch(const char* watcher, v1::TopologyObserver_ptr observer) override;
  void unwatch(const char* watcher) override;
  void drain(const v1::RouteElement& element, CORBA::Boolean drained) override;
  v1::LinkStateSeq* links(CORBA::ULong first, CORBA::ULong limit) override;
  v1::NameSeq* switches() override;
  v1::NameSeq* endpoints() override;
  v1::TrafficDemandSeq* demands() override;
  v1::MetricSeq* status() override;

 private:
  // `cause` is who or what has changed the topology, for the log.
  void tell_if(const Result<bool>& risen, const std::string& cause);

  RouteService& routes_;
  RemoteWatchers& watchers_;
  DrainKeeper& drains_;
  Pace* const pace_;
  std::atomic<std::uint64_t> queries_{0};
  std::atomic<std::uint64_t> invocations_{0};
};

}  // namespace xbind
