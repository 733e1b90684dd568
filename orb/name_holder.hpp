// Finds the holder of a name: before a daemon takes the name, and when it finds the name bound to
// another object.
//
// A query is two-way (at most kAnswerPatience per object, and the ORB's connect time-out for an
// unreachable host), so do not query from an upcall. One thread.
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
  kNobody,    // the name is not bound
  kOurs,      // it is bound to our object
  kLiving,    // to another object of our kind, which answers
  kSilent,    // to one that has not answered within kAnswerPatience or is gone
  kOtherKind  // to an object of another kind, or to one that has another name beside this one
};

struct Held {
  Holder holder = Holder::kNobody;
  std::string address;  // of the object, "127.0.0.1:41234"; empty if unknown
};

class NameHolders {
 public:
  static constexpr auto kAnswerPatience = kOrbTimers.ms("name-holder-answer");

  explicit NameHolders(NameClient& names) : names_(names) {}

  // Errors are those of NameClient::resolve(), except for a name that is not bound or bound to nil.
  Result<Held> look(const Binding& binding);
  // Whether the name is bound to our object; queries only the name service.
  bool is_ours(const Binding& binding);
  // Forgets addresses that did not answer. A process may have many names; until this call each
  // silent address is waited for only once.
  void clear_silent() { silent_.clear(); }

 private:
  Holder ask(CORBA::Object_ptr object, CORBA::Object_ptr ours, const std::string& address);
  // Whether the object has another name in the context of `path` as well.
  bool has_other_name(const std::string& path, CORBA::Object_ptr object);

  NameClient& names_;
  std::set<std::string> silent_;  // addresses; at most as many as the queried names
};

}  // namespace xbind::orb
