#include "cmgr/parts/trace_spans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace xbind::cmgr {
namespace {

using Kind = CallRecord::Kind;
using Group = std::vector<const CallRecord*>;  // of one operation, in the order of recording

constexpr std::string_view name_of_command(HopAction action) {
  switch (action) {
    case HopAction::kReserve: return "reserve";
    case HopAction::kCommit: return "commit";
    case HopAction::kRemove: return "remove";
    case HopAction::kModify: return "modify";
  }
  return "command";
}

// Splits the records of one connection. Its operations follow one another: each ends before the
// next one begins. What is recorded after the last end belongs to the operation under way.
std::vector<Group> operations_of(const Group& records) {
  std::vector<Group> groups(1);
  for (const CallRecord* const record : records) {
    const bool begins = record->kind == Kind::kBegun && !groups.back().empty() &&
                        groups.back().front()->kind == Kind::kBegun;
    if (begins) groups.emplace_back();  // the end of the one before was not recorded
    groups.back().push_back(record);
    if (record->kind == Kind::kEnded) groups.emplace_back();
  }
  if (groups.back().empty()) groups.pop_back();
  return groups;
}

ConnectionId shown_id_of(const Group& records) {
  ConnectionId shown = records.front()->connection;
  for (const CallRecord* const record : records) {
    if (record->kind == Kind::kBegun) shown = record->shown_id;
  }
  return shown;
}

// Makes the spans of one operation.
class Operation {
 public:
  Operation(const Group& records, const SwitchName& name_of, const trace::WallClock& clock)
      : records_(records), name_of_(name_of), clock_(clock) {
    for (const CallRecord* const record : records) {
      if (record->kind == Kind::kBegun) begun_ = record;
      if (record->kind == Kind::kEnded) ended_ = record;
      if (record->kind == Kind::kRefused) refused_ = record;
      staged_ = staged_ || record->kind == Kind::kStage;
    }
  }

  trace::Span whole() const {
    TimePoint begin = kNever;
    for (const CallRecord* const record : records_) begin = std::min(begin, record->at);
    trace::Span span;
    span.name = begun_ == nullptr ? "commands" : begun_->name;
    span.begin_ns = clock_.ns(begin);
    if (ended_ != nullptr) {
      span.end_ns = clock_.ns(ended_->at);
      span.cause = ended_->cause;
    } else if (begun_ == nullptr) {
      span.end_ns = clock_.ns(records_.back()->at);  // their operation was over, or overwritten
    }
    // Operations of one call never begin in the same step.
    span.id = trace::span_within(static_cast<std::uint64_t>(begin.time_since_epoch().count()), 0);
    if (begun_ != nullptr && begun_->words) {
      span.detail = *begun_->words;
      if (begun_->request != RequestId{}) {
        span.detail += fmt::format(", request {}", begun_->request);
      }
    }
    if (refused_ != nullptr) span.detail += ", refused" + *refused_->words;
    return span;
  }

  void append_to(std::vector<trace::Span>& spans) const {
    const std::size_t first = spans.size();
    spans.push_back(whole());
    const trace::Span& top = spans[first];
    std::vector<trace::Span> phases = staged_ ? stages(top) : states(top);
    std::vector<trace::Span> commands = commands_of(top, phases);
    spans.insert(spans.end(), std::make_move_iterator(phases.begin()),
                 std::make_move_iterator(phases.end()));
    spans.insert(spans.end(), std::make_move_iterator(commands.begin()),
                 std::make_move_iterator(commands.end()));
    std::stable_sort(
        spans.begin() + static_cast<std::ptrdiff_t>(first) + 1, spans.end(),
        [](const trace::Span& a, const trace::Span& b) { return a.begin_ns < b.begin_ns; });
  }

 private:
  trace::Span part_of(const trace::Span& top, std::size_t number, const CallRecord& record) const {
    trace::Span span;
    span.id = trace::span_within(top.id, number + 1);
    span.parent = top.id;
    span.name = record.name;
    span.begin_ns = clock_.ns(record.at);
    return span;
  }

  std::vector<trace::Span> stages(const trace::Span& top) const {
    std::vector<trace::Span> spans;
    for (const CallRecord* const record : records_) {
      if (record->kind != Kind::kStage) continue;
      spans.push_back(part_of(top, spans.size(), *record));
      spans.back().end_ns = clock_.ns(record->until);
    }
    // A refused setup ends when all that it had reached is removed.
    const bool undoes = top.name == "setup" && !spans.empty() && top.end_ns > spans.back().end_ns;
    if (undoes && top.cause != Cause::kNone) {
      trace::Span undo = spans.back();
      undo.id = trace::span_within(top.id, spans.size() + 1);
      undo.name = "undo";
      undo.begin_ns = std::exchange(undo.end_ns, top.end_ns);
      spans.push_back(std::move(undo));
    }
    return spans;
  }

