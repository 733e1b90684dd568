// Keeps objects bound: waits for the name service, binds, looks every second whether a binding is still
// ours (with several: one after another, so that the name service is not asked more often for it) and binds
// all again when the name service has been restarted without its memory.
#pragma once

#include <omniORB4/CORBA.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "orb/name_client.hpp"

namespace xbind::orb {

struct Binding {
  std::string path;
  CORBA::Object_var object;
};

class NameKeeper {
 public:
  // `may_bind` (may be empty) is asked, on the keeper's thread, until it says that the objects can serve;
  // `on_bound` is called once for each, there too, after its first successful bind, by its place.
  NameKeeper(CORBA::ORB_ptr orb, const std::string& name_service, std::vector<Binding> bindings,
             std::function<bool()> may_bind, std::function<void(std::size_t)> on_bound);
  // Unbinds what is still ours, if the name service is there.
  ~NameKeeper();
  NameKeeper(const NameKeeper&) = delete;
  NameKeeper& operator=(const NameKeeper&) = delete;

 private:
  void run();
  // Binds all that are not; false when the name service cannot be reached.
  bool bind_missing();
  // Looks at the next one; when it is not ours, all count as missing.
  void watch();
  bool still_ours(const Binding& binding);

  NameClient names_;
  std::vector<Binding> bindings_;
  std::function<bool()> may_bind_;
  std::function<void(std::size_t)> on_bound_;
  std::vector<bool> bound_;      // the thread's: now, as far as is known ...
  std::vector<bool> was_bound_;  // ... and at any time
  std::size_t watched_ = 0;
  bool told_absent_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace xbind::orb
