#include "smds/atm_layer.hpp"

#include <utility>

namespace xbind::smds {
namespace {

constexpr std::uint16_t kMid = 1;  // of the one frame that a server sends at a time

dataplane::Aal5ReceiverOptions aal5_options(std::size_t frame_octets_max) {
  dataplane::Aal5ReceiverOptions options;
  options.frame_octets_max = frame_octets_max;
  return options;
}

std::uint16_t vpi(Label label) { return static_cast<std::uint16_t>(vpi_of(label)); }
std::uint16_t vci(Label label) { return static_cast<std::uint16_t>(vci_of(label)); }

}  // namespace

AtmLayer::AtmLayer(dataplane::HostLine& line, std::size_t frame_octets_max)
    : line_(line), frame_octets_max_(frame_octets_max), aal5_(aal5_options(frame_octets_max)) {
  dataplane::HostCallbacks callbacks;
  callbacks.on_cell = [this](const dataplane::Cell& cell, TimePoint now) { take(cell, now); };
  line_.set_callbacks(std::move(callbacks));
}

void AtmLayer::open(PortIndex port, Adaptation adaptation, Label send, Label receive,
                    std::uint32_t mcdus) {
  Open& open = open_[port];
  if (open.receive.present() && open.receive != receive) {
    port_of_.erase(open.receive.value);
    aal5_.forget(vpi(open.receive), vci(open.receive));
    aal34_.erase(port);
  }
  open.adaptation = adaptation;
  open.send = send;
  open.receive = receive;
  open.mcdus = mcdus;
  if (!receive.present()) return;
  port_of_[receive.value] = port;
  if (adaptation == Adaptation::kAal34) {
    aal34_.try_emplace(port, dataplane::Aal34ReceiverOptions{.frame_octets_max = frame_octets_max_,
                                                             .mids_max = mcdus});
  }
}

bool AtmLayer::room() const {
  // A copy of a group's PDU may go to every port. AAL3/4 needs more cells than AAL5, which has 48
  // octets of each.
  return line_.room() >= dataplane::aal34_cells(frame_octets_max_) * open_.size();
}

void AtmLayer::send(PortIndex port, std::span<const std::byte> head,
                    std::span<const std::byte> body) {
  const auto found = open_.find(port);
  if (found == open_.end() || !found->second.send.present()) return;
  Open& open = found->second;
  cells_.clear();
  const bool cut = [&] {
    if (open.adaptation == Adaptation::kAal34) {
      const dataplane::Aal34Sending sending{
          .vpi = vpi(open.send), .vci = vci(open.send), .mid = kMid, .tag = ++open.tag};
      return dataplane::aal34_segment(head, body, sending, cells_).has_value();
    }
    const dataplane::Aal5Sending sending{.vpi = vpi(open.send), .vci = vci(open.send)};
    return dataplane::aal5_segment(head, body, sending, cells_).has_value();
  }();
  ++(cut && line_.send_cells(cells_) ? counters_.frames_out : counters_.frames_refused);
}

std::size_t AtmLayer::poll(TimePoint now, const Deliver& deliver) {
  deliver_ = &deliver;
  const std::size_t moved = line_.poll(now);
  deliver_ = nullptr;
  return moved;
}

void AtmLayer::take(const dataplane::Cell& cell, TimePoint now) {
  const auto found = port_of_.find(cell.header >> 4);
  if (found == port_of_.end()) {
    ++counters_.unknown_label_cells;
    return;
  }
  if (open_.at(found->second).adaptation == Adaptation::kAal34) {
    return take_aal34(found->second, cell, now);
  }
  const dataplane::Aal5Outcome outcome = aal5_.push(cell, now);
  if (outcome == dataplane::Aal5Outcome::kFrame) {
    ++counters_.frames_in;
    if (deliver_ != nullptr) (*deliver_)(found->second, aal5_.frame().octets, now);
  } else if (outcome != dataplane::Aal5Outcome::kMore &&
             outcome != dataplane::Aal5Outcome::kSkipped) {
    ++counters_.bad_frames;
  }
}

void AtmLayer::take_aal34(PortIndex port, const dataplane::Cell& cell, TimePoint now) {
  dataplane::Aal34Receiver& receiver = aal34_.at(port);
  switch (receiver.push(cell, now)) {
    case dataplane::Aal34Outcome::kFrame:
      ++counters_.frames_in;
      if (deliver_ != nullptr) (*deliver_)(port, receiver.frame(), now);
      break;
    case dataplane::Aal34Outcome::kNoRoom:
      ++counters_.too_many_at_once;
      ++open_.at(port).too_many;
      break;
    case dataplane::Aal34Outcome::kMore:
    case dataplane::Aal34Outcome::kSkipped: break;
    default: ++counters_.bad_frames;
  }
}

void AtmLayer::expire(TimePoint now) {
  aal5_.expire(now);
  for (auto& [port, receiver] : aal34_) receiver.expire(now);
}

std::uint64_t AtmLayer::too_many(PortIndex port) const {
  const auto found = open_.find(port);
  return found == open_.end() ? 0 : found->second.too_many;
}

}  // namespace xbind::smds
