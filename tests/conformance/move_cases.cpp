// Trees, whole ports, moves and virtual paths (RFC 3292 sections 4.3 to 4.9).
#include "tests/conformance/cases.hpp"

namespace xbind::conformance {
namespace {

using namespace gsmp;
using enum FailureCode;

DeleteTree delete_tree(const Controller& c, std::size_t in, Label label) {
  DeleteTree request;
  request.port_session = c.session(in);
  request.input_port = c.port(in);
  request.input_label = label_field(label);
  return request;
}

DeleteAll delete_all(const Controller& c, MessageType type, std::size_t place) {
  DeleteAll request;
  request.header.type = type;
  request.port_session = c.session(place);
  request.port = c.port(place);
  return request;
}

void delete_tree_takes_all_branches(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.succeeds(add_branch(c, 0, c.label(0), 2, c.label(7)));
  c.succeeds(add_branch(c, 0, c.label(1), 1, c.label(8)));
  c.succeeds_with_copy(delete_tree(c, 0, c.label(0)));
  c.table_is({branch(c, 0, c.label(1), 1, c.label(8))});
}

void delete_tree_failures(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.fails(delete_tree(c, 0, c.label(6)), kNoSuchConnection);
  DeleteTree wrong = delete_tree(c, 0, c.label(0));
  wrong.port_session ^= 1;
  c.fails(wrong, kInvalidPortSession);
  wrong.input_port = c.no_port();
  c.fails(wrong, kNoSuchPort);
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7))});
}

void delete_all_of_an_input_port(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.succeeds(add_branch(c, 0, c.label(1), 2, c.label(7)));
  c.succeeds(add_branch(c, 1, c.label(0), 0, c.label(7)));
  c.succeeds_with_copy(delete_all(c, MessageType::kDeleteAllInput, 0));
  c.table_is({branch(c, 1, c.label(0), 0, c.label(7))});
  c.succeeds_with_copy(delete_all(c, MessageType::kDeleteAllInput, 0));  // nothing is left
}

void delete_all_of_an_output_port(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.succeeds(add_branch(c, 0, c.label(0), 2, c.label(7)));
  c.succeeds(add_branch(c, 2, c.label(0), 1, c.label(8)));
  c.succeeds(add_branch(c, 1, c.label(0), 0, c.label(7)));
  c.succeeds_with_copy(delete_all(c, MessageType::kDeleteAllOutput, 1));
  c.table_is({branch(c, 0, c.label(0), 2, c.label(7)), branch(c, 1, c.label(0), 0, c.label(7))});
}

void delete_all_failures(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  for (const MessageType type : {MessageType::kDeleteAllInput, MessageType::kDeleteAllOutput}) {
    if (!exists_in(type, c.version())) continue;
    DeleteAll wrong = delete_all(c, type, type == MessageType::kDeleteAllInput ? 0 : 1);
    wrong.port_session ^= 1;
    c.fails(wrong, kInvalidPortSession);
    wrong.port = c.no_port();
    c.fails(wrong, kNoSuchPort);
  }
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7))});
}

MoveOutputBranch move_output(const Controller& c, std::size_t in, Label in_label, std::size_t out,
                             Label out_label, std::size_t to, Label to_label) {
  MoveOutputBranch request;
  request.port_session = c.session(in);
  request.input_port = c.port(in);
  request.input_label = label_field(in_label);
  request.old_output_port = c.port(out);
  request.old_output_label = label_field(out_label);
  request.new_output_port = c.port(to);
  request.new_output_label = label_field(to_label);
  return request;
}

void move_output_branch(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.succeeds(add_branch(c, 0, c.label(1), 1, c.label(8)));
  c.succeeds_with_copy(move_output(c, 0, c.label(0), 1, c.label(7), 2, c.label(9)));
  c.table_is({branch(c, 0, c.label(0), 2, c.label(9)), branch(c, 0, c.label(1), 1, c.label(8))});
}

// A failed move changes nothing.
void move_output_branch_failures(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.fails(move_output(c, 0, c.label(6), 1, c.label(7), 2, c.label(9)), kNoSuchConnection);
  c.fails(move_output(c, 0, c.label(0), 1, c.label(8), 2, c.label(9)), kNoSuchBranch);
  MoveOutputBranch wrong = move_output(c, 0, c.label(0), 1, c.label(7), 2, c.label(9));
  wrong.port_session ^= 1;
  c.fails(wrong, kInvalidPortSession);
  wrong.new_output_port = c.no_port();
  c.fails(wrong, kNoSuchPort);
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7))});
}

MoveInputBranch move_input(const Controller& c, std::size_t out, Label out_label, std::size_t in,
                           Label in_label, std::size_t to, Label to_label) {
  MoveInputBranch request;
  request.port_session = c.session(out);
  request.output_port = c.port(out);
  request.output_label = label_field(out_label);
  request.old_input_port = c.port(in);
  request.old_input_label = label_field(in_label);
  request.new_input_port = c.port(to);
  request.new_input_label = label_field(to_label);
  return request;
}

