// Add Branch, Delete Branches and reservations (RFC 3292 sections 4.2, 4.7 and 5).
#include "tests/conformance/cases.hpp"

namespace xbind::conformance {
namespace {

using namespace gsmp;
using enum FailureCode;

void add_branch_makes_a_connection(Controller& c) {
  c.succeeds_with_copy(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7))});
}

void add_branch_again_changes_nothing(Controller& c) {
  const AddBranch request = add_branch(c, 0, c.label(0), 1, c.label(7));
  c.succeeds_with_copy(request);
  c.succeeds_with_copy(request);
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7))});
}

void add_branch_without_success_ack(Controller& c) {
  c.sent_with_no_success_ack(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7))});
}

// A failure is answered even when no success acknowledgement was requested.
void add_branch_without_success_ack_that_fails(Controller& c) {
  AddBranch request = add_branch(c, 0, c.label(0), 1, c.label(7));
  request.port_session ^= 1;
  request.header.result = ResultField::kNoSuccessAck;
  c.fails(request, kInvalidPortSession);
  c.table_is({});
}

// Each request has a single error; the next case checks the order of several.
void add_branch_failures(Controller& c) {
  const AddBranch right = add_branch(c, 0, c.label(0), 1, c.label(7));
  AddBranch wrong = right;
  wrong.input_port = c.no_port();
  c.fails(wrong, kNoSuchPort);
  wrong = right;
  wrong.output_port = c.no_port();
  c.fails(wrong, kNoSuchPort);
  wrong = right;
  wrong.port_session ^= 1;
  c.fails(wrong, kInvalidPortSession);
  wrong = right;
  wrong.port_session = c.session(1);  // of the output port
  if (c.session(1) != c.session(0)) c.fails(wrong, kInvalidPortSession);
  c.table_is({});
}

void add_branch_input_label_out_of_range(Controller& c) {
  c.fails(add_branch(c, 0, c.label_beyond(0), 1, c.label(7)), kInvalidInputLabel);
  c.table_is({});
}

// The value fits the other kind of label; the kind must match nevertheless.
void add_branch_with_a_label_of_another_kind(Controller& c) {
  const bool atm = c.kind() == LabelKind::kAtm;
  const auto other = [&](std::uint32_t k) {
    return Label{atm ? LabelKind::kMpls : LabelKind::kAtm, c.label(k).value};
  };
  c.fails(add_branch(c, 0, other(0), 1, c.label(7)), kInvalidInputLabel);
  c.fails(add_branch(c, 0, c.label(0), 1, other(7)), kInvalidOutputLabel);
  c.table_is({});
}

// Several errors in one request: the answer names the one that is checked first.
void add_branch_failures_in_order(Controller& c) {
  const AddBranch right = add_branch(c, 0, c.label(0), 1, c.label(7));
  AddBranch wrong = right;
  wrong.output_port = c.no_port();
  wrong.port_session ^= 1;
  c.fails(wrong, kNoSuchPort);  // 4 before 5
  wrong = right;
  wrong.port_session ^= 1;
  wrong.input_label = label_field(c.label_beyond(0));
  c.fails(wrong, kInvalidPortSession);  // 5 before 13
  c.table_is({});
}

void a_partition_that_is_not_ours(Controller& c) {
  const auto of_partition = [&c](Message message) {
    wire::Buffer octets = c.encoded(std::move(message));
    octets[4] = static_cast<std::byte>(c.adjacency().partition() + 1);
    return c.ask_octets(octets);
  };
  AddBranch request = add_branch(c, 0, c.label(0), 1, c.label(7));
  Answer answer = of_partition(request);
  EXPECT_EQ(answer.result, ResultField::kFailure);
  EXPECT_EQ(answer.code, kInvalidPartition);
  request.port_session ^= 1;
  EXPECT_EQ(of_partition(request).code, kInvalidPortSession);  // 5 before 7
  request.input_port = c.no_port();
  EXPECT_EQ(of_partition(request).code, kNoSuchPort);
  EXPECT_EQ(of_partition(SwitchConfiguration{}).code, kInvalidPartition);
  c.table_is({});
}

