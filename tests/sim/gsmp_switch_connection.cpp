// GsmpSwitch: the connection between driver and agent, and what it carries.
#include <fmt/format.h>

#include <algorithm>

#include "gsmp/codec.hpp"
#include "tests/sim/gsmp_switch.hpp"

namespace xbind::sim {
namespace {

constexpr Duration kSlowest = milliseconds{3};     // delay of one chunk, each way
constexpr Duration kReconnect = milliseconds{50};  // time until the next attempt, at most
constexpr std::uint64_t kHalfOpen = 25;            // percent of broken connections

}  // namespace

Result<void> GsmpSwitch::send(std::span<const std::byte> octets) {
  if (!connected_) return fail(ErrorCode::kUnreachable, "{} is not connected", name_);
  transport_.octets_out += octets.size();
  const TimePoint last = to_switch_.empty() ? world_.now : to_switch_.back().when;
  const TimePoint when = std::max(last, world_.now + world_.chance.up_to(kSlowest));
  to_switch_.push_back({when, {octets.begin(), octets.end()}});
  world_.agenda.schedule(when, [this, of = incarnation_] {
    if (of == incarnation_) arrive_at_switch();
  });
  return {};
}

void GsmpSwitch::arrive_at_switch() {
  if (stopped()) return;  // stop_until() looks again
  while (connected_ && !to_switch_.empty() && to_switch_.front().when <= world_.now) {
    const wire::Buffer octets = std::move(to_switch_.front().octets);
    to_switch_.pop_front();
    count(seen_by_switch_, octets, "agent hears");
    agent_->receive(controller_, octets, world_.now);
    after_agent();
  }
}

void GsmpSwitch::arrive_at_driver() {
  const wire::Buffer octets = std::move(to_driver_.front().octets);
  to_driver_.pop_front();
  transport_.octets_in += octets.size();
  count(seen_by_driver_, octets, "driver hears");
  const std::span<const std::byte> all(octets);
  const std::size_t first =
      world_.chance.percent(10) ? world_.chance.below(all.size()) : all.size();
  if (first != 0) upcalls_.on_octets(all.first(first));
  if (first != all.size()) upcalls_.on_octets(all.subspan(first));
}

// The agent has acted: its output is now in flight.
void GsmpSwitch::after_agent() {
  (void)agent_->take_notices();
  for (std::size_t i = 0; i < deserted_.size();) {
    agent_->take_output(deserted_[i], scratch_);
    if (agent_->to_close(deserted_[i])) {
      agent_->closed(deserted_[i], world_.now);
      deserted_.erase(deserted_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  if (!connected_) return;
  agent_->take_output(controller_, scratch_);
  if (!scratch_.empty()) on_its_way_to_driver(std::exchange(scratch_, {}));
  if (const auto why = agent_->to_close(controller_)) {
    ++world_.tally["agent: connections closed"];
    cut(*why);
    connect_soon();
  }
}

void GsmpSwitch::on_its_way_to_driver(wire::Buffer octets) {
  const TimePoint last = to_driver_.empty() ? world_.now : to_driver_.back().when;
  const TimePoint when = std::max(last, world_.now + world_.chance.up_to(kSlowest));
  to_driver_.push_back({when, std::move(octets)});
  world_.agenda.schedule(when, [this, of = incarnation_] {
    if (of == incarnation_) arrive_at_driver();
  });
}

void GsmpSwitch::reset_adjacency() {
  if (!connected_ || !up_ || stopped() || !last_adjacency_) return;
  ++world_.tally["adjacencies reset"];
  gsmp::AdjacencyMessage reset = *last_adjacency_;
  reset.code = gsmp::AdjacencyCode::kRstAck;
  wire::Buffer frame;
  gsmp::append_frame(frame, reset);
  on_its_way_to_driver(frame);
  std::swap(reset.sender, reset.receiver);
  frame.clear();
  gsmp::append_frame(frame, reset);
  count(seen_by_switch_, frame, "agent hears");
  agent_->receive(controller_, frame, world_.now);
  after_agent();
}

void GsmpSwitch::drift(const CrossConnect& at) {
  lost_.insert(at);
  (void)fabric_->delete_branch(at.input_port, at.input_label, at.output_port, at.output_label);
  changed();
}

void GsmpSwitch::tell_controllers(std::uint8_t controllers) {
  if (!connected_ || !up_ || stopped() || !last_adjacency_) return;
  gsmp::Event event;
  event.header.type = gsmp::MessageType::kAdjacencyUpdate;
  event.header.version = last_adjacency_->version;
  event.header.partition = last_adjacency_->partition;
  event.header.result = gsmp::ResultField::kEvent;
  event.header.code = static_cast<gsmp::FailureCode>(controllers);
  wire::Buffer frame;
  gsmp::append_frame(frame, event);
  on_its_way_to_driver(std::move(frame));
}

void GsmpSwitch::cut(const std::string& reason) {
  if (!connected_) return;
  std::size_t octets = 0;
  for (const OnItsWay& chunk : to_switch_) octets += chunk.octets.size();
  std::size_t arrive = octets == 0 || stopped() ? 0 : world_.chance.below(octets + 1);
  for (const OnItsWay& chunk : to_switch_) {
    const std::size_t part = std::min(arrive, chunk.octets.size());
    if (part != 0) {
      agent_->receive(controller_, std::span(chunk.octets).first(part), world_.now);
    }
    arrive -= part;
  }
  connected_ = false;
  ++incarnation_;
  to_switch_.clear();
  to_driver_.clear();
  leave_controller();
  upcalls_.on_closed(reason);
}

// The switch notices at once, or, when the line is dead, after its time of silence.
void GsmpSwitch::leave_controller() {
  if (world_.chance.percent(kHalfOpen)) {
    ++world_.tally["connections half open"];
    deserted_.push_back(controller_);
  } else {
    agent_->closed(controller_, world_.now);
  }
  after_agent();
}

void GsmpSwitch::connect_soon() {
  if (std::exchange(connecting_, true)) return;
  world_.after(world_.chance.up_to(kReconnect), [this] {
    connecting_ = false;
    connect();
  });
}

void GsmpSwitch::connect() {
  if (connected_ || !reachable_) return;
  const auto accepted = agent_->connected(world_.now);
  if (!accepted) {  // the agent still believes in too many controllers
    upcalls_.on_failed(accepted.error().text);
    connect_soon();
    return;
  }
  ++transport_.connections;
  controller_ = *accepted;
  connected_ = true;
  last_adjacency_.reset();
  seen_by_switch_ = {};
  seen_by_driver_ = {};
  upcalls_.on_connected();
  after_agent();
}

// Counts the kinds of messages that arrive, for the coverage rows.
void GsmpSwitch::count(gsmp::FrameReader& frames, std::span<const std::byte> octets,
                       std::string_view where) {
  (void)frames.feed(octets, [&](std::span<const std::byte> message) {
    if (const auto adjacency = gsmp::decode_adjacency(message);
        message[1] == static_cast<std::byte>(gsmp::MessageType::kAdjacency) && adjacency) {
      ++world_.tally[fmt::format("{}: {}", where, to_string(adjacency->code))];
      if (&frames == &seen_by_driver_) last_adjacency_ = *adjacency;
      return true;
    }
    const auto decoded = gsmp::decode_header(message);
    if (!decoded) return true;
    const gsmp::Header& header = decoded->header;
    const bool failed = header.result == gsmp::ResultField::kFailure;
    ++world_.tally[fmt::format("{}: {}{}", where, to_string(header.type), failed ? " failed" : "")];
    return true;
  });
}

}  // namespace xbind::sim
