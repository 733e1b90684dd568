#include "tests/sim/gsmp_switch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.hpp"
#include "gsmp/codec.hpp"

namespace xbind::sim {
namespace {

using gsmp::FailureCode;
using switchagent::Ticket;

constexpr Duration kLate =
    milliseconds{3'500};  // delay of an answer of the table, at most: the driver waits 2 s
constexpr std::uint64_t kHotRestart = 40;  // percent of returns with the table

gsmp::SessionOptions session_options(const std::string& name) {
  gsmp::SessionOptions options;
  options.adjacency.name = gsmp::name_from("xbind-switchserver " + name);
  return options;
}

// The priority that stands for a category: 0 of four is the best. RFC 3292's priority model has no
// categories.
std::uint32_t priority_of(ServiceCategory category) {
  switch (category) {
    case ServiceCategory::kNone:
    case ServiceCategory::kCbr: return 0;
    case ServiceCategory::kRtVbr: return 1;
    case ServiceCategory::kNrtVbr: return 2;
    case ServiceCategory::kUbr:
    case ServiceCategory::kGfr: break;
  }
  return 3;
}

// Decodes the contract of a branch from its traffic parameters, by the RFC's numbers.
std::optional<TrafficContract> contract_of(const switchagent::Qos& qos,
                                           const std::optional<gsmp::TrafficBlock>& traffic) {
  if (qos.model != gsmp::QosModel::kService || !traffic || (qos.selector & 0xffff) != 1) {
    return std::nullopt;
  }
  TrafficContract contract;
  switch (qos.selector >> 16) {
    case 1: contract.category = ServiceCategory::kCbr; break;
    case 2: contract.category = ServiceCategory::kRtVbr; break;
    case 5: contract.category = ServiceCategory::kNrtVbr; break;
    case 8: contract.category = ServiceCategory::kUbr; break;
    case 12: contract.category = ServiceCategory::kGfr; break;
    default: return std::nullopt;
  }
  if (const auto* cells = std::get_if<gsmp::CellRate>(&traffic->parameters)) {
    contract.pcr_cells_per_s = cells->pcr_cells_per_s;
    contract.cdvt_us = cells->cdvt_us;
  } else if (const auto* bursts = std::get_if<gsmp::VariableRate>(&traffic->parameters)) {
    contract.pcr_cells_per_s = bursts->pcr_cells_per_s;
    contract.cdvt_us = bursts->cdvt_us;
    contract.guaranteed_cells_per_s = bursts->scr_cells_per_s;
    contract.mbs_cells = bursts->mbs_cells;
  } else if (const auto* frames = std::get_if<gsmp::GuaranteedFrameRate>(&traffic->parameters)) {
    contract.pcr_cells_per_s = frames->pcr_cells_per_s;
    contract.cdvt_us = frames->cdvt_us;
    contract.guaranteed_cells_per_s = frames->mcr_cells_per_s;
    contract.mbs_cells = frames->mbs_cells;
    contract.mfs_cells = frames->mfs_cells;
  } else {
    return std::nullopt;
  }
  return contract;
}

}  // namespace

// The fabric's table in the simulator: it may refuse, lie and be late.
class GsmpSwitch::Table final : public switchagent::FabricTable {
 public:
  Table(switchagent::Fabric& fabric, GsmpSwitch& owner) : FabricTable(fabric), owner_(owner) {}