void services_and_priorities(Controller& c) {
  const auto& services = c.record(0).services;
  ASSERT_TRUE(services) << "port without services";
  const auto offered = [&](std::uint16_t service) {
    for (const ServiceSpec& one : *services) {
      if (one.service == service) return true;
    }
    return false;
  };
  AddBranch request = add_branch(c, 0, c.label(0), 1, c.label(7));
  if (offered(1)) {
    set_service(request, ServiceId::kCbr1, 1, {0, CellRate{1000, 250}});
    c.succeeds_with_copy(request);
    c.table_is({branch(c, 0, c.label(0), 1, c.label(7))});
    // The service of an existing connection must not change.
    if (offered(8)) {
      set_service(request, ServiceId::kUbr1, 1, {0, CellRate{1000, 250}});
      c.fails(request, kInvalidServiceSelector);
    }
  }
  request = add_branch(c, 0, c.label(1), 1, c.label(8));
  set_service(request, ServiceId::kCbr1, 4711, {0, CellRate{1000, 250}});
  c.fails(request, kInvalidServiceSelector);  // no such capability set
  request = add_branch(c, 0, c.label(1), 1, c.label(8));
  request.input_selector = request.output_selector = c.record(0).priorities - 1U;
  c.succeeds_with_copy(request);  // the lowest priority
}

void point_to_multipoint(Controller& c) {
  AddBranch first = add_branch(c, 0, c.label(0), 1, c.label(7));
  first.input_label.flags = c.version() == 3 ? kFlagMultipoint : 0;
  c.succeeds_with_copy(first);
  c.succeeds_with_copy(add_branch(c, 0, c.label(0), 2, c.label(7)));
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7)), branch(c, 0, c.label(0), 2, c.label(7))});
  c.succeeds(delete_branches({element(c, 0, c.label(0), 1, c.label(7))}));
  c.table_is({branch(c, 0, c.label(0), 2, c.label(7))});
  c.succeeds(delete_branches({element(c, 0, c.label(0), 2, c.label(7))}));
  c.table_is({});
}

void multipoint_to_point(Controller& c) {
  c.succeeds_with_copy(add_branch(c, 0, c.label(0), 2, c.label(7)));
  c.succeeds_with_copy(add_branch(c, 1, c.label(0), 2, c.label(7)));
  c.table_is({branch(c, 0, c.label(0), 2, c.label(7)), branch(c, 1, c.label(0), 2, c.label(7))});
}

void both_directions_at_once(Controller& c) {
  AddBranch request = add_branch(c, 0, c.label(0), 1, c.label(7));
  request.input_label.flags = kFlagBidirectional;
  c.succeeds_with_copy(request);
  const Table both = {branch(c, 0, c.label(0), 1, c.label(7)),
                      branch(c, 1, c.label(7), 0, c.label(0))};
  c.table_is(both);
  c.fails(request, kBidirectionalExists);
  c.table_is(both);
  c.succeeds(delete_branches(
      {element(c, 0, c.label(0), 1, c.label(7)), element(c, 1, c.label(7), 0, c.label(0))}));
  c.table_is({});
}

void replace_has_to_be_switched_on(Controller& c) {
  AddBranch request = add_branch(c, 0, c.label(0), 1, c.label(7));
  request.output_label.flags = kFlagReplace;
  c.fails(request, kReplaceInactive);
  c.table_is({});
}

void delete_branches_of_several_ports(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.succeeds(add_branch(c, 1, c.label(0), 2, c.label(7)));
  c.succeeds(add_branch(c, 2, c.label(0), 0, c.label(7)));
  const Answer answer = c.succeeds(delete_branches(
      {element(c, 0, c.label(0), 1, c.label(7)), element(c, 2, c.label(0), 0, c.label(7))}));
  EXPECT_TRUE(answer.as<DeleteBranches>().elements.empty());
  EXPECT_EQ(answer.octets.size(), 16U);
  c.table_is({branch(c, 1, c.label(0), 2, c.label(7))});
}

