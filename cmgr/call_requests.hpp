// What clients ask for, once it is their turn and its service is mapped: each request is refused by name or
// begins the procedure that answers it.
//
// Not thread-safe; owned by the request desk.
#pragma once

#include "cmgr/parts/requests.hpp"
#include "cmgr/procedures/context.hpp"

namespace xbind::cmgr {

class CallRequests {
 public:
  explicit CallRequests(Context& context) : context_(context) {}

  void act(const Asker& asker, const ConnectRequest& request, const RequestTimes& times,
           const Contract& contract, TimePoint now);
  void act(const Asker& asker, const ReleaseRequest& request, const RequestTimes& times,
           const Contract& contract, TimePoint now);
  void act(const Asker& asker, const ModifyRequest& request, const RequestTimes& times,
           const Contract& contract, TimePoint now);
  void act(const Asker& asker, const LeafRequest& request, const RequestTimes& times,
           const Contract& contract, TimePoint now);
  void act(const Asker& asker, const CommitRequest& request, const RequestTimes& times,
           const Contract& contract, TimePoint now);

 private:
  // The connection named, if it is up and nothing else is under way; else null, and the request is refused.
  Connection* find_changeable(const Asker& asker, ConnectionId id);
  void add_leaf(Connection& connection, const Asker& asker, const LeafRequest& request,
                TimePoint now);
  void drop_leaf(Connection& connection, const Asker& asker, const LeafRequest& request,
                 TimePoint now);

  Context& context_;
};

}  // namespace xbind::cmgr
