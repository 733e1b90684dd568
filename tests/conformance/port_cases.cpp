// Port Management, Label Range, events and their flow control (RFC 3292 sections 6 and 9).
#include "tests/conformance/cases.hpp"

namespace xbind::conformance {
namespace {

using namespace gsmp;
using enum FailureCode;

PortManagement manage(const Controller& c, std::size_t place, PortFunction function) {
  PortManagement request;
  request.port = c.port(place);
  request.port_session = c.session(place);
  request.function = function;
  return request;
}

void bring_up_gives_a_new_session_and_an_empty_port(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.succeeds(add_branch(c, 1, c.label(0), 0, c.label(7)));
  const std::uint32_t old_session = c.session(0);
  const AddBranch old_request = add_branch(c, 0, c.label(1), 1, c.label(8));
  const auto up = c.succeeds(manage(c, 0, PortFunction::kBringUp)).as<PortManagement>();
  EXPECT_NE(up.port_session, old_session);
  c.fails(old_request, kInvalidPortSession);
  c.refresh();
  EXPECT_EQ(c.session(0), up.port_session);
  EXPECT_EQ(c.record(0).port_status, PortStatus::kAvailable);
  c.table_is({branch(c, 1, c.label(0), 0, c.label(7))});  // it leaves through the port, so it stays
  c.succeeds(add_branch(c, 0, c.label(1), 1, c.label(8)));
}

void take_down_keeps_the_connections(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  const std::uint32_t session = c.session(0);
  EXPECT_EQ(c.succeeds(manage(c, 0, PortFunction::kTakeDown)).as<PortManagement>().port_session,
            session);
  c.refresh();
  EXPECT_EQ(c.session(0), session);
  EXPECT_EQ(c.record(0).port_status, PortStatus::kUnavailable);
  c.fails(manage(c, 0, PortFunction::kTakeDown), kPortDown);
  // Connection messages ignore the port's status.
  c.succeeds(add_branch(c, 0, c.label(1), 1, c.label(8)));
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7)), branch(c, 0, c.label(1), 1, c.label(8))});
}

void loopbacks_keep_session_and_connections(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  const std::pair<PortFunction, PortStatus> loopbacks[] = {
      {PortFunction::kInternalLoopback, PortStatus::kInternalLoopback},
      {PortFunction::kExternalLoopback, PortStatus::kExternalLoopback},
      {PortFunction::kBothwayLoopback, PortStatus::kBothwayLoopback}};
  for (const auto& [function, status] : loopbacks) {
    const std::uint32_t session = c.session(0);
    PortManagement request = manage(c, 0, function);
    request.duration_s = 200;
    c.succeeds(request);
    c.refresh();
    EXPECT_EQ(c.record(0).port_status, status);
    EXPECT_EQ(c.session(0), session);
    c.table_is({branch(c, 0, c.label(0), 1, c.label(7))});
  }
}

void reset_input_port(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.succeeds(add_branch(c, 1, c.label(0), 0, c.label(7)));
  const std::uint32_t session = c.session(0);
  c.succeeds(manage(c, 0, PortFunction::kResetInputPort));
  c.refresh();
  EXPECT_EQ(c.session(0), session);
  EXPECT_EQ(c.record(0).port_status, PortStatus::kUnavailable);
  c.table_is({branch(c, 1, c.label(0), 0, c.label(7))});
}

void reset_flags_of_nothing_reads_them(Controller& c) {
  const auto first = c.succeeds(manage(c, 0, PortFunction::kResetFlags)).as<PortManagement>();
  const auto second = c.succeeds(manage(c, 0, PortFunction::kResetFlags)).as<PortManagement>();
  EXPECT_EQ(first.event_flags, second.event_flags);
  EXPECT_EQ(first.flow_control_flags, second.flow_control_flags);
  EXPECT_EQ(first.event_sequence, second.event_sequence);
  EXPECT_EQ(first.event_flags, 0U) << "no event has been sent";
  EXPECT_EQ(second.port_session, c.session(0));
}