  void add_branch(const gsmp::AddBranch& request, Ticket ticket, TimePoint now) override {
    const CrossConnect at{request.input_port, gsmp::label_of(request.input_label),
                          request.output_port, gsmp::label_of(request.output_label)};
    const bool put_back = owner_.lost_.erase(at) != 0;
    if (!put_back && owner_.refuses(owner_.world_.weather.add_refused, "adds refused")) {
      return client_->completed(ticket, FailureCode::kOutOfResources);
    }
    if (lies(Planted::kSwitchForgetsAdd)) return client_->completed(ticket, FailureCode::kNone);
    owner_.check_input(at, at);
    set_answer_delay(owner_.answer_delay());
    FabricTable::add_branch(request, ticket, now);
    owner_.changed();
  }
  void move_output(const gsmp::MoveOutputBranch& request, Ticket ticket, TimePoint now) override {
    const CrossConnect from{request.input_port, gsmp::label_of(request.input_label),
                            request.old_output_port, gsmp::label_of(request.old_output_label)};
    const CrossConnect to{request.input_port, gsmp::label_of(request.input_label),
                          request.new_output_port, gsmp::label_of(request.new_output_label)};
    if (owner_.refuses(owner_.world_.weather.add_refused, "moves refused")) {
      return client_->completed(ticket, FailureCode::kOutOfResources);
    }
    if (owner_.has(from)) {
      ++owner_.world_.tally["moves"];
      owner_.check_input(to, from);
    }
    set_answer_delay(owner_.answer_delay());
    FabricTable::move_output(request, ticket, now);
    owner_.changed();
  }
  void delete_branch(PortId input_port, Label input_label, PortId output_port, Label output_label,
                     Ticket ticket, TimePoint now) override {
    if (owner_.refuses(owner_.world_.weather.remove_refused, "removes refused")) {
      return client_->completed(ticket, FailureCode::kGeneral);
    }
    if (lies(Planted::kSwitchKeepsBranch)) return client_->completed(ticket, FailureCode::kNone);
    owner_.lost_.erase({input_port, input_label, output_port, output_label});
    set_answer_delay(owner_.answer_delay());
    FabricTable::delete_branch(input_port, input_label, output_port, output_label, ticket, now);
    owner_.changed();
  }
  void report(PortId port, Scope scope, Label label, Ticket ticket, TimePoint now) override {
    set_answer_delay(owner_.answer_delay());
    FabricTable::report(port, scope, label, ticket, now);
  }

 private:
  bool lies(Planted how) {
    return owner_.world_.planted == how && owner_.world_.chance.percent(10);
  }

  GsmpSwitch& owner_;
};

// The driver's end of the connection.
class GsmpSwitch::End final : public net::Transport {
 public:
  explicit End(GsmpSwitch& owner) : owner_(owner) {}
  void start(net::TransportUpcalls upcalls) override { owner_.upcalls_ = std::move(upcalls); }
  void stop() override {}
  Result<void> send(std::span<const std::byte> octets) override { return owner_.send(octets); }
  void drop(std::string reason) override {
    ++owner_.world_.tally["driver: connections dropped"];
    owner_.cut(reason);
    owner_.connect_soon();
  }
  std::string peer() const override { return owner_.name_; }
  net::TransportCounters counters() const override { return owner_.transport_; }

