#include "console/router.hpp"

#include <gmock/gmock.h>

#include <optional>

namespace xbind::console {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class Routes : public testing::Test {
 protected:
  // Answers with its own name and the variables of the path.
  static Route route(const char* method, const char* pattern) {
    return {method, pattern, [pattern](const RoutedRequest& request, const Reply& reply) {
              std::string words = pattern;
              for (const auto& [name, value] : request.path) words += " " + name + "=" + value;
              reply(json_answer(words));
            }};
  }

  HttpAnswer ask(const char* method, const char* target) {
    const HttpRequest request{.method = method,
                              .target = target,
                              .host = {},
                              .origin = {},
                              .site = {},
                              .content_type = {},
                              .if_none_match = {},
                              .body = {}};
    std::optional<HttpAnswer> answered;
    router.handle(request, [&](HttpAnswer answer) { answered = std::move(answer); });
    return answered.value();
  }

  Router router{{route("GET", "/"), route("GET", "/api/v1/calls"), route("POST", "/api/v1/calls"),
                 route("GET", "/api/v1/calls/{manager}/{id}"),
                 route("DELETE", "/api/v1/calls/{manager}/{id}")}};
};

TEST_F(Routes, LeadToTheHandlerOfMethodAndPath) {
  EXPECT_EQ(*ask("GET", "/").body, "/");
  EXPECT_EQ(*ask("GET", "/api/v1/calls?limit=3").body, "/api/v1/calls");
  EXPECT_EQ(*ask("GET", "/api/v1/calls/default/7").body,
            "/api/v1/calls/{manager}/{id} id=7 manager=default");
  EXPECT_EQ(*ask("HEAD", "/").body, "/");
}

TEST_F(Routes, AreCompleteOrNotThere) {
  for (const char* target :
       {"/api", "/api/v1/calls/default", "/api/v1/calls/a/b/c", "/index.html"}) {
    const HttpAnswer answer = ask("GET", target);
    EXPECT_EQ(answer.status, 404) << target;
    EXPECT_EQ(answer.type, HttpAnswer::kProblem);
    EXPECT_THAT(*answer.body, HasSubstr(R"("name":"unknown-path")"));
    EXPECT_THAT(*answer.body, HasSubstr(target));
  }
}

TEST_F(Routes, SayWhichMethodsThereAre) {
  const HttpAnswer answer = ask("PUT", "/api/v1/calls/default/7");
  EXPECT_EQ(answer.status, 405);
  EXPECT_THAT(answer.headers, ElementsAre(Pair("Allow", "GET, DELETE")));
  EXPECT_THAT(*answer.body, HasSubstr(R"("value":"PUT")"));
}

TEST_F(Routes, RefuseATargetThatIsNoPath) {
  EXPECT_EQ(ask("OPTIONS", "*").status, 400);
  EXPECT_EQ(ask("GET", "http://evil.example/").status, 400);
}

TEST_F(Routes, AreListedInTheirOrder) {
  EXPECT_THAT(router.table(), ElementsAre("GET /", "GET /api/v1/calls", "POST /api/v1/calls",
                                          "GET /api/v1/calls/{manager}/{id}",
                                          "DELETE /api/v1/calls/{manager}/{id}"));
}

}  // namespace
}  // namespace xbind::console