void move_input_branch(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.succeeds_with_copy(move_input(c, 1, c.label(7), 0, c.label(0), 2, c.label(5)));
  c.table_is({branch(c, 2, c.label(5), 1, c.label(7))});
}

void move_input_branch_failures(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.fails(move_input(c, 1, c.label(7), 0, c.label(6), 2, c.label(5)), kNoSuchConnection);
  c.fails(move_input(c, 1, c.label(8), 0, c.label(0), 2, c.label(5)), kNoSuchBranch);
  MoveInputBranch wrong = move_input(c, 1, c.label(7), 0, c.label(0), 2, c.label(5));
  wrong.port_session ^= 1;
  c.fails(wrong, kInvalidPortSession);
  wrong.new_input_port = c.no_port();
  c.fails(wrong, kNoSuchPort);
  c.fails(move_input(c, 1, c.label(7), 0, c.label(0), 2, c.label_beyond(2)), kInvalidInputLabel);
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7))});
}

// ----- virtual paths; the VCI of their labels is 0 -----

Label path(const Controller& c) { return atm_label(atm_bounds(c.label_range()).vpi_min, 0); }

AddBranch vpc(const Controller& c, std::size_t in, std::size_t out) {
  AddBranch request = add_branch(c, in, path(c), out, path(c));
  request.header.type = MessageType::kVpcAddBranch;
  return request;
}

void a_virtual_path_is_made_reported_and_deleted(Controller& c) {
  c.succeeds_with_copy(vpc(c, 0, 1));
  ReportRequest report;
  report.input_port = c.port(0);
  report.input_label = {kFlagAll, LabelType::kAtm, 0};
  const auto part = c.succeeds(report).as<ReportPart>();
  ASSERT_EQ(part.records.size(), 1U);
  EXPECT_TRUE(part.records[0].vpc);
  ASSERT_EQ(part.records[0].branches.size(), 1U);
  EXPECT_EQ(part.records[0].branches[0].output_port, c.port(1));
  c.succeeds_with_copy(delete_tree(c, 0, path(c)));
  c.table_is({});
}

void virtual_paths_and_channels_exclude_each_other(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.fails(vpc(c, 0, 1), kVpcOntoVcc);
  c.succeeds(vpc(c, 1, 2));
  c.fails(add_branch(c, 1, c.label(0), 2, c.label(7)), kVccOntoVpc);
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7)), branch(c, 1, path(c), 2, path(c))});
}

void a_virtual_path_is_moved(Controller& c) {
  c.succeeds(vpc(c, 0, 1));
  MoveOutputBranch output = move_output(c, 0, path(c), 1, path(c), 2, path(c));
  output.header.type = MessageType::kVpcMoveOutputBranch;
  c.succeeds_with_copy(output);
  c.table_is({branch(c, 0, path(c), 2, path(c))});
  MoveInputBranch input = move_input(c, 2, path(c), 0, path(c), 1, path(c));
  input.header.type = MessageType::kVpcMoveInputBranch;
  c.succeeds_with_copy(input);
  c.table_is({branch(c, 1, path(c), 2, path(c))});
  c.fails(output, kNoSuchConnection);
}

void virtual_path_failures(Controller& c) {
  AddBranch wrong = vpc(c, 0, 1);
  wrong.port_session ^= 1;
  c.fails(wrong, kInvalidPortSession);
  wrong.output_port = c.no_port();
  c.fails(wrong, kNoSuchPort);
  const AtmBounds range = atm_bounds(c.label_range());
  if (range.vpi_max < 4095) {
    wrong = vpc(c, 0, 1);
    wrong.input_label = label_field(atm_label(range.vpi_max + 1, 0));
    c.fails(wrong, kInvalidInputLabel);
  }
  c.table_is({});
}

}  // namespace

const std::vector<Case>& move_cases() {
  static const std::vector<Case> cases = {
      {"delete_tree_takes_all_branches", true, delete_tree_takes_all_branches},
      {"delete_tree_failures", true, delete_tree_failures},
      {"delete_all_of_an_input_port", true, delete_all_of_an_input_port, {&kWholePorts}},
      {"delete_all_of_an_output_port", false, delete_all_of_an_output_port, {&kWholePorts}},
      {"delete_all_failures", true, delete_all_failures},
      {"move_output_branch", true, move_output_branch},
      {"move_output_branch_failures", true, move_output_branch_failures},
      {"move_input_branch", false, move_input_branch},
      {"move_input_branch_failures", false, move_input_branch_failures},
      {"a_virtual_path_is_made_reported_and_deleted",
       false,
       a_virtual_path_is_made_reported_and_deleted,
       {&kWholePorts, &kPaths}},
      {"virtual_paths_and_channels_exclude_each_other",
       false,
       virtual_paths_and_channels_exclude_each_other,
       {&kWholePorts, &kPaths}},
      {"a_virtual_path_is_moved", false, a_virtual_path_is_moved, {&kWholePorts, &kPaths}},
      {"virtual_path_failures", false, virtual_path_failures, {&kPaths}},
  };
  return cases;
}

}  // namespace xbind::conformance
