#include "dataplane/links/udp_cfr.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "dataplane/links/cfr_repacking.hpp"
#include "dataplane/links/udp_peer.hpp"
#include "dataplane/links/udp_readiness.hpp"

namespace xbind::dataplane {
namespace {

// One octet more than a cell, so that a longer datagram is detected.
constexpr std::size_t kCfrDatagramMax = kCfrCellOctets + 1;

class UdpCfr final : public UdpEnd {
 public:
  UdpCfr(UdpPeer peer, Readiness readiness, const UdpCfrOptions& options)
      : peer_(std::move(peer)),
        readiness_(std::move(readiness)),
        clock_(options.clock),
        repacking_(options.wait) {}

  std::size_t receive(std::span<Cell> cells) override;
  std::size_t send(std::span<const Cell> cells) override;
  TimePoint next_due() const override { return repacking_.next_due(); }
  const LinkCounters& counters() const override { return counters_; }
  std::uint32_t vpi_max() const override { return 0; }
  std::uint16_t local_port() const override { return peer_.local_port(); }
  void set_peer_port(std::uint16_t port) override { peer_.set_port(port); }
  std::shared_ptr<const net::Descriptor> pollable() const override { return readiness_.pollable(); }

 private:
  void take(std::span<const std::byte> datagram, TimePoint now);
  bool send_waiting();

  UdpPeer peer_;
  Readiness readiness_;
  std::function<TimePoint()> clock_;
  CfrRepacking repacking_;
  LinkCounters counters_;
  std::vector<Cell> arrived_;  // from begin_ on: not passed to the owner yet
  std::size_t begin_ = 0;
  std::vector<CfrCell> leaving_;  // not accepted by the socket yet
  net::DatagramBatch in_{kCfrDatagramMax};
  net::DatagramBatch out_{kCfrCellOctets};
};

std::size_t UdpCfr::receive(std::span<Cell> cells) {
  const TimePoint now = clock_();
  repacking_.expire(now, leaving_, arrived_);
  send_waiting();
  // Bounds the time that a flood of datagrams without cells can hold the caller's thread.
  constexpr unsigned kFillsMax = 8;
  for (unsigned fills = 0; arrived_.size() - begin_ < cells.size() && fills < kFillsMax; ++fills) {
    const std::size_t got =
        peer_.receive(in_, net::DatagramBatch::kSize, counters_,
                      [&](std::span<const std::byte> datagram) { take(datagram, now); });
    if (got < net::DatagramBatch::kSize) break;
  }
  const std::size_t count = std::min(cells.size(), arrived_.size() - begin_);
  std::copy_n(arrived_.begin() + static_cast<std::ptrdiff_t>(begin_), count, cells.begin());
  begin_ += count;
  if (begin_ == arrived_.size()) {
    arrived_.clear();
    begin_ = 0;
  }
  readiness_.set(begin_ < arrived_.size());
  counters_.cells_in += count;
  return count;
}

void UdpCfr::take(std::span<const std::byte> datagram, TimePoint now) {
  CfrCell cell;
  switch (decode_cfr(datagram, cell)) {
    case CfrVerdict::kGood: repacking_.from_ring(cell, now, arrived_); break;
    case CfrVerdict::kCrcError: ++counters_.hec_errors; break;
    case CfrVerdict::kMalformed: ++counters_.malformed; break;
  }
}

// Sends what the ring is to get. False: the socket is full.
bool UdpCfr::send_waiting() {
  std::size_t done = 0;
  bool full = false;
  while (done < leaving_.size() && !full) {
    const std::size_t used = std::min(leaving_.size() - done, net::DatagramBatch::kSize);
    for (std::size_t index = 0; index < used; ++index) {
      encode_cfr(leaving_[done + index], out_.at(index).first<kCfrCellOctets>());
      peer_.put(out_, index, kCfrCellOctets);
    }
    const UdpPeer::Sent result = peer_.send(out_, used, counters_);
    counters_.cells_lost += result.lost;
    done += result.sent + result.lost;
    full = result.full;
  }
  leaving_.erase(leaving_.begin(), leaving_.begin() + static_cast<std::ptrdiff_t>(done));
  return leaving_.empty();
}

std::size_t UdpCfr::send(std::span<const Cell> cells) {
  if (!peer_.known()) return 0;
  const TimePoint now = clock_();
  // A few at a time, because these wait here while the socket is full.
  constexpr std::size_t kAtOnce = net::DatagramBatch::kSize;
  std::size_t sent = 0;
  while (sent < cells.size() && send_waiting()) {
    const auto part = cells.subspan(sent, std::min(kAtOnce, cells.size() - sent));
    for (const Cell& cell : part) {
      if (cell.vpi() != 0 || !cell.user_data()) {
        ++counters_.cells_lost;
      } else {
        repacking_.to_ring(cell, now, leaving_);
        ++counters_.cells_out;
      }
    }
    sent += part.size();
  }
  if (!send_waiting()) ++counters_.full;
  return sent;
}

}  // namespace

Result<std::unique_ptr<UdpEnd>> open_udp_cfr(const UdpCfrOptions& options) {
  auto peer = UdpPeer::open(options.local, options.peer, options.socket_buffer_octets);
  if (!peer) return tl::make_unexpected(peer.error());
  auto readiness = Readiness::open(*peer->socket());
  if (!readiness) return tl::make_unexpected(readiness.error());
  return std::make_unique<UdpCfr>(std::move(*peer), std::move(*readiness), options);
}

}  // namespace xbind::dataplane