// A 1 toggles that flow control; another 1 toggles it back.
void flow_control_is_toggled(Controller& c) {
  const std::uint16_t before =
      c.succeeds(manage(c, 0, PortFunction::kResetFlags)).as<PortManagement>().flow_control_flags;
  PortManagement toggle = manage(c, 0, PortFunction::kResetFlags);
  toggle.flow_control_flags = kEventPortDown | kEventInvalidLabel;
  EXPECT_EQ(c.succeeds(toggle).as<PortManagement>().flow_control_flags,
            before ^ (kEventPortDown | kEventInvalidLabel));
  EXPECT_EQ(c.succeeds(toggle).as<PortManagement>().flow_control_flags, before);
}

void set_transmit_data_rate(Controller& c) {
  PortManagement request = manage(c, 1, PortFunction::kSetTransmitRate);
  request.transmit_cells_per_s = c.record(1).transmit_cells_per_s / 2;
  const Answer answer = c.ask(request);
  ASSERT_TRUE(answer.came);
  if (answer.result == ResultField::kFailure) {
    EXPECT_EQ(answer.code, kRateFixed);
    return;
  }
  c.refresh();
  EXPECT_EQ(c.record(1).transmit_cells_per_s, request.transmit_cells_per_s);
  request.transmit_cells_per_s = kTransmitRateFastest;
  c.succeeds(request);
  request.transmit_cells_per_s = kTransmitRateFastest - 1;
  c.fails(request, kRateOutOfRange);
}

void port_management_failures(Controller& c) {
  PortManagement wrong = manage(c, 0, PortFunction::kBringUp);
  wrong.port_session ^= 1;
  c.fails(wrong, kInvalidPortSession);
  wrong.port = c.no_port();
  c.fails(wrong, kNoSuchPort);
  c.fails(manage(c, 0, static_cast<PortFunction>(99)), kInvalidMessage);
}

// ----- label range -----

LabelRangeMessage label_range(const Controller& c, std::size_t place, bool query, LabelField min,
                              LabelField max) {
  LabelRangeMessage request;
  request.port = c.port(place);
  request.port_session = c.session(place);
  request.query = query;
  request.ranges = {{min, max, 0}};
  return request;
}

LabelField atm(std::uint32_t vpi, std::uint32_t vci, std::uint8_t flags = 0) {
  return label_field(atm_label(vpi, vci), flags);
}

// The first range of the port in place 0; of an ATM range the part on its lowest VPI.
LabelRange row(const Controller& c) {
  const LabelRange range = label_ranges(c.record(0)).at(0);
  if (range.kind != LabelKind::kAtm) return range;
  const AtmBounds bounds = atm_bounds(range);
  return atm_range(bounds.vpi_min, bounds.vpi_min, bounds.vci_min, bounds.vci_max);
}
Label last_of(const LabelRange& range) { return {range.kind, range.last}; }

// A query for that range; for ATM, for the VCIs of its VPI.
LabelRangeMessage query(const Controller& c) {
  const LabelField asked = c.kind() == LabelKind::kAtm ? atm(vpi_of(last_of(row(c))), 0)
                                                       : label_field({LabelKind::kMpls, 0});
  return label_range(c, 0, true, asked, asked);
}
LabelRangeMessage order(const Controller& c, Label first, Label last) {
  return label_range(c, 0, false, label_field(first), label_field(last));
}

void label_range_is_reported(Controller& c) {
  const auto received = c.succeeds(query(c)).as<LabelRangeMessage>();
  if (c.kind() == LabelKind::kMpls) {
    const LabelRanges ranges = label_ranges(c.record(0));
    ASSERT_EQ(received.ranges.size(), ranges.size());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      EXPECT_EQ(label_of(received.ranges[i].min), ranges[i].at(0));
      EXPECT_EQ(label_of(received.ranges[i].max), last_of(ranges[i]));
    }
    EXPECT_EQ(received.disjoint, ranges.size() > 1);
    return;
  }
  ASSERT_EQ(received.ranges.size(), 1U);
  EXPECT_EQ(label_of(received.ranges[0].min), row(c).at(0));
  EXPECT_EQ(label_of(received.ranges[0].max), last_of(row(c)));
  const auto vpis = c.succeeds(label_range(c, 0, true, atm(0, 0, kFlagVpiRange), atm(0, 0)))
                        .as<LabelRangeMessage>();
  const AtmBounds bounds = atm_bounds(label_ranges(c.record(0)).at(0));
  ASSERT_EQ(vpis.ranges.size(), 1U);
  EXPECT_EQ(vpi_of(label_of(vpis.ranges[0].min)), bounds.vpi_min);
  EXPECT_EQ(vpi_of(label_of(vpis.ranges[0].max)), bounds.vpi_max);
}

