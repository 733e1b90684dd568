// A look at one connection that waits for the switch's answer (switch_controller_call.cpp).
#pragma once

#include <cstdint>
#include <vector>

#include "core/audit.hpp"
#include "switchserver/drivers/switch_driver.hpp"
#include "switchserver/ledger/label_pool.hpp"

namespace xbind {

struct CallLook {
  driver::Cookie cookie = 0;
  ManagerIndex manager;
  CallQuestion asked;
  std::uint64_t token = 0;              // the caller's
  std::uint64_t since = 0;              // the ledger's clock before the switch was asked
  std::vector<driver::Input> inputs{};  // that are read; ascending
  std::vector<EntryDifference> seen{};  // to be repaired if they are found again
};

}  // namespace xbind
