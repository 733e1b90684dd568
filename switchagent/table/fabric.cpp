#include "switchagent/table/fabric.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/check.hpp"
#include "core/planted.hpp"

namespace xbind::switchagent {

using dataplane::ForwardingTable;
using dataplane::VirtualLink;
using gsmp::FailureCode;
using gsmp::QosModel;

namespace {

// The tag of a branch: its profile number, and whether it is half of a bidirectional pair.
constexpr std::uint32_t tag_of(QosProfiles::Number number, bool bidirectional) {
  return number << 1 | (bidirectional ? 1 : 0);
}
constexpr QosProfiles::Number number_in(std::uint32_t tag) { return tag >> 1; }
constexpr bool bidirectional_in(std::uint32_t tag) { return (tag & 1) != 0; }
bool bidirectional(const dataplane::Connection& connection) {
  return bidirectional_in(connection.branches.front().tag);
}

VirtualLink link_at(PortId port, Label label, bool path) {
  return {port, static_cast<std::uint16_t>(vpi_of(label)),
          static_cast<std::uint16_t>(path ? 0 : vci_of(label)), path};
}
// The output side of a branch of the connection at `input`.
dataplane::Branch place_of(const VirtualLink& input, PortId output_port, Label output) {
  return {.port = output_port,
          .vpi = static_cast<std::uint16_t>(vpi_of(output)),
          .vci = static_cast<std::uint16_t>(input.path ? 0 : vci_of(output))};
}

// The input of the other half of a bidirectional pair.
VirtualLink reverse_of(const VirtualLink& input, const dataplane::Branch& branch) {
  return {branch.port, branch.vpi, branch.vci, input.path};
}
dataplane::Branch back_to(const VirtualLink& input) {
  return {.port = input.port, .vpi = input.vpi, .vci = input.vci};
}

const dataplane::Branch* branch_at(const dataplane::Connection* connection,
                                   const dataplane::Branch& place) {
  if (connection == nullptr) return nullptr;
  for (const dataplane::Branch& one : connection->branches) {
    if (one.same_place(place)) return &one;
  }
  return nullptr;
}

// A repeat in the priority model re-asserts a branch of another model. The service of an existing
// branch never changes; its parameters may.
bool changes_service(Qos old, Qos wanted) {
  return old.model == QosModel::kService && wanted.model == QosModel::kService &&
         old.selector != wanted.selector;
}
bool reasserts(Qos old, Qos wanted) {
  return old.model != QosModel::kPriority && wanted.model == QosModel::kPriority;
}
QosProfile updated(const QosProfile& old, QosProfile wanted) {
  if (reasserts(old.input, wanted.input)) {
    wanted.input = old.input;
    wanted.input_traffic = old.input_traffic;
  }
  if (reasserts(old.output, wanted.output)) {
    wanted.output = old.output;
    wanted.output_traffic = old.output_traffic;
  }
  return wanted;
}

bool lacks_traffic(const QosProfile& qos) {
  return (qos.input.model == QosModel::kService && !qos.input_traffic) ||
         (qos.output.model == QosModel::kService && !qos.output_traffic);
}

}  // namespace

// The parts of an Add Branch or a Move that are checked alike.
struct Fabric::Wish {
  VirtualLink input;
  bool input_good = false;  // of the port's kind and in its range
  PortId output_port;
  Label output;
  QosProfile qos;

