// Keeps one object bound: waits for the name service, binds, looks every second whether the binding is
// still ours and binds again when the name service has been restarted without its memory.
#pragma once

#include <omniORB4/CORBA.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "orb/name_client.hpp"

namespace xbind::orb {

class NameKeeper {
 public:
  // `may_bind` (may be empty) is asked, on the keeper's thread, until it says that the object can serve;
  // `on_bound` is called once, there too, after the first successful bind.
  NameKeeper(CORBA::ORB_ptr orb, const std::string& name_service, std::string path,
             CORBA::Object_ptr object, std::function<bool()> may_bind,
             std::function<void()> on_bound);
  // Unbinds, if the binding is still ours and the name service is there.
  ~NameKeeper();
  NameKeeper(const NameKeeper&) = delete;
  NameKeeper& operator=(const NameKeeper&) = delete;

 private:
  void run();
  bool still_ours();

  NameClient names_;
  std::string path_;
  CORBA::Object_var object_;
  std::function<bool()> may_bind_;
  std::function<void()> on_bound_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace xbind::orb
