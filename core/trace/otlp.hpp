// Spans in OTLP/JSON, the form of the OpenTelemetry file exporter: one line of a JSON Lines file is
// one ExportTraceServiceRequest. Ids are hexadecimal, times are decimal texts of nanoseconds, names
// are in lowerCamelCase (OTLP 1, "JSON Protobuf Encoding").
#pragma once

#include <string>
#include <vector>

#include "core/trace/span.hpp"

namespace xbind::trace {

// One line, without its end. A part is a resource: service.name is its program,
// service.instance.id its name. A span that is not over ends where it begins, and has the attribute
// xbind.unfinished.
std::string otlp_line(const std::vector<Part>& parts);

}  // namespace xbind::trace
