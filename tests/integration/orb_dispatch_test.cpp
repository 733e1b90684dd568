// The path of every upcall (orb/dispatch.hpp). Calls within one process do not pass through it;
// calls_test.py checks that servants cannot be called in any other way.
#include "orb/dispatch.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "orb/peer_faults.hpp"
#include "types.hh"

namespace xbind::orb {
namespace {

using testing::ElementsAre;
using testing::Pair;
using namespace std::chrono_literals;

class DispatchTest : public testing::Test {
 protected:
  Dispatch dispatch(Dispatch::MayCall rule = {}) {
    return Dispatch("Trial one", std::move(rule), [this] { return now_; });
  }
  // A call that takes `time` and returns the result of `end`.
  bool call(
      Dispatch& dispatch, const char* operation, Duration time,
      const std::function<bool()>& end = [] { return true; }) {
    return dispatch.run(operation, [&] {
      now_ += time;
      return end();
    });
  }
  static std::vector<std::pair<std::string, std::uint64_t>> metrics(const Dispatch& dispatch) {
    std::vector<std::pair<std::string, std::uint64_t>> reported;
    dispatch.append_metrics(reported);
    return reported;
  }

  TimePoint now_{1000s};
};

TEST_F(DispatchTest, CallsAndTheirTimeAreCounted) {
  Dispatch calls = dispatch();
  EXPECT_TRUE(call(calls, "release", 3us));
  EXPECT_TRUE(call(calls, "release", 2us));
  EXPECT_TRUE(call(calls, "attach", 7us));
  EXPECT_THAT(metrics(calls),
              ElementsAre(Pair("upcalls_attach", 1), Pair("upcall_ns_attach", 7'000),
                          Pair("upcalls_release", 2), Pair("upcall_ns_release", 5'000)));
}

TEST_F(DispatchTest, WhatNoServantHasLeavesNothingBehind) {
  Dispatch calls = dispatch();
  for (const char* const name : {"drop_all", "x", "y"}) {
    EXPECT_FALSE(call(calls, name, 1us, [] { return false; }));
  }
  EXPECT_THAT(metrics(calls), ElementsAre());
}

TEST_F(DispatchTest, TheQuestionsOfEveryObjectAreNoFaultsOfPeers) {
  Dispatch calls = dispatch();
  const std::uint64_t before = peer_faults(PeerFault::kUnknownOperation);
  for (const char* const name :
       {"_is_a", "_non_existent", "_interface", "_implementation", "_component", "_get_component",
        "_domain_managers", "_repository_id", "_get_policy"}) {
    EXPECT_FALSE(call(calls, name, 1us, [] { return false; })) << name;
  }
  EXPECT_EQ(peer_faults(PeerFault::kUnknownOperation), before);
  // An attribute that no object has is none of them.
  EXPECT_FALSE(call(calls, "_get_colour", 1us, [] { return false; }));
  EXPECT_EQ(peer_faults(PeerFault::kUnknownOperation), before + 1);
}

TEST_F(DispatchTest, AnExceptionOfTheContractIsARefusalAndPasses) {
  Dispatch calls = dispatch();
  EXPECT_THROW(call(calls, "list", 1us, []() -> bool { throw v2::BadRequest("limit 0"); }),
               v2::BadRequest);
  EXPECT_THAT(metrics(calls), ElementsAre(Pair("upcalls_list", 1), Pair("upcall_ns_list", 1'000),
                                          Pair("upcalls_refused_list", 1)));
}

TEST_F(DispatchTest, WhatIsNotUnderstoodFailsAndIsSaidOnceAHost) {
  Dispatch calls = dispatch();
  testing::internal::CaptureStderr();
  for (int i = 0; i < 100; ++i) {
    EXPECT_THROW(call(calls, "list", 1us, []() -> bool { throw CORBA::MARSHAL(); }),
                 CORBA::MARSHAL);
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, testing::HasSubstr(
                        "Trial one, called from an unknown address: list ended with MARSHAL"));
  EXPECT_EQ(said.find("MARSHAL"), said.rfind("MARSHAL"));
  EXPECT_THAT(metrics(calls), testing::Contains(Pair("upcalls_failed_list", 100)));
}

TEST_F(DispatchTest, ABugOfOursIsInternalForTheCallerAndEndsNobody) {
  Dispatch calls = dispatch();
  testing::internal::CaptureStderr();
  EXPECT_THROW(call(calls, "list", 1us, []() -> bool { throw std::out_of_range("no such hop"); }),
               CORBA::INTERNAL);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("list threw: no such hop"));
  EXPECT_THAT(metrics(calls), testing::Contains(Pair("upcalls_failed_list", 1)));
}

TEST_F(DispatchTest, WhoMayNotIsNotServed) {
  std::vector<std::string> asked;
  Dispatch calls = dispatch([&](const Dispatch::Call& call) {
    asked.emplace_back(call.operation);
    return call.operation != "drain";
  });
  testing::internal::CaptureStderr();
  bool served = false;
  const auto serve = [&] { return served = true; };
  EXPECT_THROW(call(calls, "drain", 1us, serve), CORBA::NO_PERMISSION);
  EXPECT_FALSE(served);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("drain is not permitted"));
  EXPECT_TRUE(call(calls, "list", 1us, serve));
  EXPECT_THAT(asked, ElementsAre("drain", "list"));
  EXPECT_THAT(metrics(calls), ElementsAre(Pair("upcalls_not_permitted", 1), Pair("upcalls_list", 1),
                                          Pair("upcall_ns_list", 1'000)));
}

}  // namespace
}  // namespace xbind::orb
