// Our use of the CORBA name service: paths like "xbind/cmgr/default", every step a context.
//
// Thread-safe. Every call is a remote one (bounded by the ORB's timeouts): never from an upcall.
// Errors: kUnreachable when the name service is not there, kNotFound for an unbound name.
#pragma once

#include <omniORB4/CORBA.h>
#include <omniORB4/Naming.hh>

#include <string>
#include <vector>

#include "core/result.hpp"

namespace xbind::orb {

class NameClient {
 public:
  // `service`: "host:port" of the name service.
  NameClient(CORBA::ORB_ptr orb, std::string service);

  // Binds or rebinds; makes the contexts on the way.
  Result<void> bind(const std::string& path, CORBA::Object_ptr object);
  // An unbound name is no error.
  Result<void> unbind(const std::string& path);
  Result<CORBA::Object_var> resolve(const std::string& path);
  // The full paths of all objects below a context ("" or "xbind/switchserver"), sorted; none if the
  // context does not exist.
  Result<std::vector<std::string>> list(const std::string& context);

  const std::string& service() const { return service_; }

 private:
  CosNaming::NamingContext_var root();
  void list_into(CosNaming::NamingContext_ptr context, const std::string& prefix, int depth,
                 std::vector<std::string>& paths);

  CORBA::ORB_var orb_;
  std::string service_;
};

}  // namespace xbind::orb