// Elements are independent: valid ones succeed, and each of the others has its own failure code.
void delete_branches_that_fail_in_part(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.succeeds(add_branch(c, 0, c.label(1), 1, c.label(8)));
  c.succeeds(add_branch(c, 0, c.label(2), 1, c.label(9)));
  std::vector<DeleteElement> elements = {
      element(c, 0, c.label(0), 1, c.label(7)), element(c, 0, c.label(6), 1, c.label(7)),
      element(c, 0, c.label(1), 2, c.label(8)), element(c, 0, c.label(1), 1, c.label(8)),
      element(c, 0, c.label(2), 1, c.label(9)), element(c, 0, c.label(1), 1, c.label(8))};
  elements[3].port_session ^= 1;
  elements[4].output_port = c.no_port();
  const Answer answer = c.ask(delete_branches(elements));
  EXPECT_EQ(answer.result, ResultField::kFailure);
  EXPECT_EQ(answer.code, kGeneral);
  const auto copy = answer.as<DeleteBranches>();
  ASSERT_EQ(copy.elements.size(), elements.size());
  const FailureCode expected[] = {
      kNone, kNoSuchConnection, kNoSuchBranch, kInvalidPortSession, kNoSuchPort, kNone};
  for (std::size_t i = 0; i < elements.size(); ++i) {
    EXPECT_EQ(copy.elements[i].error, expected[i]) << "element " << i;
    DeleteElement same = copy.elements[i];
    same.error = kNone;
    EXPECT_EQ(same, elements[i]) << "element " << i << " is no copy";
  }
  c.table_is({branch(c, 0, c.label(2), 1, c.label(9))});
}

void delete_one_branch_that_is_not_there(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  const auto refused = [&c](const DeleteElement& one) {
    const Answer answer = c.ask(delete_branches({one}));
    EXPECT_EQ(answer.result, ResultField::kFailure);
    EXPECT_EQ(answer.code, kGeneral);
    const auto copy = answer.as<DeleteBranches>();
    return copy.elements.size() == 1 ? copy.elements[0].error : kNone;
  };
  EXPECT_EQ(refused(element(c, 0, c.label(6), 1, c.label(7))), kNoSuchConnection);
  EXPECT_EQ(refused(element(c, 0, c.label(0), 2, c.label(7))), kNoSuchBranch);
  EXPECT_EQ(refused(element(c, 0, c.label(0), 1, c.label(8))), kNoSuchBranch);
  DeleteElement wrong = element(c, 0, c.label(0), 1, c.label(7));
  wrong.port_session ^= 1;
  EXPECT_EQ(refused(wrong), kInvalidPortSession);
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7))});
  c.succeeds(delete_branches({element(c, 0, c.label(0), 1, c.label(7))}));
  EXPECT_EQ(refused(element(c, 0, c.label(0), 1, c.label(7))), kNoSuchConnection);
  c.table_is({});
}

void delete_no_branch_at_all(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  EXPECT_TRUE(c.succeeds(delete_branches({})).as<DeleteBranches>().elements.empty());
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7))});
}

// ----- reservations -----

ReservationRequest reservation(const Controller& c, std::uint32_t id, std::size_t in,
                               std::size_t out) {
  ReservationRequest request;
  request.port_session = c.session(in);
  request.reservation = id;
  request.input_port = c.port(in);
  request.output_port = c.port(out);
  return request;
}

