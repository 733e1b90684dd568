// Who has a name: before a daemon takes it, and when it finds that another has taken it.
//
// Asking is two-way (kAnswerPatience at most for an object, and the ORB's connect time-out where
// the host is away): never from an upcall. One thread.
#pragma once

#include <omniORB4/CORBA.h>

#include <chrono>
#include <set>
#include <string>

#include "core/result.hpp"
#include "orb/name_client.hpp"
#include "orb/timers.hpp"

namespace xbind::orb {

struct Binding {
  std::string path;
  CORBA::Object_var object;
};

enum class Holder : unsigned char {
  kNobody,   // the name is not bound
  kOurs,     // it is bound to our object
  kLiving,   // to another object of our kind, which answers
  kSilent,   // to one that did not answer within kAnswerPatience, or that is gone
  kStranger  // to one of another kind, or to one that is bound beside it under a name of its own
};

struct Held {
  Holder holder = Holder::kNobody;
  std::string address;  // of the object, "127.0.0.1:41234"; empty where it does not say
};

class NameHolders {
 public:
  static constexpr auto kAnswerPatience = kOrbTimers.ms("name-holder-answer");

  explicit NameHolders(NameClient& names) : names_(names) {}

  // Errors are those of NameClient::resolve(), but for a name that is not bound or bound to nil.
  Result<Held> look(const Binding& binding);
  // Whether the name is bound to our object; asks the name service alone.
  bool is_ours(const Binding& binding);
  // A process has many names. Its address is waited for once; after this, again.
  void forget_silent() { silent_.clear(); }

 private:
  Holder ask(CORBA::Object_ptr object, CORBA::Object_ptr ours, const std::string& address);
  // Whether the object has another name in the context of `path`, too.
  bool has_other_name(const std::string& path, CORBA::Object_ptr object);

  NameClient& names_;
  std::set<std::string> silent_;  // addresses; as many as the names that are looked at
};

}  // namespace xbind::orb
