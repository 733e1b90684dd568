// Connection management: RFC 3292 section 4.
#include "switchagent/agent_request.hpp"

namespace xbind::switchagent {

using gsmp::FailureCode;
using gsmp::MessageType;
using gsmp::ResultField;

void SwitchAgent::serve(Request& request, const gsmp::AddBranch& message) {
  const FailureCode code = check(request, {message.input_port, message.output_port},
                                 message.input_port, message.port_session);
  if (code != FailureCode::kNone) return fail_request(request, code);
  ask_table(request, message, 1, false, [&] {
    table_.add_branch(message, {asking_, 0}, request.now);
  });
}

void SwitchAgent::finish(Request& request, const gsmp::AddBranch&, TableOutcome& outcome) {
  if (outcome.code() == FailureCode::kNone) ++counters_.branches_added;
  conclude(request, outcome.code());
}

void SwitchAgent::serve(Request& request, gsmp::DeleteBranches& message) {
  // Each element has its own port and session. The other checks apply to the message.
  if (const auto code = check(request, {}); code != FailureCode::kNone)
    return fail_request(request, code);
  const auto count = static_cast<std::uint32_t>(message.elements.size());
  ask_table(request, message, count, false, [&] {
    for (std::uint32_t index = 0; index < count; ++index) {
      const gsmp::DeleteElement& element = message.elements[index];
      const Ticket ticket{asking_, index};
      if (const auto code = check_ports(element); code != FailureCode::kNone) {
        completed(ticket, code);
        continue;
      }
      table_.delete_branch(element.input_port, gsmp::label_of(element.input_label),
                           element.output_port, gsmp::label_of(element.output_label), ticket,
                           request.now);
    }
  });
}

FailureCode SwitchAgent::check_ports(const gsmp::DeleteElement& element) const {
  const std::optional<std::uint32_t> session = table_.port_session(element.input_port);
  if (!session || !table_.port_session(element.output_port)) return FailureCode::kNoSuchPort;
  return *session == element.port_session ? FailureCode::kNone : FailureCode::kInvalidPortSession;
}

void SwitchAgent::finish(Request& request, gsmp::DeleteBranches& message, TableOutcome& outcome) {
  bool all = true;
  for (std::size_t index = 0; index < message.elements.size(); ++index) {
    const FailureCode code = outcome.code(index);
    message.elements[index].error = code;
    all = all && code == FailureCode::kNone;
    if (code == FailureCode::kNone) ++counters_.branches_deleted;
  }
  if (!all) return fail_with(request, message, FailureCode::kGeneral);
  if (!request.wants_success()) return;
  message.header.result = ResultField::kSuccess;
  gsmp::append_frame(request.output, message);
}

void SwitchAgent::serve(Request& request, const gsmp::DeleteTree& message) {
  const FailureCode code =
      check(request, {message.input_port}, message.input_port, message.port_session);
  if (code != FailureCode::kNone) return fail_request(request, code);
  ask_table(request, message, 1, false, [&] {
    table_.delete_tree(message.input_port, gsmp::label_of(message.input_label), {asking_, 0},
                       request.now);
  });
}

void SwitchAgent::serve(Request& request, gsmp::VerifyTree& message) {
  const FailureCode code =
      check(request, {message.input_port}, message.input_port, message.port_session);
  if (code != FailureCode::kNone) return fail_request(request, code);
  ask_table(request, message, 1, true, [&] {
    table_.read_connection(message.input_port, gsmp::label_of(message.input_label), {asking_, 0},
                           request.now);
  });
}

void SwitchAgent::finish(Request& request, gsmp::VerifyTree& message, TableOutcome& outcome) {
  if (outcome.code() != FailureCode::kNone) return fail_request(request, outcome.code());
  const std::size_t branches = outcome.reading<ConnectionReading>().branches;
  if (branches == message.branches) return conclude(request, FailureCode::kNone);
  message.branches = static_cast<std::uint16_t>(branches);
  fail_with(request, message, FailureCode::kGeneral);
}

void SwitchAgent::serve(Request& request, const gsmp::DeleteAll& message) {
  const FailureCode code = check(request, {message.port}, message.port, message.port_session);
  if (code != FailureCode::kNone) return fail_request(request, code);
  ask_table(request, message, 1, false, [&] {
    if (message.header.type == MessageType::kDeleteAllInput) {
      table_.delete_all_input(message.port, {asking_, 0}, request.now);
    } else {
      table_.delete_all_output(message.port, {asking_, 0}, request.now);
    }
  });
}

void SwitchAgent::serve(Request& request, const gsmp::MoveOutputBranch& message) {
  const FailureCode code =
      check(request, {message.input_port, message.old_output_port, message.new_output_port},
            message.input_port, message.port_session);
  if (code != FailureCode::kNone) return fail_request(request, code);
  ask_table(request, message, 1, false, [&] {
    table_.move_output(message, {asking_, 0}, request.now);
  });
}

void SwitchAgent::serve(Request& request, const gsmp::MoveInputBranch& message) {
  const FailureCode code =
      check(request, {message.output_port, message.old_input_port, message.new_input_port},
            message.output_port, message.port_session);
  if (code != FailureCode::kNone) return fail_request(request, code);
  ask_table(request, message, 1, false, [&] {
    table_.move_input(message, {asking_, 0}, request.now);
  });
}

}  // namespace xbind::switchagent
