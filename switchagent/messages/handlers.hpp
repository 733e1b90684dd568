// The messages that the agent answers: a function for each file of messages, which returns its
// rows, and the table of all rows by message type.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "switchagent/messages/handler.hpp"

namespace xbind::switchagent {

using HandlerRows = std::span<const Handler>;

HandlerRows add_branch_handlers();
HandlerRows configuration_handlers();
HandlerRows connection_activity_handlers();
HandlerRows delete_all_handlers();
HandlerRows delete_branches_handlers();
HandlerRows delete_tree_handlers();
HandlerRows label_range_handlers();
HandlerRows move_branch_handlers();
HandlerRows port_management_handlers();
HandlerRows report_connection_state_handlers();
HandlerRows reservation_handlers();
HandlerRows schedulable_region_handlers();
HandlerRows statistics_handlers();
HandlerRows verify_tree_handlers();

inline constexpr HandlerRows (*kHandlerFiles[])() = {
    add_branch_handlers,          configuration_handlers,
    connection_activity_handlers, delete_all_handlers,
    delete_branches_handlers,     delete_tree_handlers,
    label_range_handlers,         move_branch_handlers,
    port_management_handlers,     report_connection_state_handlers,
    reservation_handlers,         schedulable_region_handlers,
    statistics_handlers,          verify_tree_handlers,
};

// The handler of each message type in each version. Immutable; one table serves every agent.
class HandlerTable {
 public:
  static const HandlerTable& all();

  // Null: no handler, or the version lacks the message, or `table` does not support it. The answer
  // is failure 3.
  const Handler* find(const gsmp::Header& header, SwitchTable& table) const {
    const Handler* const found = row(header);
    if (found == nullptr || found->supported == nullptr || found->supported(table)) return found;
    return nullptr;
  }
  // The same for any table.
  const Handler* row(const gsmp::Header& header) const {
    const auto& rows = header.version == gsmp::kVersion ? rows_ : rows_v1_;
    return rows[static_cast<std::uint8_t>(header.type)];
  }

 private:
  HandlerTable();

  std::array<const Handler*, 256> rows_{};     // by message type
  std::array<const Handler*, 256> rows_v1_{};  // the same for version 1.1
};

}  // namespace xbind::switchagent
