#include "emulator/emulated_switch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dataplane/class_queueing.hpp"
#include "gsmp/framing.hpp"
#include "gsmp/messages/adjacency.hpp"

namespace xbind::emulator {

using gsmp::AdjacencyCode;

// The fabric's reference to a link: the EmulatedSwitch owns the link, which outlives the fabric.
class EmulatedSwitch::BorrowedLink final : public dataplane::Link {
 public:
  // `propagation` null: no delay.
  BorrowedLink(dataplane::Link& link, dataplane::Propagation* propagation, PortId port,
               const EmulatedSwitch& owner)
      : link_(link),
        propagation_(propagation),
        port_(port),
        tap_(owner.tap_),
        now_(owner.pumped_at_) {}

  std::size_t receive(std::span<dataplane::Cell> cells) override {
    const std::size_t count =
        propagation_ == nullptr ? link_.receive(cells) : propagation_->receive(link_, cells, now_);
    if (tap_ && count > 0) tap_(port_, dataplane::Direction::kIn, cells.first(count));
    return count;
  }
  std::size_t send(std::span<const dataplane::Cell> cells) override {
    const std::size_t count = link_.send(cells);
    if (tap_ && count > 0) tap_(port_, dataplane::Direction::kOut, cells.first(count));
    return count;
  }
  const dataplane::LinkCounters& counters() const override { return link_.counters(); }
  std::uint32_t vpi_max() const override { return link_.vpi_max(); }
  TimePoint next_due() const override { return link_.next_due(); }

 private:
  dataplane::Link& link_;
  dataplane::Propagation* propagation_;
  PortId port_;
  const Tap& tap_;
  const TimePoint& now_;
};

namespace {

// A line without a far end: sent cells are lost, as on an unplugged fibre.
class OpenLine final : public dataplane::Link {
 public:
  std::size_t receive(std::span<dataplane::Cell>) override { return 0; }
  std::size_t send(std::span<const dataplane::Cell> cells) override {
    counters_.cells_out += cells.size();
    return cells.size();
  }
  const dataplane::LinkCounters& counters() const override { return counters_; }