void label_range_is_set_and_reset(Controller& c) {
  const LabelRanges before = label_ranges(c.record(0));
  const LabelRange range = row(c);
  const auto middle = static_cast<std::uint32_t>(range.size() / 2 - 1);
  const Label half = range.at(middle);
  const Label beyond = range.at(middle + 1);
  EXPECT_EQ(c.succeeds(order(c, range.at(0), half)).code, kNone);
  const auto received = c.succeeds(query(c)).as<LabelRangeMessage>();
  ASSERT_EQ(received.ranges.size(), 1U);
  EXPECT_EQ(label_of(received.ranges[0].max), half);
  c.fails(add_branch(c, 0, beyond, 1, c.label(7)), kInvalidInputLabel);
  c.succeeds(add_branch(c, 0, half, 1, c.label(7)));
  c.refresh();
  EXPECT_EQ(label_ranges(c.record(0)), before) << "the default is reported, whatever is set";
  c.succeeds(manage(c, 0, PortFunction::kResetInputPort));
  c.succeeds(manage(c, 0, PortFunction::kBringUp));
  c.refresh();
  c.succeeds(add_branch(c, 0, beyond, 1, c.label(7)));
}

void label_range_leaves_used_labels_with_a_warning(Controller& c) {
  const LabelRange range = row(c);
  const Label last = last_of(range);
  c.succeeds(add_branch(c, 0, last, 1, c.label(7)));
  const Label shorter = range.at(static_cast<std::uint32_t>(range.size() - 2));
  EXPECT_EQ(c.succeeds(order(c, range.at(0), shorter)).code, kOldLabelsInUse);
  c.table_is({branch(c, 0, last, 1, c.label(7))});
  c.succeeds(manage(c, 0, PortFunction::kResetInputPort));
}

void label_range_failures(Controller& c) {
  LabelRangeMessage wrong = query(c);
  wrong.port_session ^= 1;
  c.fails(wrong, kInvalidPortSession);
  wrong.port = c.no_port();
  c.fails(wrong, kNoSuchPort);
  if (c.kind() == LabelKind::kMpls) {
    c.fails(label_range(c, 0, false, atm(0, 40), atm(0, 50)), kInvalidInputLabel);
    return;
  }
  const AtmBounds bounds = atm_bounds(label_ranges(c.record(0)).at(0));
  if (bounds.vpi_max < 4095) {
    c.fails(label_range(c, 0, true, atm(0, 0), atm(bounds.vpi_max + 1, 0)), kInvalidInputLabel);
  }
}

// ----- events -----

void a_second_controller_is_reported(Controller& c) {
  Controller second(c.transport().another(), c.version(), 0x020000000099, c.others());
  ASSERT_TRUE(second.establish());
  const auto joined = c.events(1);
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_EQ(joined[0].header.type, MessageType::kAdjacencyUpdate);
  EXPECT_EQ(static_cast<int>(joined[0].header.code), 2);
  const auto own = second.events(1);
  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(static_cast<int>(own[0].header.code), 2);
  // Both controllers work on the same table.
  ASSERT_TRUE(second.prepare());
  second.succeeds(add_branch(second, 0, second.label(0), 1, second.label(7)));
  c.refresh();
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7))});
}

