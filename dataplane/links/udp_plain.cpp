#include "dataplane/links/udp_plain.hpp"

#include <algorithm>
#include <utility>

#include "dataplane/links/plain.hpp"
#include "dataplane/links/udp_peer.hpp"

namespace xbind::dataplane {
namespace {

// One octet more than a cell, so that a longer datagram is detected.
constexpr std::size_t kPlainDatagramMax = kCellOctets + 1;

class UdpPlain final : public UdpEnd {
 public:
  UdpPlain(UdpPeer peer, HeaderForm form) : peer_(std::move(peer)), form_(form) {}

  std::size_t receive(std::span<Cell> cells) override;
  std::size_t send(std::span<const Cell> cells) override;
  const LinkCounters& counters() const override { return counters_; }
  std::uint32_t vpi_max() const override {
    return form_ == HeaderForm::kUni ? kUniVpiMax : kVpiMax;
  }
  std::uint16_t local_port() const override { return peer_.local_port(); }
  void set_peer_port(std::uint16_t port) override { peer_.set_port(port); }
  std::shared_ptr<const net::Descriptor> pollable() const override { return peer_.socket(); }

 private:
  // Returns whether `cell` is set.
  bool take(std::span<const std::byte> datagram, Cell& cell);
  std::size_t send_batch(std::span<const Cell> cells, bool& full);

  UdpPeer peer_;
  HeaderForm form_;
  LinkCounters counters_;
  HecReceiver hec_;
  net::DatagramBatch in_{kPlainDatagramMax};
  net::DatagramBatch out_{kCellOctets};
};

std::size_t UdpPlain::receive(std::span<Cell> cells) {
  std::size_t count = 0;
  // Bounds the time that a flood of foreign datagrams can hold the caller's thread.
  constexpr unsigned kFillsMax = 8;
  for (unsigned fills = 0; count < cells.size() && fills < kFillsMax; ++fills) {
    // No more than requested: poll() reports the datagrams that stay in the socket.
    const std::size_t wanted = std::min(cells.size() - count, net::DatagramBatch::kSize);
    const std::size_t got = peer_.receive(in_, wanted, counters_, [&](auto datagram) {
      if (take(datagram, cells[count])) ++count;
    });
    if (got < wanted) break;
  }
  counters_.cells_in += count;
  return count;
}

bool UdpPlain::take(std::span<const std::byte> datagram, Cell& cell) {
  switch (decode_plain(datagram, form_, hec_, cell)) {
    case PlainVerdict::kCorrected: ++counters_.hec_corrected; return true;
    case PlainVerdict::kGood: return true;
    case PlainVerdict::kHecError: ++counters_.hec_errors; return false;
    case PlainVerdict::kMalformed: ++counters_.malformed; return false;
  }
  return false;
}

std::size_t UdpPlain::send(std::span<const Cell> cells) {
  if (!peer_.known()) return 0;
  std::size_t sent = 0;
  bool full = false;
  while (sent < cells.size() && !full) sent += send_batch(cells.subspan(sent), full);
  if (full) ++counters_.full;
  return sent;
}

// Sends the first of `cells`, as many as one call accepts. Returns how many were sent or lost.
std::size_t UdpPlain::send_batch(std::span<const Cell> cells, bool& full) {
  std::size_t used = 0;
  for (; used < net::DatagramBatch::kSize && used < cells.size(); ++used) {
    if (form_ == HeaderForm::kUni && cells[used].vpi() > kUniVpiMax) break;
    encode_plain(cells[used], form_, out_.at(used).first<kCellOctets>());
    peer_.put(out_, used, kCellOctets);
  }
  if (used == 0) {  // the VPI of the first cell does not fit a UNI
    ++counters_.cells_lost;
    return 1;
  }
  const UdpPeer::Sent result = peer_.send(out_, used, counters_);
  full = result.full;
  counters_.cells_lost += result.lost;
  counters_.cells_out += result.sent;
  return result.sent + result.lost;
}

}  // namespace

Result<std::unique_ptr<UdpEnd>> open_udp_plain(const UdpPlainOptions& options) {
  auto peer = UdpPeer::open(options.local, options.peer, options.socket_buffer_octets);
  if (!peer) return tl::make_unexpected(peer.error());
  return std::make_unique<UdpPlain>(std::move(*peer), options.form);
}

}  // namespace xbind::dataplane
