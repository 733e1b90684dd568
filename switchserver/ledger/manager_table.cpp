#include "switchserver/ledger/manager_table.hpp"

#include "core/check.hpp"

namespace xbind {

Result<ManagerIndex> ManagerTable::enter(std::string_view name) {
  if (const auto known = find(name)) return *known;
  if (name.empty()) return fail(ErrorCode::kBadInput, "a manager's name must not be empty");
  for (std::size_t i = 0; i < managers_.size(); ++i) {
    if (!managers_[i].name.empty()) continue;
    managers_[i].name = name;  // reuses the place of a forgotten name
    return ManagerIndex{static_cast<std::uint16_t>(i)};
  }
  if (managers_.size() >= most_) {
    return fail(ErrorCode::kExhausted, "{} managers are known, no room for {}", managers_.size(),
                name);
  }
  managers_.emplace_back().name = name;
  return ManagerIndex{static_cast<std::uint16_t>(managers_.size() - 1)};
}

std::optional<ManagerIndex> ManagerTable::find(std::string_view name) const {
  for (std::size_t i = 0; i < managers_.size(); ++i) {
    if (managers_[i].name == name && !name.empty()) {
      return ManagerIndex{static_cast<std::uint16_t>(i)};
    }
  }
  return std::nullopt;
}

void ManagerTable::open_session(ManagerIndex manager) {
  managers_[manager.value()].in_session = true;
  managers_[manager.value()].forgotten = false;
}

std::uint64_t ManagerTable::forget(ManagerIndex manager) {
  Manager& of = managers_[manager.value()];
  XB_CHECK(!of.in_session, of.name);
  const std::uint64_t left = of.hops;
  of.forgotten = true;
  if (left == 0) of = {};
  return left;
}

}  // namespace xbind