  // Each state lasts until the next one. The last one is that after the end.
  std::vector<trace::Span> states(const trace::Span& top) const {
    std::vector<trace::Span> spans;
    for (const CallRecord* const record : records_) {
      if (record->kind != Kind::kState && record->kind != Kind::kEnded) continue;
      if (!spans.empty()) spans.back().end_ns = clock_.ns(record->at);
      if (record->kind == Kind::kState) spans.push_back(part_of(top, spans.size(), *record));
    }
    std::erase_if(spans, [&](const trace::Span& span) {
      return span.end_ns == span.begin_ns && top.end_ns != 0;
    });
    return spans;
  }

  std::vector<trace::Span> commands_of(const trace::Span& top,
                                       const std::vector<trace::Span>& phases) const {
    std::vector<trace::Span> spans;
    for (const CallRecord* const record : records_) {
      if (record->kind == Kind::kSent) {
        spans.push_back(command(*record));
      } else if (record->kind == Kind::kAnswered) {
        answer(spans, *record);
      }
    }
    for (trace::Span& span : spans) {
      // The phases follow one another: the last one that has begun by then.
      const auto phase = std::find_if(phases.rbegin(), phases.rend(), [&](const trace::Span& one) {
        return one.begin_ns <= span.begin_ns;
      });
      span.parent = phase == phases.rend() ? top.id : phase->id;
    }
    return spans;
  }

  trace::Span command(const CallRecord& record) const {
    trace::Span span;
    span.id = trace::span_of_command(record.hop, record.action, record.revision);
    span.name = name_of_command(record.action);
    span.place = name_of_(record.place);
    span.begin_ns = clock_.ns(record.at);
    span.key = record.hop;
    return span;
  }

  void answer(std::vector<trace::Span>& spans, const CallRecord& record) const {
    const std::uint64_t id = trace::span_of_command(record.hop, record.action, record.revision);
    auto sent = std::find_if(spans.rbegin(), spans.rend(),
                             [&](const trace::Span& span) { return span.id == id; });
    if (sent == spans.rend()) {
      spans.push_back(command(record));
      spans.back().detail = "when it was sent is not recorded";
      sent = spans.rbegin();
    }
    sent->end_ns = clock_.ns(record.at);
    sent->cause = record.cause;
    if (record.port != PortId{}) sent->detail = fmt::format("{} port {}", sent->place, record.port);
  }

  const Group& records_;
  const SwitchName& name_of_;
  const trace::WallClock& clock_;
  const CallRecord* begun_ = nullptr;
  const CallRecord* ended_ = nullptr;
  const CallRecord* refused_ = nullptr;
  bool staged_ = false;
};

// The connection that the id names, as client or SwitchServers know it.
std::optional<ConnectionId> connection_of(const trace::Ring<CallRecord>& records, ConnectionId id) {
  std::optional<ConnectionId> found;
  records.for_each_back([&](const CallRecord& record) {
    const bool shown = record.kind == Kind::kBegun && record.shown_id == id;
    if (record.connection == id || shown) found = record.connection;
    return !found;
  });
  return found;
}

}  // namespace

std::optional<trace::Part> spans_of(const trace::Ring<CallRecord>& records, ConnectionId id,
                                    const SwitchName& name_of, const trace::WallClock& clock) {
  const auto connection = connection_of(records, id);
  if (!connection) return std::nullopt;
  Group found;
  records.for_each([&](const CallRecord& record) {
    if (record.connection == *connection) found.push_back(&record);
  });
  trace::Part part;
  part.connection = *connection;
  part.shown_id = shown_id_of(found);
  for (const Group& group : operations_of(found)) {
    Operation(group, name_of, clock).append_to(part.spans);
  }
  if (part.spans.size() > trace::kSpansMax) {
    const auto surplus = static_cast<std::ptrdiff_t>(part.spans.size() - trace::kSpansMax);
    part.spans.erase(part.spans.begin(), part.spans.begin() + surplus);
  }
  return part;
}

std::vector<TracedOperation> traced_operations(const trace::Ring<CallRecord>& records,
                                               std::size_t limit, const SwitchName& name_of,
                                               const trace::WallClock& clock) {
  // Two passes, because the ring is large: the latest calls, then the records of these.
  std::unordered_map<ConnectionId, Group> calls;
  records.for_each_back([&](const CallRecord& record) {
    if (record.kind == Kind::kBegun) calls.try_emplace(record.connection);
    return calls.size() < limit;
  });
  records.for_each([&](const CallRecord& record) {
    const auto call = calls.find(record.connection);
    if (call != calls.end()) call->second.push_back(&record);
  });
  std::vector<TracedOperation> all;
  for (const auto& [call, found] : calls) {
    for (const Group& group : operations_of(found)) {
      all.push_back({shown_id_of(found), Operation(group, name_of, clock).whole()});
    }
  }
  std::sort(all.begin(), all.end(), [](const TracedOperation& a, const TracedOperation& b) {
    return std::pair(a.whole.begin_ns, a.shown_id) > std::pair(b.whole.begin_ns, b.shown_id);
  });
  if (all.size() > limit) all.resize(limit);
  return all;
}

}  // namespace xbind::cmgr
