// A media check, the calls that it sees, and a network that carries its cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "callgen/media/media_check.hpp"

namespace xbind::callgen::media_test {

using namespace std::chrono_literals;
using dataplane::Cell;

inline constexpr TimePoint kMediaStart{5s};
inline constexpr std::uint64_t kRun = 77;
inline TimePoint media_at(Duration since_start) { return kMediaStart + since_start; }

// Emulates the switches: cells travel from a label at one endpoint to labels at others. A `lie` may
// alter what the host receives.
class FakeNetwork {
 public:
  using Place = std::pair<std::string, Label>;
  using Delivery = std::vector<std::pair<std::string, Cell>>;

  void join(const Place& in, const Place& out) { ways_.emplace(in, out); }
  void cut(const Place& in) { ways_.erase(in); }
  // Alters the cells that are delivered together; empty: no alteration.
  std::function<void(Delivery&)> lie;

  Delivery carry(const CellsOut& sent) const {
    Delivery out;
    for (const Cell& cell : sent.cells) {
      const auto [first, last] = ways_.equal_range({sent.endpoint, label_of(cell)});
      for (auto way = first; way != last; ++way)
        out.emplace_back(way->second.first, on_label(cell, way->second.second));
    }
    if (lie) lie(out);
    return out;
  }

  // As on ATM lines: the kind of the label is the kind of the line.
  static Label label_of(const Cell& cell) { return atm_label(cell.vpi(), cell.vci()); }
  static Cell on_label(Cell cell, Label label) {
    cell.header = dataplane::cell_header(vpi_of(label), vci_of(label), cell.pt(), cell.clp());
    return cell;
  }

 private:
  std::multimap<Place, Place> ways_;
};

inline Outcome connected(Label ingress, Label egress) {
  Outcome outcome;
  outcome.ingress = ingress;
  outcome.egress = egress;
  return outcome;
}

struct MediaRig {
  explicit MediaRig(std::uint64_t calls = 100, std::uint64_t run_calls = 1000,
                    std::size_t at_once = 32)
      : MediaRig(
            {.calls = calls, .run_calls = run_calls, .at_once = at_once, .seed = 3, .run = kRun}) {}
  explicit MediaRig(const MediaPlan& plan)
      : check(plan, {{"a"}, {"b"}, {"c"}, {"m", LabelKind::kMpls}}) {}

  // A call from a to b is offered, then connected in the network and in the outcome.
  bool connect(std::uint64_t call, Label ingress, Label egress, Duration when = {}) {
    network.join({"a", ingress}, {"b", egress});
    check.offered(call, {"a", "b"}, media_at(when));
    return check.connected(call, connected(ingress, egress), media_at(when), true);
  }
  void release(std::uint64_t call, Label ingress, Duration when) {
    network.cut({"a", ingress});
    check.over(call, true, media_at(when));
  }
  // All due cells are sent; they are delivered at once or `transit` later.
  void turn(Duration when, Duration transit = 0ns) {
    for (const CellsOut& out : check.advance(media_at(when))) {
      for (const auto& [endpoint, cell] : network.carry(out))
        check.arrived(endpoint, cell, media_at(when + transit));
    }
  }
  const MediaFigures& figures() const { return check.figures(); }

  FakeNetwork network;
  MediaCheck check;
};

inline const Label k40 = atm_label(0, 40);
inline const Label k41 = atm_label(0, 41);
inline const Label k50 = atm_label(0, 50);
inline const Label k51 = atm_label(0, 51);

}  // namespace xbind::callgen::media_test
