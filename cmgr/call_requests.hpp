// Acts on client requests once the operation gate has admitted them and their service is mapped:
// refuses the request with a named cause, or begins the procedure that answers it.
//
// Not thread-safe; owned by the request desk.
#pragma once

#include <optional>

#include "cmgr/parts/requests.hpp"
#include "cmgr/procedures/context.hpp"
#include "cmgr/procedures/recovery.hpp"

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
  // `found`: null, or the connection of that id.
  void commit_what_is_not_held(const Asker& asker, ConnectionId id, const Connection* found);
  // Returns the named connection if it is up and no procedure is under way. Otherwise refuses the
  // request and returns null.
  Connection* find_changeable(const Asker& asker, ConnectionId id);
  // The connection is not in the table.
  void release_unknown(const Asker& asker, const ReleaseRequest& request, TimePoint now);
  // It is incomplete.
  void release_incomplete(const Asker& asker, const IncompleteCall& call, EndWhy why,
                          TimePoint now);
  // Why no request but a release can be met about an id: the table has no such connection, or one
  // without an owner.
  Refusal not_there(ConnectionId id) const;
  Refusal not_yet_read() const;
  // An id of an earlier epoch of which no SwitchServer that has been read has a hop.
  Refusal nobody_has(ConnectionId id, Recovery::Fate fate) const;
  // The limit for each client that one more connection, or this many more cells/s, would exceed.
  std::optional<Refusal> over_limit(ClientIndex client, std::uint64_t connections,
                                    std::uint64_t cells_per_s);
  void add_leaf(Connection& connection, const Asker& asker, const LeafRequest& request,
                TimePoint now);
  void drop_leaf(Connection& connection, const Asker& asker, const LeafRequest& request,
                 TimePoint now);

  Context& context_;
};

}  // namespace xbind::cmgr
