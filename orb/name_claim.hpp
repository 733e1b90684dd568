// A daemon's claim on its names while it starts: until it serves, it is bound below "starting",
// xbind/starting/cmgr/default for xbind/cmgr/default. Binding is atomic in the name service and the
// name proper is bound before the claim is given up, so that of two that start at the same time one
// finds the other, however long either takes to serve.
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
  // The names proper.
  NameClaims(NameClient& names, std::vector<Binding> bindings);
  ~NameClaims();  // gives all up
  NameClaims(const NameClaims&) = delete;
  NameClaims& operator=(const NameClaims&) = delete;

  // Claims the name, or says which living daemon has it or claims it. A claim or a name whose
  // holder does not answer is no hindrance. Errors are NameClient's: try again.
  Result<std::optional<Held>> claim(std::size_t place);
  // Once the name proper is bound.
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