void a_line_that_goes_down_and_up(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  const std::uint32_t session = c.session(0);
  ASSERT_TRUE(c.transport().set_line(c.port(0), false));
  auto received = c.events(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].header.type, MessageType::kPortDown);
  EXPECT_EQ(received[0].port, c.port(0));
  EXPECT_EQ(received[0].port_session, session) << "the one that was valid before";
  const std::uint32_t sequence = received[0].sequence;

  ASSERT_TRUE(c.transport().set_line(c.port(0), true));
  received = c.events(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].header.type, MessageType::kPortUp);
  EXPECT_EQ(received[0].sequence, sequence + 1);
  EXPECT_NE(received[0].port_session, session);
  c.refresh();
  EXPECT_EQ(c.session(0), received[0].port_session);
  EXPECT_EQ(c.record(0).line_status, LineStatus::kUp);
  c.table_is({branch(c, 0, c.label(0), 1, c.label(7))});  // the connections stay
}

// With flow control on, an event is not repeated until its flag has been cleared. It is counted.
void events_are_held_back_until_their_flag_is_cleared(Controller& c) {
  ASSERT_TRUE(c.transport().set_line(c.port(0), false));
  ASSERT_TRUE(c.transport().set_line(c.port(0), true));
  auto received = c.events(2);
  ASSERT_EQ(received.size(), 2U);
  ASSERT_TRUE(c.transport().set_line(c.port(0), false));
  ASSERT_TRUE(c.transport().set_line(c.port(0), true));
  EXPECT_TRUE(c.events(1).empty());
  c.refresh();
  PortManagement clear = manage(c, 0, PortFunction::kResetFlags);
  clear.event_flags = kEventsAll;
  const auto cleared = c.succeeds(clear).as<PortManagement>();
  EXPECT_EQ(cleared.event_flags, 0U);
  EXPECT_EQ(cleared.event_sequence, received[1].sequence + 2);
  ASSERT_TRUE(c.transport().set_line(c.port(0), false));
  received = c.events(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].header.type, MessageType::kPortDown);
  EXPECT_EQ(received[0].sequence, cleared.event_sequence + 1);
  EXPECT_TRUE(c.transport().set_line(c.port(0), true));
}

}  // namespace

const std::vector<Case>& port_cases() {
  static const std::vector<Case> cases = {
      {"bring_up_gives_a_new_session_and_an_empty_port",
       true,
       bring_up_gives_a_new_session_and_an_empty_port,
       {&kWholePorts}},
      {"take_down_keeps_the_connections", true, take_down_keeps_the_connections, {&kWholePorts}},
      {"loopbacks_keep_session_and_connections",
       true,
       loopbacks_keep_session_and_connections,
       {&kWholePorts}},
      {"reset_input_port", true, reset_input_port, {&kWholePorts}},
      {"reset_flags_of_nothing_reads_them",
       true,
       reset_flags_of_nothing_reads_them,
       {&kWholePorts}},
      {"flow_control_is_toggled", false, flow_control_is_toggled, {&kWholePorts}},
      {"set_transmit_data_rate", false, set_transmit_data_rate, {&kWholePorts}},
      {"port_management_failures", true, port_management_failures},
      {"label_range_is_reported", false, label_range_is_reported, {&kWholePorts, &kLabelRange}},
      {"label_range_is_set_and_reset",
       false,
       label_range_is_set_and_reset,
       {&kWholePorts, &kLabelRange}},
      {"label_range_leaves_used_labels_with_a_warning",
       false,
       label_range_leaves_used_labels_with_a_warning,
       {&kWholePorts, &kLabelRange}},
      {"label_range_failures", false, label_range_failures, {&kWholePorts, &kLabelRange}},
      {"a_second_controller_is_reported", false, a_second_controller_is_reported, {&kWholePorts}},
      {"a_line_that_goes_down_and_up", true, a_line_that_goes_down_and_up, {&kWholePorts, &kLines}},
      {"events_are_held_back_until_their_flag_is_cleared",
       true,
       events_are_held_back_until_their_flag_is_cleared,
       {&kWholePorts, &kLines}},
  };
  return cases;
}

}  // namespace xbind::conformance
