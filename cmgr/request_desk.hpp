// Decides which requests begin at once and which wait (operation_gate.hpp), and queries the
// QOSMapper for them first. Requests that begin go to call_requests.hpp.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cmgr/call_requests.hpp"
#include "cmgr/parts/operation_gate.hpp"
#include "cmgr/parts/outcomes.hpp"
#include "cmgr/parts/qos_cache.hpp"
#include "cmgr/parts/requests.hpp"

namespace xbind::cmgr {

class RequestDesk {
 public:
  RequestDesk(Context& context, Peers& peers) : context_(context), peers_(peers), calls_(context) {}

  // Handles the requests of a batch, releases first, because they free what others may need.
  void on_batch(ClientIndex client, const RequestBatch& batch, TimePoint now);
  // Handles the request of a two-way call; `token` is its number.
  void on_local(RequestId token, RequestBody request, TimePoint now);
  // One reply for each service queried. kNoQosMapper: no QOSMapper could be reached.
  void on_services(const std::vector<ServiceReply>& replies, TimePoint now);
  // Begins waiting requests while there is room; requests that waited too long are answered busy.
  void pump(TimePoint now);
  // The route timer becomes `wanted` after this call, for requests that wait for it as well.
  void change_route_timer(Duration wanted);
  void tick(TimePoint now);
  TimePoint next_deadline() const;
  // Queries the services that the step needs.
  void flush();

  const QosCache& services() const { return services_; }

 private:
  // A request that waits for the QOSMapper's answers.
  struct Parked {
    Request request;
    std::vector<std::pair<ServiceSpec, std::optional<NetworkService>>> services;
    TimePoint deadline;
  };

  // Ties repeats of requests left over from earlier sessions to the present one.
  void keep_repeated(ClientIndex client, const RequestBatch& batch);
  bool answer_remembered(ClientIndex client, const ConnectRequest& request);
  bool answer_incomplete(ClientIndex client, const ConnectRequest& request);
  template <class Body>
  void submit(ClientIndex client, const Body& request, unsigned urgency, TimePoint now);
  template <class Body>
  void begin(ClientIndex client, const Body& body, RequestTimes times, TimePoint now);
  void park(Request request, TimePoint now);
  void on_service(const ServiceReply& reply, TimePoint now);
  void begin_parked(const Parked& parked, TimePoint now);

  Context& context_;
  Peers& peers_;
  CallRequests calls_;
  QosCache services_;
  std::deque<Parked> parked_;  // oldest first
  std::set<ServiceSpec> asked_services_;
  std::vector<ServiceSpec> services_to_ask_;  // to be queried at the end of the step
};

}  // namespace xbind::cmgr