  dataplane::Branch branch() const { return place_of(input, output_port, output); }
};

// ----- checks of every request --------------------------------------------------------

void Fabric::set_bounds(std::size_t branches_max, std::size_t buffer_cells) {
  options_.branches_max = options_.connections_max = branches_max;
  options_.buffer_cells = buffer_cells;
  cells_.table().set_bounds(branches_max, branches_max);
  cells_.set_buffer(buffer_cells);
}

FailureCode Fabric::check_ports(PortId input, PortId output, std::uint32_t session) const {
  if (!has(input) || !has(output)) return FailureCode::kNoSuchPort;
  return session == port_session(input) ? FailureCode::kNone : FailureCode::kInvalidPortSession;
}

const QosProfile& Fabric::profile_at(const dataplane::Branch& branch) const {
  return profiles_.at(number_in(branch.tag));
}

bool Fabric::serves(Qos qos, const std::optional<gsmp::TrafficBlock>& traffic) const {
  switch (qos.model) {
    case QosModel::kPriority: return qos.selector < options_.priorities;
    case QosModel::kOptional: return region_.active();
    case QosModel::kProfile: return false;
    case QosModel::kService: break;
  }
  for (const gsmp::ServiceRecord& record : options_.services) {
    for (const gsmp::CapabilitySet& set : record.sets) {
      if (gsmp::service_selector(record.service, set.id) != qos.selector) continue;
      return !traffic || gsmp::flags_not_offered(set, traffic->tc_flags) == 0;
    }
  }
  return false;
}

FailureCode Fabric::check_service(const Wish& wish, const QosProfile* existing) const {
  const bool good = serves(wish.qos.input, wish.qos.input_traffic) &&
                    serves(wish.qos.output, wish.qos.output_traffic) &&
                    (existing == nullptr || (!changes_service(existing->input, wish.qos.input) &&
                                             !changes_service(existing->output, wish.qos.output)));
  return good ? FailureCode::kNone : FailureCode::kInvalidServiceSelector;
}

// ----- Add Branch -----------------------------------------------------------------------------

FailureCode Fabric::add_branch(const gsmp::AddBranch& request) {
  const bool path = request.header.type == gsmp::MessageType::kVpcAddBranch;
  const bool both_ways = request.input_label.has(gsmp::kFlagBidirectional);
  const bool replace = request.output_label.has(gsmp::kFlagReplace);
  const Label input_label = gsmp::label_of(request.input_label);
  Wish wish{link_at(request.input_port, input_label, path),
            accepts(request.input_port, input_label, path), request.output_port,
            gsmp::label_of(request.output_label), profile_of(request)};
  if (request.header.version == 1) {  // an unsupported priority becomes the nearest
    for (Qos* qos : {&wish.qos.input, &wish.qos.output})
      qos->selector = std::min<std::uint32_t>(qos->selector, options_.priorities - 1U);
  }
  const ForwardingTable& table = cells_.table();
  const dataplane::Branch branch = wish.branch();
  const VirtualLink reverse = reverse_of(wish.input, branch);

  if (path && !has_paths(wish.input.port, wish.output_port)) return FailureCode::kNoVpSwitching;
  if (!wish.input_good) return FailureCode::kInvalidInputLabel;
  // An output label is the next switch's input label, so only the width of the line's headers
  // limits it here. In a bidirectional pair it is also an input label here.
  if (!leaves_by(wish.output_port, wish.output) || !joins(wish.input.port, wish.output_port) ||
      (both_ways && (!accepts(wish.output_port, wish.output, path) || reverse == wish.input))) {
    return FailureCode::kInvalidOutputLabel;
  }
  const dataplane::Connection* existing = table.find(wish.input);
  if (both_ways && (existing != nullptr || table.find(reverse) != nullptr)) {
    return FailureCode::kBidirectionalExists;
  }
  const dataplane::Branch* there = branch_at(existing, branch);
  const QosProfile* known = there == nullptr ? nullptr : &profile_at(*there);
  if (const auto code = check_service(wish, known); code != FailureCode::kNone) return code;
  if (request.reservation != 0) {
    const auto code = reservations_.check_use(request.reservation, wish.input.port,
                                              wish.output_port, input_label, wish.output);
    if (code != FailureCode::kNone) return code;
    const QosProfile& reserved = reservations_.find(request.reservation)->qos;
    if (lacks_traffic(wish.qos)) {
      if (wish.qos.input != reserved.input || wish.qos.output != reserved.output)
        return FailureCode::kInvalidServiceSelector;
      wish.qos = reserved;
    }
  }
  if (replace) {
    if (!at(wish.output_port).replace) return FailureCode::kReplaceInactive;
    if (both_ways || request.input_label.has(gsmp::kFlagMultipoint) ||
        request.output_label.has(gsmp::kFlagMultipoint)) {
      return FailureCode::kReplaceWithMultipoint;
    }
  }
  for (const VirtualLink& way : {wish.input, reverse}) {
    if (way == reverse && !both_ways) continue;
    if (path && !options_.vp_switching) return FailureCode::kNoVpSwitching;
    if (path && table.channels(way.port, way.vpi) > 0) return FailureCode::kVpcOntoVcc;
    if (!path && table.find(dataplane::path(way.port, way.vpi)) != nullptr)
      return FailureCode::kVccOntoVpc;
  }
  if (existing != nullptr && there == nullptr) {
    if (existing->branches.size() >= options_.branches_per_connection_max)
      return FailureCode::kTooManyBranches;
    if (bidirectional(*existing)) return FailureCode::kMultipointOntoBidirectional;
  }
  if (const auto code = check_region(wish.qos, wish.output_port, wish.input, branch);
      code != FailureCode::kNone) {
    return code;
  }
  const std::size_t more = there != nullptr ? 0 : (both_ways ? 2 : 1);
  if (branches() + more > options_.branches_max ||
      (existing == nullptr && connections() + more > options_.connections_max)) {
    return FailureCode::kOutOfResources;
  }

  put(wish.input, branch, there, wish.qos, both_ways);
  if (both_ways) put(reverse, back_to(wish.input), nullptr, wish.qos, true);
  if (replace) drop_others_at(wish.input, branch);
  if (request.reservation != 0) reservations_.release(request.reservation);
  return FailureCode::kNone;
}

void Fabric::put(const VirtualLink& input, dataplane::Branch branch, const dataplane::Branch* there,
                 const QosProfile& profile, bool both_ways) {
  if (there != nullptr) {
    const std::uint32_t old_tag = there->tag;
    const QosProfile wanted = updated(profiles_.at(number_in(old_tag)), profile);
    put(input, branch, nullptr, wanted, both_ways || bidirectional_in(old_tag));
    return profiles_.release(number_in(old_tag));
  }
  set_queue(branch, profile.output);
  branch.tag = tag_of(profiles_.take(profile), both_ways);
  const auto added = cells_.table().add_branch(input, branch);
  XB_CHECK(added.has_value(), added.error().text);
}

// Connection Replace: removes all other branches to that output label.
void Fabric::drop_others_at(const VirtualLink& keep, const dataplane::Branch& place) {
  std::vector<VirtualLink> others;
  cells_.table().for_each([&](const dataplane::Connection& connection) {
    if (connection.input != keep && connection.input.path == keep.path &&
        branch_at(&connection, place) != nullptr) {
      others.push_back(connection.input);
    }
  });
  for (const VirtualLink& other : others) drop_branch(other, place);
}

// ----- Move -----------------------------------------------------------------------------------

FailureCode Fabric::move_output(const gsmp::MoveOutputBranch& request) {
  const bool path = request.header.type == gsmp::MessageType::kVpcMoveOutputBranch;
  const Label input_label = gsmp::label_of(request.input_label);
  Wish wish{link_at(request.input_port, input_label, path), true, request.new_output_port,
            gsmp::label_of(request.new_output_label), profile_of(request)};
  if (request.header.version == 1) {
    for (Qos* qos : {&wish.qos.input, &wish.qos.output})
      qos->selector = std::min<std::uint32_t>(qos->selector, options_.priorities - 1U);
  }
  Wish from = wish;
  from.output_port = request.old_output_port;
  from.output = gsmp::label_of(request.old_output_label);
  const dataplane::Branch old_place = from.branch();
  const dataplane::Branch new_place = wish.branch();

  const dataplane::Connection* existing =
      is_label_of(request.input_port, input_label) ? cells_.table().find(wish.input) : nullptr;
  if (existing == nullptr) return FailureCode::kNoSuchConnection;
  const dataplane::Branch* there =
      is_label_of(from.output_port, from.output) ? branch_at(existing, old_place) : nullptr;
  if (there == nullptr) return FailureCode::kNoSuchBranch;
  if (path && !has_paths(wish.input.port, wish.output_port)) return FailureCode::kNoVpSwitching;
  if (!leaves_by(wish.output_port, wish.output) || !joins(wish.input.port, wish.output_port))
    return FailureCode::kInvalidOutputLabel;
  if (const auto code = check_service(wish, &profile_at(*there)); code != FailureCode::kNone)
    return code;
  if (path && !options_.vp_switching) return FailureCode::kNoVpSwitching;
  if (!new_place.same_place(old_place) && branch_at(existing, new_place) != nullptr)
    return FailureCode::kBranchOnSamePort;
  if (const auto code = check_region(wish.qos, wish.output_port, wish.input, old_place);
      code != FailureCode::kNone) {
    return code;
  }

  const QosProfiles::Number old_number = number_in(there->tag);
  const bool moved = !new_place.same_place(old_place);
  // The reverse still leads to the old place, so the two are no longer a pair.
  if (moved) unpair(*existing);
  const QosProfile wanted = updated(profiles_.at(old_number), wish.qos);
  dataplane::Branch now = new_place;
  set_queue(now, wanted.output);
  now.tag = tag_of(profiles_.take(wanted), !moved && bidirectional_in(there->tag));
  const auto replaced = cells_.table().replace_branch(wish.input, old_place, now);
  XB_CHECK(replaced.has_value(), replaced.error().text);
  profiles_.release(old_number);
  return FailureCode::kNone;
}

FailureCode Fabric::move_input(const gsmp::MoveInputBranch& request) {
  const bool path = request.header.type == gsmp::MessageType::kVpcMoveInputBranch;
  const Label old_label = gsmp::label_of(request.old_input_label);
  const Label new_label = gsmp::label_of(request.new_input_label);
  const Wish wish{link_at(request.new_input_port, new_label, path),
                  accepts(request.new_input_port, new_label, path), request.output_port,
                  gsmp::label_of(request.output_label), profile_of(request)};
  const VirtualLink from = link_at(request.old_input_port, old_label, path);
  const dataplane::Branch place = wish.branch();
  const ForwardingTable& table = cells_.table();

  const dataplane::Connection* old = is_label_of(from.port, old_label) ? table.find(from) : nullptr;
  if (old == nullptr) return FailureCode::kNoSuchConnection;
  const dataplane::Branch* there =
      is_label_of(wish.output_port, wish.output) ? branch_at(old, place) : nullptr;
  if (there == nullptr) return FailureCode::kNoSuchBranch;
  if (path && !has_paths(wish.input.port, wish.output_port)) return FailureCode::kNoVpSwitching;
  if (!wish.input_good || !joins(wish.input.port, wish.output_port))
    return FailureCode::kInvalidInputLabel;
  if (const auto code = check_service(wish, &profile_at(*there)); code != FailureCode::kNone)
    return code;
  if (path && !options_.vp_switching) return FailureCode::kNoVpSwitching;
  if (path && table.channels(wish.input.port, wish.input.vpi) > 0) return FailureCode::kVpcOntoVcc;
  if (!path && table.find(dataplane::path(wish.input.port, wish.input.vpi)) != nullptr)
    return FailureCode::kVccOntoVpc;
  const dataplane::Connection* target = table.find(wish.input);
  const bool moved = wish.input != from;
  if (moved && branch_at(target, place) != nullptr) return FailureCode::kBranchOnSamePort;
  if (moved && target != nullptr) {
    if (target->branches.size() >= options_.branches_per_connection_max)
      return FailureCode::kTooManyBranches;
    if (bidirectional(*target)) return FailureCode::kMultipointOntoBidirectional;
  }
  if (const auto code = check_region(wish.qos, wish.output_port, from, place);
      code != FailureCode::kNone) {
    return code;
  }
  if (moved && target == nullptr && old->branches.size() > 1 &&
      connections() >= options_.connections_max) {
    return FailureCode::kOutOfResources;
  }

  const QosProfile wanted = updated(profile_at(*there), wish.qos);
  if (moved) drop(*old, *there);
  put(wish.input, place, moved ? nullptr : there, wanted, false);
  return FailureCode::kNone;
}

// ----- reservations ---------------------------------------------------------------------------

FailureCode Fabric::reserve(const gsmp::ReservationRequest& request) {
  const Label input = gsmp::label_of(request.input_label);
  const Label output = gsmp::label_of(request.output_label);
  const Wish wish{{}, true, request.output_port, output, profile_of(request)};
  const bool unlabelled_in = request.input_label.type == gsmp::LabelType::kNone;
  const bool unlabelled_out = request.output_label.type == gsmp::LabelType::kNone;
  if (!unlabelled_in && !accepts(request.input_port, input, false))
    return FailureCode::kInvalidInputLabel;
  if ((!unlabelled_out && !leaves_by(request.output_port, output)) ||
      !joins(request.input_port, request.output_port))
    return FailureCode::kInvalidOutputLabel;
  if (const auto code = check_service(wish, nullptr); code != FailureCode::kNone) return code;
  const auto free = reservations_.check_free(request.reservation);
  if (free != FailureCode::kNone) return free;
  if (const auto code = check_region(wish.qos, wish.output_port, {}, {});
      code != FailureCode::kNone) {
    return code;
  }
  reservations_.hold(request.reservation,
                     {request.input_port, request.output_port, input, output, wish.qos});
  return FailureCode::kNone;
}

// ----- deleting -------------------------------------------------------------------------------

const dataplane::Connection* Fabric::find_raw(PortId port, Label label) const {
  if (!has(port) || !is_label_of(port, label)) return nullptr;
  const ForwardingTable& table = cells_.table();
  if (const auto* channel = table.find(link_at(port, label, false))) return channel;
  return vci_of(label) == 0 ? table.find(link_at(port, label, true)) : nullptr;
}

FailureCode Fabric::delete_branch(PortId input_port, Label input_label, PortId output_port,
                                  Label output_label) {
  const dataplane::Connection* connection = find_raw(input_port, input_label);
  if (connection == nullptr) return FailureCode::kNoSuchConnection;
  if (!is_label_of(output_port, output_label)) return FailureCode::kNoSuchBranch;
  const dataplane::Branch* there =
      branch_at(connection, place_of(connection->input, output_port, output_label));
  if (there == nullptr) return FailureCode::kNoSuchBranch;
  if (planted(Bug::kDeleteTakesTree)) return delete_tree(input_port, input_label);
  drop(*connection, *there);
  return FailureCode::kNone;
}

FailureCode Fabric::delete_tree(PortId input_port, Label input_label) {
  const dataplane::Connection* connection = find_raw(input_port, input_label);
  if (connection == nullptr) return FailureCode::kNoSuchConnection;
  drop_connection(connection->input);
  return FailureCode::kNone;
}

// The reverse stays as an ordinary connection.
void Fabric::unpair(const dataplane::Connection& connection) {
  if (!bidirectional(connection)) return;
  const VirtualLink reverse = reverse_of(connection.input, connection.branches.front());
  const dataplane::Branch* back =
      branch_at(cells_.table().find(reverse), back_to(connection.input));
  if (back == nullptr) return;
  dataplane::Branch single = *back;
  single.tag = tag_of(number_in(single.tag), false);
  const auto changed = cells_.table().add_branch(reverse, single);
  XB_CHECK(changed.has_value(), changed.error().text);
}

// `connection` and `branch` must be entries of the table.
void Fabric::drop(const dataplane::Connection& connection, const dataplane::Branch& branch) {
  unpair(connection);
  profiles_.release(number_in(branch.tag));
  cells_.table().erase(connection, branch);
}

// Connection and branch must exist.
void Fabric::drop_branch(const VirtualLink& input, const dataplane::Branch& place) {
  const dataplane::Connection* connection = cells_.table().find(input);
  drop(*connection, *branch_at(connection, place));
}

// Copies deliberately: the argument may lie in the entry being deleted.
void Fabric::drop_connection(const VirtualLink& at_input) {
  const VirtualLink input = at_input;
  const dataplane::Connection* connection = cells_.table().find(input);
  unpair(*connection);
  for (const dataplane::Branch& branch : connection->branches)
    profiles_.release(number_in(branch.tag));
  const auto deleted = cells_.table().delete_connection(input);
  XB_CHECK(deleted.has_value(), deleted.error().text);
}

std::size_t Fabric::delete_all_input(PortId port) {
  const std::size_t before = branches();
  for (const dataplane::Connection* one : cells_.table().connections_of(port))
    drop_connection(one->input);
  return before - branches();
}

std::size_t Fabric::delete_all_output(PortId port) {
  const std::size_t before = branches();
  std::vector<std::pair<VirtualLink, dataplane::Branch>> going;
  cells_.table().for_each([&](const dataplane::Connection& connection) {
    for (const dataplane::Branch& branch : connection.branches) {
      if (branch.port == port) going.emplace_back(connection.input, branch);
    }
  });
  for (const auto& [input, branch] : going) drop_branch(input, branch);
  return before - branches();
}

void Fabric::clear() {
  cells_.table().clear();
  profiles_ = {};
  reservations_.clear();
  region_.clear();
}

// ----- queries --------------------------------------------------------------------------------

std::optional<Connection> Fabric::find(PortId input_port, Label input_label) const {
  const dataplane::Connection* raw = find_raw(input_port, input_label);
  if (raw == nullptr) return std::nullopt;
  Connection connection{bidirectional(*raw), raw->input.path, {}};
  for (const dataplane::Branch& branch : raw->branches) {
    const QosProfile& profile = profile_at(branch);
    connection.branches.push_back({branch.port, label_at(branch.port, branch.vpi, branch.vci),
                                   profile.input, profile.output});
  }
  std::ranges::sort(connection.branches, {}, [](const Branch& branch) {
    return std::tuple(branch.output_port, branch.output_label);
  });
  return connection;
}

std::vector<Fabric::Entry> Fabric::connections_of(PortId port) const {
  std::vector<Entry> entries;
  for (const dataplane::Connection* one : cells_.table().connections_of(port))
    entries.push_back({label_at(port, one->input.vpi, one->input.vci), one});
  return entries;
}

}  // namespace xbind::switchagent
