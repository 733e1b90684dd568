// Changes: from a request to its messages, and what becomes of it.
#include "ovs/ovs_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace xbind::ovs {

using gsmp::FailureCode;
using switchagent::Qos;
using switchagent::Ticket;

namespace {

// Whether the bridge's number `one` comes before `other` in a sequence that wraps.
bool earlier(std::uint32_t one, std::uint32_t other) {
  return static_cast<std::int32_t>(one - other) < 0;
}

// What the bridge has no more need not be deleted.
bool harmless(const openflow::Error& error) {
  return error.is(openflow::ErrorType::kGroupModFailed, openflow::kGroupUnknown) ||
         error.is(openflow::ErrorType::kMeterModFailed, openflow::kMeterUnknown);
}

FailureCode code_of(const openflow::Error& error) {
  using openflow::ErrorType;
  const bool full = error.is(ErrorType::kFlowModFailed, openflow::kFlowTableFull) ||
                    error.is(ErrorType::kGroupModFailed, openflow::kGroupOutOfGroups) ||
                    error.is(ErrorType::kGroupModFailed, openflow::kGroupOutOfBuckets) ||
                    error.is(ErrorType::kMeterModFailed, openflow::kMeterOutOfMeters);
  return full ? FailureCode::kOutOfResources : FailureCode::kUnspecified;
}

}  // namespace

OvsTable::OvsTable(switchagent::Fabric& fabric, OvsTableOptions options)
    : FabricState(fabric),
      options_(std::move(options)),
      bridge_(*this, options_.bridge),
      flows_(fabric, options_.layout, bridge_, options_.groups, options_.meters) {}

OvsTable::~OvsTable() = default;

void OvsTable::set_client(switchagent::TableClient* client) {
  waiting_.clear();
  for (Open& one : open_) one.ticket.reset();
  client_ = client;
  ++client_number_;
}

void OvsTable::answer(std::optional<Ticket> ticket, FailureCode code,
                      switchagent::TableReading reading) {
  if (ticket && client_ != nullptr) client_->completed(*ticket, code, std::move(reading));
}

// ----- the life of a change ---------------------------------------------------------------------

void OvsTable::change(Change wanted) {
  if (waiting_.empty() && try_change(wanted)) return;
  after_earlier([this, wanted = std::move(wanted)] { return try_change(wanted); });
}

void OvsTable::after_earlier(Wait what) {
  if (waiting_.empty() && what()) return;
  ++counters_.waited;
  waiting_.push_back(std::move(what));
}

void OvsTable::run_waiting() {
  while (!waiting_.empty() && waiting_.front()()) waiting_.pop_front();
}

bool OvsTable::try_change(const Change& wanted) {
  if (!bridge_.ready()) {
    answer(wanted.ticket, FailureCode::kUnspecified);
    return true;
  }
  const Places touched = wanted.touched();
  const auto busy = [&](const Place& one) { return busy_.contains(key_of(one)); };
  if (std::ranges::any_of(touched, busy)) return false;
  Open open{.ticket = wanted.ticket, .stays = wanted.stays};
  for (const Place& one : touched) {
    open.before.push_back(before(one));
    open.extras.push_back({one, flows_.extras_at(one)});
  }
  const std::size_t branches_before = branches();
  if (const FailureCode code = wanted.apply(); code != FailureCode::kNone) {
    answer(wanted.ticket, code);
    return true;
  }
  if (wanted.counts) open.reading = switchagent::BranchesDeleted{branches_before - branches()};
  open.first = bridge_.next_number();
  if (wanted.all) {
    flows_.erase_all();
  } else {
    for (const Place& one : touched) {
      const FailureCode code = flows_.write(one);
      if (code != FailureCode::kNone && wanted.stays) {
        notices_.push_back(fmt::format("{} has no number for its group or meter", to_string(one)));
      } else if (code != FailureCode::kNone) {
        undo_in_fabric(open);
        flows_.undo_numbers(open.extras);
        answer(wanted.ticket, code);
        return true;
      }
    }
  }
  open.freed = flows_.send(true);
  open.end = bridge_.next_number();
  if (open.first == open.end) {
    answer(open.ticket, FailureCode::kNone, std::move(open.reading));
    return true;
  }
  for (const Place& one : touched) busy_.insert(key_of(one));
  open_.push_back(std::move(open));
  return true;
}

