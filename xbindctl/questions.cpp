#include "xbindctl/questions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/alarms/alarm_kinds.hpp"
#include "core/config/nearest_name.hpp"
#include "xbindctl/alarms.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/audit.hpp"
#include "xbindctl/explanations.hpp"

namespace xbind::ctl {
namespace {

constexpr const char* kAllCauses = "causes";

OrFailure<std::vector<Cause>> causes_of(const std::string& word) {
  std::vector<Cause> causes;
  for (const CauseRow& row : refusal_causes()) {
    if (word == kAllCauses || word == word_of(row.cause)) causes.push_back(row.cause);
  }
  if (!causes.empty()) return causes;
  std::vector<std::string> words = cause_words();
  std::ranges::move(alarm_kind_names(), std::back_inserter(words));
  std::ranges::move(finding_words(), std::back_inserter(words));
  const auto nearest = config::nearest_name(word, words);
  return failed(
      ErrorCode::kNotFound,
      fmt::format("explain: '{}' is neither a call's id nor a cause, an alarm or a finding", word),
      (nearest ? fmt::format("did you mean '{}'? ", *nearest) : "") +
          "`xbindctl explain causes` lists them; for a request give both endpoints");
}

Json json_of(const Shortage& shortage) {
  return {{"cause", std::string{to_string(shortage.cause)}},
          {"element", text(shortage.element)},
          {"asked", shortage.asked},
          {"free", shortage.free}};
}

Json json_of(const Candidate& candidate) {
  Json hops = Json::array();
  for (const PathHop& hop : candidate.path) {
    hops.push_back({{"switch", text(hop.switch_name)},
                    {"input_port", hop.input_port.value()},
                    {"output_port", hop.output_port.value()}});
  }
  return {{"hops", std::move(hops)},
          {"delay_us", candidate.delay_us},
          {"shortage", candidate.shortage ? json_of(*candidate.shortage) : Json(nullptr)},
          {"most_cells_per_s", candidate.most_cells_per_s},
          {"copies", candidate.copies}};
}

// The sentence of why the request does not fit; empty: it fits on its best path.
std::string why_short(const FitAnswer& answer) {
  if (answer.refused) {
    return fmt::format("{}: {}", to_string(answer.refused->cause), answer.refused_reason);
  }
  if (answer.candidates.empty()) return "no route";
  const auto& shortage = answer.candidates.front().shortage;
  return shortage ? ctl::words_of(*shortage) : "";
}

std::optional<Cause> cause_of(const FitAnswer& answer) {
  if (answer.refused) return answer.refused->cause;
  if (answer.candidates.empty()) return Cause::kNoRoute;
  const auto& shortage = answer.candidates.front().shortage;
  return shortage ? std::optional(shortage->cause) : std::nullopt;
}

void say_limits_of(const FitAnswer& answer) {
  if (!answer.unread.empty()) {
    say(fmt::format("not read       {}: counted as if they had room",
                    fmt::join(answer.unread, ", ")));
  }
  if (answer.labels_cached_unknown) {
    say("not read       the manager's cached labels");
  }
}

void say_alternative(const FitAnswer& answer) {
  if (const Candidate* const widest = answer.widest()) {
    say(fmt::format("what would fit {} cells/s over {}", widest->most_cells_per_s,
                    ctl::words_of(widest->path)));
  } else if (answer.candidates.empty()) {
    say("what would fit nothing: no path was found");
  } else {
    say("what would fit nothing: no path has room");
  }
}

Document document_of(const FitAnswer& answer, const FitQuestion& question) {
  const Candidate* const fitting = answer.fitting();
  const Candidate* const widest = answer.widest();
  Json paths = Json::array();
  for (const Candidate& candidate : answer.candidates) paths.push_back(json_of(candidate));
  const auto cause = cause_of(answer);
  const std::string why = why_short(answer);
  return {
      {{"from", question.from},
       {"to", question.to},
       {"takes",
        {{"cells_per_s", answer.takes.cells_per_s}, {"buffer_cells", answer.takes.buffer_cells}}},
       {"fits", fitting != nullptr},
       {"path", fitting == nullptr ? Json(nullptr) : json_of(*fitting)},
       {"short_of", why.empty() ? Json(nullptr) : text(why)},
       {"explanation", cause ? ctl::json_of(row_of(*cause)) : Json(nullptr)},
       {"copies", answer.copies},
       {"most_cells_per_s", widest == nullptr ? 0 : widest->most_cells_per_s},
       {"paths", std::move(paths)},
       {"unread", answer.unread}}};
}

}  // namespace

Json json_of(const CauseRow& row) {
  return {{"cause", std::string{to_string(row.cause)}},
          {"word", word_of(row.cause)},
          {"meaning", std::string{row.meaning}},
          {"numbers", std::string{row.numbers}},
          {"remedy", std::string{row.remedy}}};
}

int explain_cause(const std::string& word) {
  if (const auto kind = alarm_kind_of(word)) return explain_alarm(*kind);
  if (const auto kind = finding_from_word(word)) return explain_finding(*kind);
  const auto causes = causes_of(word);
  if (!causes) return explain(causes.error());
  for (const Cause cause : *causes) {
    const CauseRow& row = row_of(cause);
    say(fmt::format("{}", to_string(cause)));
    say(fmt::format("  means       {}", row.meaning));
    if (!row.numbers.empty()) say(fmt::format("  numbers     {}", row.numbers));
    say(fmt::format("  what to do  {}", row.remedy));
  }
  return 0;
}

DocumentOrFailure explain_cause_document(const std::string& word) {
  if (const auto kind = alarm_kind_of(word)) return explain_alarm_document(*kind);
  if (const auto kind = finding_from_word(word)) {
    return Document{
        {{"finding", word}, {"meaning", meaning_of(*kind)}, {"repair", cure_for(*kind)}}};
  }
  const auto causes = causes_of(word);
  if (!causes) return tl::make_unexpected(causes.error());
  Json rows = Json::array();
  for (const Cause cause : *causes) rows.push_back(ctl::json_of(row_of(cause)));
  return Document{{{"causes", std::move(rows)}}};
}

int explain_request(orb::NameClient& names, const FitQuestion& question) {
  const auto answer = fit_of(names, question);
  if (!answer) return explain(answer.error());
  const Candidate* const fitting = answer->fitting();
  say(fmt::format("takes          {} cells/s, {} cells of buffer of every port",
                  answer->takes.cells_per_s, answer->takes.buffer_cells));
  if (fitting != nullptr) {
    say(fmt::format("would be       connected over {}", ctl::words_of(fitting->path)));
  } else {
    say("would be       refused");
  }
  const std::string why = why_short(*answer);
  if (!why.empty()) {
    say(fmt::format("{}{}",
                    fitting == nullptr ? "because        " : "the best path  is short: ", why));
  }
  if (const auto cause = cause_of(*answer); cause && fitting == nullptr) {
    const CauseRow& row = row_of(*cause);
    say(fmt::format("that means     {}", row.meaning));
    say(fmt::format("what to do     {}", row.remedy));
  }
  say_alternative(*answer);
  say_limits_of(*answer);
  return 0;
}

DocumentOrFailure explain_request_document(orb::NameClient& names, const FitQuestion& question) {
  const auto answer = fit_of(names, question);
  if (!answer) return tl::make_unexpected(answer.error());
  return document_of(*answer, question);
}

int fit(orb::NameClient& names, const FitQuestion& question) {
  const auto answer = fit_of(names, question);
  if (!answer) return explain(answer.error());
  const Candidate* const fitting = answer->fitting();
  if (fitting == nullptr) {
    say("does not fit   " + why_short(*answer));
    say_alternative(*answer);
  } else {
    say(fmt::format("fits           over {}; {} more of it there, {} on {}",
                    ctl::words_of(fitting->path), fitting->copies, answer->copies,
                    answer->candidates.size() == 1
                        ? "all paths"
                        : fmt::format("{} paths together", answer->candidates.size())));
  }
  say_limits_of(*answer);
  return fitting == nullptr ? 1 : 0;
}

DocumentOrFailure fit_document(orb::NameClient& names, const FitQuestion& question) {
  const auto answer = fit_of(names, question);
  if (!answer) return tl::make_unexpected(answer.error());
  Document document = document_of(*answer, question);
  document.exit_code = answer->fitting() == nullptr ? 1 : 0;
  return document;
}

}  // namespace xbind::ctl
