#include "console/problem.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace xbind::console {
namespace {

using nlohmann::json;

TEST(Problem, HasTheMembersOfRfc7807) {
  const HttpAnswer answer = answer_of({.status = 413,
                                       .name = "body-too-large",
                                       .detail = "20000 octets, at most 16384",
                                       .value = "20000",
                                       .advice = "send less",
                                       .members = {{"fit", R"({"fits":true})"}}});
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.type, "application/problem+json");
  EXPECT_EQ(json::parse(*answer.body), json::parse(R"({
      "type": "urn:openxbind:problem:body-too-large", "title": "body too large", "status": 413,
      "detail": "20000 octets, at most 16384", "name": "body-too-large", "value": "20000",
      "advice": "send less", "fit": {"fits": true}})"));
}

TEST(Problem, IsJsonWhateverThePeerSent) {
  const std::string octets("\"\\\n\xff\x00<script>", 13);
  const auto problem =
      json::parse(json_of({.status = 400, .name = "bad", .detail = octets, .value = octets}));
  EXPECT_EQ(problem["value"], "\"\\\\n\\xff\\x00<script>");
}

TEST(Problem, CutsALongValue) {
  const auto problem = json::parse(
      json_of({.status = 400, .name = "bad", .detail = "", .value = std::string(100'000, 'a')}));
  EXPECT_LE(problem["value"].get<std::string>().size(), 1'024U);
}

TEST(Reason, IsKnownForEveryStatusThatIsUsed) {
  for (const int status :
       {200, 201, 304, 400, 403, 404, 405, 409, 413, 415, 421, 431, 502, 503, 504}) {
    EXPECT_NE(reason_of(status), "Unknown") << status;
  }
}

}  // namespace
}  // namespace xbind::console
