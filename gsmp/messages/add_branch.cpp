#include "gsmp/messages/add_branch.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

void encode(const AddBranch& message, wire::Writer& out) {
  encode_connection(message.header, message, out);
}

Decoded<AddBranch> decode_add_branch(const Header& header, std::span<const std::byte> body) {
  Decoded<AddBranch> out(tl::in_place);
  out->header = header;
  const TrafficRule rule = header.request() ? TrafficRule::kUnlessReserved : TrafficRule::kOptional;
  if (const auto error = decode_connection(body, *out, rule)) {
    return tl::make_unexpected(*error);
  }
  return out;
}

std::string to_string(const AddBranch& message) {
  return fmt::format("{}: {}", to_string(message.header),
                     to_string(static_cast<const ConnectionFields&>(message)));
}

}  // namespace xbind::gsmp
