// RemotePeers: queries to RouteObject. They have a thread of their own, so that a RouteObject that
// does not answer holds up nothing else (except with the engines that wait for every answer).
#include <algorithm>
#include <utility>

#include "cmgr/remote_peers.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"

namespace xbind::cmgr {
namespace {

constexpr std::size_t kReasonOctetsMax = 400;  // of a refusal that is cached

RouteReply reply_from(RouteQuery query, const v2::RouteAnswer& answer) {
  RouteReply reply;
  reply.query = std::move(query);
  if (!answer._d()) {
    const v2::Refusal& why = answer.why();
    const Cause cause = cause_from(why.cause).value_or(Cause::kNoRouteObject);
    reply.cause = cause == Cause::kNone ? Cause::kNoRouteObject : cause;
    reply.element = why.element.in();
    reply.free = why.free;
    if (cause == Cause::kInvalidRequest)
      reply.reason = printable(why.reason.in(), kReasonOctetsMax);
    return reply;
  }
  const v2::RouteFound& found = answer.found();
  reply.cause = Cause::kNone;
  reply.path.free_cells_per_s = found.free_cells_per_s;
  for (CORBA::ULong i = 0; i < found.hops.length(); ++i) {
    reply.path.hops.push_back({found.hops[i].switch_name.in(), PortId{found.hops[i].input_port},
                               PortId{found.hops[i].output_port}});
  }
  if (reply.path.hops.empty()) reply.cause = Cause::kNoRoute;
  return reply;
}

}  // namespace

void RemotePeers::ask_routes(std::vector<RouteQuery> queries) {
  RemoteJobs& jobs = options_.routes_apart ? route_jobs_ : jobs_;
  jobs.add([this, queries = std::move(queries)] { ask_now(queries); });
}

void RemotePeers::ask_now(const std::vector<RouteQuery>& queries) {
  // This number of the longest paths fits into one reply (orb/reply.hpp).
  constexpr std::size_t kQueriesPerCall = 32;
  for (std::size_t done = 0; done < queries.size(); done += kQueriesPerCall) {
    const std::size_t count = std::min(kQueriesPerCall, queries.size() - done);
    v2::RouteQuerySeq asked;
    asked.length(static_cast<CORBA::ULong>(count));
    for (CORBA::ULong i = 0; i < count; ++i) {
      asked[i].from_end = queries[done + i].from.c_str();
      asked[i].to_end = queries[done + i].to.c_str();
      asked[i].cells_per_s = queries[done + i].cells_per_s;
      asked[i].metric = static_cast<CORBA::Octet>(options_.route_metric);
      asked[i].delay_us_max = 0;
      asked[i].links_max = 0;
      asked[i].disjoint = v2::disjoint_no;
      const auto& avoid = queries[done + i].avoid;
      asked[i].avoid.length(static_cast<CORBA::ULong>(avoid.size()));
      for (CORBA::ULong j = 0; j < asked[i].avoid.length(); ++j) {
        asked[i].avoid[j].switch_name = avoid[j].switch_name.c_str();
        asked[i].avoid[j].output_port = avoid[j].output_port.value();
      }
    }
    std::vector<RouteReply> replies;
    Duration validity{};
    (void)at_route_object("paths", [&](v2::RouteObject_ptr object) {  // logs a failure
      impairments_.sending(count);
      const v2::RouteAnswers_var answers = object->find_paths(asked);
      impairments_.received(count);
      validity = std::chrono::milliseconds{answers->validity_ms};
      for (CORBA::ULong i = 0; i < answers->answers.length() && i < count; ++i) {
        replies.push_back(reply_from(queries[done + i], answers->answers[i]));
      }
    });
    while (replies.size() < count) {
      RouteReply nobody;
      nobody.query = queries[done + replies.size()];
      nobody.cause = Cause::kNoRouteObject;
      nobody.element = "routeobject " + options_.route_object;
      replies.push_back(std::move(nobody));
    }
    post_([replies = std::move(replies), validity](ConnectionManager& manager) {
      manager.on_routes(replies, validity, steady_now());
    });
  }
}

}  // namespace xbind::cmgr
