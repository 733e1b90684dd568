// A daemon's claim on its names while it starts. Until it serves, it is bound below "starting": as
// xbind/starting/cmgr/default for xbind/cmgr/default. The name service binds atomically, and the
// daemon binds the proper name before it removes the claim. So of two daemons that start at the
// same time, one finds the other, however long either takes until it serves.
//
// One thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "orb/name_client.hpp"
#include "orb/name_holder.hpp"

namespace xbind::orb {

class NameClaims {
 public:
  // `bindings`: the proper names.
  NameClaims(NameClient& names, std::vector<Binding> bindings);
  ~NameClaims();  // removes all claims
  NameClaims(const NameClaims&) = delete;
  NameClaims& operator=(const NameClaims&) = delete;

  // Claims the name, or returns the living daemon that has it or claims it. A claim or a name whose
  // holder does not answer is ignored. Errors are those of NameClient: retry.
  Result<std::optional<Held>> claim(std::size_t place);
  // Removes the claim, once the proper name is bound.
  void give_up(std::size_t place);

 private:
  Result<std::optional<Held>> claim_below_starting(const Binding& claimed);

  NameClient& names_;
  NameHolders holders_;
  std::vector<Binding> bindings_;
  std::vector<Binding> claims_;
  std::vector<bool> held_;
};

}  // namespace xbind::orb
