// Keeps objects bound. Waits for the name service, binds, and checks every second whether a binding
// is still ours. With several bindings it checks one after another, so the name service gets no
// more queries. Binds all again when the name service has restarted without its memory.
//
// A name that a living object of the same kind has taken is lost: `on_name_taken` is called once,
// and no name is bound any more, so that two daemons never rebind in turns. An object that does not
// answer, or is of another kind, is replaced.
#pragma once

#include <omniORB4/CORBA.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "orb/name_client.hpp"
#include "orb/name_holder.hpp"
#include "orb/peer_log.hpp"

namespace xbind::orb {

class NameKeeper {
 public:
  // All callbacks run on the keeper's thread. Each may be empty.
  struct Callbacks {
    // Polled until it returns true: the objects can serve.
    std::function<bool()> ready_to_bind;
    // Called once for each object, after its first successful bind, with its index.
    std::function<void(std::size_t)> on_bound;
    // Called with the new holder of the name; `was_ours`: we had bound the name before.
    std::function<void(const Binding&, const Held&, bool was_ours)> on_name_taken;
  };

  NameKeeper(CORBA::ORB_ptr orb, const std::string& name_service, std::vector<Binding> bindings,
             Callbacks callbacks);
  // Unbinds the names that are still ours, if the name service responds.
  ~NameKeeper();
  NameKeeper(const NameKeeper&) = delete;
  NameKeeper& operator=(const NameKeeper&) = delete;

 private:
  void run();
  // Binds all unbound names; false while one is missing.
  bool bind_missing();
  bool bind(std::size_t place);
  void bound(std::size_t place);
  // Checks the next binding. If it is missing, all count as missing: the name service has lost its
  // memory.
  void watch();
  void taken(std::size_t place, const Held& by);
  bool failed(const std::string& problem);

  NameClient names_;
  NameHolders holders_;
  std::vector<Binding> bindings_;
  Callbacks callbacks_;
  PeerLog log_;
  std::vector<bool> bound_;      // keeper's thread: bound now, as far as known
  std::vector<bool> was_bound_;  // bound at any time
  std::size_t watched_ = 0;
  bool over_ = false;  // a name was taken by another daemon
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace xbind::orb
