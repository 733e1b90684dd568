// Connection management: RFC 3292 section 4.
#include "core/ahead.hpp"
#include "emulator/agent_request.hpp"

namespace xbind::emulator {

using gsmp::FailureCode;
using gsmp::MessageType;
using gsmp::ResultField;

void SwitchAgent::serve(Request& request, const gsmp::AddBranch& message) {
  FailureCode code = check(request, {message.input_port, message.output_port}, message.input_port,
                           message.port_session);
  if (code == FailureCode::kNone) code = fabric_.add_branch(message);
  if (code == FailureCode::kNone) ++counters_.branches_added;
  conclude(request, code);
}

void SwitchAgent::serve(Request& request, gsmp::DeleteBranches& message) {
  // Ports and sessions are each element's own; the rest is the message's.
  if (const auto code = check(request, {}); code != FailureCode::kNone)
    return fail_request(request, code);
  bool all = true;
  Ahead ahead(message.elements, [&](const gsmp::DeleteElement& later) {
    fabric_.prefetch(later.input_port, gsmp::label_of(later.input_label));
  });
  for (std::size_t index = 0; index < message.elements.size(); ++index) {
    ahead.step_to(index);
    gsmp::DeleteElement& element = message.elements[index];
    element.error =
        fabric_.check_ports(element.input_port, element.output_port, element.port_session);
    if (element.error == FailureCode::kNone) {
      element.error =
          fabric_.delete_branch(element.input_port, gsmp::label_of(element.input_label),
                                element.output_port, gsmp::label_of(element.output_label));
    }
    all = all && element.error == FailureCode::kNone;
    if (element.error == FailureCode::kNone) ++counters_.branches_deleted;
  }
  if (!all) return fail_with(request, message, FailureCode::kGeneral);
  if (!request.wants_success()) return;
  message.header.result = ResultField::kSuccess;
  gsmp::append_frame(request.output, message);
}

void SwitchAgent::serve(Request& request, const gsmp::DeleteTree& message) {
  FailureCode code = check(request, {message.input_port}, message.input_port, message.port_session);
  if (code == FailureCode::kNone)
    code = fabric_.delete_tree(message.input_port, gsmp::label_of(message.input_label));
  conclude(request, code);
}

void SwitchAgent::serve(Request& request, gsmp::VerifyTree& message) {
  FailureCode code = check(request, {message.input_port}, message.input_port, message.port_session);
  if (code != FailureCode::kNone) return fail_request(request, code);
  const auto* tree = fabric_.find_raw(message.input_port, gsmp::label_of(message.input_label));
  if (tree == nullptr) return fail_request(request, FailureCode::kNoSuchConnection);
  if (tree->branches.size() == message.branches) return conclude(request, FailureCode::kNone);
  message.branches = static_cast<std::uint16_t>(tree->branches.size());
  fail_with(request, message, FailureCode::kGeneral);
}

void SwitchAgent::serve(Request& request, const gsmp::DeleteAll& message) {
  const FailureCode code = check(request, {message.port}, message.port, message.port_session);
  if (code == FailureCode::kNone) {
    if (message.header.type == MessageType::kDeleteAllInput) {
      fabric_.delete_all_input(message.port);
    } else {
      fabric_.delete_all_output(message.port);
    }
  }
  conclude(request, code);
}

void SwitchAgent::serve(Request& request, const gsmp::MoveOutputBranch& message) {
  FailureCode code =
      check(request, {message.input_port, message.old_output_port, message.new_output_port},
            message.input_port, message.port_session);
  if (code == FailureCode::kNone) code = fabric_.move_output(message);
  conclude(request, code);
}

void SwitchAgent::serve(Request& request, const gsmp::MoveInputBranch& message) {
  FailureCode code =
      check(request, {message.output_port, message.old_input_port, message.new_input_port},
            message.output_port, message.port_session);
  if (code == FailureCode::kNone) code = fabric_.move_input(message);
  conclude(request, code);
}

}  // namespace xbind::emulator
