#include "core/trace/otlp.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/version.hpp"

namespace xbind::trace {
namespace {

using Json = nlohmann::ordered_json;

// Numbers of the OTLP enumerations.
constexpr int kInternal = 1;  // SpanKind
constexpr int kServer = 2;
constexpr int kClient = 3;
constexpr int kError = 2;  // StatusCode

Json attribute(std::string_view key, std::string_view value) {
  return {{"key", key}, {"value", {{"stringValue", value}}}};
}
Json attribute(std::string_view key, std::uint64_t value) {
  return {{"key", key}, {"value", {{"intValue", fmt::format("{}", value)}}}};
}

Json attributes_of(const Span& span, const Part& part) {
  Json all = Json::array();
  all.push_back(attribute("xbind.call", part.shown_id.value()));
  if (!span.place.empty()) all.push_back(attribute("xbind.switch", span.place));
  if (span.key.generation != Generation{}) {
    all.push_back(attribute("xbind.generation", span.key.generation.value()));
    all.push_back(attribute("xbind.leg", span.key.leg));
    all.push_back(attribute("xbind.hop", span.key.hop));
  }
  if (!span.detail.empty()) all.push_back(attribute("xbind.detail", span.detail));
  if (span.end_ns == 0) {
    all.push_back({{"key", "xbind.unfinished"}, {"value", {{"boolValue", true}}}});
  }
  return all;
}

// A command leaves the manager, and a SwitchServer serves it.
int kind_of(const Span& span) {
  if (span.name == "switchserver") return kServer;
  const bool command = span.key.generation != Generation{} && !span.place.empty();
  const bool within = span.name == "ledger" || span.name == "gsmp" || span.name == "answer";
  return command && !within ? kClient : kInternal;
}

Json json_of(const Span& span, const Part& part) {
  Json json = {{"traceId", trace_id(part.manager, part.connection)}, {"spanId", span_id(span.id)}};
  if (span.parent != 0) json["parentSpanId"] = span_id(span.parent);
  json["name"] = span.name;
  json["kind"] = kind_of(span);
  json["startTimeUnixNano"] = fmt::format("{}", span.begin_ns);
  json["endTimeUnixNano"] = fmt::format("{}", span.end_ns == 0 ? span.begin_ns : span.end_ns);
  json["attributes"] = attributes_of(span, part);
  if (span.cause != Cause::kNone) {
    json["status"] = {{"code", kError}, {"message", to_string(span.cause)}};
  }
  return json;
}

Json json_of(const Part& part) {
  const std::size_t blank = part.process.find(' ');
  Json resource = Json::array();
  resource.push_back(attribute("service.name", part.process.substr(0, blank)));
  if (blank != std::string::npos) {
    resource.push_back(attribute("service.instance.id", part.process.substr(blank + 1)));
  }
  Json spans = Json::array();
  for (const Span& span : part.spans) spans.push_back(json_of(span, part));
  return {{"resource", {{"attributes", std::move(resource)}}},
          {"scopeSpans",
           {{{"scope", {{"name", "openxbind"}, {"version", version()}}},
             {"spans", std::move(spans)}}}}};
}

}  // namespace

std::string otlp_line(const std::vector<Part>& parts) {
  Json all = Json::array();
  for (const Part& part : parts) all.push_back(json_of(part));
  return Json{{"resourceSpans", std::move(all)}}.dump(-1, ' ', false,
                                                      Json::error_handler_t::replace);
}

}  // namespace xbind::trace
