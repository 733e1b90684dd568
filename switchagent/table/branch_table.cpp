#include "switchagent/table/branch_table.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/check.hpp"
#include "core/planted.hpp"

namespace xbind::switchagent {

using dataplane::VirtualLink;
using gsmp::FailureCode;

// ----- look-ups -------------------------------------------------------------------------------

const dataplane::Connection* BranchTable::find(PortId port, Label label) const {
  if (!labels_.carries(port, label)) return nullptr;
  if (const auto* const channel = table_.find(link_at(port, label, false))) return channel;
  return vci_of(label) == 0 ? table_.find(link_at(port, label, true)) : nullptr;
}

std::optional<Connection> BranchTable::copy(PortId input_port, Label input_label) const {
  const dataplane::Connection* raw = find(input_port, input_label);
  if (raw == nullptr) return std::nullopt;
  Connection connection{bidirectional(*raw), raw->input.path, {}};
  for (const dataplane::Branch& branch : raw->branches) {
    const QosProfile& profile = profile_at(branch);
    connection.branches.push_back({branch.port,
                                   labels_.label_at(branch.port, branch.vpi, branch.vci),
                                   profile.input, profile.output});
  }
  std::ranges::sort(connection.branches, {}, [](const Branch& branch) {
    return std::tuple(branch.output_port, branch.output_label);
  });
  return connection;
}

std::vector<BranchTable::Entry> BranchTable::connections_of(PortId port) const {
  std::vector<Entry> entries;
  for (const dataplane::Connection* one : table_.connections_of(port))
    entries.push_back({labels_.label_at(port, one->input.vpi, one->input.vci), one});
  return entries;
}

// ----- adding and moving ----------------------------------------------------------------------

void BranchTable::put(const VirtualLink& input, dataplane::Branch branch,
                      const dataplane::Branch* there, const QosProfile& profile, bool both_ways) {
  if (there != nullptr) {
    const std::uint32_t old_tag = there->tag;
    const QosProfile wanted = updated(profiles_.at(number_in(old_tag)), profile);
    put(input, branch, nullptr, wanted, both_ways || bidirectional_in(old_tag));
    return profiles_.release(number_in(old_tag));
  }
  services_.set_queue(branch, profile);
  branch.tag = tag_of(profiles_.take(profile), both_ways);
  const auto added = table_.add_branch(input, branch);
  XB_CHECK(added.has_value(), added.error().text);
}

void BranchTable::move(const dataplane::Connection& connection, const dataplane::Branch& there,
                       dataplane::Branch place, const QosProfile& profile) {
  // Copies deliberately: the arguments lie in the entry that changes.
  const VirtualLink input = connection.input;
  const dataplane::Branch old = there;
  const bool moved = !place.same_place(old);
  // The reverse still leads to the old place, so the two are no longer a pair.
  if (moved) unpair(connection);
  const QosProfile wanted = updated(profiles_.at(number_in(old.tag)), profile);
  services_.set_queue(place, wanted);
  place.tag = tag_of(profiles_.take(wanted), !moved && bidirectional_in(old.tag));
  const auto replaced = table_.replace_branch(input, old, place);
  XB_CHECK(replaced.has_value(), replaced.error().text);
  profiles_.release(number_in(old.tag));
}

void BranchTable::drop_others_at(const VirtualLink& keep, const dataplane::Branch& place) {
  std::vector<VirtualLink> others;
  table_.for_each([&](const dataplane::Connection& connection) {
    if (connection.input != keep && connection.input.path == keep.path &&
        branch_at(&connection, place) != nullptr) {
      others.push_back(connection.input);
    }
  });
  for (const VirtualLink& other : others) drop_branch(other, place);
}

// ----- deleting -------------------------------------------------------------------------------

FailureCode BranchTable::delete_branch(PortId input_port, Label input_label, PortId output_port,
                                       Label output_label) {
  const dataplane::Connection* connection = find(input_port, input_label);
  if (connection == nullptr) return FailureCode::kNoSuchConnection;
  if (!labels_.carries(output_port, output_label)) return FailureCode::kNoSuchBranch;
  const dataplane::Branch* there =
      branch_at(connection, place_of(connection->input, output_port, output_label));
  if (there == nullptr) return FailureCode::kNoSuchBranch;
  if (planted(Bug::kDeleteTakesTree)) return delete_tree(input_port, input_label);
  drop(*connection, *there);
  return FailureCode::kNone;
}

FailureCode BranchTable::delete_tree(PortId input_port, Label input_label) {
  const dataplane::Connection* connection = find(input_port, input_label);
  if (connection == nullptr) return FailureCode::kNoSuchConnection;
  drop_connection(connection->input);
  return FailureCode::kNone;
}

// The reverse stays as an ordinary connection.
void BranchTable::unpair(const dataplane::Connection& connection) {
  if (!bidirectional(connection)) return;
  const VirtualLink reverse = reverse_of(connection.input, connection.branches.front());
  const dataplane::Branch* back = branch_at(table_.find(reverse), back_to(connection.input));
  if (back == nullptr) return;
  dataplane::Branch single = *back;
  single.tag = tag_of(number_in(single.tag), false);
  const auto changed = table_.add_branch(reverse, single);
  XB_CHECK(changed.has_value(), changed.error().text);
}

void BranchTable::drop(const dataplane::Connection& connection, const dataplane::Branch& branch) {
  unpair(connection);
  profiles_.release(number_in(branch.tag));
  table_.erase(connection, branch);
}

// Connection and branch must exist.
void BranchTable::drop_branch(const VirtualLink& input, const dataplane::Branch& place) {
  const dataplane::Connection* connection = table_.find(input);
  drop(*connection, *branch_at(connection, place));
}

// Copies deliberately: the argument may lie in the entry being deleted.
void BranchTable::drop_connection(const VirtualLink& at_input) {
  const VirtualLink input = at_input;
  const dataplane::Connection* connection = table_.find(input);
  unpair(*connection);
  for (const dataplane::Branch& branch : connection->branches)
    profiles_.release(number_in(branch.tag));
  const auto deleted = table_.delete_connection(input);
  XB_CHECK(deleted.has_value(), deleted.error().text);
}

std::size_t BranchTable::delete_all_input(PortId port) {
  const std::size_t before = branches();
  for (const dataplane::Connection* one : table_.connections_of(port)) drop_connection(one->input);
  return before - branches();
}

std::size_t BranchTable::delete_all_output(PortId port) {
  const std::size_t before = branches();
  std::vector<std::pair<VirtualLink, dataplane::Branch>> going;
  table_.for_each([&](const dataplane::Connection& connection) {
    for (const dataplane::Branch& branch : connection.branches) {
      if (branch.port == port) going.emplace_back(connection.input, branch);
    }
  });
  for (const auto& [input, branch] : going) drop_branch(input, branch);
  return before - branches();
}

void BranchTable::clear() {
  table_.clear();
  profiles_ = {};
}

}  // namespace xbind::switchagent
