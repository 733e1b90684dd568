// The CORBA face of RouteObject: convert, call, convert. Upcalls run beside each other; RouteService is
// thread-safe.
#pragma once

#include <atomic>

#include "route_object.hh"
#include "routeobject/route_service.hpp"

namespace xbind {

class RouteObjectServant : public POA_xbind::v1::RouteObject {
 public:
  explicit RouteObjectServant(const RouteService& routes) : routes_(routes) {}

  v1::RouteAnswers* find_paths(const v1::RouteQuerySeq& queries) override;
  v1::NameSeq* switches() override;
  v1::NameSeq* endpoints() override;
  v1::TrafficDemandSeq* demands() override;
  v1::MetricSeq* status() override;

 private:
  const RouteService& routes_;
  std::atomic<std::uint64_t> queries_{0};
  std::atomic<std::uint64_t> invocations_{0};
};

}  // namespace xbind
