#include "gsmp/v1/verify_tree.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

std::string to_string(const VerifyTree& message) {
  return fmt::format("{}: session 0x{:08x}, {}:{}, {} branches", to_string(message.header),
                     message.port_session, message.input_port, to_string(message.input_label),
                     message.branches);
}

}  // namespace xbind::gsmp
