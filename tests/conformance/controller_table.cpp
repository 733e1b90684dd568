// The initial and final state of the switch: its ports, their labels, its table.
#include <algorithm>
#include <map>
#include <tuple>

#include "tests/conformance/controller.hpp"

namespace xbind::conformance {
namespace {

using namespace gsmp;

LabelKind kind_of(const PortRecord& record) {
  const LabelRanges ranges = label_ranges(record);
  return ranges.empty() ? LabelKind::kNone : ranges.front().kind;
}

}  // namespace

// ----- the initial state of the switch -----

bool Controller::prepare() {
  SwitchConfiguration request;
  const Answer answer = succeeds(request);
  if (!answer.success()) return false;
  configuration_ = answer.as<SwitchConfiguration>();
  refresh();
  if (!others_->known && version_ == 3) others_->table = whole_table();
  others_->known = true;
  refresh();
  const bool enough = ports() >= 3 && kind_of(records_[0]) == kind_of(records_[1]) &&
                      kind_of(records_[0]) == kind_of(records_[2]);
  EXPECT_TRUE(enough) << "the suite needs three ports of one kind of label";
  return enough && clean();
}

bool Controller::alone(PortId port) const {
  return std::ranges::none_of(others_->table, [&](const TableBranch& one) {
    return one.input_port == port || one.output_port == port;
  });
}

bool Controller::ports_are_ours() const {
  return alone(port(0)) && alone(port(1)) && alone(port(2));
}

void Controller::refresh() {
  records_.clear();
  labels_.clear();
  next_place_ = 0;
  const Answer answer = succeeds(AllPortsRequest{});
  for (const Message& part : answer.parts) {
    const auto* const ports = std::get_if<AllPortsPart>(&part);
    if (ports == nullptr) continue;
    records_.insert(records_.end(), ports->records.begin(), ports->records.end());
  }
  // ATM ports first, unless there are fewer than three.
  const auto atm = std::ranges::count(records_, LabelKind::kAtm, kind_of);
  const LabelKind first = atm >= 3 ? LabelKind::kAtm : LabelKind::kMpls;
  std::ranges::sort(records_, {}, [&](const PortRecord& one) {
    return std::tuple(kind_of(one) != first, !alone(one.port), one.port);
  });
}

// Makes every port without others' connections Available and empty with its flags clear. Elsewhere
// removes only this controller's connections.
bool Controller::clean() {
  refresh();  // a case may have given ports new sessions
  if (version_ == 3 && switch_is_ours()) ask(DeleteAllReservations{});
  if (!switch_is_ours()) {
    for (const TableBranch& one : whole_table()) {
      if (others_->table.contains(one)) continue;
      const auto input = std::ranges::find(records_, one.input_port, &PortRecord::port);
      DeleteElement ours;
      ours.port_session = input->port_session;
      ours.input_port = one.input_port;
      ours.input_label = label_field(one.input_label);
      ours.output_port = one.output_port;
      ours.output_label = label_field(one.output_label);
      succeeds(delete_branches({ours}));
    }
  }
  for (const PortRecord& record : records_) {
    PortManagement request;
    request.port = record.port;
    request.port_session = record.port_session;
    if (alone(record.port)) {
      request.function = PortFunction::kBringUp;
      const Answer up = succeeds(request);
      if (!up.success()) return false;
      request.port_session = up.as<PortManagement>().port_session;
    }
    request.function = PortFunction::kResetFlags;
    request.event_flags = kEventsAll;
    succeeds(request);
  }
  refresh();
  events_.clear();
  return true;
}

PortId Controller::no_port() const {
  std::uint32_t highest = 0;
  for (const PortRecord& one : records_) highest = std::max(highest, one.port.value());
  return PortId{highest + 1};
}

LabelKind Controller::kind() const { return kind_of(records_.at(0)); }

LabelType Controller::label_type() const { return label_field({kind(), 0}).type; }

LabelRange Controller::label_range() const {
  LabelRange common = label_ranges(record(0)).at(0);
  for (const std::size_t place : {std::size_t{1}, std::size_t{2}}) {
    const LabelRange other = label_ranges(record(place)).at(0);
    if (kind() == LabelKind::kAtm) {
      const AtmBounds a = atm_bounds(common);
      const AtmBounds b = atm_bounds(other);
      common = atm_range(std::max(a.vpi_min, b.vpi_min), std::min(a.vpi_max, b.vpi_max),
                         std::max(a.vci_min, b.vci_min), std::min(a.vci_max, b.vci_max));
    } else {
      common = mpls_range(std::max(common.first, other.first), std::min(common.last, other.last));
    }
  }
  return common;
}

// Collects labels of the common range that others do not use anywhere.
void Controller::find_labels(std::size_t count) const {
  const LabelRange range = label_range();
  while (labels_.size() < count && next_place_ < range.size()) {
    const Label next = range.at(next_place_++);
    const bool used = std::ranges::any_of(others_->table, [&](const TableBranch& one) {
      return one.input_label == next || one.output_label == next;
    });
    if (!used) labels_.push_back(next);
  }
}

Label Controller::label(std::uint32_t k) const {
  find_labels(k + 1);
  EXPECT_LT(k, labels_.size()) << "the suite needs more labels than " << to_string(label_range());
  return k < labels_.size() ? labels_[k] : Label{};
}

std::uint32_t Controller::labels(std::uint32_t most) const {
  find_labels(most);
  return static_cast<std::uint32_t>(std::min<std::size_t>(most, labels_.size()));
}

Label Controller::label_beyond(std::size_t place) const {
  const LabelRanges ranges = label_ranges(record(place));
  const LabelRange last = ranges.back();
  if (last.kind == LabelKind::kMpls) {
    const Label next{LabelKind::kMpls, last.last + 1};
    // Label 15 is reserved, so no port has it.
    return next.value <= kMplsLabelMax && !contains(ranges, next) ? next
                                                                  : Label{LabelKind::kMpls, 15};
  }
  const AtmBounds bounds = atm_bounds(last);
  return atm_label(bounds.vpi_min,
                   bounds.vci_max < 65535 ? bounds.vci_max + 1 : bounds.vci_min - 1);
}

// ----- the table -----

Table Controller::whole_table() {
  Table table;
  for (const PortRecord& one : records_) {
    ReportRequest request;
    request.input_port = one.port;
    request.input_label = {kFlagAll, label_field({kind_of(one), 0}).type, 0};
    const Answer answer = ask(request);
    EXPECT_TRUE(answer.came) << "no report of port " << one.port.value();
    if (answer.came && answer.result == ResultField::kFailure) {
      EXPECT_EQ(answer.code, FailureCode::kGeneral) << "a port without connections";
      continue;
    }
    for (const Message& part : answer.parts) {
      const auto* const report = std::get_if<ReportPart>(&part);
      if (report == nullptr) continue;
      EXPECT_EQ(report->input_port, one.port);
      for (const ReportRecord& record : report->records) {
        for (const ReportBranch& out : record.branches) {
          const bool fresh = table
                                 .insert({one.port, label_of(record.input_label), out.output_port,
                                          label_of(out.output_label)})
                                 .second;
          EXPECT_TRUE(fresh) << "reported twice";
        }
      }
    }
  }
  return table;
}

void Controller::table_is(const Table& expected) {
  if (version_ == 3) {
    Table found;
    std::size_t theirs = 0;
    for (const TableBranch& one : whole_table()) {
      if (others_->table.contains(one)) {
        ++theirs;
      } else {
        found.insert(one);
      }
    }
    EXPECT_EQ(theirs, others_->table.size()) << "connections of others are gone";
    EXPECT_EQ(found, expected) << "the switch has " << conformance::to_string(found)
                               << "and should have " << conformance::to_string(expected);
    return;
  }
  std::map<std::pair<PortId, Label>, std::uint16_t> branches;
  for (const TableBranch& one : expected) ++branches[{one.input_port, one.input_label}];
  for (const auto& key : named_) branches.emplace(key, std::uint16_t{0});
  for (const auto& [key, count] : branches) {
    const auto port = std::find_if(records_.begin(), records_.end(),
                                   [&](const PortRecord& one) { return one.port == key.first; });
    if (port == records_.end()) continue;
    VerifyTree verify;
    verify.port_session = port->port_session;
    verify.input_port = key.first;
    verify.input_label = label_field(key.second);
    verify.branches = count;
    if (count > 0) {
      succeeds(verify);
    } else {
      fails(verify, FailureCode::kNoSuchConnection);
    }
  }
}

}  // namespace xbind::conformance
