// What every owner of a deadline promises: once the work that is due has been done, the next
// deadline lies in the future. A daemon whose deadline has passed, and whose step finds nothing to
// do, spins.
#pragma once

#include <gtest/gtest.h>

#include "core/clock.hpp"

namespace xbind {

// EXPECT_TRUE(sleeps(logic.next_deadline(), now)), after each step of a test's fixture.
inline ::testing::AssertionResult sleeps(TimePoint next_deadline, TimePoint now) {
  if (next_deadline > now) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "after the step, the next deadline is " << (now - next_deadline).count()
         << " ns in the past: the daemon spins";
}

}  // namespace xbind
