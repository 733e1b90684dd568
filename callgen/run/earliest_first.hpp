// A priority queue, the earliest first: Boost's heap with four children per node. It is half as
// high as a binary heap, and compared entries are adjacent in memory.
//
// `Thing` is small and copied. `one.before(other)` must be a strict total order of all entries
// present at one time. One thread at a time.
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