void OvsTable::batch_done(std::uint32_t end, std::span<const Refused> refused) {
  auto next = refused.begin();
  while (!open_.empty() && !earlier(end, open_.front().end)) {
    Open done = std::move(open_.front());
    open_.pop_front();
    for (const Before& one : done.before) busy_.erase(busy_.find(key_of(one.input)));
    const openflow::Error* error = nullptr;
    for (; next != refused.end() && earlier(next->xid, done.end); ++next) {
      if (!earlier(next->xid, done.first) && error == nullptr && !harmless(next->error))
        error = &next->error;
    }
    if (error == nullptr) {
      flows_.give_back(done.freed);
      answer(done.ticket, FailureCode::kNone, std::move(done.reading));
      continue;
    }
    ++counters_.undone;
    notices_.push_back(fmt::format(
        "the bridge refuses a change of {}: {}",
        done.before.empty() ? "nothing" : to_string(done.before.front().input), to_string(*error)));
    if (!done.stays) undo_in_fabric(done);
    flows_.undo_on_bridge(done.extras);
    answer(done.ticket, done.stays ? FailureCode::kNone : code_of(*error), std::move(done.reading));
  }
  run_waiting();
}

OvsTable::Before OvsTable::before(const Place& input) const {
  Before found{input, {}};
  const auto* const raw = fabric_.find_raw(input.port, input.label);
  if (raw == nullptr) return found;
  for (const dataplane::Branch& branch : raw->branches) {
    const switchagent::QosProfile& profile = fabric_.branch_table().profile_at(branch);
    gsmp::AddBranch& add = found.branches.emplace_back();
    add.input_port = input.port;
    add.input_label = gsmp::label_field(input.label);
    add.output_port = branch.port;
    add.output_label = gsmp::label_field(fabric_.label_at(branch.port, branch.vpi, branch.vci));
    add.input_qos = profile.input.model;
    add.input_selector = profile.input.selector;
    add.output_qos = profile.output.model;
    add.output_selector = profile.output.selector;
    add.input_traffic = profile.input_traffic;
    add.output_traffic = profile.output_traffic;
  }
  return found;
}

// The two halves of a bidirectional pair come back as two connections.
void OvsTable::undo_in_fabric(const Open& open) {
  for (const Before& one : open.before) fabric_.delete_tree(one.input.port, one.input.label);
  for (const Before& one : open.before) {
    for (const gsmp::AddBranch& branch : one.branches) fabric_.add_branch(branch);
  }
}

// ----- connections ------------------------------------------------------------------------------

namespace {

Place place(PortId port, const gsmp::LabelField& label) { return {port, gsmp::label_of(label)}; }

}  // namespace

FailureCode OvsTable::check_meaning(PortId input, const gsmp::LabelField& input_label,
                                    PortId output, const gsmp::LabelField& output_label) const {
  const Place from = place(input, input_label);
  if (!has_meaning(options_.layout, from) || flows_.taken_by_others(from))
    return FailureCode::kInvalidInputLabel;
  if (!has_meaning(options_.layout, place(output, output_label)))
    return FailureCode::kInvalidOutputLabel;
  return FailureCode::kNone;
}

void OvsTable::add_branch(const gsmp::AddBranch& request, Ticket ticket, TimePoint) {
  const bool both_ways = request.input_label.has(gsmp::kFlagBidirectional);
  change({.ticket = ticket,
          .touched =
              [=] {
                Places touched{place(request.input_port, request.input_label)};
                if (both_ways) touched.push_back(place(request.output_port, request.output_label));
                return touched;
              },
          .apply =
              [this, request, both_ways] {
                if (request.header.type == gsmp::MessageType::kVpcAddBranch)
                  return fabric_.add_branch(request);  // refused with the RFC's code
                FailureCode code = check_meaning(request.input_port, request.input_label,
                                                 request.output_port, request.output_label);
                if (code == FailureCode::kNone && both_ways) {
                  code = check_meaning(request.output_port, request.output_label,
                                       request.input_port, request.input_label);
                }
                return code != FailureCode::kNone ? code : fabric_.add_branch(request);
              }});
}

void OvsTable::move_output(const gsmp::MoveOutputBranch& request, Ticket ticket, TimePoint) {
  change({.ticket = ticket,
          .touched = [=] { return Places{place(request.input_port, request.input_label)}; },
          .apply =
              [this, request] {
                const Place to = place(request.new_output_port, request.new_output_label);
                const FailureCode code =
                    fabric_.find_raw(request.input_port, gsmp::label_of(request.input_label)) !=
                                nullptr &&
                            !has_meaning(options_.layout, to)
                        ? FailureCode::kInvalidOutputLabel
                        : FailureCode::kNone;
                return code != FailureCode::kNone ? code : fabric_.move_output(request);
              }});
}

void OvsTable::move_input(const gsmp::MoveInputBranch& request, Ticket ticket, TimePoint) {
  change({.ticket = ticket,
          .touched =
              [=] {
                Places touched{place(request.old_input_port, request.old_input_label),
                               place(request.new_input_port, request.new_input_label)};
                if (touched.front() == touched.back()) touched.pop_back();
                return touched;
              },
          .apply =
              [this, request] {
                const Place from = place(request.old_input_port, request.old_input_label);
                const Place to = place(request.new_input_port, request.new_input_label);
                const bool taken = flows_.taken_by_others(to) || !has_meaning(options_.layout, to);
                if (fabric_.find_raw(from.port, from.label) != nullptr && taken)
                  return FailureCode::kInvalidInputLabel;
                return fabric_.move_input(request);
              }});
}