void reservations_are_made_and_deleted(Controller& c) {
  const ReservationRequest request = reservation(c, 1, 0, 1);
  c.succeeds_with_copy(request);
  c.fails(request, kReservationInUse);
  DeleteReservation end;
  end.port_session = c.session(0);
  end.reservation = 1;
  c.succeeds_with_copy(end);
  c.fails(end, kNoSuchReservation);
  c.succeeds_with_copy(request);
  c.succeeds_with_copy(DeleteAllReservations{});
  c.fails(end, kNoSuchReservation);
  c.table_is({});
}

void reservation_failures(Controller& c) {
  const std::uint32_t most = c.configuration().max_reservations;
  c.fails(reservation(c, most + 1, 0, 1), kReservationOutOfRange);
  c.succeeds_with_copy(reservation(c, most, 0, 1));
  ReservationRequest wrong = reservation(c, 1, 0, 1);
  wrong.port_session ^= 1;
  c.fails(wrong, kInvalidPortSession);
  wrong.output_port = c.no_port();
  c.fails(wrong, kNoSuchPort);
  DeleteReservation end;
  end.port_session = c.session(0);
  end.reservation = most + 1;
  c.fails(end, kReservationOutOfRange);
  end.reservation = most;
  end.port_session ^= 1;
  c.fails(end, kInvalidPortSession);
}

void add_branch_deploys_a_reservation(Controller& c) {
  c.succeeds_with_copy(reservation(c, 7, 0, 1));
  AddBranch request = add_branch(c, 0, c.label(0), 2, c.label(7));
  request.reservation = 7;
  c.fails(request, kReservationPortsDiffer);
  request.reservation = 8;
  c.fails(request, kNoSuchReservation);
  request.reservation = c.configuration().max_reservations + 1;
  c.fails(request, kReservationOutOfRange);
  c.table_is({});
  request = add_branch(c, 0, c.label(0), 1, c.label(7));
  request.reservation = 7;
  c.succeeds_with_copy(request);
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7))});
  AddBranch second = add_branch(c, 0, c.label(1), 1, c.label(8));
  second.reservation = 7;
  c.fails(second, kNoSuchReservation);  // it is used up
}

}  // namespace

const std::vector<Case>& connection_cases() {
  static const std::vector<Case> cases = {
      {"add_branch_makes_a_connection", true, add_branch_makes_a_connection},
      {"add_branch_again_changes_nothing", true, add_branch_again_changes_nothing},
      {"add_branch_without_success_ack", true, add_branch_without_success_ack},
      {"add_branch_without_success_ack_that_fails", false,
       add_branch_without_success_ack_that_fails},
      {"add_branch_failures", true, add_branch_failures},
      {"add_branch_input_label_out_of_range", true, add_branch_input_label_out_of_range},
      {"add_branch_with_a_label_of_another_kind", false, add_branch_with_a_label_of_another_kind},
      {"add_branch_failures_in_order", true, add_branch_failures_in_order},
      {"a_partition_that_is_not_ours", false, a_partition_that_is_not_ours},
      {"services_and_priorities", false, services_and_priorities},
      {"point_to_multipoint", true, point_to_multipoint},
      {"multipoint_to_point", false, multipoint_to_point},
      {"both_directions_at_once", false, both_directions_at_once},
      {"replace_has_to_be_switched_on", false, replace_has_to_be_switched_on, {&kReplaceOff}},
      {"delete_branches_of_several_ports", false, delete_branches_of_several_ports},
      {"delete_branches_that_fail_in_part", false, delete_branches_that_fail_in_part},
      {"delete_one_branch_that_is_not_there", true, delete_one_branch_that_is_not_there},
      {"delete_no_branch_at_all", false, delete_no_branch_at_all},
      {"reservations_are_made_and_deleted",
       false,
       reservations_are_made_and_deleted,
       {&kReservations}},
      {"reservation_failures", false, reservation_failures, {&kReservations}},
      {"add_branch_deploys_a_reservation",
       false,
       add_branch_deploys_a_reservation,
       {&kReservations}},
  };
  return cases;
}

}  // namespace xbind::conformance
