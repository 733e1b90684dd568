#include "xbindctl/room.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xbind::ctl {
namespace {

// One thing that a call needs at one place of its path.
struct Need {
  Cause cause;
  PathElement at;
  std::uint64_t asked;
  std::uint64_t free;
};

// Calls `look` with every need of the path, in its order. Ports that could not be read have none.
template <class Look>
void for_each_need(const PathHops& path, Resources takes, const Rooms& rooms, const Look& look) {
  const auto room_at = [&](const PathElement& at) -> const PortRoom* {
    const auto found = rooms.find(at);
    return found == rooms.end() ? nullptr : &found->second;
  };
  const PathElement entry{path.front().switch_name, path.front().input_port};
  if (const PortRoom* const room = room_at(entry)) {
    look(Need{Cause::kLinkDown, entry, 1, room->up ? 1U : 0U});
    look(Need{Cause::kNoBandwidth, entry, takes.cells_per_s, room->ingress_cells_per_s});
    look(Need{Cause::kNoLabel, entry, 1, room->ingress_labels});
  }
  for (const PathHop& hop : path) {
    const PathElement at{hop.switch_name, hop.output_port};
    const PortRoom* const room = room_at(at);
    if (room == nullptr) continue;
    look(Need{Cause::kLinkDown, at, 1, room->up ? 1U : 0U});
    look(Need{Cause::kNoBandwidth, at, takes.cells_per_s, room->free.cells_per_s});
    look(Need{Cause::kNoBuffer, at, takes.buffer_cells, room->free.buffer_cells});
    look(Need{Cause::kNoLabel, at, 1, room->labels});
  }
}

std::string place_of(const PathElement& at) {
  return fmt::format("{} port {}", at.switch_name, at.output_port);
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

std::optional<Shortage> shortage_of(const PathHops& path, Resources takes, const Rooms& rooms) {
  std::optional<Need> worst;
  for_each_need(path, takes, rooms, [&](const Need& need) {
    if (need.free >= need.asked) return;
    const auto part = [](const Need& of) {
      return static_cast<double>(of.free) / static_cast<double>(of.asked);
    };
    if (!worst || part(need) < part(*worst)) worst = need;
  });
  if (!worst) return std::nullopt;
  return Shortage{worst->cause, place_of(worst->at), worst->asked, worst->free};
}

std::uint64_t most_cells_per_s(const PathHops& path, std::uint64_t buffer_cells, const Rooms& rooms,
                               std::uint64_t limit) {
  std::uint64_t most = limit;
  for_each_need(path, {0, buffer_cells}, rooms, [&](const Need& need) {
    if (need.cause == Cause::kNoBandwidth) {
      most = std::min(most, need.free);
    } else if (need.free < need.asked) {
      most = 0;
    }
  });
  return most;
}

std::uint64_t copies_of(const PathHops& path, Resources takes, const Rooms& rooms,
                        std::uint64_t limit) {
  std::uint64_t copies = limit;
  for_each_need(path, takes, rooms, [&](const Need& need) {
    if (need.cause == Cause::kLinkDown) {
      if (need.free == 0) copies = 0;
    } else if (need.asked != 0) {
      copies = std::min(copies, need.free / need.asked);
    }
  });
  return copies;
}

void take(const PathHops& path, Resources takes, std::uint64_t copies, Rooms& rooms) {
  const std::uint64_t cells = takes.cells_per_s * copies;
  if (const auto entry = rooms.find({path.front().switch_name, path.front().input_port});
      entry != rooms.end()) {
    entry->second.ingress_cells_per_s -= cells;
    entry->second.ingress_labels -= copies;
  }
  for (const PathHop& hop : path) {
    const auto found = rooms.find({hop.switch_name, hop.output_port});
    if (found == rooms.end()) continue;
    found->second.free -= {cells, takes.buffer_cells * copies};
    found->second.labels -= copies;
  }
}

}  // namespace xbind::ctl
