#include "gsmp/print.hpp"

namespace xbind::gsmp {

std::string to_string(const Message& message) {
  return std::visit([](const auto& one) { return to_string(one); }, message);
}

}  // namespace xbind::gsmp
