// Our interface to the CORBA name service: paths like "xbind/cmgr/default", in which every step but
// the last is a context.
//
// Thread-safe. Every call is remote (bounded by the ORB's timeouts), so do not call from an upcall.
// No function throws (orb/remote_error.hpp). Errors: kUnreachable or kTimeout when the name service
// does not respond; kNotFound for a name that is not bound or is bound to a nil reference;
// kBadInput for a path with an empty step, with more than 16 steps or 255 octets a step, or through
// an object that is no context.
#pragma once

#include <omniORB4/CORBA.h>
#include <omniORB4/Naming.hh>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/name.hpp"
#include "core/result.hpp"
#include "orb/known_names.hpp"
#include "orb/remote_error.hpp"

namespace xbind::orb {

inline constexpr const char* kDefaultNameService = "127.0.0.1:2809";  // corbaloc's default port

class NameClient {
 public:
  // `service`: "host:port" of the name service. Empty: the ORB's initial reference NameService,
  // which omniORB's own tools use (ORBInitRef, OMNIORB_CONFIG, /etc/omniORB.cfg, -ORBInitRef); if
  // there is none, kDefaultNameService.
  NameClient(CORBA::ORB_ptr orb, const std::string& service);

  // Binds an unbound name; false: it is bound already. Creates the contexts of the path. kBadInput
  // also for a step that is no valid name (core/name.hpp).
  Result<bool> bind(const std::string& path, CORBA::Object_ptr object);
  // Binds the name and replaces an existing binding.
  Result<void> rebind(const std::string& path, CORBA::Object_ptr object);
  // Unbinds the name; an unbound name is no error.
  Result<void> unbind(const std::string& path);
  Result<CORBA::Object_var> resolve(const std::string& path);
  // Returns the full paths of all objects below a context ("" or "xbind/switchserver"), sorted;
  // empty if the context does not exist.
  Result<std::vector<std::string>> list(const std::string& context);

  // From here on the *_or_known() functions keep what they find, and fall back on it. Copies of
  // this object share it. A daemon that claims names must not: it needs the truth.
  void keep(std::shared_ptr<KnownNames> known) { known_ = std::move(known); }
  // nullptr: nothing is kept.
  KnownNames* known() const { return known_.get(); }
  // As resolve() and list(). While the name service does not answer (kUnreachable, kTimeout), what
  // was found earlier; it is then not asked for "name-service-away". Its error only if nothing is
  // known. known()->why_used() says whether that was so.
  Result<CORBA::Object_var> resolve_or_known(const std::string& path);
  Result<std::vector<std::string>> list_or_known(const std::string& context);

  // Address of the name service as text for messages: "127.0.0.1:2809".
  const std::string& service() const { return service_; }

 private:
  // Call it within ask(): throws CORBA::SystemException when the service's address is invalid.
  CosNaming::NamingContext_var root();
  // orb::remote() to the name service; an error about the path names the whole path.
  template <class Call, class... Answers>
  auto ask(const std::string& path, Call&& call, const Answers&... answers) const {
    auto result = remote("the name service at " + service_, call, answers...);
    if (!result && (result.error().code == ErrorCode::kNotFound ||
                    result.error().code == ErrorCode::kBadInput)) {
      result.error().text += " (of " + printable(path) + ")";
    }
    return result;
  }
  // Creates all contexts on the way to `name`, the parsed form of `path`.
  Result<void> make_contexts(const std::string& path, const CosNaming::Name& name);
  // Call it within ask().
  void list_into(CosNaming::NamingContext_ptr context, const std::string& prefix, int depth,
                 std::vector<std::string>& paths);

  // Asks the name service unless it was away a moment ago. Notes whether it has answered.
  template <class Ask>
  auto ask_unless_away(const Ask& ask) -> std::invoke_result_t<Ask>;

  CORBA::ORB_var orb_;
  std::shared_ptr<KnownNames> known_;
  std::string location_;  // a corbaloc, or the ORB's reference as a stringified IOR
  std::string service_;
};

}  // namespace xbind::orb
