// Keeps objects bound: waits for the name service, binds, looks every second whether a binding is still
// ours (with several: one after another, so that the name service is not asked more often for it) and binds
// all again when the name service has been restarted without its memory.
//
// A name that a living object of the same kind has taken is lost: `on_taken` is called, once, and
// nothing is bound any more. Two never bind against each other. What does not answer, or is of
// another kind, is bound over.
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
  // All are called on the keeper's thread. Each may be empty.
  struct Callbacks {
    // Asked until it says that the objects can serve.
    std::function<bool()> may_bind;
    // Called once for each object, after its first successful bind, with its place.
    std::function<void(std::size_t)> on_bound;
    // Who has taken the name; `was_ours`: after we had bound it.
    std::function<void(const Binding&, const Held&, bool was_ours)> on_taken;
  };

  NameKeeper(CORBA::ORB_ptr orb, const std::string& name_service, std::vector<Binding> bindings,
             Callbacks callbacks);
  // Unbinds what is still ours, if the name service is there.
  ~NameKeeper();
  NameKeeper(const NameKeeper&) = delete;
  NameKeeper& operator=(const NameKeeper&) = delete;

 private:
  void run();
  // Binds all that are not; false while one is not.
  bool bind_missing();
  bool bind(std::size_t place);
  void bound(std::size_t place);
  // Looks at the next one. Not bound: all count as missing, since the name service has lost its
  // memory.
  void watch();
  void taken(std::size_t place, const Held& by);
  bool failed(const std::string& problem);

  NameClient names_;
  NameHolders holders_;
  std::vector<Binding> bindings_;
  Callbacks callbacks_;
  PeerLog log_;
  std::vector<bool> bound_;      // the thread's: now, as far as is known ...
  std::vector<bool> was_bound_;  // ... and at any time
  std::size_t watched_ = 0;
  bool over_ = false;  // a name was taken
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace xbind::orb
