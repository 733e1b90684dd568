// Memory for the procedures under way. Every call operation begins one, and a heap allocation for
// each would cost more than its steps.
//
// All places have the size of the largest procedure, because they are in use only as long as an
// operation. Not thread-safe; owned by the connection table.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "core/pool.hpp"

namespace xbind::cmgr {

struct ProcedurePlace {
  ProcedurePlace() {}  // leaves the octets uninitialised: a procedure is constructed there at once
  alignas(std::max_align_t) std::byte octets[512];
};

class ProcedurePlaces {
 public:
  template <class Kind, class... Args>
  Kind& make(Args&&... args) {
    static_assert(sizeof(Kind) <= sizeof(ProcedurePlace) &&
                  alignof(Kind) <= alignof(ProcedurePlace));
    ProcedurePlace& place = places_.make();
    return *::new (static_cast<void*>(place.octets)) Kind(std::forward<Args>(args)...);
  }
  // `at`: memory from make() whose object has been destroyed.
  void give_back(void* at) { places_.destroy(*static_cast<ProcedurePlace*>(at)); }

 private:
  Pool<ProcedurePlace> places_;
};

}  // namespace xbind::cmgr
