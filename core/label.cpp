#include "core/label.hpp"

#include <fmt/format.h>

namespace xbind {

std::string to_string(Label label) {
  switch (label.kind) {
    case LabelKind::kNone: return "none";
    case LabelKind::kAtm: return fmt::format("{}/{}", vpi_of(label), vci_of(label));
    case LabelKind::kMpls: return fmt::format("mpls {}", label.value);
  }
  return "unknown label kind";
}

}  // namespace xbind
