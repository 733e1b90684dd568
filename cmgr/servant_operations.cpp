#include "cmgr/servant_operations.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "cmgr/parts/trace_spans.hpp"
#include "cmgr/servant_values.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"
#include "orb/convert.hpp"
#include "orb/raise.hpp"
#include "orb/reply.hpp"
#include "orb/traces.hpp"

namespace xbind::cmgr {
namespace {

constexpr std::size_t kFindingsReported = 1'000;
constexpr std::size_t kCachesPerKind = 2'000;
constexpr std::size_t kCacheKinds = 6;
constexpr CORBA::ULong kClientsPerPage = 5'000;
constexpr CORBA::ULong kTracedMax = 1'000;
constexpr std::size_t kClientOctets = 64;  // of a client's numbers in CDR

// Upper bounds of their size in CDR (orb/reply.hpp).
std::size_t octets_of(const CacheState& state) {
  return 56 + orb::cdr_string(state.element.size());
}
std::size_t octets_of(const Finding& finding) {
  return 24 + orb::cdr_string(finding.element.size()) + orb::cdr_string(finding.text.size());
}

// Keeps the first states of each kind, with the same limit for every kind, so that the reply fits.
std::vector<CacheState> within_reply(std::vector<CacheState> states) {
  for (std::size_t per_kind = kCachesPerKind;; per_kind = per_kind * 3 / 4) {
    std::array<std::size_t, kCacheKinds> seen{};
    std::erase_if(states, [&](const CacheState& state) {
      return ++seen[static_cast<std::size_t>(state.kind)] > per_kind;
    });
    std::size_t octets = 0;
    for (const CacheState& state : states) octets += octets_of(state);
    if (octets <= orb::kReplyOctetsMax) return states;
  }
}

// Invalid input is refused; any other error is a fault of the manager.
[[noreturn]] void refuse(const Error& error) {
  if (error.code != ErrorCode::kBadInput && error.code != ErrorCode::kNotFound) orb::raise(error);
  Outcome refused;
  refused.kind = OutcomeKind::kRefused;
  refused.cause = Cause::kInvalidRequest;
  refused.reason = error.text;
  throw v2::Refused(orb::refusal_of(refused));
}

SwitchName names_of(const cmgr::ConnectionManager& manager) {
  return [&manager](SwitchIndex at) -> const std::string& { return manager.switches().name(at); };
}

void to_idl(const CallCheck& check, v2::CallCheck& out) {
  out.settled = check.settled;
  out.switches.length(static_cast<CORBA::ULong>(check.switches.size()));
  for (CORBA::ULong i = 0; i < out.switches.length(); ++i) {
    const SwitchCheck& from = check.switches[i];
    v2::SwitchCheck& to = out.switches[i];
    to.switch_name = from.switch_name.c_str();
    to.unreachable = printable(from.unreachable).c_str();
    orb::to_idl(from.there, to.there);
    std::vector<Finding> findings;
    for (const HopFinding& finding : from.findings) findings.push_back(finding.what);
    v2::AuditFindingSeq texts;
    orb::to_idl(findings, texts);
    to.findings.length(texts.length());
    for (CORBA::ULong j = 0; j < texts.length(); ++j) {
      to.findings[j].leg = from.findings[j].leg;
      to.findings[j].number = from.findings[j].number;
      to.findings[j].what = texts[j];
    }
  }
}

Result<std::vector<HopFinding>> to_core(const v2::HopFindingSeq& seen) {
  v2::AuditFindingSeq texts;
  texts.length(seen.length());
  for (CORBA::ULong i = 0; i < seen.length(); ++i) texts[i] = seen[i].what;
  auto findings = orb::to_core(texts);
  if (!findings) return tl::make_unexpected(findings.error());
  std::vector<HopFinding> out;
  for (CORBA::ULong i = 0; i < seen.length(); ++i) {
    out.push_back({seen[i].leg, seen[i].number, std::move((*findings)[i])});
  }
  return out;
}

v2::AuditReport* report_of(const AuditSummary& summary) {
  auto out = std::make_unique<v2::AuditReport>();
  const AuditTotals totals = totals_of(summary.findings);
  out->clean = totals.clean;
  out->stray_cross_connects = static_cast<CORBA::ULong>(totals.stray_cross_connects);
  out->leaked_labels = static_cast<CORBA::ULong>(totals.leaked_labels);
  out->leaked_bandwidth_cells_per_s = totals.leaked_bandwidth_cells_per_s;
  out->owed = static_cast<CORBA::ULong>(totals.owed);
  out->unreadable = static_cast<CORBA::ULong>(totals.unreadable);
  out->switches = static_cast<CORBA::ULong>(summary.switches);
  out->connections = summary.connections;
  orb::ReplyRoom room;
  std::size_t reported = 0;
  while (reported < std::min(summary.findings.size(), kFindingsReported) &&
         room.take(octets_of(summary.findings[reported]))) {
    ++reported;
  }
  orb::to_idl(
      {summary.findings.begin(), summary.findings.begin() + static_cast<std::ptrdiff_t>(reported)},
      out->findings);
  return out.release();
}

}  // namespace

void ManagerOperationsServant::set_aggregation(const v2::Aggregation& settings) {
  if (settings.mode > static_cast<CORBA::Octet>(AggregationMode::kAdaptive)) {
    throw v2::BadRequest(fmt::format("aggregation mode {} is none of 0..2", settings.mode).c_str());
  }
  if (!(settings.flush_timeout_ms >= 0.05 && settings.flush_timeout_ms <= 10'000)) {
    throw v2::BadRequest(
        fmt::format("flush timeout {} ms is not in 0.05..10000", settings.flush_timeout_ms)
            .c_str());
  }
  // The options' texts, by AggregationMode.
  constexpr std::array kModes{"fixed", "regions", "adaptive"};
  config::Reloadable::Wishes wishes{
      {"aggregation", kModes[settings.mode]},
      {"threshold", std::nullopt},
      {"flush-timeout-ms", fmt::format("{}", settings.flush_timeout_ms)}};
  if (settings.mode == v2::aggregation_fixed) {
    wishes["threshold"] = fmt::format("{}", settings.threshold);
  }
  if (const auto set = config::tune_and_log(options_, wishes); !set) orb::raise(set.error());
}

v2::Aggregation ManagerOperationsServant::aggregation_now() {
  return daemon_.ask([](cmgr::ConnectionManager& manager) {
    const AggregationPolicy& policy = manager.switches().queues().aggregation();
    v2::Aggregation out;
    out.mode = static_cast<CORBA::Octet>(policy.settings().mode);
    out.threshold = static_cast<CORBA::ULong>(policy.threshold());
    out.flush_timeout_ms =
        std::chrono::duration<double, std::milli>(policy.settings().flush_timeout).count();
    return out;
  });
}

v2::CacheStateSeq* ManagerOperationsServant::caches() {
  const auto states = within_reply(daemon_.ask([](cmgr::ConnectionManager& manager) {
    return manager.caches(kCachesPerKind, steady_now());
  }));
  auto out = std::make_unique<v2::CacheStateSeq>();
  out->length(static_cast<CORBA::ULong>(states.size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    const CacheState& state = states[i];
    (*out)[i].cache = static_cast<CORBA::Octet>(state.kind);
    (*out)[i].element = state.element.c_str();
    (*out)[i].hits = state.hits;
    (*out)[i].misses = state.misses;
    (*out)[i].size = state.size;
    (*out)[i].wanted = state.wanted;
    (*out)[i].age_ms = state.age_ms;
  }
  return out.release();
}

v2::ClientStateSeq* ManagerOperationsServant::clients(const char* after, CORBA::ULong limit) {
  if (limit == 0 || limit > kClientsPerPage) {
    throw v2::BadRequest(fmt::format("limit {} is not in 1..{}", limit, kClientsPerPage).c_str());
  }
  const auto views =
      daemon_.ask([&](cmgr::ConnectionManager& manager) { return manager.clients(after, limit); });
  auto out = std::make_unique<v2::ClientStateSeq>();
  out->length(static_cast<CORBA::ULong>(views.size()));
  orb::ReplyRoom room;
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    const ClientDesk::Known& client = views[i].client;
    const SessionEnding ended = client.ended.value_or(SessionEnding{});
    if (!room.take(kClientOctets + orb::cdr_string(client.name.size()) +
                   orb::cdr_string(ended.reason.size()))) {
      out->length(i);  // the caller asks for the others
      break;
    }
    v2::ClientState& state = (*out)[i];
    state.name = client.name.c_str();
    state.client_epoch = client.epoch.value();
    state.session = client.session.value();
    state.requests = static_cast<CORBA::ULong>(client.under_way);
    state.connections = views[i].usage.connections;
    state.cells_per_s = views[i].usage.cells_per_s;
    state.why_ended = static_cast<v2::SessionEnd>(ended.why);
    state.ended = client.ended.has_value();
    state.reason = printable(ended.reason).c_str();
  }
  return out.release();
}

void ManagerOperationsServant::prepare(const char* from_end, const char* to_end,
                                       const v2::ServiceSpec& service, CORBA::ULong count) {
  // No pool is created for unknown endpoints, or without a path now. An existing pool stays when
  // its path is lost, and refills itself once there is one again.
  if (count != 0) {
    if (const auto joined = daemon_.peers().check_path(from_end, to_end); !joined) {
      refuse(joined.error());
    }
  }
  const ServiceSpec wanted = orb::to_core(service);
  const auto prepared = pools_.set(from_end, to_end, count, [&](std::uint32_t connections) {
    return daemon_.ask([&](cmgr::ConnectionManager& manager) {
      return manager.prepare(from_end, to_end, wanted, connections, steady_now());
    });
  });
  if (!prepared) refuse(prepared.error());
}

v2::Debt* ManagerOperationsServant::clear(v2::ConnectionId connection) {
  const ConnectionId id{connection};
  const auto end = daemon_.ask(
      [&](cmgr::ConnectionManager& manager) { return manager.end_by_force(id, steady_now()); });
  if (end.stood && !end.stands) {
    return new v2::Debt(orb::to_idl(xbind::Debt{static_cast<std::uint32_t>(end.owed), {}}));
  }
  auto outcome = daemon_.call(ReleaseRequest{{}, id, EndWhy::kByForce}, call_timeout_());
  if (!outcome) orb::raise(outcome.error());
  // Without a client it is released already.
  const bool gone = end.stood && (outcome->cause == Cause::kUnknownConnection ||
                                  outcome->cause == Cause::kBeingReleased);
  if (outcome->cause != Cause::kNone && !gone) throw v2::Refused(orb::refusal_of(*outcome));
  xbind::Debt owed = outcome->owed;
  if (gone) owed = {static_cast<std::uint32_t>(end.owed), {}};
  return new v2::Debt(orb::to_idl(owed));
}

v2::AuditReport* ManagerOperationsServant::audit_network() { return report_of(daemon_.audit()); }

v2::AuditReport* ManagerOperationsServant::repair_network(const v2::AuditFindingSeq& seen) {
  const auto findings = orb::to_core(seen);
  if (!findings) throw v2::BadRequest(findings.error().text.c_str());
  return report_of(daemon_.repair(*findings));
}

v2::CallCheck* ManagerOperationsServant::check_of(ConnectionId connection) {
  const auto check = daemon_.check_call(connection);
  auto out = std::make_unique<v2::CallCheck>();
  const bool found = check && daemon_.ask([&](cmgr::ConnectionManager& manager) {
    return describe_into(manager, connection, out->call);
  });
  if (!found) throw v2::UnknownConnection(connection.value());
  to_idl(*check, *out);
  if (const std::size_t octets = orb::octets_of(*out); octets > orb::kReplyOctetsMax) {
    throw v2::Unavailable(fmt::format("what {} switches have of connection {} does not fit into "
                                      "one reply: {} octets",
                                      check->switches.size(), connection, octets)
                              .c_str());
  }
  return out.release();
}

v2::CallCheck* ManagerOperationsServant::validate_call(v2::ConnectionId connection) {
  return check_of(ConnectionId{connection});
}

v2::CallCheck* ManagerOperationsServant::sync_call(v2::ConnectionId connection,
                                                   const v2::HopFindingSeq& seen) {
  const auto findings = to_core(seen);
  if (!findings) throw v2::BadRequest(findings.error().text.c_str());
  Outcome refused;
  refused.kind = OutcomeKind::kRefused;
  refused.connection = ConnectionId{connection};
  refused.asked = connection;
  const bool incomplete = daemon_.ask([&](cmgr::ConnectionManager& manager) {
    const auto call = manager.incomplete(refused.connection);
    if (!call) return false;
    refused.cause = Cause::kIncomplete;
    refused.element = call->element;
    refused.reason = call->words();
    return true;
  });
  if (incomplete) throw v2::Refused(orb::refusal_of(refused));
  const auto mended = daemon_.mend_call(ConnectionId{connection}, *findings);
  if (!mended && mended.error().code == ErrorCode::kNotFound) {
    throw v2::UnknownConnection(connection);
  }
  if (!mended) {
    refused.cause = Cause::kChangeUnderWay;
    refused.reason = mended.error().text;
    throw v2::Refused(orb::refusal_of(refused));
  }
  return check_of(ConnectionId{connection});
}

v2::TracePart* ManagerOperationsServant::spans_of(const char* manager,
                                                  v2::ConnectionId connection) {
  const std::string& name = daemon_.name();
  if (*manager != '\0' && manager != name) {
    throw v2::BadRequest(
        fmt::format("this manager is {}, not '{}'", name, printable(manager)).c_str());
  }
  const trace::WallClock clock = orb::wall_clock();
  auto part = daemon_.ask([&](cmgr::ConnectionManager& it) {
    const CallTraces& traces = it.traces();
    trace::Part found;
    found.connection = found.shown_id = ConnectionId{connection};
    if (auto known = cmgr::spans_of(traces.records(), found.connection, names_of(it), clock)) {
      found = std::move(*known);
    }
    found.sample = traces.settings().sample;
    found.overwritten = traces.records().overwritten();
    return found;
  });
  part.process = "xbind-cmgr " + name;
  part.manager = name;
  return orb::to_idl(part);
}

v2::TracedOperationSeq* ManagerOperationsServant::traced_operations(CORBA::ULong limit) {
  if (limit == 0 || limit > kTracedMax) {
    throw v2::BadRequest(fmt::format("limit {} is not in 1..{}", limit, kTracedMax).c_str());
  }
  const trace::WallClock clock = orb::wall_clock();
  const auto operations = daemon_.ask([&](cmgr::ConnectionManager& manager) {
    return cmgr::traced_operations(manager.traces().records(), limit, names_of(manager), clock);
  });
  auto out = std::make_unique<v2::TracedOperationSeq>();
  out->length(static_cast<CORBA::ULong>(operations.size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    (*out)[i].shown_id = operations[i].shown_id.value();
    orb::to_idl(operations[i].whole, (*out)[i].whole);
  }
  return out.release();
}

}  // namespace xbind::cmgr
