#include "gsmp/messages/label_field.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

std::string to_string(LabelField label) {
  if (label.type == LabelType::kNone) return "none";
  if (const Label known = label_of(label); known.present()) return to_string(known);
  return fmt::format("type 0x{:03x} value {}", static_cast<unsigned>(label.type), label.value);
}

}  // namespace xbind::gsmp
