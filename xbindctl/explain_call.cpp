#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/duration_text.hpp"
#include "core/metrics/stage_times.hpp"
#include "core/name.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/explanations.hpp"
#include "xbindctl/questions.hpp"
#include "xbindctl/span_words.hpp"

namespace xbind::ctl {
namespace {

constexpr std::string_view kSetup = "setup";

// A phase of docs/call-states.md for people, and the stage of a setup that is under way in it;
// empty: the setup is over.
struct PhaseWords {
  v2::PhaseCode phase;
  std::string_view meaning;
  std::string_view stage;
};

constexpr PhaseWords kPhases[] = {
    {v2::phase_routing, "waits for a path or for the mapping of its service", "route"},
    {v2::phase_reserving, "labels and resources are being reserved, hop by hop", "labels"},
    {v2::phase_held, "everything is reserved and no switch is programmed; it waits for a commit",
     "queue"},
    {v2::phase_committing, "the switches are being programmed", "switches"},
    {v2::phase_connected, "up: every hop is committed", ""},
    {v2::phase_switching_over, "up, while another path is set up for it", ""},
    {v2::phase_lingering, "up on another path; the old one is about to be removed", ""},
    {v2::phase_modifying, "up, while its hops take the greater of two contracts", ""},
    {v2::phase_lowering, "up, while its hops take the new contract", ""},
    {v2::phase_restoring, "up; a hop refused the new contract, the others return to the old one",
     ""},
    {v2::phase_undoing, "refused: a hop refused, and the others are being removed", "switches"},
    {v2::phase_releasing, "being released", ""},
    {v2::phase_gone, "answered and forgotten", ""},
    {v2::phase_prepared, "connected in advance; it waits for a connect request", ""},
    {v2::phase_incomplete,
     "a call from before the manager's start, of which it does not know all hops; its cells, "
     "labels and bandwidth stay as they are",
     ""},
};

PhaseWords words_of(v2::PhaseCode phase) {
  const auto found = std::ranges::find(kPhases, phase, &PhaseWords::phase);
  if (found != std::end(kPhases)) return *found;
  return {phase, "in a state that this xbindctl does not know", ""};
}

// A stage of the call's setup.
struct StageLine {
  std::string name;
  const char* progress;             // "done", "under way", "to come"
  std::optional<std::uint64_t> ns;  // of this call; nullopt: not recorded, or not over
  StageSum sum;                     // of all setups of the manager
};

// The latest recorded setup, or null.
const trace::Span* setup_of(const trace::Part& part) {
  const auto found =
      std::find_if(part.spans.rbegin(), part.spans.rend(),
                   [](const trace::Span& span) { return span.parent == 0 && span.name == kSetup; });
  return found == part.spans.rend() ? nullptr : &*found;
}

// `stage`: its name, or "total".
std::optional<std::uint64_t> time_of(const trace::Part& part, std::string_view stage, bool total) {
  const trace::Span* const setup = setup_of(part);
  if (setup == nullptr) return std::nullopt;
  const trace::Span* span = setup;
  if (!total) {
    const auto found = std::ranges::find_if(part.spans, [&](const trace::Span& one) {
      return one.parent == setup->id && one.name == stage;
    });
    if (found == part.spans.end()) return std::nullopt;
    span = &*found;
  }
  if (span->end_ns == 0) return std::nullopt;
  return span->end_ns - span->begin_ns;
}

// `under_way`: the stage that the setup is in; empty: it is over.
OrFailure<std::vector<StageLine>> stages_of(const client::TwoWay& manager, const trace::Part& part,
                                            std::string_view under_way) {
  auto metrics = manager.status();
  if (!metrics) return failed(metrics.error(), peer_of(manager));
  std::vector<StageLine> lines;
  const auto operations = take_stages(*metrics);
  const auto setup = std::ranges::find(operations, kSetup, &OperationStages::operation);
  if (setup == operations.end()) return lines;
  bool passed = false;  // the stage that is under way
  for (const OperationStages::Stage& stage : setup->stages) {
    const bool here = !under_way.empty() && stage.name == under_way;
    const bool total = &stage == &setup->stages.back();
    const char* progress = here ? "under way" : passed ? "to come" : "done";
    if (total) progress = under_way.empty() ? "done" : "under way";
    lines.push_back({stage.name, progress, time_of(part, stage.name, total), stage.sum});
    passed = passed || here;
  }
  return lines;
}

// A call that the manager knows.
struct CallStory {
  v2::ConnectionState_var state;
  std::vector<StageLine> stages;
  bool timed = false;  // its setup is recorded
};

OrFailure<CallStory> story_of(const client::TwoWay& manager, v2::ConnectionState_var state,
                              const Recorded& recorded) {
  const auto part = recorded();
  if (!part) return tl::make_unexpected(part.error());
  auto stages = stages_of(manager, *part, words_of(state->phase).stage);
  if (!stages) return tl::make_unexpected(stages.error());
  return CallStory{std::move(state), std::move(*stages), setup_of(*part) != nullptr};
}

// A call that has gone, or was refused.
struct PastStory {
  trace::Part part;
  std::vector<StageLine> stages;  // of its setup, those that are recorded
  Cause refused = Cause::kNone;   // why its setup failed
};

// `unknown`: the manager's answer, which is ours if nothing is recorded.
OrFailure<PastStory> past_story_of(const client::TwoWay& manager, const Error& unknown,
                                   const Recorded& recorded) {
  if (unknown.code != ErrorCode::kNotFound) return failed(unknown, peer_of(manager));
  auto part = recorded();
  if (!part) return tl::make_unexpected(part.error());
  if (part->spans.empty()) return failed(unknown, peer_of(manager));
  auto stages = stages_of(manager, *part, {});
  if (!stages) return tl::make_unexpected(stages.error());
  std::erase_if(*stages, [](const StageLine& stage) { return !stage.ns; });
  const trace::Span* const setup = setup_of(*part);
  const Cause refused = setup == nullptr ? Cause::kNone : setup->cause;
  return PastStory{std::move(*part), std::move(*stages), refused};
}

std::vector<const trace::Span*> operations_of(const trace::Part& part) {
  std::vector<const trace::Span*> operations;
  for (const trace::Span& span : part.spans) {
    if (span.parent == 0) operations.push_back(&span);
  }
  return operations;
}

std::string mean_of(const StageSum& sum) {
  if (sum.count == 0) return "-";
  return duration_text(static_cast<double>(sum.ns) / static_cast<double>(sum.count));
}

void print_stages(const std::vector<StageLine>& stages) {
  if (stages.empty()) return;
  std::vector<Row> rows{{"stage of the setup", "this call", "it took", "mean of all setups"}};
  for (const StageLine& stage : stages) {
    rows.push_back({stage.name, stage.progress,
                    stage.ns ? duration_text(static_cast<double>(*stage.ns)) : "-",
                    mean_of(stage.sum)});
  }
  print_table(2, std::move(rows));
}

Json json_of(const std::vector<StageLine>& stages) {
  Json rows = Json::array();
  for (const StageLine& stage : stages) {
    rows.push_back({{"stage", stage.name},
                    {"progress", stage.progress},
                    {"ns", stage.ns ? Json(*stage.ns) : Json(nullptr)},
                    {"ns_of_all", stage.sum.ns},
                    {"count_of_all", stage.sum.count}});
  }
  return rows;
}

int explain_past(const PastStory& story) {
  say(fmt::format("call {} {}; recorded of it:", story.part.shown_id,
                  story.refused == Cause::kNone ? "has ended" : "was refused"));
  std::vector<Row> rows{{"operation", "began", "result", "took"}};
  for (const trace::Span* const span : operations_of(story.part)) {
    const std::string lasted =
        span->end_ns == 0 ? "-" : duration_text(static_cast<double>(span->end_ns - span->begin_ns));
    rows.push_back({span->name, wall_time(span->begin_ns), result_of(*span, {}), lasted});
  }
  print_table(3, std::move(rows));
  print_stages(story.stages);
  if (story.refused != Cause::kNone) {
    const CauseRow& row = row_of(story.refused);
    say(fmt::format("that means  {}", row.meaning));
    say(fmt::format("what to do  {}", row.remedy));
  }
  return 0;
}

Document document_of(const PastStory& story) {
  Json operations = Json::array();
  for (const trace::Span* const span : operations_of(story.part)) {
    operations.push_back(
        {{"operation", span->name},
         {"began_ns", digits(span->begin_ns)},
         {"duration_ns", span->end_ns == 0 ? Json(nullptr) : Json(span->end_ns - span->begin_ns)},
         {"cause",
          span->cause == Cause::kNone ? std::string{} : std::string{to_string(span->cause)}},
         {"detail", printable(span->detail, trace::kDetailOctetsMax)}});
  }
  const bool refused = story.refused != Cause::kNone;
  return {{{"id", digits(story.part.shown_id.value())},
           {"state", refused ? "refused" : "ended"},
           {"operations", std::move(operations)},
           {"stages", json_of(story.stages)},
           {"explanation", refused ? ctl::json_of(row_of(story.refused)) : Json(nullptr)}}};
}

// The manager's words say what is missing of it, and where.
int explain_incomplete(const v2::ConnectionState& state) {
  const CORBA::ULong hops = state.hops.length();
  say(fmt::format("known        {}{}", counted(hops, "hop"),
                  hops == 0 ? "" : ": `xbindctl call ID` shows them"));
  say(fmt::format("missing      {}", state.missing.in()));
  const CauseRow& row = row_of(Cause::kIncomplete);
  say("requests     release and clear are taken; all others are refused: incomplete");
  say(fmt::format("what to do   {}", row.remedy));
  return 0;
}

}  // namespace

int explain_call(const client::TwoWay& manager, ConnectionId connection, const Recorded& recorded) {
  auto known = manager.describe(connection);
  if (!known) {
    const auto past = past_story_of(manager, known.error(), recorded);
    return past ? explain_past(*past) : explain(past.error());
  }
  const auto story = story_of(manager, std::move(*known), recorded);
  if (!story) return explain(story.error());
  const v2::ConnectionState& state = story->state.in();
  say(fmt::format("call {} is {}: {}", state.connection, words_of_phase(state.phase),
                  words_of(state.phase).meaning));
  if (state.phase == v2::phase_incomplete) return explain_incomplete(state);
  if (state.up_since_s != 0) say("it is up since " + time_words(state.up_since_s));
  if (state.changed_s != 0) say("it was changed at " + time_words(state.changed_s));
  if (state.condition != v2::path_up) {
    say(fmt::format("its path is {} at {}: {}", condition_word(state.condition), state.element.in(),
                    why_it_stays(state)));
  }
  if (state.reroutes != 0) {
    say(fmt::format("it has moved to another path {}", counted(state.reroutes, "time")));
  }
  print_stages(story->stages);
  say(story->timed
          ? "`xbindctl trace ID` follows it through the switches; `xbindctl call ID` shows "
            "its hops"
          : "its own times are not recorded (--trace-sample of xbind-cmgr); `xbindctl call "
            "ID` shows its hops");
  return 0;
}

DocumentOrFailure explain_call_document(const client::TwoWay& manager, ConnectionId connection,
                                        const Recorded& recorded) {
  auto known = manager.describe(connection);
  if (!known) {
    const auto past = past_story_of(manager, known.error(), recorded);
    if (!past) return tl::make_unexpected(past.error());
    return document_of(*past);
  }
  const auto story = story_of(manager, std::move(*known), recorded);
  if (!story) return tl::make_unexpected(story.error());
  const v2::ConnectionState& state = story->state.in();
  return Document{
      {{"id", digits(state.connection)},
       {"state", words_of_phase(state.phase)},
       {"meaning", std::string{words_of(state.phase).meaning}},
       {"up_since_s", state.up_since_s},
       {"changed_s", state.changed_s},
       {"reroutes", state.reroutes},
       {"condition", condition_word(state.condition)},
       {"element", text(state.element.in())},
       {"missing", text(state.missing.in())},
       {"why_it_stays", state.condition == v2::path_up ? Json(nullptr) : Json(why_it_stays(state))},
       {"explanation", state.phase == v2::phase_incomplete
                           ? ctl::json_of(row_of(Cause::kIncomplete))
                           : Json(nullptr)},
       {"stages", json_of(story->stages)}}};
}

}  // namespace xbind::ctl
