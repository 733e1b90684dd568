#include "dataplane/links/packet_line.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/label.hpp"
#include "core/log.hpp"
#include "dataplane/links/frame_line.hpp"
#include "dataplane/links/packet_socket.hpp"
#include "dataplane/links/udp_readiness.hpp"

namespace xbind::dataplane {
namespace {

// What an operator should know about the first frame dropped for a reason.
std::string_view words(FrameDrop reason) {
  switch (reason) {
    case FrameDrop::kTooLong: return "it is longer than the interface's MTU";
    case FrameDrop::kTooShort: return "it is shorter than an Ethernet header";
    case FrameDrop::kChecksum:
      return "its sender left the checksum to its interface; turn that off at the sender: "
             "ethtool -K IFACE tx off";
    case FrameDrop::kTag: return "its VLAN tag is not one of 802.1Q with VLAN 0 to 4094";
    case FrameDrop::kBadTrailer: return "its cells are no whole AAL5 frame";
    case FrameDrop::kBadHeader: return "its cells are no bridged Ethernet frame of RFC 2684";
    case FrameDrop::kNotSent: return "the interface is down or away, or refused it";
    case FrameDrop::kNoCall: return "no call has its label at this port";
    case FrameDrop::kNotMpls: return "it has no MPLS label";
    case FrameDrop::kLabel: return "it has more than one MPLS label, or a reserved one";
    case FrameDrop::kExpired: return "its time to live is over";
    case FrameDrop::kNotIpv4: return "it is not IPv4, and a bridge takes nothing else";
    case FrameDrop::kOam:
      return "it is of OAM or resource management, and a bridge takes frames alone";
  }
  return "";
}

class Line final : public PacketLine {
 public:
  Line(const PacketLineOptions& options, std::unique_ptr<PacketSocket> socket, Readiness readiness)
      : interface_(options.interface),
        socket_(std::move(socket)),
        readiness_(std::move(readiness)),
        frames_(options.classes,
                options.labels ? FrameLine::Form::kLabels : FrameLine::Form::kHost) {
    frames_.set_mtu(socket_->mtu());
    frames_.set_on_drop([this](FrameDrop reason) { log_first(reason); });
  }

  std::size_t receive(std::span<Cell> cells) override;
  std::size_t send(std::span<const Cell> cells) override;
  const LinkCounters& counters() const override { return counters_; }
  std::uint32_t vpi_max() const override { return kMplsLabelMax >> 16; }
  const FrameCounters* frame_counters() const override { return &frames_.counters(); }
  void set_has_call(std::function<bool(std::uint32_t)> has_call) override {
    frames_.set_has_call(std::move(has_call));
  }
  std::shared_ptr<const net::Descriptor> pollable() const override { return readiness_.pollable(); }

 private:
  // Call it when no cells wait. Receives one batch of frames; returns whether there may be more.
  bool fill();
  void flush();
  void follow_interface();
  void log_first(FrameDrop reason);
  void settle();

  std::string interface_;
  std::unique_ptr<PacketSocket> socket_;
  Readiness readiness_;
  FrameLine frames_;
  LinkCounters counters_;
  std::vector<Cell> waiting_;  // from begin_ on
  std::size_t begin_ = 0;
  std::array<bool, kFrameDrops> logged_{};
};

std::size_t Line::receive(std::span<Cell> cells) {
  if (socket_->waiting() > 0) flush();
  std::size_t count = 0;
  // Bounds the time that a flood of dropped frames can hold the caller's thread.
  constexpr unsigned kFillsMax = 8;
  bool more = true;
  for (unsigned fills = 0;; ++fills) {
    const std::size_t part = std::min(cells.size() - count, waiting_.size() - begin_);
    std::copy_n(waiting_.begin() + static_cast<std::ptrdiff_t>(begin_), part,
                cells.begin() + static_cast<std::ptrdiff_t>(count));
    begin_ += part;
    count += part;
    if (count == cells.size() || !more || fills == kFillsMax) break;
    more = fill();
  }
  counters_.cells_in += count;
  settle();
  return count;
}

bool Line::fill() {
  waiting_.clear();
  begin_ = 0;
  const std::size_t got = socket_->receive();
  for (std::size_t index = 0; index < got; ++index) {
    frames_.take_frame(socket_->received(index), waiting_);
  }
  counters_.datagrams_in += got;
  if (got == 0) follow_interface();
  return got == PacketSocket::kBatch;
}

void Line::follow_interface() {
  const bool was_there = socket_->mtu() > 0;
  if (!socket_->look_again()) return;
  const bool there = socket_->mtu() > 0;
  if (there) frames_.set_mtu(socket_->mtu());
  if (was_there && !there) log::warn("interface {} is away; its frames are dropped", interface_);
  if (!was_there && there) log::info("interface {} is there again", interface_);
}

std::size_t Line::send(std::span<const Cell> cells) {
  std::size_t taken = 0;
  while (taken < cells.size()) {
    if (!socket_->room()) flush();
    if (!socket_->room()) break;
    const std::span<const std::byte> frame = frames_.take_cell(cells[taken++]);
    if (frame.empty()) continue;
    if (socket_->mtu() == 0) {
      frames_.not_sent(frame, FrameDrop::kNotSent);
    } else {
      socket_->put(frame);
    }
  }
  if (socket_->waiting() > 0) flush();
  if (taken < cells.size()) ++counters_.full;
  counters_.cells_out += taken;
  settle();
  return taken;
}

void Line::flush() {
  socket_->flush([this](PacketSocket::Sent sent, std::span<const std::byte> frame) {
    if (sent == PacketSocket::Sent::kFrame) {
      ++counters_.datagrams_out;
      frames_.sent();
    } else {
      frames_.not_sent(
          frame, sent == PacketSocket::Sent::kTooLong ? FrameDrop::kTooLong : FrameDrop::kNotSent);
    }
  });
}

void Line::log_first(FrameDrop reason) {
  if (std::exchange(logged_[static_cast<std::size_t>(reason)], true)) return;
  const std::string_view what = reason == FrameDrop::kOam ? "cell" : "frame";
  // Hosts send frames before their first call, and other protocols beside IPv4.
  if (reason == FrameDrop::kNoCall || reason == FrameDrop::kNotIpv4) {
    log::info("interface {}: a {} is dropped: {}; further ones are only counted", interface_, what,
              words(reason));
  } else {
    log::warn("interface {}: a {} is dropped: {}; further ones are only counted", interface_, what,
              words(reason));
  }
}

void Line::settle() {
  counters_.frame_cells_in = frames_.counters().cells_dropped_in;
  counters_.frame_cells_out = frames_.counters().cells_dropped_out;
  readiness_.set(begin_ < waiting_.size() || socket_->waiting() > 0);
}

}  // namespace

Result<std::unique_ptr<PacketLine>> open_packet_line(const PacketLineOptions& options) {
  auto socket = PacketSocket::open(options.interface, options.socket_buffer_octets);
  if (!socket) return tl::make_unexpected(socket.error());
  auto readiness = Readiness::open((*socket)->frames());
  if (!readiness) return tl::make_unexpected(readiness.error());
  if (!readiness->watch((*socket)->changes())) {
    return fail(ErrorCode::kSystem, "no descriptors for interface {}", options.interface);
  }
  return std::make_unique<Line>(options, std::move(*socket), std::move(*readiness));
}

}  // namespace xbind::dataplane
