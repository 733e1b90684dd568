#include "tests/conformance/driver/gsmp_rig.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "switchserver/drivers/running_gsmp_driver.hpp"

namespace xbind::driver_kit {
namespace {

constexpr std::uint32_t kPorts = 3;
constexpr std::uint32_t kFirstVci = 32;
constexpr std::uint32_t kLastVci = 2'099;
constexpr AtmBounds kLabels{0, 0, kFirstVci, kLastVci};

gsmp::SessionOptions session_options(std::uint64_t name) {
  gsmp::SessionOptions options;
  options.adjacency.name = name;
  return options;
}

}  // namespace

GsmpRig::GsmpRig(std::uint8_t version) : version_(version) { GsmpRig::start_switch(); }

void GsmpRig::start_switch() {
  stop_agent();
  table_.reset();
  switchagent::FabricOptions fabric;
  fabric.ports = kPorts;
  fabric.labels = kLabels;
  fabric_ = std::make_unique<switchagent::Fabric>(fabric, [this] { return ++chance_; });
  table_ = std::make_unique<switchagent::FabricTable>(*fabric_);
  switchagent::AgentOptions options;
  options.name = 0x02'00'00'0b'00'01;
  options.versions = {version_};
  start_agent(*table_, options);
}

void GsmpRig::start_agent(switchagent::SwitchTable& table,
                          const switchagent::AgentOptions& options) {
  agent_ = std::make_unique<switchagent::SwitchAgent>(table, options, [this] { return ++chance_; });
}

void GsmpRig::stop_agent() {
  other_.reset();
  agent_.reset();
}

Abilities GsmpRig::abilities() const {
  const bool v3 = version_ == 3;
  return {.lists_outputs = v3, .says_emptied = v3, .tells_takeovers = v3, .serves_contracts = v3};
}

std::unique_ptr<RunningDriver> GsmpRig::make_driver() {
  return std::make_unique<RunningGsmpDriver>(
      session_options(0x02'00'00'0a'00'01), [this] { return ++chance_; }, wire_.transport());
}

// ----- the control channel --------------------------------------------------------------------

void GsmpRig::connect(TimePoint now) {
  at_ = agent_->connected(now).value();
  wire_.connect();
}

void GsmpRig::close(const std::string& reason, TimePoint now) {
  if (at_) agent_->closed(*std::exchange(at_, std::nullopt), now);
  wire_.cut(reason);
}

void GsmpRig::cut(TimePoint now) { close("read: Connection reset by peer", now); }

bool GsmpRig::carry_requests(TimePoint now) {
  const wire::Buffer sent = wire_.take_sent();
  if (!sent.empty() && at_) agent_->receive(*at_, sent, now);
  if (const auto reason = wire_.take_drop()) {
    close(*reason, now);
    return true;
  }
  return !sent.empty();
}

bool GsmpRig::carry_answers(TimePoint now) {
  if (!at_) return false;
  wire::Buffer answers;
  agent_->take_output(*at_, answers);
  if (!answers.empty()) wire_.carry_to_driver(answers);
  if (agent_->to_close(*at_)) {
    close("closed by the peer", now);
    return true;
  }
  return !answers.empty();
}

Duration GsmpRig::request_timeout() const { return gsmp::SessionOptions{}.transaction_timeout; }

Duration GsmpRig::takeover_noticed_within() const { return GsmpDriver::kOthersPause; }

// ----- the switch -----------------------------------------------------------------------------

void GsmpRig::restart_empty(TimePoint now) {
  close("read: Connection reset by peer", now);
  start_switch();
}

void GsmpRig::set_line(PortId port, bool up, TimePoint) { table_->set_line(port, up); }

void GsmpRig::refuse_next(std::uint64_t count, RequestKind kind) {
  agent_->refuse_next(count, gsmp::FailureCode::kOutOfResources,
                      kind == RequestKind::kAdd ? gsmp::MessageType::kAddBranch
                                                : gsmp::MessageType::kMoveOutputBranch);
}

std::uint8_t GsmpRig::refusal_code() const {
  return static_cast<std::uint8_t>(gsmp::FailureCode::kOutOfResources);
}

void GsmpRig::exchange(Other& other, TimePoint now) {
  for (;;) {
    const wire::Buffer sent = other.session.take_output();
    if (!sent.empty()) agent_->receive(other.at, sent, now);
    settle(now);
    wire::Buffer answers;
    agent_->take_output(other.at, answers);
    if (!answers.empty()) other.session.receive(answers, now);
    if (sent.empty() && answers.empty()) return;
  }
}

GsmpRig::Other& GsmpRig::other(TimePoint now) {
  if (!other_) {
    other_.emplace(
        Other{gsmp::Session(session_options(0x02'00'00'0c'00'01), [this] { return ++chance_; }),
              agent_->connected(now).value()});
    other_->session.connected(now);
    exchange(*other_, now);
    EXPECT_TRUE(other_->session.can_send()) << "the other controller has no adjacency";
  }
  return *other_;
}

void GsmpRig::another_brings_up(PortId port, TimePoint now) {
  gsmp::PortManagement request;
  request.port = port;
  request.port_session = fabric().port_session(port);
  request.function = gsmp::PortFunction::kBringUp;
  Other& by = other(now);
  EXPECT_TRUE(by.session.request(request, 1, now));
  exchange(by, now);
  EXPECT_EQ(by.session.counters().successes, 1U) << "the port is not brought up";
}

void GsmpRig::another_adds(const CrossConnect& at) {
  gsmp::AddBranch request;
  request.input_port = at.input_port;
  request.output_port = at.output_port;
  request.input_label = gsmp::label_field(at.input_label);
  request.output_label = gsmp::label_field(at.output_label);
  EXPECT_EQ(fabric_->add_branch(request), gsmp::FailureCode::kNone);
}

void GsmpRig::cells_arrive(PortId port, Label label, std::uint64_t cells, TimePoint now) {
  const dataplane::Cell cell{.header = dataplane::cell_header(vpi_of(label), vci_of(label)),
                             .payload = {}};
  for (std::uint64_t sent = 0; sent < cells; ++sent) {
    fabric_->cells().receive(port, std::span(&cell, 1), now);
  }
}

std::set<CrossConnect> GsmpRig::table() const {
  std::set<CrossConnect> table;
  for (std::uint32_t number = 1; number <= kPorts; ++number) {
    const PortId port{number};
    for (const switchagent::Fabric::Entry& entry : fabric_->connections_of(port)) {
      const auto connection = fabric_->find(port, entry.input_label);
      for (const switchagent::Branch& branch : connection->branches) {
        table.insert({port, entry.input_label, branch.output_port, branch.output_label});
      }
    }
  }
  return table;
}

bool GsmpRig::by_contract(const CrossConnect& at) const {
  const auto connection = fabric().find(at.input_port, at.input_label);
  if (!connection) return false;
  for (const switchagent::Branch& branch : connection->branches) {
    if (branch.same_place(at.output_port, at.output_label)) {
      return branch.output_qos.model == gsmp::QosModel::kService;
    }
  }
  return false;
}

// ----- properties of the switch ---------------------------------------------------------------

std::vector<SwitchPort> GsmpRig::ports() const {
  std::vector<SwitchPort> ports;
  for (std::uint32_t number = 1; number <= kPorts; ++number) {
    ports.push_back(
        {PortId{number}, {kLabels.range()}, switchagent::FabricOptions{}.link_cells_per_s, true});
  }
  return ports;
}

Label GsmpRig::label(std::uint32_t number) const { return atm_label(0, kFirstVci + number); }

Label GsmpRig::label_out_of_range() const { return atm_label(0, kLastVci + 1); }

Label GsmpRig::label_of_another_kind() const { return {LabelKind::kMpls, kFirstVci}; }

std::unique_ptr<Rig> make_gsmp_v3_rig() { return std::make_unique<GsmpRig>(std::uint8_t{3}); }

std::unique_ptr<Rig> make_gsmp_v1_rig() { return std::make_unique<GsmpRig>(std::uint8_t{1}); }

}  // namespace xbind::driver_kit
