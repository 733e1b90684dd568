// Reports, statistics and configuration (RFC 3292 sections 7 and 8).
#include <algorithm>

#include "tests/conformance/cases.hpp"

namespace xbind::conformance {
namespace {

using namespace gsmp;
using enum FailureCode;

ReportRequest report(const Controller& c, std::size_t place, LabelField label) {
  ReportRequest request;
  request.input_port = c.port(place);
  request.input_label = label;
  return request;
}

void a_report_of_nothing_is_failure_10(Controller& c) {
  c.fails(report(c, 0, {kFlagAll, c.label_type(), 0}), kGeneral);
  c.fails(report(c, 0, label_field(c.label(0))), kGeneral);
}

void a_report_of_one_label_of_a_path_and_of_all(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  c.succeeds(add_branch(c, 0, c.label(0), 2, c.label(7)));
  c.succeeds(add_branch(c, 0, c.label(1), 1, c.label(8)));
  const auto records = [&c](LabelField label) {
    const auto part = c.succeeds(report(c, 0, label)).as<ReportPart>();
    EXPECT_EQ(part.sequence, 0U);
    EXPECT_EQ(part.input_port, c.port(0));
    return part.records;
  };
  const auto one = records(label_field(c.label(0)));
  ASSERT_EQ(one.size(), 1U);
  EXPECT_FALSE(one[0].all || one[0].whole_vpi || one[0].vpc);
  EXPECT_EQ(label_of(one[0].input_label), c.label(0));
  EXPECT_EQ(one[0].branches.size(), 2U);

  const auto all = records({kFlagAll, c.label_type(), 0});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].all) << "the request's flag comes back in the first record";
  EXPECT_FALSE(all[1].all);

  if (c.kind() == LabelKind::kAtm) {
    const Label vpi = atm_label(vpi_of(c.label(0)), 0);
    const auto path = records(label_field(vpi, kFlagVpi));
    ASSERT_EQ(path.size(), 2U);
    EXPECT_TRUE(path[0].whole_vpi);
  }
  ReportRequest wrong = report(c, 0, {kFlagAll, c.label_type(), 0});
  wrong.input_port = c.no_port();
  c.fails(wrong, kNoSuchPort);
}

// A report that exceeds one message: parts with one transaction, numbered from 0, each with the
// result More except the last.
void a_long_report_comes_in_parts(Controller& c) {
  const std::uint32_t most = c.labels(2000);
  Table expected;
  for (std::uint32_t k = 0; k < most; ++k) {
    const Label label = c.label(k);
    ASSERT_TRUE(c.ask(add_branch(c, 0, label, 1, label)).success()) << k;
    expected.insert(branch(c, 0, label, 1, label));
  }
  c.table_is(expected);
  const Answer answer = c.ask(report(c, 0, {kFlagAll, c.label_type(), 0}));
  ASSERT_TRUE(answer.came);
  std::size_t records = 0;
  for (std::size_t i = 0; i < answer.parts.size(); ++i) {
    const auto& part = std::get<ReportPart>(answer.parts[i]);
    EXPECT_EQ(part.sequence, i);
    EXPECT_EQ(part.header.result,
              i + 1 < answer.parts.size() ? ResultField::kMore : ResultField::kSuccess);
    ASSERT_FALSE(part.records.empty());
    EXPECT_TRUE(part.records.front().all);
    records += part.records.size();
  }
  EXPECT_EQ(records, most);
  // 24 octets a record; a switch with longer messages sends fewer parts.
  EXPECT_LE(answer.octets.size(), 65535U);
}

void every_port_has_statistics(Controller& c) {
  for (std::size_t place = 0; place < c.ports(); ++place) {
    StatisticsRequest request;
    request.port = c.port(place);
    const auto first = c.succeeds(request);
    EXPECT_EQ(first.octets.size(), c.version() == 3 ? 104U : 96U);
    const Counters before = first.as<Statistics>().counters;
    const Counters after = c.succeeds(request).as<Statistics>().counters;
    EXPECT_LE(before.input_cells, after.input_cells);  // free-running
    EXPECT_LE(before.output_cells, after.output_cells);
    EXPECT_EQ(after.input_frames, 0U);  // cells are counted, not frames
    EXPECT_EQ(after.output_frames, 0U);
  }
}

void a_connection_has_statistics(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  StatisticsRequest request;
  request.header.type = MessageType::kConnectionStatistics;
  request.port = c.port(0);
  request.label = label_field(c.label(0));
  const auto reported = c.succeeds(request).as<Statistics>();
  EXPECT_EQ(reported.port, c.port(0));
  EXPECT_EQ(label_of(reported.label), c.label(0));
  EXPECT_EQ(reported.counters.hec_errors, 0U);
  EXPECT_EQ(reported.counters.invalid_labels, 0U);
  request.label = label_field(c.label(1));
  c.fails(request, kNoSuchConnection);
}

void statistics_failures(Controller& c) {
  StatisticsRequest request;
  request.port = c.no_port();
  c.fails(request, kNoSuchPort);
  PortManagement down;
  down.port = c.port(0);
  down.port_session = c.session(0);
  down.function = PortFunction::kTakeDown;
  c.succeeds(down);
  request.port = c.port(0);
  c.fails(request, kPortDown);
}

