#include "switchserver/ledger/room.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "switchserver/ledger/setup_checks.hpp"
#include "traffic/contract.hpp"

namespace xbind {
namespace {

std::uint64_t multiplied(std::uint64_t each, std::uint64_t copies) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return each != 0 && copies > kMost / each ? kMost : each * copies;
}

// The least number of `low` to `high` of which `refused` holds; `refused` holds of `high`, and of
// every number above one of which it holds.
template <class Refused>
std::uint64_t first_refused(std::uint64_t low, std::uint64_t high, const Refused& refused) {
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (refused(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// As the ledger would get it from a manager.
HopSetup setup_of(const HopQuestion& question) {
  HopSetup setup;
  setup.key.hop = question.enters ? 0 : 1;
  setup.hop_count = static_cast<std::uint16_t>(setup.key.hop + (question.leaves ? 1 : 2));
  setup.input_port = question.input_port;
  setup.output_port = question.output_port;
  setup.demand = question.demand;
  setup.contract = question.contract;
  return setup;
}

// A dry run of set_up(): the same checks on the same books, less what the dry run itself has taken
// so far.
class DryRun {
 public:
  DryRun(const LedgerParts& parts, ManagerIndex manager)
      : parts_(parts), checks_(parts), manager_(manager) {}

  HopRoom look(const HopQuestion& question) {
    const Hop hop = hop_of(setup_of(question));
    HopRoom room;
    room.copies = copies_of(hop);
    const Admission next = *refusal(hop, room.copies);
    room.cause = next.cause;
    room.port = next.port;
    room.asked = next.asked;
    room.free = next.free;
    room.most_cells_per_s = most_cells_per_s(hop.setup);
    take(hop, std::min(question.copies, room.copies));
    return room;
  }

 private:
  // What this dry run has taken at a port.
  struct Taken {
    Resources charge;
    std::uint64_t ingress = 0;  // cells/s
    std::uint64_t input_labels = 0;
    std::uint64_t own_labels = 0;  // of the manager's
    std::uint64_t allotted = 0;    // output labels
    std::uint64_t held = 0;        // those of them that count in the manager's share
  };
  struct Hop {
    HopSetup setup;
    std::optional<PortIndex> in;
    std::optional<PortIndex> out;
    Resources charge;
    std::uint64_t own_labels = 0;  // left to the manager
  };

  Hop hop_of(const HopSetup& setup) const {
    Hop hop{setup,
            parts_.numbers.find(setup.input_port),
            parts_.numbers.find(setup.output_port),
            {},
            0};
    if (checks_.check_request(setup, hop.in, hop.out, hops_)) return hop;
    hop.charge = parts_.ports.charge_of(*hop.out, setup.demand, setup.contract);
    if (!setup.last()) {
      hop.own_labels = parts_.labels.loose(manager_, *hop.out) - at(setup.output_port).own_labels;
    }
    return hop;
  }

  Taken at(PortId port) const {
    const auto found = taken_.find(port);
    return found == taken_.end() ? Taken{} : found->second;
  }

  // Why one more is refused after that many copies, in the order of a reserve and its commit.
  Refusal refusal(const Hop& hop, std::uint64_t copies) const {
    const HopSetup& setup = hop.setup;
    if (auto refused = checks_.check_request(setup, hop.in, hop.out, hops_ + copies)) {
      return refused;
    }
    const Taken in = at(setup.input_port);
    const Taken out = at(setup.output_port);
    if (copies >= hop.own_labels) {
      const std::uint64_t allotted = copies - hop.own_labels;
      const std::uint64_t held = out.held + allotted;
      if (auto refused = checks_.check_share(manager_, setup, *hop.out, held)) return refused;
      if (out.allotted + allotted >= parts_.labels.output(*hop.out).grantable_count()) {
        return no_label(setup.output_port);
      }
    }
    const Resources room = parts_.ports.room_for(*hop.out, manager_);
    const Resources left{less(less(room.cells_per_s, out.charge.cells_per_s),
                              multiplied(hop.charge.cells_per_s, copies)),
                         less(less(room.buffer_cells, out.charge.buffer_cells),
                              multiplied(hop.charge.buffer_cells, copies))};
    if (auto refused = exceeds(setup.output_port, hop.charge, left)) return refused;
    if (!allots_input(setup)) return {};
    const std::uint64_t demand = setup.demand.cells_per_s;
    const std::uint64_t ingress =
        less(less(parts_.ports.ingress_room(*hop.in), in.ingress), multiplied(demand, copies));
    if (auto refused = exceeds_ingress(setup.input_port, demand, ingress)) return refused;
    if (in.input_labels + copies >= parts_.labels.input(*hop.in).grantable_count()) {
      return no_label(setup.input_port);
    }
    return {};
  }

  std::uint64_t copies_of(const Hop& hop) const {
    const auto refused = [&](std::uint64_t copies) { return refusal(hop, copies).has_value(); };
    if (refused(0)) return 0;
    // A share that refuses one label might allow more of them: the manager that declares nothing
    // counts with what it holds. Therefore its own labels are looked at first.
    if (refused(hop.own_labels)) return first_refused(0, hop.own_labels, refused);
    return first_refused(
        hop.own_labels, hop.own_labels + parts_.labels.output(*hop.out).grantable_count(), refused);
  }

  std::uint64_t most_cells_per_s(HopSetup setup) const {
    const auto refused = [&](std::uint64_t cells_per_s) {
      setup.demand.cells_per_s = cells_per_s;
      setup.contract = contract_of_cells(cells_per_s);
      return refusal(hop_of(setup), 0).has_value();
    };
    return first_refused(1, TrafficContract::kFieldMax + std::uint64_t{1}, refused) - 1;
  }

  void take(const Hop& hop, std::uint64_t copies) {
    if (copies == 0) return;
    Taken& in = taken_[hop.setup.input_port];
    Taken& out = taken_[hop.setup.output_port];
    const std::uint64_t own = std::min(copies, hop.own_labels);
    out.charge +=
        {multiplied(hop.charge.cells_per_s, copies), multiplied(hop.charge.buffer_cells, copies)};
    out.own_labels += own;
    out.allotted += copies - own;
    if (!hop.setup.last()) out.held += copies - own;
    hops_ += copies;
    if (!allots_input(hop.setup)) return;
    in.ingress += multiplied(hop.setup.demand.cells_per_s, copies);
    in.input_labels += copies;
  }

  const LedgerParts& parts_;
  const SetupChecks checks_;
  const ManagerIndex manager_;
  std::map<PortId, Taken> taken_;
  std::uint64_t hops_ = 0;
};

}  // namespace

std::vector<HopRoom> would_take(const LedgerParts& parts, ManagerIndex manager,
                                std::span<const HopQuestion> hops) {
  DryRun run(parts, manager);
  std::vector<HopRoom> rooms;
  rooms.reserve(hops.size());
  for (const HopQuestion& hop : hops) rooms.push_back(run.look(hop));
  return rooms;
}

}  // namespace xbind
