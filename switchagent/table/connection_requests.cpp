#include "switchagent/table/connection_requests.hpp"

#include <cstddef>
#include <cstdint>

#include "gsmp/messages/label_field.hpp"
#include "switchagent/table/region_admission.hpp"

namespace xbind::switchagent {

using dataplane::VirtualLink;
using gsmp::FailureCode;
using gsmp::QosModel;

namespace {

bool lacks_traffic(const QosProfile& qos) {
  return (qos.input.model == QosModel::kService && !qos.input_traffic) ||
         (qos.output.model == QosModel::kService && !qos.output_traffic);
}

}  // namespace

// The parts of an Add Branch or a Move that are checked alike.
struct ConnectionRequests::Wish {
  VirtualLink input;
  bool input_good = false;  // of the port's kind and in its range
  PortId output_port;
  Label output;
  QosProfile qos;

  dataplane::Branch branch() const { return place_of(input, output_port, output); }
};

// ----- checks ---------------------------------------------------------------------------------

FailureCode ConnectionRequests::use_reservation(std::uint32_t number, Label input_label,
                                                Wish& wish) const {
  const auto code =
      reservations_.check_use(number, wish.input.port, wish.output_port, input_label, wish.output);
  if (code != FailureCode::kNone || !lacks_traffic(wish.qos)) return code;
  const QosProfile& reserved = reservations_.find(number)->qos;
  if (wish.qos.input != reserved.input || wish.qos.output != reserved.output)
    return FailureCode::kInvalidServiceSelector;
  wish.qos = reserved;
  return FailureCode::kNone;
}

FailureCode ConnectionRequests::check_replace(const gsmp::AddBranch& request) const {
  if (!ports_.replaces(request.output_port)) return FailureCode::kReplaceInactive;
  const bool several = request.input_label.has(gsmp::kFlagBidirectional) ||
                       request.input_label.has(gsmp::kFlagMultipoint) ||
                       request.output_label.has(gsmp::kFlagMultipoint);
  return several ? FailureCode::kReplaceWithMultipoint : FailureCode::kNone;
}

FailureCode ConnectionRequests::check_paths(const VirtualLink& input) const {
  if (input.path && !options_.vp_switching) return FailureCode::kNoVpSwitching;
  if (input.path && table_.channels(input.port, input.vpi) > 0) return FailureCode::kVpcOntoVcc;
  if (!input.path && table_.find(dataplane::path(input.port, input.vpi)) != nullptr)
    return FailureCode::kVccOntoVpc;
  return FailureCode::kNone;
}

FailureCode ConnectionRequests::check_tree(const dataplane::Connection& connection) const {
  if (connection.branches.size() >= options_.branches_per_connection_max)
    return FailureCode::kTooManyBranches;
  return BranchTable::bidirectional(connection) ? FailureCode::kMultipointOntoBidirectional
                                                : FailureCode::kNone;
}

FailureCode ConnectionRequests::region_code(const QosProfile& qos, PortId output,
                                            const VirtualLink& from,
                                            const dataplane::Branch& replaced) const {
  return check_region(region_, table_, branches_, qos, output, from, replaced);
}

// ----- Add Branch -----------------------------------------------------------------------------

FailureCode ConnectionRequests::add_branch(const gsmp::AddBranch& request) {
  const bool path = request.header.type == gsmp::MessageType::kVpcAddBranch;
  const bool both_ways = request.input_label.has(gsmp::kFlagBidirectional);
  const bool replace = request.output_label.has(gsmp::kFlagReplace);
  const Label input_label = gsmp::label_of(request.input_label);
  Wish wish{link_at(request.input_port, input_label, path),
            labels_.accepts(request.input_port, input_label, path), request.output_port,
            gsmp::label_of(request.output_label), profile_of(request)};
  if (request.header.version == 1) services_.limit_priorities(wish.qos);
  const dataplane::Branch branch = wish.branch();
  const VirtualLink reverse = reverse_of(wish.input, branch);

  if (path && !labels_.has_paths(wish.input.port, wish.output_port))
    return FailureCode::kNoVpSwitching;
  if (!wish.input_good) return FailureCode::kInvalidInputLabel;
  // An output label is the next switch's input label, so only the width of the line's headers
  // limits it here. In a bidirectional pair it is also an input label here.
  if (!labels_.leaves_by(wish.output_port, wish.output) ||
      !labels_.joins(wish.input.port, wish.output_port) ||
      (both_ways &&
       (!labels_.accepts(wish.output_port, wish.output, path) || reverse == wish.input))) {
    return FailureCode::kInvalidOutputLabel;
  }
  const dataplane::Connection* const existing = table_.find(wish.input);
  if (both_ways && (existing != nullptr || table_.find(reverse) != nullptr))
    return FailureCode::kBidirectionalExists;
  const dataplane::Branch* const there = branch_at(existing, branch);
  const QosProfile* const known = there == nullptr ? nullptr : &branches_.profile_at(*there);
  if (const auto code = services_.check(wish.qos, known); code != FailureCode::kNone) return code;
  if (request.reservation != 0) {
    if (const auto code = use_reservation(request.reservation, input_label, wish);
        code != FailureCode::kNone)
      return code;
  }
  if (replace) {
    if (const auto code = check_replace(request); code != FailureCode::kNone) return code;
  }
  if (const auto code = check_paths(wish.input); code != FailureCode::kNone) return code;
  if (both_ways) {
    if (const auto code = check_paths(reverse); code != FailureCode::kNone) return code;
  }
  if (existing != nullptr && there == nullptr) {
    if (const auto code = check_tree(*existing); code != FailureCode::kNone) return code;
  }
  if (const auto code = region_code(wish.qos, wish.output_port, wish.input, branch);
      code != FailureCode::kNone) {
    return code;
  }
  const std::size_t more = there != nullptr ? 0 : (both_ways ? 2 : 1);
  if (branches_.branches() + more > options_.branches_max ||
      (existing == nullptr && branches_.connections() + more > options_.connections_max)) {
    return FailureCode::kOutOfResources;
  }

  branches_.put(wish.input, branch, there, wish.qos, both_ways);
  if (both_ways) branches_.put(reverse, back_to(wish.input), nullptr, wish.qos, true);
  if (replace) branches_.drop_others_at(wish.input, branch);
  if (request.reservation != 0) reservations_.release(request.reservation);
  return FailureCode::kNone;
}

// ----- Move -----------------------------------------------------------------------------------

FailureCode ConnectionRequests::move_output(const gsmp::MoveOutputBranch& request) {
  const bool path = request.header.type == gsmp::MessageType::kVpcMoveOutputBranch;
  const Label input_label = gsmp::label_of(request.input_label);
  Wish wish{link_at(request.input_port, input_label, path), true, request.new_output_port,
            gsmp::label_of(request.new_output_label), profile_of(request)};
  if (request.header.version == 1) services_.limit_priorities(wish.qos);
  Wish from = wish;
  from.output_port = request.old_output_port;
  from.output = gsmp::label_of(request.old_output_label);
  const dataplane::Branch old_place = from.branch();
  const dataplane::Branch new_place = wish.branch();

  const dataplane::Connection* existing =
      labels_.carries(request.input_port, input_label) ? table_.find(wish.input) : nullptr;
  if (existing == nullptr) return FailureCode::kNoSuchConnection;
  const dataplane::Branch* there =
      labels_.carries(from.output_port, from.output) ? branch_at(existing, old_place) : nullptr;
  if (there == nullptr) return FailureCode::kNoSuchBranch;
  if (path && !labels_.has_paths(wish.input.port, wish.output_port))
    return FailureCode::kNoVpSwitching;
  if (!labels_.leaves_by(wish.output_port, wish.output) ||
      !labels_.joins(wish.input.port, wish.output_port))
    return FailureCode::kInvalidOutputLabel;
  if (const auto code = services_.check(wish.qos, &branches_.profile_at(*there));
      code != FailureCode::kNone)
    return code;
  if (path && !options_.vp_switching) return FailureCode::kNoVpSwitching;
  if (!new_place.same_place(old_place) && branch_at(existing, new_place) != nullptr)
    return FailureCode::kBranchOnSamePort;
  if (const auto code = region_code(wish.qos, wish.output_port, wish.input, old_place);
      code != FailureCode::kNone) {
    return code;
  }

  branches_.move(*existing, *there, new_place, wish.qos);
  return FailureCode::kNone;
}

FailureCode ConnectionRequests::move_input(const gsmp::MoveInputBranch& request) {
  const bool path = request.header.type == gsmp::MessageType::kVpcMoveInputBranch;
  const Label old_label = gsmp::label_of(request.old_input_label);
  const Label new_label = gsmp::label_of(request.new_input_label);
  const Wish wish{link_at(request.new_input_port, new_label, path),
                  labels_.accepts(request.new_input_port, new_label, path), request.output_port,
                  gsmp::label_of(request.output_label), profile_of(request)};
  const VirtualLink from = link_at(request.old_input_port, old_label, path);
  const dataplane::Branch place = wish.branch();

  const dataplane::Connection* old =
      labels_.carries(from.port, old_label) ? table_.find(from) : nullptr;
  if (old == nullptr) return FailureCode::kNoSuchConnection;
  const dataplane::Branch* there =
      labels_.carries(wish.output_port, wish.output) ? branch_at(old, place) : nullptr;
  if (there == nullptr) return FailureCode::kNoSuchBranch;
  if (path && !labels_.has_paths(wish.input.port, wish.output_port))
    return FailureCode::kNoVpSwitching;
  if (!wish.input_good || !labels_.joins(wish.input.port, wish.output_port))
    return FailureCode::kInvalidInputLabel;
  if (const auto code = services_.check(wish.qos, &branches_.profile_at(*there));
      code != FailureCode::kNone)
    return code;
  if (const auto code = check_paths(wish.input); code != FailureCode::kNone) return code;
  const dataplane::Connection* target = table_.find(wish.input);
  const bool moved = wish.input != from;
  if (moved && branch_at(target, place) != nullptr) return FailureCode::kBranchOnSamePort;
  if (moved && target != nullptr) {
    if (const auto code = check_tree(*target); code != FailureCode::kNone) return code;
  }
  if (const auto code = region_code(wish.qos, wish.output_port, from, place);
      code != FailureCode::kNone) {
    return code;
  }
  if (moved && target == nullptr && old->branches.size() > 1 &&
      branches_.connections() >= options_.connections_max) {
    return FailureCode::kOutOfResources;
  }

  const QosProfile wanted = updated(branches_.profile_at(*there), wish.qos);
  if (moved) branches_.drop(*old, *there);
  branches_.put(wish.input, place, moved ? nullptr : there, wanted, false);
  return FailureCode::kNone;
}

// ----- reservations ---------------------------------------------------------------------------

FailureCode ConnectionRequests::reserve(const gsmp::ReservationRequest& request) {
  const Label input = gsmp::label_of(request.input_label);
  const Label output = gsmp::label_of(request.output_label);
  const Wish wish{{}, true, request.output_port, output, profile_of(request)};
  const bool unlabelled_in = request.input_label.type == gsmp::LabelType::kNone;
  const bool unlabelled_out = request.output_label.type == gsmp::LabelType::kNone;
  if (!unlabelled_in && !labels_.accepts(request.input_port, input, false))
    return FailureCode::kInvalidInputLabel;
  if ((!unlabelled_out && !labels_.leaves_by(request.output_port, output)) ||
      !labels_.joins(request.input_port, request.output_port))
    return FailureCode::kInvalidOutputLabel;
  if (const auto code = services_.check(wish.qos, nullptr); code != FailureCode::kNone) return code;
  const auto free = reservations_.check_free(request.reservation);
  if (free != FailureCode::kNone) return free;
  if (const auto code = region_code(wish.qos, wish.output_port, {}, {});
      code != FailureCode::kNone) {
    return code;
  }
  reservations_.hold(request.reservation,
                     {request.input_port, request.output_port, input, output, wish.qos});
  return FailureCode::kNone;
}

}  // namespace xbind::switchagent