void activity_tells_which_connections_are_there(Controller& c) {
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
  ConnectionActivity request;
  for (std::uint32_t k = 0; k < 2; ++k) {
    ActivityRecord record;
    record.input_port = c.port(0);
    record.input_label = label_field(c.label(k));
    request.records.push_back(record);
  }
  const auto reported = c.succeeds(request).as<ConnectionActivity>();
  ASSERT_EQ(reported.records.size(), 2U);
  EXPECT_TRUE(reported.records[0].valid);
  EXPECT_FALSE(reported.records[1].valid);
  for (std::uint32_t k = 0; k < 2; ++k) {
    EXPECT_EQ(reported.records[k].input_port, c.port(0));
    EXPECT_EQ(label_of(reported.records[k].input_label), c.label(k));
  }
}

// ----- configuration -----

void the_switch_tells_its_configuration(Controller& c) {
  EXPECT_EQ(c.configuration().model_types[0], 0U) << "MType 0 is the default model";
  EXPECT_EQ(c.configuration().switch_name, c.adjacency().peer().name);
  EXPECT_NE(c.configuration().switch_name, 0U);
}

// Unknown model: the answer has 0 and a list of supported models. The earlier agreement stays.
void a_model_that_it_does_not_have(Controller& c) {
  SwitchConfiguration request;
  request.model_types[0] = 255;
  const auto reported = c.succeeds(request).as<SwitchConfiguration>();
  EXPECT_EQ(reported.model_types[0], 0U);
  c.succeeds(add_branch(c, 0, c.label(0), 1, c.label(7)));
}

void one_port_and_all_ports_say_the_same(Controller& c) {
  for (std::size_t place = 0; place < c.ports(); ++place) {
    PortConfigurationRequest request;
    request.port = c.port(place);
    EXPECT_EQ(c.succeeds(request).as<PortConfiguration>().record, c.record(place));
    EXPECT_EQ(c.record(place).port_status, PortStatus::kAvailable);
    // Any number: RFC 3292 leaves it to the switch; a port has one at least.
    EXPECT_GE(c.record(place).priorities, 1U);
    EXPECT_NE(c.session(place), 0U);
    const LabelRanges ranges = label_ranges(c.record(place));
    EXPECT_FALSE(ranges.empty()) << "no labels";
    for (const LabelRange& range : ranges) EXPECT_TRUE(range.possible()) << to_string(range);
  }
  PortConfigurationRequest wrong;
  wrong.port = c.no_port();
  c.fails(wrong, kNoSuchPort);
}

void all_ports_are_counted(Controller& c) {
  const Answer answer = c.succeeds(AllPortsRequest{});
  std::size_t records = 0;
  for (const Message& message : answer.parts) {
    const auto& part = std::get<AllPortsPart>(message);
    records += part.records.size();
    if (c.version() == 3) {
      EXPECT_EQ(part.total, c.ports()) << "the number over all parts, in each";
    }
  }
  EXPECT_EQ(records, c.ports());
}

// Every service that the ports offer is described.
void services_are_described(Controller& c) {
  const auto reported = c.succeeds(ServiceConfigurationRequest{}).as<ServiceConfiguration>();
  for (std::size_t place = 0; place < c.ports(); ++place) {
    if (!c.record(place).services) continue;
    for (const ServiceSpec& offered : *c.record(place).services) {
      const bool described = std::any_of(
          reported.services.begin(), reported.services.end(), [&](const ServiceRecord& one) {
            return static_cast<std::uint16_t>(one.service) == offered.service &&
                   std::any_of(one.sets.begin(), one.sets.end(), [&](const CapabilitySet& set) {
                     return set.id == offered.capability_set;
                   });
          });
      EXPECT_TRUE(described) << offered.service << "/" << offered.capability_set;
    }
  }
}

}  // namespace

const std::vector<Case>& state_cases() {
  static const std::vector<Case> cases = {
      {"a_report_of_nothing_is_failure_10",
       false,
       a_report_of_nothing_is_failure_10,
       {&kWholePorts}},
      {"a_report_of_one_label_of_a_path_and_of_all",
       false,
       a_report_of_one_label_of_a_path_and_of_all,
       {&kWholePorts}},
      {"a_long_report_comes_in_parts", false, a_long_report_comes_in_parts, {&kWholePorts}},
      {"every_port_has_statistics", true, every_port_has_statistics},
      {"a_connection_has_statistics", true, a_connection_has_statistics},
      {"statistics_failures", true, statistics_failures, {&kWholePorts}},
      {"activity_tells_which_connections_are_there", true,
       activity_tells_which_connections_are_there},
      {"the_switch_tells_its_configuration", true, the_switch_tells_its_configuration},
      {"a_model_that_it_does_not_have", false, a_model_that_it_does_not_have},
      {"one_port_and_all_ports_say_the_same", true, one_port_and_all_ports_say_the_same},
      {"all_ports_are_counted", true, all_ports_are_counted},
      {"services_are_described", false, services_are_described},
  };
  return cases;
}

}  // namespace xbind::conformance
