// Memory of the procedures under way: every call operation begins one, and allocating each would cost
// more than its steps.
//
// Places are all of one size, the largest procedure's, because they last as briefly as an operation. Not
// thread-safe; owned by the table of connections.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "core/pool.hpp"

namespace xbind::cmgr {

struct ProcedurePlace {
  ProcedurePlace() {}  // leaves the octets as they are: a procedure is made there at once
  alignas(std::max_align_t) std::byte octets[480];
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
  // `at`: where make() has put an object, which has been destroyed.
  void give_back(void* at) { places_.destroy(*static_cast<ProcedurePlace*>(at)); }

 private:
  Pool<ProcedurePlace> places_;
};

}  // namespace xbind::cmgr
