// Connections prepared in advance (prepared_pools.hpp): made, taken by a client's call, given back.
//
// Not thread-safe; owned by the connection manager.
#pragma once

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

  // Keeps `count` connections ready for calls of that pair and service; 0 ends it. kBadInput: a count above
  // PreparedPools::kWantedMax, an end that is no name, a service that cannot be mapped. kExhausted:
  // Config::pools_max pools are there.
  Result<void> prepare(const std::string& from, const std::string& to, const ServiceSpec& service,
                       std::size_t count, TimePoint now);
  // Makes what is missing, and releases what is too much.
  void fill(TimePoint now);

  // The call is one that is ready: true, and it has been answered.
  bool take(const Asker& asker, const ConnectRequest& request, const RequestTimes& times,
            const Contract& contract, TimePoint now);
  // The release is answered and the connection waits for the next call: true.
  bool give_back(Connection& connection, const Asker& releaser, TimesIndex times, TimePoint now);

  // What became of a connection that no client has asked for.
  void connected(Connection& connection, TimePoint now);
  void refused(Connection& connection, TimePoint now);
  // It is ready for nobody any more.
  void drop(Connection& connection);

  const PreparedPools& pools() const { return pools_; }

 private:
  Context& context_;
  PreparedPools pools_;
};

}  // namespace xbind::cmgr
