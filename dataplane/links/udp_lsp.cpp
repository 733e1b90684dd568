#include "dataplane/links/udp_lsp.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "dataplane/links/udp_readiness.hpp"
#include "net/udp_socket.hpp"

namespace xbind::dataplane {
namespace {

// One octet more than the longest accepted datagram, so that a longer one is detected.
constexpr std::size_t kLspDatagramMax = lsp_octets(kLspCellsMax) + 1;

class UdpLsp final : public UdpEnd {
 public:
  UdpLsp(std::shared_ptr<const net::Descriptor> socket, Readiness readiness,
         const net::SocketAddress& peer, std::size_t cells_per_datagram)
      : socket_(std::move(socket)),
        readiness_(std::move(readiness)),
        peer_(peer),
        cells_per_datagram_(cells_per_datagram) {}

  std::size_t receive(std::span<Cell> cells) override;
  std::size_t send(std::span<const Cell> cells) override;
  const LinkCounters& counters() const override { return counters_; }
  std::uint32_t vpi_max() const override { return kMplsLabelMax >> 16; }
  std::uint16_t local_port() const override { return net::local_port(*socket_); }
  void set_peer_port(std::uint16_t port) override { peer_.set_port(port); }
  std::shared_ptr<const net::Descriptor> pollable() const override { return readiness_.pollable(); }

 private:
  // Call it when no cells wait. Receives one batch of datagrams; returns whether there may be more.
  bool fill();
  void take(std::span<const std::byte> datagram, const net::SocketAddress& source);
  std::size_t send_batch(std::span<const Cell> cells, bool& full);

  std::shared_ptr<const net::Descriptor> socket_;
  Readiness readiness_;
  net::SocketAddress peer_;
  std::size_t cells_per_datagram_;
  LinkCounters counters_;
  std::vector<Cell> waiting_;  // from begin_ on
  std::size_t begin_ = 0;
  net::DatagramBatch in_{kLspDatagramMax};
  net::DatagramBatch out_{lsp_octets(kLspCellsMax)};
};

std::size_t UdpLsp::receive(std::span<Cell> cells) {
  std::size_t count = 0;
  // Bounds the time that a flood of foreign datagrams can hold the caller's thread.
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
  readiness_.set(begin_ < waiting_.size());
  counters_.cells_in += count;
  return count;
}

bool UdpLsp::fill() {
  waiting_.clear();
  begin_ = 0;
  const std::size_t got = in_.receive(*socket_);
  for (std::size_t index = 0; index < got; ++index) take(in_.received(index), in_.sources[index]);
  return got == net::DatagramBatch::kSize;
}

void UdpLsp::take(std::span<const std::byte> datagram, const net::SocketAddress& source) {
  ++counters_.datagrams_in;
  if (peer_.port() == 0 || source.port() != peer_.port() || !source.same_host(peer_)) {
    ++counters_.foreign;
    return;
  }
  switch (decode_lsp(datagram, waiting_)) {
    case LspVerdict::kCells: break;
    case LspVerdict::kMalformed: ++counters_.malformed; break;
    case LspVerdict::kExpired: ++counters_.expired; break;
  }
}

std::size_t UdpLsp::send(std::span<const Cell> cells) {
  if (peer_.port() == 0) return 0;
  std::size_t sent = 0;
  bool full = false;
  while (sent < cells.size() && !full) sent += send_batch(cells.subspan(sent), full);
  if (full) ++counters_.full;
  return sent;
}

// Sends the first of `cells`, as many as one call accepts. Returns how many were sent or lost.
std::size_t UdpLsp::send_batch(std::span<const Cell> cells, bool& full) {
  std::array<std::size_t, net::DatagramBatch::kSize> sizes{};
  std::size_t used = 0;
  for (auto rest = cells; used < sizes.size() && !rest.empty(); ++used) {
    if (!has_lsp_label(rest.front())) break;
    const auto most = rest.first(std::min(rest.size(), cells_per_datagram_));
    const auto other = std::ranges::find_if(
        most, [&](const Cell& cell) { return lsp_label(cell) != lsp_label(most.front()); });
    sizes[used] = static_cast<std::size_t>(other - most.begin());
    encode_lsp(rest.first(sizes[used]), out_.at(used));
    out_.put(used, lsp_octets(sizes[used]), peer_);
    rest = rest.subspan(sizes[used]);
  }
  if (used == 0) {  // the first cell has no valid MPLS label
    ++counters_.cells_lost;
    return 1;
  }
  const int got = out_.send(*socket_, used);
  if (got < 0) {
    full = net::no_room(errno);
    if (full) return 0;
    counters_.cells_lost += sizes[0];  // permanent error (no route); the others may still be sent
    return sizes[0];
  }
  std::size_t done = 0;
  for (std::size_t index = 0; index < static_cast<std::size_t>(got); ++index) done += sizes[index];
  counters_.cells_out += done;
  counters_.datagrams_out += static_cast<std::uint64_t>(got);
  return done;
}

}  // namespace

Result<std::unique_ptr<UdpEnd>> open_udp_lsp(const UdpLspOptions& options) {
  if (options.cells_per_datagram < 1 || options.cells_per_datagram > kLspCellsMax) {
    return fail(ErrorCode::kBadInput, "{} cells in a datagram, may be 1 to {}",
                options.cells_per_datagram, kLspCellsMax);
  }
  sa_family_t family = 0;
  auto socket = open_socket(options.local, options.socket_buffer_octets, family);
  if (!socket) return tl::make_unexpected(socket.error());
  const auto peer = resolve_peer(options.peer, options.local, family);
  if (!peer) return tl::make_unexpected(peer.error());
  auto readiness = Readiness::open(**socket);
  if (!readiness) return tl::make_unexpected(readiness.error());
  return std::make_unique<UdpLsp>(std::move(*socket), std::move(*readiness), *peer,
                                  options.cells_per_datagram);
}

}  // namespace xbind::dataplane
