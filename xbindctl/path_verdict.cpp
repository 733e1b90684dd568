#include "xbindctl/path_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace xbind::ctl {
namespace {

double part_of(const HopRoom& room) {
  return room.asked == 0 ? 0 : static_cast<double>(room.free) / static_cast<double>(room.asked);
}

Shortage shortage_at(const PathHop& hop, const HopRoom& room) {
  const bool at_port = room.port != PortId{};
  return {room.cause,
          at_port ? fmt::format("{} port {}", hop.switch_name, room.port) : hop.switch_name,
          room.asked, room.free};
}

}  // namespace

std::string words_of(const Shortage& shortage) {
  std::string words = fmt::format("{} at {}", to_string(shortage.cause), shortage.element);
  if (shortage.cause == Cause::kNoBandwidth) {
    words += fmt::format(": asked {} cells/s, free {}", shortage.asked, shortage.free);
  } else if (shortage.cause == Cause::kNoBuffer) {
    words += fmt::format(": asked {} cells of buffer, free {}", shortage.asked, shortage.free);
  }
  return words;
}

PathVerdict verdict_of(const PathHops& path, const HopRooms& rooms, std::uint64_t limit) {
  PathVerdict verdict;
  verdict.copies = limit;
  verdict.most_cells_per_s = std::numeric_limits<std::uint64_t>::max();
  const HopRoom* worst = nullptr;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (!rooms[i]) {
      verdict.unknown.push_back(path[i].switch_name);
      continue;
    }
    const HopRoom& room = *rooms[i];
    verdict.copies = std::min(verdict.copies, room.copies);
    verdict.most_cells_per_s = std::min(verdict.most_cells_per_s, room.most_cells_per_s);
    if (room.copies != 0 || (worst != nullptr && part_of(room) >= part_of(*worst))) continue;
    worst = &room;
    verdict.shortage = shortage_at(path[i], room);
  }
  if (!verdict.unknown.empty()) verdict.copies = verdict.most_cells_per_s = 0;
  return verdict;
}

}  // namespace xbind::ctl
