// A queue of things to come, the earliest first: Boost's heap in which everything has four children. It is half as
// high as one of two, and what is compared lies together.
//
// `Thing` is small and copied; `one.before(other)` orders all that are ever in here at a time, no two alike.
// One thread at a time.
#pragma once

#include <boost/heap/d_ary_heap.hpp>

namespace xbind::callgen {

struct Later {
  template <class Thing>
  bool operator()(const Thing& one, const Thing& other) const {
    return other.before(one);
  }
};

template <class Thing>
using EarliestFirst =
    boost::heap::d_ary_heap<Thing, boost::heap::arity<4>, boost::heap::compare<Later>>;

}  // namespace xbind::callgen
