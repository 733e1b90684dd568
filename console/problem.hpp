// The body of an HTTP answer that refuses something: problem details (RFC 7807).
//
//   {"type": "urn:openxbind:problem:body-too-large", "title": "the body is too large",
//    "status": 413, "detail": "20000 octets, at most 16384", "name": "body-too-large",
//    "value": "20000", "advice": "..."}
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "console/http_message.hpp"

namespace xbind::console {

struct Problem {
  int status = 400;
  std::string name;      // one word, for programs: "body-too-large"
  std::string detail;    // one sentence for people
  std::string value{};   // what earned it; printable
  std::string advice{};  // what to do; empty: the detail says it
  // Further members: a name, and JSON text.
  std::vector<std::pair<std::string, std::string>> members{};
};

// `text` as a JSON string, with its quotes; printable and cut at 1 024 octets.
std::string json_string(std::string_view text);

std::string json_of(const Problem& problem);
HttpAnswer answer_of(const Problem& problem);

// The reason phrase of a status that the console uses; "Unknown" for another one.
std::string_view reason_of(int status);

}  // namespace xbind::console
