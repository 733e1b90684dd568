// A connected controller: its adjacency, the stream that it sends, and the octets that it has not
// received yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/ids.hpp"
#include "core/wire/writer.hpp"
#include "gsmp/adjacency_fsm.hpp"
#include "gsmp/framing.hpp"

namespace xbind::switchagent {

using ControllerId = Id<struct ControllerIdTag, std::uint64_t>;  // one connection; never reused

struct Controller {
  gsmp::Adjacency adjacency;
  gsmp::FrameReader frames;
  wire::Buffer output;
  std::optional<std::string> to_close;  // why; nothing is read from it or sent to it any more
  std::size_t open_requests = 0;

  bool heard() const { return !to_close && adjacency.established(); }
};

using Controllers = std::map<ControllerId, Controller>;

// The number of established adjacencies.
inline std::size_t established(const Controllers& controllers) {
  return static_cast<std::size_t>(
      std::ranges::count_if(controllers, [](const auto& entry) { return entry.second.heard(); }));
}

}  // namespace xbind::switchagent
