// Cells for tests, and their text form.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "dataplane/cells/cell.hpp"

namespace xbind::dataplane {

// A cell with `number` in its payload, to tell it from others.
inline Cell make_cell(std::uint32_t vpi, std::uint32_t vci, std::uint32_t number = 0,
                      std::uint32_t pt = 0, bool clp = false) {
  Cell cell{.header = cell_header(vpi, vci, pt, clp)};
  put_u32(cell.payload.data(), number);
  put_u32(cell.payload.data() + 44, ~number);
  return cell;
}
inline std::uint32_t number_of(const Cell& cell) { return get_u32(cell.payload.data()); }

// "0/32:7 0/33:8", VPI/VCI:number; "+pt2" and "+clp" where they are not 0.
template <class Cells>
std::string words(const Cells& cells) {
  std::string text;
  for (const Cell& cell : cells) {
    text +=
        fmt::format("{}{}/{}:{}", text.empty() ? "" : " ", cell.vpi(), cell.vci(), number_of(cell));
    if (cell.pt() != 0) text += fmt::format("+pt{}", cell.pt());
    if (cell.clp()) text += "+clp";
  }
  return text;
}

}  // namespace xbind::dataplane
