#include "routeobject/drain_keeper.hpp"

#include "routeobject/drain_file.hpp"

namespace xbind {

std::vector<PathElement> DrainKeeper::restore(const std::vector<PathElement>& kept) {
  const std::lock_guard lock(one_at_a_time_);
  std::vector<PathElement> unknown;
  for (const PathElement& element : kept) {
    if (!routes_.drain(element, true)) unknown.push_back(element);
  }
  return unknown;
}

Result<bool> DrainKeeper::drain(const PathElement& element, bool drained) {
  const std::lock_guard lock(one_at_a_time_);
  const std::vector<PathElement> before = routes_.drains();
  const auto risen = routes_.drain(element, drained);
  if (!risen || file_.empty()) return risen;
  const std::vector<PathElement> after = routes_.drains();
  if (after == before) return risen;
  if (const auto kept = write_drains(file_, after); !kept) {
    static_cast<void>(routes_.drain(element, !drained));
    return fail(ErrorCode::kBadInput, "{}: nothing is {}", kept.error().text,
                drained ? "drained" : "undrained");
  }
  return risen;
}

Result<void> DrainKeeper::store() {
  const std::lock_guard lock(one_at_a_time_);
  if (file_.empty()) return {};
  return write_drains(file_, routes_.drains(), Unwritten::kWanted);
}

}  // namespace xbind
