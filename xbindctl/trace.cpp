#include "xbindctl/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/name.hpp"
#include "core/trace/otlp.hpp"
#include "naming/names.hpp"
#include "orb/traces.hpp"
#include "switch_server.hh"
#include "xbindctl/answers.hpp"
#include "xbindctl/documents.hpp"
#include "xbindctl/span_words.hpp"
#include "xbindctl/trace_tree.hpp"

namespace xbind::ctl {
namespace {

constexpr std::uint32_t kOperations = 20;  // without --limit
constexpr std::uint32_t kOperationsMax = 1'000;

// The recorded operations of any call.
struct Latest {
  struct One {
    std::uint64_t call = 0;
    trace::Span whole;
  };
  std::vector<One> operations;
};

template <class Value, class Ask>
OrFailure<Value> at_manager(orb::NameClient& names, const TraceWish& wish, const Ask& ask) {
  const std::string path = naming::path_of(naming::kConnectionManagers, wish.manager);
  const auto object = resolved(names, PeerKind::kManager, path);
  if (!object) return tl::make_unexpected(object.error());
  const v2::ConnectionManager_var manager = v2::ConnectionManager::_unchecked_narrow(*object);
  const Peer peer = peer_of(PeerKind::kManager, path, manager);
  return call_peer(peer, manager, [&]() -> OrFailure<Value> {
    const v2::ManagerOperations_var operations = manager->manager_operations();
    return ask(operations.in(), peer);
  });
}

}  // namespace

OrFailure<trace::Part> recorded_at_manager(orb::NameClient& names, const TraceWish& wish) {
  return at_manager<trace::Part>(
      names, wish,
      [&](v2::ManagerOperations_ptr operations, const Peer& peer) -> OrFailure<trace::Part> {
        const v2::TracePart_var part = operations->spans_of("", wish.call.value());
        auto core = orb::to_core(part.in());
        if (!core) return failed(core.error(), peer);
        return std::move(*core);
      });
}

namespace {

OrFailure<trace::Part> part_of_switch(orb::NameClient& names, const std::string& switch_name,
                                      const trace::Part& call) {
  const std::string path = naming::path_of(naming::kSwitchServers, switch_name);
  const auto object = resolved(names, PeerKind::kSwitchServer, path);
  if (!object) return tl::make_unexpected(object.error());
  const v2::SwitchServer_var server = v2::SwitchServer::_unchecked_narrow(*object);
  const Peer peer = peer_of(PeerKind::kSwitchServer, path, server);
  return call_peer(peer, server, [&]() -> OrFailure<trace::Part> {
    const v2::SwitchOperations_var operations = server->switch_operations();
    const v2::TracePart_var part =
        operations->spans_of(call.manager.c_str(), call.connection.value());
    auto core = orb::to_core(part.in());
    if (!core) return failed(core.error(), peer);
    core->manager = call.manager;
    core->connection = call.connection;
    core->shown_id = call.shown_id;
    return std::move(*core);
  });
}

// What nobody has recorded, and why perhaps.
Failure nothing_recorded(const trace::Part& part) {
  std::string text =
      fmt::format("nothing is recorded of call {} by {}", part.shown_id, part.process);
  std::string advice = part.overwritten == 0
                           ? std::string{}
                           : "its spans may have been replaced by those of newer calls; ";
  advice += part.sample == 0
                ? "the manager records no calls but refused ones (--trace-sample)"
                : fmt::format(
                      "the manager records one call of {} (--trace-sample), and those of "
                      "two-way operations",
                      part.sample);
  advice += "; of what was before the manager's start nothing is recorded";
  return {std::string{to_string(ErrorCode::kNotFound)}, std::move(text), {}, {}, advice};
}

OrFailure<TraceParts> parts_of(orb::NameClient& names, const TraceWish& wish) {
  auto part = recorded_at_manager(names, wish);
  if (!part) return tl::make_unexpected(part.error());
  if (part->spans.empty()) return tl::make_unexpected(nothing_recorded(*part));
  TraceParts parts{std::move(*part), {}, {}};
  for (const std::string& name : switches_of(parts.manager)) {
    auto of_switch = part_of_switch(names, name, parts.manager);
    if (of_switch) {
      parts.switch_servers.push_back(std::move(*of_switch));
    } else {
      parts.missing.push_back({name, of_switch.error().text});
    }
  }
  return parts;
}

OrFailure<Latest> latest_of(orb::NameClient& names, const TraceWish& wish) {
  const std::uint32_t limit = wish.limit == 0 ? kOperations : wish.limit;
  return at_manager<Latest>(
      names, wish,
      [&](v2::ManagerOperations_ptr operations, const Peer& peer) -> OrFailure<Latest> {
        const v2::TracedOperationSeq_var found =
            operations->traced_operations(std::min(limit, kOperationsMax));
        Latest latest;
        for (CORBA::ULong i = 0; i < found->length(); ++i) {
          auto whole = orb::to_core(found.in()[i].whole);
          if (!whole) return failed(whole.error(), peer);
          latest.operations.push_back({found.in()[i].shown_id, std::move(*whole)});
        }
        return latest;
      });
}

std::vector<trace::Part> all_parts(const TraceParts& parts) {
  std::vector<trace::Part> all{parts.manager};
  all.insert(all.end(), parts.switch_servers.begin(), parts.switch_servers.end());
  return all;
}

// Appends a line, as the OpenTelemetry file exporter does.
std::optional<Failure> write_otlp(const TraceParts& parts, const std::string& path) {
  if (path.empty()) return std::nullopt;
  std::ofstream file(path, std::ios::app);
  file << trace::otlp_line(all_parts(parts)) << '\n';
  file.close();
  if (file) return std::nullopt;
  return Failure{std::string{to_string(ErrorCode::kSystem)},
                 fmt::format("{} cannot be written: {}", path, std::strerror(errno)),
                 {},
                 {},
                 {}};
}

Row row_of(const TraceNode& node, const std::string& manager) {
  const trace::Span& span = *node.span;
  const auto offset = static_cast<std::int64_t>(span.begin_ns - node.begin_of_operation_ns);
  return {std::string(node.depth * 2, ' ') + span.name,
          span.place.empty() ? "-" : span.place,
          node.part->process == manager ? "manager" : "switchserver",
          result_of(span, node.note),
          in_us(offset),
          took(span)};
}

Json json_of(const trace::Span& span) {
  return {
      {"span_id", trace::span_id(span.id)},
      {"parent_id", span.parent == 0 ? Json() : Json(trace::span_id(span.parent))},
      {"name", span.name},
      {"switch", span.place},
      {"begin_ns", digits(span.begin_ns)},
      {"duration_ns", span.end_ns == 0 ? Json() : Json(span.end_ns - span.begin_ns)},
      {"generation", span.key.generation.value()},
      {"leg", span.key.leg},
      {"hop", span.key.hop},
      {"cause", span.cause == Cause::kNone ? std::string{} : std::string{to_string(span.cause)}},
      {"detail", span.detail}};
}

// Appends a line for each call of these operations, the oldest call first. A call whose records
// have been replaced meanwhile is left out.
std::optional<Failure> write_otlp(orb::NameClient& names, const TraceWish& wish,
                                  const Latest& latest) {
  if (wish.otlp.empty()) return std::nullopt;
  std::set<ConnectionId> calls;  // ids ascend in the order of the setups
  for (const Latest::One& one : latest.operations) calls.insert(ConnectionId{one.call});
  for (const ConnectionId call : calls) {
    const auto parts = parts_of(names, {wish.manager, call, 0, {}});
    if (!parts && parts.error().name == to_string(ErrorCode::kNotFound)) continue;
    if (!parts) return parts.error();
    if (auto failure = write_otlp(*parts, wish.otlp)) return failure;
  }
  return std::nullopt;
}

int print_latest(orb::NameClient& names, const TraceWish& wish) {
  const auto latest = latest_of(names, wish);
  if (!latest) return explain(latest.error());
  if (const auto failure = write_otlp(names, wish, *latest)) return explain(*failure);
  if (latest->operations.empty()) {
    say("no operation is recorded");
    return 0;
  }
  std::vector<Row> rows{{"call", "operation", "began", "result", "took us"}};
  for (const auto& [call, whole] : latest->operations) {
    rows.push_back({fmt::format("{}", call), whole.name, wall_time(whole.begin_ns),
                    result_of(whole, {}), took(whole)});
  }
  print_table(4, std::move(rows));
  return 0;
}

}  // namespace

int trace(orb::NameClient& names, const TraceWish& wish) {
  if (wish.call == ConnectionId{}) return print_latest(names, wish);
  const auto parts = parts_of(names, wish);
  if (!parts) return explain(parts.error());
  if (const auto failure = write_otlp(*parts, wish.otlp)) return explain(*failure);
  const trace::Part& of_manager = parts->manager;
  say(fmt::format("call {}, trace {}, since {}", of_manager.shown_id,
                  trace::trace_id(of_manager.manager, of_manager.connection),
                  wall_time(of_manager.spans.front().begin_ns)));
  std::vector<Row> rows{{"span", "switch", "process", "result", "offset us", "took us"}};
  for (const TraceNode& node : tree_of(*parts)) rows.push_back(row_of(node, of_manager.process));
  print_table(4, std::move(rows));
  say("offsets are from the begin of each operation; those between processes of several hosts are "
      "as exact as the hosts' clocks");
  return 0;
}

DocumentOrFailure trace_document(orb::NameClient& names, const TraceWish& wish) {
  if (wish.call == ConnectionId{}) {
    const auto latest = latest_of(names, wish);
    if (!latest) return tl::make_unexpected(latest.error());
    if (const auto failure = write_otlp(names, wish, *latest)) return tl::make_unexpected(*failure);
    Json operations = Json::array();
    for (const auto& [call, whole] : latest->operations) {
      Json one = json_of(whole);
      one["call"] = digits(call);
      operations.push_back(std::move(one));
    }
    return Document{{{"operations", std::move(operations)}}};
  }
  const auto parts = parts_of(names, wish);
  if (!parts) return tl::make_unexpected(parts.error());
  if (const auto failure = write_otlp(*parts, wish.otlp)) return tl::make_unexpected(*failure);
  const trace::Part& of_manager = parts->manager;
  Json spans = Json::array();
  for (const TraceNode& node : tree_of(*parts)) {
    Json one = json_of(*node.span);
    one["process"] = node.part->process;
    one["depth"] = node.depth;
    one["note"] = node.note;
    spans.push_back(std::move(one));
  }
  Json missing = Json::array();
  for (const MissingPart& part : parts->missing) {
    missing.push_back({{"switch", part.switch_name}, {"why", part.why}});
  }
  return Document{{{"call", digits(of_manager.shown_id.value())},
                   {"connection", digits(of_manager.connection.value())},
                   {"manager", of_manager.manager},
                   {"trace_id", trace::trace_id(of_manager.manager, of_manager.connection)},
                   {"sample", of_manager.sample},
                   {"overwritten", of_manager.overwritten},
                   {"spans", std::move(spans)},
                   {"missing", std::move(missing)}}};
}

}  // namespace xbind::ctl