void OvsTable::delete_branch(PortId input_port, Label input_label, PortId output_port,
                             Label output_label, Ticket ticket, TimePoint) {
  change({.ticket = ticket,
          .touched =
              [=] {
                return Places{{input_port, input_label}};
              },
          .apply =
              [=, this] {
                return fabric_.delete_branch(input_port, input_label, output_port, output_label);
              }});
}

void OvsTable::delete_tree(PortId input_port, Label input_label, Ticket ticket, TimePoint) {
  change({.ticket = ticket,
          .touched =
              [=] {
                return Places{{input_port, input_label}};
              },
          .apply = [=, this] { return fabric_.delete_tree(input_port, input_label); }});
}

void OvsTable::delete_all_input(PortId port, Ticket ticket, TimePoint) {
  change({.ticket = ticket,
          .touched = [=, this] { return at_input(port); },
          .apply =
              [=, this] {
                fabric_.delete_all_input(port);
                return FailureCode::kNone;
              }});
}

void OvsTable::delete_all_output(PortId port, Ticket ticket, TimePoint) {
  change({.ticket = ticket,
          .touched = [=, this] { return at_output(port); },
          .apply =
              [=, this] {
                fabric_.delete_all_output(port);
                return FailureCode::kNone;
              }});
}

void OvsTable::clear(TimePoint) {
  if (!bridge_.ready()) return fabric_.clear();  // the bridge follows when it is back
  change({.ticket = std::nullopt,
          .touched = [this] { return all(); },
          .apply =
              [this] {
                fabric_.clear();
                return FailureCode::kNone;
              },
          .all = true});
}

void OvsTable::reserve(const gsmp::ReservationRequest& request, Ticket ticket, TimePoint) {
  answer(ticket, fabric_.reserve(request));
}
void OvsTable::release(std::uint32_t, Ticket ticket, TimePoint) {
  answer(ticket, FailureCode::kNone);
}
void OvsTable::release_all(Ticket ticket, TimePoint) { answer(ticket, FailureCode::kNone); }

// ----- ports ------------------------------------------------------------------------------------

void OvsTable::manage(const gsmp::PortManagement& request, Ticket ticket, TimePoint now) {
  change({.ticket = ticket,
          .touched =
              [this, request] {
                Places touched = at_input(request.port);
                for (const Place& one : at_output(request.port)) {
                  if (one.port != request.port) touched.push_back(one);
                }
                return touched;
              },
          .apply = [this, request, now] { return fabric_.manage(request, now); },
          .counts = true,
          .stays = true});
}

void OvsTable::label_range(const gsmp::LabelRangeMessage& request, Ticket ticket, TimePoint) {
  after_earlier([this, request, ticket] {
    gsmp::LabelRangeMessage found = request;
    const FailureCode code = fabric_.label_range(found);
    answer(ticket, code, switchagent::LabelRangesReading{std::move(found.ranges), found.disjoint});
    return true;
  });
}

// A loopback ends as with Bring Up: the connections that enter at its port are deleted.
void OvsTable::tick(TimePoint now) {
  bridge_.tick(now);
  if (fabric_.next_deadline() > now) return;
  if (!bridge_.ready()) return fabric_.tick(now);
  change({.ticket = std::nullopt,
          .touched =
              [this] {
                Places touched;
                for (const Place& one : all()) {
                  const auto* const raw = fabric_.find_raw(one.port, one.label);
                  const bool out = std::ranges::any_of(raw->branches, [&](const auto& branch) {
                    return !flows_.in_service(branch.port);
                  });
                  if (out || !flows_.in_service(one.port)) touched.push_back(one);
                }
                return touched;
              },
          .apply =
              [this, now] {
                fabric_.tick(now);
                return FailureCode::kNone;
              },
          .stays = true});
}

TimePoint OvsTable::next_deadline() const {
  return std::min(bridge_.next_deadline(), waiting_.empty() ? fabric_.next_deadline() : kNever);
}

// ----- sets of connections ----------------------------------------------------------------------

Places OvsTable::at_input(PortId port) const {
  Places places;
  for (const switchagent::Fabric::Entry& one : fabric_.connections_of(port))
    places.push_back({port, one.input_label});
  return places;
}

Places OvsTable::at_output(PortId port) const {
  Places places = all();
  std::erase_if(places, [&](const Place& one) {
    const auto* const raw = fabric_.find_raw(one.port, one.label);
    return std::ranges::none_of(raw->branches,
                                [&](const auto& branch) { return branch.port == port; });
  });
  return places;
}

Places OvsTable::all() const {
  Places places;
  for (std::uint32_t number = 1; number <= ports(); ++number) {
    const Places more = at_input(PortId(number));
    places.insert(places.end(), more.begin(), more.end());
  }
  return places;
}

}  // namespace xbind::ovs
