#include "orb/traces.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>

#include "core/name.hpp"
#include "core/steady_now.hpp"
#include "orb/convert_checks.hpp"
#include "orb/process.hpp"

namespace xbind::orb {
namespace {

// A wall clock that has been set further than this moves the anchor.
constexpr std::int64_t kAnchorOffNs = 1'000'000;

}  // namespace

trace::WallClock wall_clock() {
  static std::mutex mutex;
  static std::optional<trace::WallClock> kept;
  const TimePoint now = steady_now();
  const trace::WallClock read{now, static_cast<std::uint64_t>(since_1970().count())};
  const std::lock_guard lock(mutex);
  const auto off = kept ? static_cast<std::int64_t>(read.ns(now) - kept->ns(now)) : 0;
  if (!kept || std::abs(off) > kAnchorOffNs) kept = read;
  return *kept;
}

void to_idl(const trace::Span& span, v2::Span& out) {
  out.span_id = span.id;
  out.parent_id = span.parent;
  out.name = span.name.c_str();
  out.place = span.place.c_str();
  out.begin_ns = span.begin_ns;
  out.end_ns = span.end_ns;
  out.generation = span.key.generation.value();
  out.leg = span.key.leg;
  out.hop = span.key.hop;
  out.cause = static_cast<CORBA::Octet>(span.cause);
  out.detail = span.detail.c_str();
}

v2::TracePart* to_idl(const trace::Part& part) {
  auto out = std::make_unique<v2::TracePart>();
  out->process = part.process.c_str();
  out->manager = part.manager.c_str();
  out->connection = part.connection.value();
  out->shown_id = part.shown_id.value();
  out->sample = part.sample;
  out->overwritten = part.overwritten;
  // Of too many the latest.
  const std::size_t count = std::min(part.spans.size(), trace::kSpansMax);
  const std::size_t first = part.spans.size() - count;
  out->spans.length(static_cast<CORBA::ULong>(count));
  for (CORBA::ULong i = 0; i < out->spans.length(); ++i) {
    to_idl(part.spans[first + i], out->spans[i]);
  }
  return out.release();
}

Result<trace::Span> to_core(const v2::Span& span) {
  Checker checker;
  trace::Span out;
  out.id = span.span_id;
  out.parent = span.parent_id;
  out.name = printable(span.name.in());
  out.place = printable(span.place.in());
  out.begin_ns = span.begin_ns;
  out.end_ns = span.end_ns;
  out.key.generation = Generation{span.generation};
  out.key.leg = span.leg;
  out.key.hop = span.hop;
  out.cause = checker.cause(span.cause);
  out.detail = printable(span.detail.in(), trace::kDetailOctetsMax);
  return checker.done(std::move(out));
}

Result<trace::Part> to_core(const v2::TracePart& part) {
  trace::Part out;
  out.process = printable(part.process.in());
  out.manager = printable(part.manager.in());
  out.connection = ConnectionId{part.connection};
  out.shown_id = ConnectionId{part.shown_id};
  out.sample = part.sample;
  out.overwritten = part.overwritten;
  for (CORBA::ULong i = 0; i < part.spans.length(); ++i) {
    auto span = to_core(part.spans[i]);
    if (!span) return tl::make_unexpected(span.error());
    span->key.connection = out.connection;
    out.spans.push_back(std::move(*span));
  }
  return out;
}

}  // namespace xbind::orb
