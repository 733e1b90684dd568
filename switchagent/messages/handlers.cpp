#include "switchagent/messages/handlers.hpp"

#include "core/check.hpp"
#include "gsmp/messages/header_v1.hpp"

namespace xbind::switchagent {

HandlerTable::HandlerTable() {
  for (const auto rows_of : kHandlerFiles) {
    for (const Handler& row : rows_of()) {
      const auto number = static_cast<std::uint8_t>(row.type);
      XB_CHECK(rows_[number] == nullptr && rows_v1_[number] == nullptr, number);
      if (gsmp::exists_in(row.type, gsmp::kVersion)) rows_[number] = &row;
      if (gsmp::exists_in(row.type, gsmp::v1::kVersion)) rows_v1_[number] = &row;
    }
  }
}

const HandlerTable& HandlerTable::all() {
  static const HandlerTable table;
  return table;
}

}  // namespace xbind::switchagent
