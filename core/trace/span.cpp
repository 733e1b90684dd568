#include "core/trace/span.hpp"

#include <fmt/format.h>

namespace xbind::trace {

std::string trace_id(std::string_view manager, ConnectionId connection) {
  return fmt::format("{:016x}{:016x}", name_hash(manager), connection.value());
}

std::string span_id(std::uint64_t span) { return fmt::format("{:016x}", span); }

}  // namespace xbind::trace
