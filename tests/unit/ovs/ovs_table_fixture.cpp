#include "tests/unit/ovs/ovs_table_fixture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/frame_traffic.hpp"
#include "tests/unit/deadlines.hpp"

namespace xbind::ovs::test {

std::vector<std::string> OvsTableTest::words() {
  return {"--edge-ports", "1", "--classes", "7=10.1.0.0/16", "--police-links"};
}

OvsTableTest::OvsTableTest(const std::vector<std::string>& with) : parts(parts_for(with)) {
  restart_agent(parts);
}

OvsTableTest::~OvsTableTest() { table().set_client(nullptr); }

void OvsTableTest::restart_agent(const SwitchParts& with) {
  made = std::make_unique<OvsSwitch>(memory, with);
  made->connect(now);
  table().set_client(this);
}

// ----- places -----------------------------------------------------------------------------------

Place OvsTableTest::link(std::uint32_t port, std::uint32_t label) {
  return {PortId(port), {LabelKind::kMpls, label}};
}

Place OvsTableTest::frames(const std::string& traffic) {
  return {PortId(1), FrameTraffic::parse(traffic)->label()};
}

gsmp::AddBranch OvsTableTest::branch(const Place& from, const Place& to) {
  gsmp::AddBranch request;
  request.input_port = from.port;
  request.input_label = gsmp::label_field(from.label);
  request.output_port = to.port;
  request.output_label = gsmp::label_field(to.label);
  return request;
}

gsmp::AddBranch OvsTableTest::policed(const Place& from, const Place& to,
                                      std::uint32_t cells_per_s) {
  gsmp::AddBranch request = branch(from, to);
  gsmp::set_service(request, gsmp::ServiceId::kCbr1, 1,
                    {gsmp::kTcPolicing, gsmp::CellRate{cells_per_s, 250}});
  return request;
}

// ----- requests ---------------------------------------------------------------------------------

OvsTableTest::Request OvsTableTest::add(const gsmp::AddBranch& request) {
  table().add_branch(request, ticket(++requests), now);
  return requests;
}

OvsTableTest::Request OvsTableTest::move_output(const Place& from, const Place& to,
                                                const Place& new_to) {
  gsmp::MoveOutputBranch request;
  request.input_port = from.port;
  request.input_label = gsmp::label_field(from.label);
  request.old_output_port = to.port;
  request.old_output_label = gsmp::label_field(to.label);
  request.new_output_port = new_to.port;
  request.new_output_label = gsmp::label_field(new_to.label);
  table().move_output(request, ticket(++requests), now);
  return requests;
}

OvsTableTest::Request OvsTableTest::move_input(const gsmp::AddBranch& existing,
                                               const Place& new_from) {
  gsmp::MoveInputBranch request;
  static_cast<gsmp::QosFields&>(request) = existing;
  request.old_input_port = existing.input_port;
  request.old_input_label = existing.input_label;
  request.new_input_port = new_from.port;
  request.new_input_label = gsmp::label_field(new_from.label);
  request.output_port = existing.output_port;
  request.output_label = existing.output_label;
  table().move_input(request, ticket(++requests), now);
  return requests;
}

OvsTableTest::Request OvsTableTest::remove(const Place& from, const Place& to) {
  table().delete_branch(from.port, from.label, to.port, to.label, ticket(++requests), now);
  return requests;
}

OvsTableTest::Request OvsTableTest::remove_tree(const Place& from) {
  table().delete_tree(from.port, from.label, ticket(++requests), now);
  return requests;
}

OvsTableTest::Request OvsTableTest::manage(std::uint32_t port, gsmp::PortFunction function,
                                           std::uint8_t duration_s) {
  gsmp::PortManagement request;
  request.port = PortId(port);
  request.function = function;
  request.duration_s = duration_s;
  table().manage(request, ticket(++requests), now);
  return requests;
}

OvsTableTest::Request OvsTableTest::report(std::uint32_t port) {
  table().report(PortId(port), switchagent::SwitchTable::Scope::kPort, {}, ticket(++requests), now);
  return requests;
}

OvsTableTest::Request OvsTableTest::read(const Place& from) {
  table().read_connection(from.port, from.label, ticket(++requests), now);
  return requests;
}

void OvsTableTest::settle() {
  made->settle(now);
  EXPECT_TRUE(sleeps(table().next_deadline(), now));
}

void OvsTableTest::tick() {
  table().tick(now);
  EXPECT_TRUE(sleeps(table().next_deadline(), now));
}

std::optional<gsmp::FailureCode> OvsTableTest::code(Request request) const {
  const auto found = codes.find(request);
  return found == codes.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::pair<Place, Place>> OvsTableTest::reported(std::uint32_t port) {
  const Request request = report(port);
  EXPECT_EQ(done(request), Code::kNone);
  std::vector<std::pair<Place, Place>> found;
  for (const switchagent::ReportedBranch& one : reading<switchagent::TableReport>(request)) {
    found.emplace_back(Place{PortId(port), one.input_label},
                       Place{one.output_port, one.output_label});
  }
  return found;
}

// ----- the switch -------------------------------------------------------------------------------

void OvsTableTest::expect_consistent() {
  std::vector<std::pair<Place, Place>> on_bridge;
  for (const auto& [input, outputs] : made->connections()) {
    EXPECT_FALSE(outputs.empty()) << "unreadable: " << to_string(input);
    for (const Place& output : outputs) on_bridge.emplace_back(input, output);
  }
  std::vector<std::pair<Place, Place>> in_fabric;
  std::vector<std::pair<Place, Place>> in_reports;
  for (std::uint32_t number = 1; number <= fabric().ports(); ++number) {
    const PortId port(number);
    for (const switchagent::Fabric::Entry& entry : fabric().connections_of(port)) {
      const auto connection = fabric().find(port, entry.input_label);
      for (const switchagent::Branch& one : connection->branches) {
        in_fabric.emplace_back(Place{port, entry.input_label},
                               Place{one.output_port, one.output_label});
      }
    }
    const auto more = reported(number);
    in_reports.insert(in_reports.end(), more.begin(), more.end());
  }
  std::ranges::sort(in_fabric);
  EXPECT_EQ(on_bridge, in_fabric);
  EXPECT_EQ(in_reports, in_fabric);
}

std::string OvsTableTest::state() {
  std::vector<std::string> lines;
  for (const auto& [input, outputs] : made->connections()) {
    std::vector<std::string> names;
    for (const Place& output : outputs) names.push_back(to_string(output));
    lines.push_back(fmt::format("{} -> {}", to_string(input), fmt::join(names, ", ")));
  }
  return fmt::format("{}", fmt::join(lines, "; "));
}

void OvsTableTest::completed(switchagent::Ticket ticket, Code code) {
  completed(ticket, code, std::monostate{});
}

void OvsTableTest::completed(switchagent::Ticket ticket, Code code,
                             switchagent::TableReading reading) {
  EXPECT_TRUE(codes.emplace(ticket.request, code).second) << "answered twice: " << ticket.request;
  readings[ticket.request] = std::move(reading);
  order.push_back(ticket.request);
}

void OvsTableTest::port_changed(gsmp::MessageType event, PortId port, std::uint32_t) {
  events.push_back(
      fmt::format("port {} {}", port, event == gsmp::MessageType::kPortUp ? "up" : "down"));
}

void OvsTableTest::invalid_label(PortId, Label, TimePoint) { ADD_FAILURE() << "no cells here"; }

}  // namespace xbind::ovs::test
