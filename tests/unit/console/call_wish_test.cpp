#include "console/call_wish.hpp"

#include <gmock/gmock.h>

namespace xbind::console {
namespace {

using testing::HasSubstr;

TEST(CallWish, ReadsARate) {
  const auto wish = call_wish_of(
      std::string{R"({"manager":"m","from":"a","to":"b","cells_per_s":1000,"buffer_cells":7})"});
  ASSERT_TRUE(wish) << wish.error().detail;
  EXPECT_EQ(wish->manager, "m");
  const ConnectRequest request = wish->request(RequestId{5});
  EXPECT_EQ(request.request, RequestId{5});
  EXPECT_EQ(request.from, "a");
  EXPECT_EQ(request.to, "b");
  EXPECT_EQ(request.service.kind, ServiceKind::kCells);
  EXPECT_EQ(request.service.cells_per_s, 1000U);
  EXPECT_EQ(request.service.buffer_cells, 7U);
  EXPECT_FALSE(request.reverse);
  EXPECT_EQ(request.hold_ms, 0U);
}

TEST(CallWish, ReadsAServiceInBothDirectionsToBeHeld) {
  const auto wish = call_wish_of(
      std::string{R"({"from":"a","to":"b","service":"voice-g711","both":true,"hold_s":60})"});
  ASSERT_TRUE(wish);
  EXPECT_EQ(wish->manager, "default");
  const ConnectRequest request = wish->request(RequestId{1});
  EXPECT_EQ(request.service.kind, ServiceKind::kClass);
  EXPECT_EQ(request.service.terms->name, "voice-g711");
  EXPECT_EQ(request.reverse, request.service);
  EXPECT_EQ(request.hold_ms, 60'000U);
}

TEST(CallWish, RefusesABodyAndSaysWhichMember) {
  const std::pair<const char*, const char*> kBad[] = {
      {"", "no JSON object"},
      {"[]", "no JSON object"},
      {"{", "no JSON object"},
      {R"({"from":1,"to":"b","cells_per_s":1})", "from: 1 is no text"},
      {R"({"from":"a b","to":"b","cells_per_s":1})", "from"},
      {R"({"from":"a","cells_per_s":1})", "to"},
      {R"({"from":"a","to":"b"})", "cells_per_s"},
      {R"({"from":"a","to":"b","cells_per_s":0})", "cells_per_s"},
      {R"({"from":"a","to":"b","cells_per_s":-1})", "cells_per_s: -1"},
      {R"({"from":"a","to":"b","cells_per_s":1.5})", "cells_per_s: 1.5"},
      {R"({"from":"a","to":"b","cells_per_s":"1"})", "cells_per_s"},
      {R"({"from":"a","to":"b","cells_per_s":16777216})",
       "cells_per_s: 16777216 is more than 16777215: GSMP's traffic fields have 24 bits"},
      {R"({"from":"a","to":"b","cells_per_s":1,"buffer_cells":1000000001})", "1000000000"},
      {R"({"from":"a","to":"b","cells_per_s":1,"service":"video"})", "either"},
      {R"({"from":"a","to":"b","cells_per_s":1,"both":1})", "both: 1"},
      {R"({"from":"a","to":"b","cells_per_s":1,"hold_s":3601})", "hold_s: 3601"},
      {R"({"from":"a","to":"b","cells_per_s":1,"speed":1})", "speed: 1 is no member"},
      {R"({"from":"a","to":"b","cells_per_s":[[[]]]})", "cells_per_s: array"},
  };
  for (const auto& [body, words] : kBad) {
    const auto wish = call_wish_of(std::string{body});
    ASSERT_FALSE(wish) << body;
    EXPECT_EQ(wish.error().name, "bad-body");
    EXPECT_EQ(wish.error().status, 400);
    EXPECT_THAT(wish.error().detail, HasSubstr(words));
  }
}

TEST(CallWish, RefusesALongServiceName) {
  const std::string name(kServiceNameMax + 1, 's');
  const auto wish = call_wish_of(R"({"from":"a","to":"b","service":")" + name + "\"}");
  ASSERT_FALSE(wish);
  EXPECT_EQ(wish.error().value, name);
}

TEST(Acknowledgement, ReadsWhoHasTakenNotice) {
  const auto wish = acknowledgement_of(R"({"alarm":"cmgr/default#7","by":"ada","note":"mine"})");
  ASSERT_TRUE(wish);
  EXPECT_EQ(wish->alarm, "cmgr/default#7");
  EXPECT_EQ(wish->by, "ada");
  EXPECT_EQ(wish->note, "mine");
  EXPECT_FALSE(wish->undo);
  EXPECT_TRUE(acknowledgement_of(R"({"alarm":"cmgr/default#7","undo":true})")->undo);
}

TEST(Acknowledgement, RefusesNobodyAndTooMuch) {
  const std::string long_name(kAcknowledgedByMax + 1, 'a');
  const std::string long_note(kAcknowledgedNoteMax + 1, 'a');
  for (const std::string& body :
       {std::string{R"({"alarm":"a#1"})"}, R"({"alarm":"a#1","by":")" + long_name + "\"}",
        R"({"alarm":"a#1","by":"ada","note":")" + long_note + "\"}",
        std::string{R"({"alarm":1,"by":"ada"})"}, std::string{R"({"id":"a#1","by":"ada"})"}}) {
    const auto wish = acknowledgement_of(body);
    ASSERT_FALSE(wish) << body;
    EXPECT_EQ(wish.error().name, "bad-body");
  }
}

TEST(CallWish, ReadsTheParametersOfAQuestion) {
  Parameters parameters{{{"from", "a"}, {"to", "b"}, {"cells_per_s", "400"}}};
  const auto wish = call_wish_of(parameters);
  ASSERT_TRUE(wish);
  EXPECT_EQ(wish->spec().cells_per_s, 400U);

  Parameters unknown{{{"from", "a"}, {"to", "b"}, {"cells_per_s", "400"}, {"both", "true"}}};
  EXPECT_EQ(call_wish_of(unknown).error().name, "unknown-parameter");
  Parameters neither{{{"from", "a"}, {"to", "b"}}};
  EXPECT_EQ(call_wish_of(neither).error().name, "bad-parameter");
}

}  // namespace
}  // namespace xbind::console
