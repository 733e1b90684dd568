#include "routeobject/topology/media_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dataplane/links/link_spec.hpp"

namespace xbind {
namespace {

constexpr std::array<std::string_view, 7> kForms{"mpls", "plain",  "ring", "none",
                                                 "lsp",  "frames", "cfr"};

bool is_udp_address(const std::string& text) {
  const auto address = net::parse_udp_address(text);
  return address && address->port != 0;
}

}  // namespace

std::string_view to_string(CellsForm form) { return kForms[static_cast<std::size_t>(form)]; }

std::optional<CellsForm> cells_form_of(std::string_view word) {
  const auto found = std::ranges::find(kForms, word);
  if (found == kForms.end()) return std::nullopt;
  return static_cast<CellsForm>(found - kForms.begin());
}

CellsForm default_cells(LabelKind labels) {
  return labels == LabelKind::kMpls ? CellsForm::kLsp : CellsForm::kMpls;
}

MediaLine frames_line() { return {.cells = CellsForm::kNone, .labels = LabelKind::kMpls}; }

std::optional<std::string> frames_line_fault(const MediaLine& line) {
  if (line.labels != LabelKind::kMpls)
    return "labels = \"atm\": lines of a switch of kind \"ovs\" have labels = \"mpls\"";
  if (line.cells != CellsForm::kNone) {
    return fmt::format(
        "cells = \"{}\": lines of a switch of kind \"ovs\" carry frames and have "
        "cells = \"none\"",
        to_string(line.cells));
  }
  return std::nullopt;
}

std::optional<std::string> link_line_fault(const MediaLine& line) {
  if (line.cells != CellsForm::kFrames) return std::nullopt;
  return "cells = \"frames\" is for the line to a host: between switches cells travel";
}

std::optional<std::string> media_line_fault(const MediaLine& line) {
  const bool atm_alone = line.cells == CellsForm::kMpls || line.cells == CellsForm::kPlain ||
                         line.cells == CellsForm::kCfr;
  const bool mpls_alone = line.cells == CellsForm::kLsp;
  const bool udp = atm_alone || mpls_alone;
  if (line.cells == CellsForm::kFrames && line.labels != LabelKind::kMpls)
    return "cells = \"frames\" has MPLS labels, which say which frames: labels = \"mpls\"";
  if (line.labels == LabelKind::kMpls && atm_alone) {
    return fmt::format(
        "cells = \"{}\" carries ATM labels: a line with labels = \"mpls\" has \"lsp\", "
        "\"ring\" or \"none\"",
        to_string(line.cells));
  }
  if (line.labels != LabelKind::kMpls && mpls_alone)
    return "cells = \"lsp\" carries MPLS labels: the line needs labels = \"mpls\"";
  if (line.addresses) {
    if (!udp) return fmt::format("cells = \"{}\" has no addresses", to_string(line.cells));
    for (const std::string& address : *line.addresses) {
      if (is_udp_address(address)) continue;
      return fmt::format("'{}' is not ADDRESS:PORT in numbers with a port of 1 to 65535", address);
    }
    if ((*line.addresses)[0] == (*line.addresses)[1])
      return fmt::format("both ends have the address {}", (*line.addresses)[0]);
  }
  if (line.label) {
    if (line.cells != CellsForm::kMpls)
      return fmt::format("cells = \"{}\" has no label", to_string(line.cells));
    if (*line.label < kMplsLabelMin || *line.label > kMplsLabelMax)
      return fmt::format("label {} is not in {} to {}", *line.label, kMplsLabelMin, kMplsLabelMax);
  }
  return std::nullopt;
}

}  // namespace xbind
