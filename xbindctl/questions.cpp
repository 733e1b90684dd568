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
  const PathVerdict& verdict = candidate.verdict;
  return {{"hops", std::move(hops)},
          {"delay_us", candidate.delay_us},
          {"shortage", verdict.shortage ? json_of(*verdict.shortage) : Json(nullptr)},
          {"unknown", verdict.unknown},
          {"most_cells_per_s", verdict.most_cells_per_s},
          {"copies", verdict.copies}};
}

// Why a request does not fit on its best path, or is not known to.
struct Obstacle {
  Cause cause = Cause::kNone;
  std::string words;
};

// nullopt: it fits on its best path.
std::optional<Obstacle> obstacle_of(const FitAnswer& answer) {
  if (answer.refused) {
    const Cause cause = answer.refused->cause;
    return Obstacle{cause, fmt::format("{}: {}", to_string(cause), answer.refused_reason)};
  }
  if (answer.candidates.empty()) {
    return Obstacle{Cause::kNoRoute, std::string{to_string(Cause::kNoRoute)}};
  }
  // If one path may have room, what is short on others decides nothing.
  const bool unknown = answer.unknown();
  const auto first = std::ranges::find_if(
      answer.candidates, [&](const Candidate& it) { return !unknown || !it.verdict.shortage; });
  const PathVerdict& verdict = first->verdict;
  if (verdict.shortage) return Obstacle{verdict.shortage->cause, words_of(*verdict.shortage)};
  if (verdict.unknown.empty()) return std::nullopt;
  constexpr Cause kCause = Cause::kSwitchUnreachable;
  return Obstacle{kCause, fmt::format("{} at {}: unknown", to_string(kCause),
                                      fmt::join(verdict.unknown, ", "))};
}

void say_unread(const FitAnswer& answer) {
  for (const UnreadSwitch& it : answer.unread) {
    say(fmt::format("not read       {}, which counts as without room: {}", it.name, it.reason));
  }
}

void say_alternative(const FitAnswer& answer) {
  if (const Candidate* const widest = answer.widest()) {
    say(fmt::format("what would fit {} cells/s over {}", widest->verdict.most_cells_per_s,
                    ctl::words_of(widest->path)));
  } else if (answer.candidates.empty()) {
    say("what would fit nothing: no path was found");
  } else {
    say(fmt::format("what would fit nothing: no path {} room",
                    answer.unknown() ? "is known to have" : "has"));
  }
}

Document document_of(const FitAnswer& answer, const FitQuestion& question) {
  const Candidate* const fitting = answer.fitting();
  const Candidate* const widest = answer.widest();
  Json paths = Json::array();
  for (const Candidate& candidate : answer.candidates) paths.push_back(json_of(candidate));
  Json unread = Json::array();
  for (const UnreadSwitch& it : answer.unread) unread.push_back(it.name);
  const auto obstacle = obstacle_of(answer);
  const char* const verdict = answer.unknown() ? "unknown" : "refused";
  return {
      {{"from", question.from},
       {"to", question.to},
       {"takes",
        {{"cells_per_s", answer.takes.cells_per_s}, {"buffer_cells", answer.takes.buffer_cells}}},
       {"fits", fitting != nullptr},
       {"verdict", fitting == nullptr ? verdict : "fits"},
       {"path", fitting == nullptr ? Json(nullptr) : json_of(*fitting)},
       {"short_of", obstacle ? text(obstacle->words) : Json(nullptr)},
       {"explanation", obstacle ? ctl::json_of(row_of(obstacle->cause)) : Json(nullptr)},
       {"copies", answer.copies},
       {"most_cells_per_s", widest == nullptr ? 0 : widest->verdict.most_cells_per_s},
       {"paths", std::move(paths)},
       {"unread", std::move(unread)}}};
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
  const auto obstacle = obstacle_of(*answer);
  say(fmt::format("demand         {} cells/s, {} cells of buffer", answer->takes.cells_per_s,
                  answer->takes.buffer_cells));
  if (fitting != nullptr) {
    say(fmt::format("would be       connected over {}", ctl::words_of(fitting->path)));
    if (obstacle) say("the best path  would not do: " + obstacle->words);
  } else if (answer->unknown()) {
    say("would be       " + obstacle->words);
  } else {
    say("would be       refused");
    say("because        " + obstacle->words);
  }
  if (fitting == nullptr) {
    const CauseRow& row = row_of(obstacle->cause);
    say(fmt::format("that means     {}", row.meaning));
    say(fmt::format("what to do     {}", row.remedy));
  }
  say_alternative(*answer);
  say_unread(*answer);
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
    say(fmt::format("{} {}", answer->unknown() ? "not known     " : "does not fit  ",
                    obstacle_of(*answer)->words));
    say_alternative(*answer);
  } else {
    say(fmt::format("fits           over {}; {} more of it there, {} on {}",
                    ctl::words_of(fitting->path), fitting->verdict.copies, answer->copies,
                    answer->candidates.size() == 1
                        ? "all paths"
                        : fmt::format("{} paths together", answer->candidates.size())));
  }
  say_unread(*answer);
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
