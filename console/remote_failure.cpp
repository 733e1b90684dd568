#include "console/remote_failure.hpp"

#include <algorithm>
#include <utility>

#include "xbindctl/questions.hpp"

namespace xbind::console {
namespace {

std::string word_of_name(std::string name) {
  std::ranges::replace(name, ' ', '-');
  return name.empty() ? "failed" : name;
}

int status_of(const ctl::Failure& failure) {
  if (failure.refusal) return failure.refusal->kind == OutcomeKind::kBusy ? 503 : 409;
  if (failure.name == to_string(ErrorCode::kNotFound)) return 404;
  if (failure.name == to_string(ErrorCode::kBadInput)) return 400;
  if (failure.name == to_string(ErrorCode::kExhausted)) return 503;
  if (failure.name == to_string(ErrorCode::kTimeout)) return 504;
  return 502;
}

}  // namespace

std::string text_of(const ctl::Json& json) {
  return json.dump(-1, ' ', false, ctl::Json::error_handler_t::replace);
}

ctl::Json error_of(const ctl::Failure& failure) {
  ctl::Json document = ctl::json_of(failure);
  return std::move(document["error"]);
}

Problem problem_of(const ctl::Failure& failure) {
  Problem problem{.status = status_of(failure),
                  .name = word_of_name(failure.name),
                  .detail = failure.text,
                  .value = failure.refusal ? failure.refusal->element : failure.peer,
                  .advice = failure.advice};
  problem.members.emplace_back("error", text_of(error_of(failure)));
  if (failure.refusal) {
    if (const auto answer = ctl::explain_cause_document(problem.name)) {
      problem.members.emplace_back("explanation", text_of(answer->body["causes"][0]));
    }
  }
  return problem;
}

HttpAnswer answer_of(const ctl::DocumentOrFailure& answer, int status) {
  if (!answer) return answer_of(problem_of(answer.error()));
  return json_answer(text_of(answer->body), status);
}

}  // namespace xbind::console
