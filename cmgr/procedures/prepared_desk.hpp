// Connections prepared in advance (prepared_pools.hpp): sets them up, gives them to calls, and
// takes them back.
//
// The ledgers of a connection's first hop and of the last one of its path learn who has it
// (HopHandover), so that a manager that starts again finds it, also if one of them was lost. Nobody
// waits for that: a manager that ends within the same millisecond takes the connection for its own.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <boost/container/static_vector.hpp>
#include <optional>
#include <string>

#include "cmgr/parts/prepared_pools.hpp"
#include "cmgr/parts/requests.hpp"
#include "cmgr/procedures/context.hpp"
#include "core/call.hpp"
#include "core/result.hpp"

namespace xbind::cmgr {

class PreparedDesk {
 public:
  explicit PreparedDesk(Context& context) : context_(context) {}

  // Keeps `count` connections ready for calls of that pair and service; 0 ends the pool, whose
  // place another pool gets once its connections are gone. Returns the contract of the pool.
  // kBadInput: a count above PreparedPools::kWantedMax, an invalid endpoint name, or a service that
  // cannot be mapped. kExhausted: there are Config::pools_max pools already that are not ended, or
  // have connections left.
  Result<NetworkService> prepare(const std::string& from, const std::string& to,
                                 const ServiceSpec& service, std::size_t count, TimePoint now);
  // The same for a service that has been mapped.
  Result<void> prepare_mapped(const std::string& from, const std::string& to,
                              const NetworkService& service, std::size_t count, TimePoint now);
  // Sets up missing connections, once those of earlier epochs are back, and releases surplus ones.
  void fill(TimePoint now);

  // Serves the call with a ready connection. True: it has been answered.
  bool take(const Asker& asker, const ConnectRequest& request, const RequestTimes& times,
            const Contract& contract, TimePoint now);
  // Answers the release and keeps the connection for the next call. True: done.
  bool give_back(Connection& connection, const Asker& releaser, TimesIndex times, TimePoint now);

  // The result of a setup that no client requested.
  void connected(Connection& connection, TimePoint now);
  void refused(Connection& connection, TimePoint now);
  // A connection of an earlier epoch that no client has: keeps it for calls if a pool lacks one,
  // else releases it.
  void found(Connection& connection, TimePoint now);
  // The pool that connections between these ends with that contract belong to; 0: none.
  std::uint32_t pool_of(const std::string& from, const std::string& to,
                        const Contract& contract) const {
    return pools_.find(from, to, {contract.forward, contract.traffic});
  }
  // The hops whose ledgers know who has the connection; one if it passes one switch.
  using ToldHops = boost::container::static_vector<HopKey, 2>;
  static ToldHops told_hops(const Connection& connection);
  // The owner of the connection, to be sent with a change of this hop. nullopt: the hop is none of
  // told_hops(), or the connection was not prepared.
  std::optional<HopHandover> handover_for(const Connection& connection, const Hop& hop) const;
  // The connection has another owner, or other told_hops(): updates their ledgers.
  void tell_owner(Connection& connection, TimePoint now);
  // The connection may no longer be given to a call.
  void drop(Connection& connection);

  const PreparedPools& pools() const { return pools_; }

 private:
  std::optional<HopHandover> handover_of(const Connection& connection) const;
  // The number of a pool that has ended and has no connection left; 0: none.
  std::uint32_t ended_pool() const;

  Context& context_;
  PreparedPools pools_;
};

}  // namespace xbind::cmgr