 private:
  GsmpSwitch& owner_;
};

// ===== building =====

GsmpSwitch::GsmpSwitch(Surroundings& world, std::string name, std::vector<SwitchPort> ports,
                       bool services, Hooks hooks)
    : world_(world),
      name_(std::move(name)),
      ports_(std::move(ports)),
      services_(services),
      hooks_(std::move(hooks)) {
  make_fabric();
  make_agent(false);
  make_driver();
}

GsmpSwitch::~GsmpSwitch() = default;

std::function<std::uint32_t()> GsmpSwitch::random() {
  return [this] { return static_cast<std::uint32_t>(world_.chance.below(std::uint64_t{1} << 32)); };
}

void GsmpSwitch::make_driver() {
  driver_ = std::make_unique<RunningGsmpDriver>(session_options(name_), random(),
                                                std::make_unique<End>(*this));
  driver_->start([this](std::size_t) { wake(); });
}

void GsmpSwitch::make_fabric() {
  agent_.reset();
  table_.reset();
  switchagent::FabricOptions options;
  options.ports = ports_.back().port.value();
  options.connections_max = options.branches_max = 4'096;
  options.buffer_cells = kBufferCells;
  if (!services_) options.services.clear();
  for (const SwitchPort& port : ports_) {
    options.port_labels[port.port] = port.labels;
    options.port_cells_per_s[port.port] = static_cast<std::uint32_t>(port.cells_per_s);
  }
  fabric_ = std::make_unique<switchagent::Fabric>(options, random());
  table_ = std::make_unique<Table>(*fabric_, *this);
  for (std::uint32_t number = 1; number <= options.ports; ++number) {
    if (!options.port_labels.contains(PortId{number})) table_->set_installed(PortId{number}, false);
  }
  for (const PortId port : lines_down_) table_->set_line(port, false);
}

void GsmpSwitch::make_agent(bool recovered) {
  agent_.reset();
  switchagent::AgentOptions options;
  options.name = switchagent::name_from(name_);
  options.recovered = recovered;
  agent_ = std::make_unique<switchagent::SwitchAgent>(*table_, options, random());
}

// ===== the SwitchServer's side =====

void GsmpSwitch::take_events(std::vector<driver::Event>& into) {
  driver_->take_events(into);
  for (const driver::Event& event : into) {
    count(event);
  }
}

void GsmpSwitch::count(const driver::Event& event) {
  if (const auto* up = std::get_if<driver::Up>(&event)) {
    up_ = true;
    ++world_.tally[up->kept ? "driver reports: up, kept" : "driver reports: up, empty"];
  } else if (std::holds_alternative<driver::Down>(event)) {
    up_ = false;
    ++world_.tally["driver reports: down"];
  } else if (const auto* ports = std::get_if<driver::Ports>(&event)) {
    ++world_.tally[ports->renewed.empty() ? "driver reports: ports"
                                          : "driver reports: ports, renewed"];
  } else if (const auto* done = std::get_if<driver::Done>(&event)) {
    ++world_
          .tally[done->again    ? "driver reports: again"
                 : done->absent ? "driver reports: absent"
                                : fmt::format("driver reports: done, {}", to_string(done->cause))];
  } else if (const auto* table = std::get_if<driver::Table>(&event)) {
    ++world_.tally[fmt::format("driver reports: table, {}", to_string(table->cause))];
  }
}

// Upcalls come from within calls of the driver. What they bring is handled on a turn of its own.
void GsmpSwitch::wake() {
  ++wakes_;
  if (std::exchange(wake_planned_, true)) return;
  world_.agenda.schedule(world_.now, [this] {
    wake_planned_ = false;
    for (; wakes_ > 0; --wakes_) driver_->on_wake(world_.now);
    hooks_.step();
  });
}

TimePoint GsmpSwitch::next_deadline() const {
  const TimePoint agent = agent_->next_deadline();
  const TimePoint due = agent == kNever ? kNever : std::max(agent, stopped_until_);
  return std::min(driver_->next_deadline(), due);
}

void GsmpSwitch::tick() {
  if (!stopped() && agent_->next_deadline() <= world_.now) {
    agent_->tick(world_.now);
    after_agent();
  }
  if (driver_->next_deadline() > world_.now) return;
  driver_->tick(world_.now);
  hooks_.step();
}

void GsmpSwitch::restart_driver() {
  cut("the SwitchServer was killed");
  add_up();
  up_ = false;
  wakes_ = 0;
  upcalls_ = {};
  driver_.reset();
  make_driver();
  reachable_ = false;
}

void GsmpSwitch::let_connect() {
  reachable_ = true;
  connect_soon();
}

// ===== what happens to the switch =====

void GsmpSwitch::come_up(bool kept) {
  if (!kept) {
    for (const CrossConnect& at : table()) lost_.insert(at);
    deserted_.clear();
    make_fabric();
    make_agent(false);
    changed();
  } else if (world_.chance.percent(kHotRestart)) {
    ++world_.tally["switches restarted hot"];
    deserted_.clear();
    make_agent(true);
  }
  let_connect();
}

void GsmpSwitch::break_session() {
  reachable_ = false;
  cut("the connection broke");
}

void GsmpSwitch::stop_until(TimePoint when) {
  stopped_until_ = std::max(stopped_until_, when);
  world_.agenda.schedule(when, [this] {
    if (stopped()) return;
    arrive_at_switch();
    after_agent();
  });
}

void GsmpSwitch::line(PortId port, bool up) {
  if (up) {
    lines_down_.erase(port);
  } else {
    lines_down_.insert(port);
  }
  // A line may flicker before it goes down for good. The flag of the first Port Down holds the
  // second back.
  if (!up && world_.chance.percent(25)) {
    table_->set_line(port, false);
    table_->set_line(port, true);
  }
  table_->set_line(port, up);
  if (!stopped()) after_agent();
}

void GsmpSwitch::flicker(PortId port) {
  if (lines_down_.contains(port)) return;
  for (const bool up : {false, true, false, true}) table_->set_line(port, up);
  if (!stopped()) after_agent();
}

// ===== its tables =====

void GsmpSwitch::changed() {
  listed_now_ = false;
  hooks_.changed();
}

const std::set<CrossConnect>& GsmpSwitch::table() const {
  if (std::exchange(listed_now_, true)) return listed_;
  listed_.clear();
  for (const SwitchPort& port : ports_) {
    for (const switchagent::Fabric::Entry& entry : fabric_->connections_of(port.port)) {
      for (const dataplane::Branch& branch : entry.connection->branches) {
        listed_.insert({port.port, entry.input_label, branch.port,
                        fabric_->label_at(branch.port, branch.vpi, branch.vci)});
      }
    }
  }
  return listed_;
}

std::vector<CrossConnect> GsmpSwitch::leads(PortId input_port, Label input_label) const {
  std::vector<CrossConnect> found;
  const auto* connection = fabric_->find_raw(input_port, input_label);
  if (connection == nullptr) return found;
  for (const dataplane::Branch& branch : connection->branches) {
    found.push_back({input_port, input_label, branch.port,
                     fabric_->label_at(branch.port, branch.vpi, branch.vci)});
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool GsmpSwitch::has(const CrossConnect& at) const {
  const std::vector<CrossConnect> there = leads(at.input_port, at.input_label);
  return std::find(there.begin(), there.end(), at) != there.end();
}

bool GsmpSwitch::has_contract(const CrossConnect& at, const TrafficContract& contract) const {
  const auto* connection = fabric_->find_raw(at.input_port, at.input_label);
  if (connection == nullptr) return false;
  for (const dataplane::Branch& branch : connection->branches) {
    if (branch.port != at.output_port ||
        fabric_->label_at(branch.port, branch.vpi, branch.vci) != at.output_label) {
      continue;
    }
    const switchagent::QosProfile& reported = fabric_->branch_table().profile_at(branch);
    if (services_ && contract.present()) {
      return contract_of(reported.input, reported.input_traffic) == contract &&
             contract_of(reported.output, reported.output_traffic) == contract;
    }
    const switchagent::Qos wanted{gsmp::QosModel::kPriority, priority_of(contract.category)};
    return reported.input == wanted && reported.output == wanted;
  }
  return false;
}

bool GsmpSwitch::has_lost(PortId input_port, Label input_label) const {
  const auto at = lost_.lower_bound({input_port, input_label, PortId{0}, Label{}});
  return at != lost_.end() && at->input_port == input_port && at->input_label == input_label;
}

// An input must not feed branches of two calls.
void GsmpSwitch::check_input(const CrossConnect& wanted, const CrossConnect& instead_of) {
  if (has(wanted)) return;  // another contract for what is there
  for (const CrossConnect& there : leads(wanted.input_port, wanted.input_label)) {
    if (there == wanted || there == instead_of || hooks_.may_branch(there, wanted)) continue;
    world_.violated(
        fmt::format("{}: an add made a branch of another call: input {}:{} already leads to {}:{}",
                    name_, there.input_port, to_string(there.input_label), there.output_port,
                    to_string(there.output_label)));
  }
}

bool GsmpSwitch::refuses(double percent, const char* what) {
  if (!world_.chance.percent(percent)) return false;
  ++world_.tally[what];
  return true;
}

Duration GsmpSwitch::answer_delay() {
  if (!world_.chance.percent(world_.weather.late_answers)) return Duration{};
  ++world_.tally["answers of switches late"];
  return world_.chance.up_to(kLate);
}

void GsmpSwitch::add_up() {
  RunningDriver::Metrics metrics;
  driver_->append_metrics(metrics);
  for (const auto& [name, count] : metrics) world_.tally["driver: " + name] += count;
}

}  // namespace xbind::sim
