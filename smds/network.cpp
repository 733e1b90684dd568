#include "smds/network.hpp"

#include <algorithm>

namespace xbind::smds {

std::string_view to_string(Adaptation adaptation) {
  switch (adaptation) {
    case Adaptation::kAal5: return "aal5";
    case Adaptation::kAal34: return "aal34";
    case Adaptation::kUdp: return "udp";
  }
  return "unknown";
}

bool Screen::passes(Address address) const {
  return std::ranges::binary_search(listed, address) == allow;
}

}  // namespace xbind::smds
