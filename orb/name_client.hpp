// Our use of the CORBA name service: paths like "xbind/cmgr/default", every step a context.
//
// Thread-safe. Every call is a remote one (bounded by the ORB's timeouts): never from an upcall.
// Nothing throws (orb/remote_error.hpp). Errors: kUnreachable or kTimeout when the name service is
// not there, kNotFound for a name that is not bound or bound to a nil reference; kBadInput for a
// path with an empty step, of more than 16 steps or 255 octets a step, or that leads through an
// object that is no context.
#pragma once

#include <omniORB4/CORBA.h>
#include <omniORB4/Naming.hh>

#include <string>
#include <utility>
#include <vector>

#include "core/name.hpp"
#include "core/result.hpp"
#include "orb/remote_error.hpp"

namespace xbind::orb {

inline constexpr const char* kDefaultNameService = "127.0.0.1:2809";  // corbaloc's default port

class NameClient {
 public:
  // `service`: "host:port" of the name service. Empty: the ORB's initial reference NameService,
  // which omniORB's own tools use (ORBInitRef, OMNIORB_CONFIG, /etc/omniORB.cfg, -ORBInitRef);
  // without one, kDefaultNameService.
  NameClient(CORBA::ORB_ptr orb, const std::string& service);

  // Binds what is not bound; false: something is bound there already. Makes the contexts on the
  // way. kBadInput also for a step that is no name (core/name.hpp).
  Result<bool> bind(const std::string& path, CORBA::Object_ptr object);
  // The same, in place of what is bound there.
  Result<void> rebind(const std::string& path, CORBA::Object_ptr object);
  // An unbound name is no error.
  Result<void> unbind(const std::string& path);
  Result<CORBA::Object_var> resolve(const std::string& path);
  // The full paths of all objects below a context ("" or "xbind/switchserver"), sorted; none if the
  // context does not exist.
  Result<std::vector<std::string>> list(const std::string& context);

  // Where the name service is looked for, in words for a message: "127.0.0.1:2809".
  const std::string& service() const { return service_; }

 private:
  // Within ask(): throws CORBA::SystemException where the service's address is none.
  CosNaming::NamingContext_var root();
  // orb::remote() to the name service; an error that is about the path names it whole.
  template <class Call, class... Answers>
  auto ask(const std::string& path, Call&& call, const Answers&... answers) const {
    auto result = remote("the name service at " + service_, call, answers...);
    if (!result && (result.error().code == ErrorCode::kNotFound ||
                    result.error().code == ErrorCode::kBadInput)) {
      result.error().text += " (of " + printable(path) + ")";
    }
    return result;
  }
  // All contexts on the way to `name`, which is `path`.
  Result<void> make_contexts(const std::string& path, const CosNaming::Name& name);
  // Within ask().
  void list_into(CosNaming::NamingContext_ptr context, const std::string& prefix, int depth,
                 std::vector<std::string>& paths);

  CORBA::ORB_var orb_;
  std::string location_;  // a corbaloc, or the ORB's own reference as a stringified IOR
  std::string service_;
};

}  // namespace xbind::orb
