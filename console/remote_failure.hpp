// From the failures of xbindctl's documents to the answers of the HTTP server. Any thread.
#pragma once

#include <string>

#include "console/problem.hpp"
#include "xbindctl/document.hpp"
#include "xbindctl/failure.hpp"

namespace xbind::console {

// JSON in one line; octets that are not UTF-8 are replaced.
std::string text_of(const ctl::Json& json);
// The object of {"error": {...}}.
ctl::Json error_of(const ctl::Failure& failure);

// 409: refused; 503: busy, or a bounded resource is used up; 404: not known; 400: bad input; 504:
// no answer in time; 502: any other failure of a peer. A refusal has its explanation (the cause's
// meaning, numbers and remedy).
Problem problem_of(const ctl::Failure& failure);
HttpAnswer answer_of(const ctl::DocumentOrFailure& answer, int status = 200);

}  // namespace xbind::console