 private:
  dataplane::LinkCounters counters_;
};

// `before`: the fabric until a cold start, whose counters go on; null: none.
void add_controllers(const std::map<PortId, dataplane::PortControllerProfile>& controllers,
                     const switchagent::Fabric* before, switchagent::Fabric& fabric) {
  for (const auto& [port, profile] : controllers) {
    const auto earlier = before == nullptr ? dataplane::PortControllerCounters{}
                                           : before->cells().controller(port)->counters();
    fabric.cells().set_controller(port,
                                  std::make_unique<dataplane::PortController>(profile, earlier));
  }
}

}  // namespace

EmulatedSwitch::EmulatedSwitch(EmulatedSwitchOptions options)
    : options_(std::move(options)),
      random_bits_(options_.seed),
      random_([this] { return static_cast<std::uint32_t>(random_bits_() >> 32); }),
      earlier_{.cells = std::vector<dataplane::PortCounters>(options_.fabric.ports),
               .crossed = std::vector<dataplane::CrossbarCounters>(options_.fabric.ports),
               .policed = {}} {
  build_fabric();
  build_agent(false);
}

EmulatedSwitch::~EmulatedSwitch() = default;

void EmulatedSwitch::build_fabric() {
  table_.reset();
  const auto before =
      std::exchange(fabric_, std::make_unique<switchagent::Fabric>(options_.fabric, random_));
  add_controllers(options_.controllers, before.get(), *fabric_);
  table_ = std::make_unique<switchagent::FabricTable>(*fabric_);
  fabric_->cells().set_node_name(options_.name);
  if (options_.policing != PolicingMode::kOff) {
    policing_ = std::make_unique<UsagePolicing>(*fabric_, options_.policing);
    fabric_->cells().set_policing(policing_.get());
  }
  if (options_.crossbar != dataplane::CrossbarSize::kNone) {
    // Its own chance: the numbers of sessions do not depend on which cells came.
    fabric_->cells().set_crossbar(
        options_.crossbar,
        [bits = std::mt19937(static_cast<std::uint32_t>(options_.seed))]() mutable {
          return static_cast<std::uint32_t>(bits());
        });
  }
  for (std::uint32_t number = 1; number <= options_.fabric.ports; ++number) {
    const PortId port(number);
    if (options_.queueing == QueueingKind::kClass) {
      fabric_->cells().set_queueing(
          port, std::make_unique<dataplane::ClassQueueing>(
                    dataplane::ClassQueueingOptions{.cells_max = options_.fabric.buffer_cells}));
    }
    if (links_.contains(port)) {
      lend_link(port);
    } else {
      fabric_->cells().attach(port, std::make_unique<OpenLine>());
    }
  }
}

void EmulatedSwitch::build_agent(bool recovered) {
  switchagent::AgentOptions agent = options_.agent;
  agent.recovered = recovered;
  agent_ = std::make_unique<switchagent::SwitchAgent>(*table_, agent, random_);
}

void EmulatedSwitch::attach(PortId port, std::unique_ptr<dataplane::Link> link, Duration delay) {
  fabric_->cells().attach(port, nullptr);  // the old link may be destroyed
  // At the time of each question, because a cold restart replaces the fabric.
  link->set_has_call([this, port](std::uint32_t label) {
    return fabric_->cells().table().lookup(port, static_cast<std::uint16_t>(label >> 16),
                                           static_cast<std::uint16_t>(label)) != nullptr;
  });
  links_[port] = std::move(link);
  propagations_.erase(port);
  if (delay > Duration::zero()) {
    const auto rate = options_.fabric.port_cells_per_s.find(port);
    const std::uint64_t cells_per_s = rate == options_.fabric.port_cells_per_s.end()
                                          ? options_.fabric.link_cells_per_s
                                          : rate->second;
    propagations_.emplace(
        port, dataplane::Propagation(delay, dataplane::propagation_cells(cells_per_s, delay)));
  }
  lend_link(port);
}

void EmulatedSwitch::lend_link(PortId port) {
  const auto delayed = propagations_.find(port);
  fabric_->cells().attach(
      port, std::make_unique<BorrowedLink>(
                *links_.at(port), delayed == propagations_.end() ? nullptr : &delayed->second, port,
                *this));
}

// ----- connections ------------------------------------------------------------------------------

Result<void> EmulatedSwitch::connected(ConnectionKey connection, TimePoint now) {
  const auto controller = agent_->connected(now);
  if (!controller) return tl::make_unexpected(controller.error());
  Line& line = lines_[connection];
  line.controller = *controller;
  line.reader.tick(now, settings_.slow_reader_octets_per_s);
  return {};
}

void EmulatedSwitch::closed(ConnectionKey connection, TimePoint now) {
  const auto found = lines_.find(connection);
  if (found == lines_.end()) return;
  processor_.drop(connection);
  const switchagent::ControllerId controller = found->second.controller;
  lines_.erase(found);
  agent_->closed(controller, now);
}

void EmulatedSwitch::receive(ConnectionKey connection, std::span<const std::byte> octets,
                             TimePoint now) {
  const auto found = lines_.find(connection);
  if (found == lines_.end() || found->second.ending) return;
  Line& line = found->second;
  table_->set_answer_delay(settings_.table_delay);
  line.reader.read(octets.size());
  const bool cut = settings_.silent || settings_.delays() || processor_.waiting(connection) > 0;
  line.input.feed(
      octets, cut,
      [&](std::span<const std::byte> straight) { agent_->receive(line.controller, straight, now); },
      [&](std::span<const std::byte> frame) { on_frame(connection, line, frame, now); });
  run_processor(now);
}

// Adjacency messages bypass the processor: slow connection handling must not look like a dead
// switch.
void EmulatedSwitch::on_frame(ConnectionKey connection, Line& line,
                              std::span<const std::byte> frame, TimePoint now) {
  if (settings_.silent) {
    ++fault_counters_.unheard;
    return;
  }
  if (is_adjacency(frame)) {
    const auto message = gsmp::decode_adjacency(frame.subspan(gsmp::kFrameHeaderOctets));
    // Requests of the old link instance must not be answered on the new one.
    if (message &&
        (message->code == AdjacencyCode::kSyn || message->code == AdjacencyCode::kRstAck))
      fault_counters_.dropped_stale += processor_.drop(connection);
    agent_->receive(line.controller, frame, now);
    return;
  }
  if (settings_.delays()) ++fault_counters_.delayed;
  processor_.put(connection, frame, now);
}

void EmulatedSwitch::run_processor(TimePoint now) {
  if (settings_.silent) return;
  while (auto request = processor_.take(now, settings_)) {
    const auto found = lines_.find(request->connection);
    if (found != lines_.end() && !found->second.ending)
      agent_->receive(found->second.controller, request->frame, now);
  }
}

std::size_t EmulatedSwitch::allowance(ConnectionKey connection) const {
  const auto found = lines_.find(connection);
  if (found == lines_.end()) return 0;
  const Line& line = found->second;
  const bool full = processor_.waiting(connection) > kWaitingOctetsMax ||
                    line.answers.waiting() > kWaitingOctetsMax;
  return full ? 0 : line.reader.allowance();
}

void EmulatedSwitch::collect(Line& line, TimePoint now) {
  agent_->take_output(line.controller, scratch_);
  line.answers.put(scratch_, now, settings_, random_, fault_counters_);
}

void EmulatedSwitch::take_output(ConnectionKey connection, wire::Buffer& into, TimePoint now) {
  into.clear();
  const auto found = lines_.find(connection);
  if (found == lines_.end()) return;
  collect(found->second, now);
  found->second.answers.take(into, now, settings_, fault_counters_);
}

void EmulatedSwitch::end(ConnectionKey connection, bool reset, std::string reason) {
  const auto found = lines_.find(connection);
  if (found == lines_.end() || std::exchange(found->second.ending, true)) return;
  endings_.push_back({connection, reset, std::move(reason)});
}

std::vector<EmulatedSwitch::Ending> EmulatedSwitch::take_endings() {
  for (const auto& [connection, line] : lines_) {
    if (line.ending || settings_.silent) continue;
    if (auto reason = agent_->to_close(line.controller)) end(connection, false, *reason);
  }
  return std::exchange(endings_, {});
}

std::vector<EmulatedSwitch::Notice> EmulatedSwitch::take_notices() {
  for (switchagent::AgentNotice& notice : agent_->take_notices()) {
    notices_.push_back(
        {notice.trouble, fmt::format("controller {}: {}", notice.controller, notice.text)});
  }
  return std::exchange(notices_, {});
}

void EmulatedSwitch::tick(TimePoint now) {
  table_->set_answer_delay(settings_.table_delay);
  for (auto& [connection, line] : lines_) {
    line.reader.tick(now, settings_.slow_reader_octets_per_s);
    line.answers.tick(now, settings_);
  }
  run_processor(now);
  if (!settings_.silent) agent_->tick(now);
}

TimePoint EmulatedSwitch::next_deadline() const {
  TimePoint due = kNever;
  if (!settings_.silent) {
    due = std::min(agent_->next_deadline(), processor_.next_deadline(settings_));
  }
  for (const auto& [connection, line] : lines_) {
    if (line.ending) continue;
    due = std::min({due, line.answers.next_deadline(settings_), line.reader.next_deadline()});
  }
  return due;
}

// ----- cells ------------------------------------------------------------------------------------

std::size_t EmulatedSwitch::pump(TimePoint now) {
  pumped_at_ = now;
  return fabric_->cells().pump(now);
}

TimePoint EmulatedSwitch::cells_deadline() const {
  TimePoint due = fabric_->cells().next_deadline();
  for (const auto& [port, line] : propagations_) due = std::min(due, line.next());
  return due;
}

std::uint64_t EmulatedSwitch::cells_lost_on_the_way(PortId port) const {
  const auto line = propagations_.find(port);
  return line == propagations_.end() ? 0 : line->second.lost();
}

// ----- faults -----------------------------------------------------------------------------------

void EmulatedSwitch::drop_adjacencies(TimePoint now) {
  for (auto& [connection, line] : lines_) {
    if (line.ending) continue;
    collect(line, now);
    auto message = gsmp::decode_adjacency(line.answers.last_adjacency());
    if (!message || message->receiver.instance == 0) continue;  // no adjacency to drop
    fault_counters_.dropped_stale += processor_.drop(connection);
    message->code = AdjacencyCode::kRstAck;
    wire::Buffer frame;
    gsmp::append_frame(frame, *message);
    line.answers.put(frame, now, settings_, random_, fault_counters_);
    std::swap(message->sender, message->receiver);
    frame.clear();
    gsmp::append_frame(frame, *message);
    agent_->receive(line.controller, frame, now);
  }
}

void EmulatedSwitch::reset_connections() {
  for (const auto& [connection, line] : lines_) end(connection, true, "reset on purpose");
}

void EmulatedSwitch::restart(Restart how, TimePoint now) {
  const bool cold = how == Restart::kCold;
  for (const auto& [connection, line] : lines_) end(connection, cold, "the switch restarts");
  for (const auto& [connection, line] : lines_) agent_->closed(line.controller, now);
  for (Notice& notice : take_notices()) notices_.push_back(std::move(notice));
  notices_.push_back({true, cold ? "restarted, cold" : "restarted, hot"});
  processor_ = Processor{};
  lines_.clear();
  const switchagent::AgentCounters counters = agent_->counters();
  agent_.reset();
  if (cold) {
    for (std::uint32_t number = 1; number <= options_.fabric.ports; ++number) {
      earlier_.cells[number - 1] = cells_since_start(PortId(number));
      earlier_.crossed[number - 1] = crossed_since_start(PortId(number));
    }
    earlier_.policed = policed_since_start();
    build_fabric();
  }
  build_agent(!cold);
  agent_->continue_counters(counters);
}

void EmulatedSwitch::set_bounds(std::size_t branches_max, std::size_t buffer_cells) {
  options_.fabric.branches_max = options_.fabric.connections_max = branches_max;
  options_.fabric.buffer_cells = buffer_cells;
  fabric_->set_bounds(branches_max, buffer_cells);
}

dataplane::PortCounters EmulatedSwitch::cells_since_start(PortId port) const {
  dataplane::PortCounters sum = earlier_.cells[port.value() - 1];
  const dataplane::PortCounters now = fabric_->cells().counters(port);
  sum.input_cells += now.input_cells;
  sum.input_discards += now.input_discards;
  sum.hec_errors = now.hec_errors;  // the link has counted them all
  sum.invalid_label += now.invalid_label;
  sum.output_cells += now.output_cells;
  sum.output_discards += now.output_discards;
  return sum;
}

dataplane::CrossbarCounters EmulatedSwitch::crossed_since_start(PortId port) const {
  dataplane::CrossbarCounters sum = earlier_.crossed[port.value() - 1];
  const dataplane::Crossbar* const crossbar = fabric_->cells().crossbar();
  if (crossbar == nullptr) return sum;
  const dataplane::CrossbarCounters& now = crossbar->counters(port);
  sum.cells += now.cells;
  sum.lost += now.lost;
  sum.passed += now.passed;
  sum.nacks += now.nacks;
  return sum;
}

const dataplane::FrameCounters* EmulatedSwitch::frames_since_start(PortId port) const {
  const auto link = links_.find(port);
  return link == links_.end() ? nullptr : link->second->frame_counters();
}

dataplane::PolicingCounters EmulatedSwitch::policed_since_start() const {
  dataplane::PolicingCounters sum = earlier_.policed;
  const dataplane::PolicingCounters now = policed();
  sum.tagged += now.tagged;
  sum.discarded += now.discarded;
  return sum;
}

void EmulatedSwitch::set_line(PortId port, bool up) { table_->set_line(port, up); }
void EmulatedSwitch::set_card(PortId port, bool in) { table_->set_installed(port, in); }

}  // namespace xbind::emulator
