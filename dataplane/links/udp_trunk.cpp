#include "dataplane/links/udp_trunk.hpp"

#include <algorithm>
#include <cerrno>
#include <unordered_map>
#include <vector>

#include "dataplane/links/udp_readiness.hpp"
#include "net/udp_socket.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::size_t kCellsPerDatagramMax = 170;
// One octet more than the longest accepted datagram, so that a longer one is detected.
constexpr std::size_t kTrunkDatagramMax = mpls_octets(kCellsPerDatagramMax) + 1;

class Pseudowire;

}  // namespace

struct UdpTrunk::State {
  State(const UdpTrunkOptions& opts, std::shared_ptr<const net::Descriptor> descriptor,
        sa_family_t address_family, Readiness readable)
      : options(opts),
        socket(std::move(descriptor)),
        family(address_family),
        readiness(std::move(readable)) {}

  // Receives one batch of datagrams and passes it to its links; returns whether there may be more.
  bool fill();
  void take(std::span<const std::byte> datagram, const net::SocketAddress& source);
  Pseudowire* find(std::uint32_t label, const net::SocketAddress& host, bool& label_known) const;

  const UdpTrunkOptions options;
  const std::shared_ptr<const net::Descriptor> socket;
  const sa_family_t family;
  Readiness readiness;
  UdpTrunkCounters counters;
  // By label; links with the same label have peers on different hosts.
  std::unordered_map<std::uint32_t, std::vector<Pseudowire*>> links;
  std::size_t link_count = 0;
  std::size_t waiting = 0;  // cells, total of all links
  net::DatagramBatch in{kTrunkDatagramMax};
  net::DatagramBatch out{mpls_octets(kCellsPerDatagramMax)};
};

namespace {

class Pseudowire final : public UdpEnd {
 public:
  Pseudowire(std::shared_ptr<UdpTrunk::State> trunk, const net::SocketAddress& peer,
             std::uint32_t label)
      : trunk_(std::move(trunk)), peer_(peer), label_(label), receiver_(label) {
    trunk_->links[label_].push_back(this);
    ++trunk_->link_count;
  }
  ~Pseudowire() override {
    auto& same_label = trunk_->links[label_];
    std::erase(same_label, this);
    if (same_label.empty()) trunk_->links.erase(label_);
    --trunk_->link_count;
    trunk_->waiting -= waiting();
    trunk_->readiness.set(trunk_->waiting > 0);
  }
  Pseudowire(const Pseudowire&) = delete;
  Pseudowire& operator=(const Pseudowire&) = delete;

  std::size_t receive(std::span<Cell> cells) override;
  std::size_t send(std::span<const Cell> cells) override;
  const LinkCounters& counters() const override { return counters_; }
  std::uint16_t local_port() const override { return net::local_port(*trunk_->socket); }
  void set_peer_port(std::uint16_t port) override { peer_.set_port(port); }
  std::shared_ptr<const net::Descriptor> pollable() const override {
    return trunk_->readiness.pollable();
  }

  const net::SocketAddress& peer() const { return peer_; }
  void arrived(std::span<const std::byte> datagram);

 private:
  std::size_t waiting() const { return waiting_.size() - begin_; }
  std::size_t take_waiting(std::span<Cell> cells);
  std::size_t send_batch(std::span<const Cell> cells, bool& full);

  std::shared_ptr<UdpTrunk::State> trunk_;
  net::SocketAddress peer_;
  std::uint32_t label_;
  MplsReceiver receiver_;
  LinkCounters counters_;
  std::vector<Cell> waiting_;  // from begin_ on
  std::size_t begin_ = 0;
  std::uint16_t sequence_ = 1;  // of the next datagram
};

std::size_t Pseudowire::receive(std::span<Cell> cells) {
  std::size_t count = 0;
  // Bounds the time that a flood of datagrams for other links, or for none, can hold the caller's
  // thread.
  constexpr unsigned kFillsMax = 8;
  bool more = true;
  for (unsigned fills = 0; count < cells.size(); ++fills) {
    count += take_waiting(cells.subspan(count));
    if (count == cells.size() || !more || fills == kFillsMax) break;
    more = trunk_->fill();
  }
  counters_.cells_in += count;
  trunk_->readiness.set(trunk_->waiting > 0);
  return count;
}

std::size_t Pseudowire::take_waiting(std::span<Cell> cells) {
  const std::size_t count = std::min(cells.size(), waiting());
  std::copy_n(waiting_.begin() + static_cast<std::ptrdiff_t>(begin_), count, cells.begin());
  begin_ += count;
  trunk_->waiting -= count;
  // Remove returned cells when they are at least half: on average each cell is moved at most once.
  if (begin_ * 2 >= waiting_.size()) {
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }
  return count;
}

void Pseudowire::arrived(std::span<const std::byte> datagram) {
  ++counters_.datagrams_in;
  const std::size_t before = waiting_.size();
  switch (receiver_.decode(datagram, waiting_)) {
    case MplsVerdict::kCells: break;
    case MplsVerdict::kMalformed: ++counters_.malformed; return;
    case MplsVerdict::kForeign: ++counters_.foreign; return;
    case MplsVerdict::kOutOfOrder: ++counters_.out_of_order; return;
    case MplsVerdict::kExpired: ++counters_.expired; return;
  }
  if (const std::size_t max = trunk_->options.waiting_cells_max; waiting() > max) {
    counters_.overrun += waiting() - max;
    waiting_.resize(begin_ + max);
  }
  trunk_->waiting += waiting_.size() - before;
}

std::size_t Pseudowire::send(std::span<const Cell> cells) {
  if (peer_.port() == 0) return 0;
  std::size_t sent = 0;
  bool full = false;
  while (sent < cells.size() && !full) sent += send_batch(cells.subspan(sent), full);
  if (full) ++counters_.full;
  return sent;
}

// Sends the first of `cells`, as many as one call accepts. Returns how many were sent or lost.
std::size_t Pseudowire::send_batch(std::span<const Cell> cells, bool& full) {
  const std::size_t each = trunk_->options.cells_per_datagram;
  net::DatagramBatch& out = trunk_->out;
  std::size_t used = 0;
  std::uint16_t number = sequence_;
  for (; used < net::DatagramBatch::kSize && used * each < cells.size(); ++used) {
    const auto part = cells.subspan(used * each, std::min(each, cells.size() - used * each));
    encode_mpls(part, label_, number, out.at(used));
    out.put(used, mpls_octets(part.size()), peer_);
    number = next_sequence(number);
  }
  const int got = out.send(*trunk_->socket, used);
  if (got < 0 && net::no_room(errno)) {
    full = true;
    return 0;
  }
  // Otherwise the error is permanent (no route, too large): the first datagram is lost, the others
  // may still be sent.
  const std::size_t datagrams = got < 0 ? 1 : static_cast<std::size_t>(got);
  const std::size_t done = std::min(datagrams * each, cells.size());
  for (std::size_t index = 0; index < datagrams; ++index) sequence_ = next_sequence(sequence_);
  if (got < 0) {
    counters_.cells_lost += done;
  } else {
    counters_.cells_out += done;
    counters_.datagrams_out += datagrams;
  }
  return done;
}

}  // namespace

bool UdpTrunk::State::fill() {
  const std::size_t got = in.receive(*socket);
  for (std::size_t index = 0; index < got; ++index) take(in.received(index), in.sources[index]);
  return got == net::DatagramBatch::kSize;
}

void UdpTrunk::State::take(std::span<const std::byte> datagram, const net::SocketAddress& source) {
  const auto label = mpls_label(datagram);
  if (!label || datagram.size() == kTrunkDatagramMax) {
    ++counters.malformed;
    return;
  }
  bool label_known = false;
  if (Pseudowire* link = find(*label, source, label_known)) {
    link->arrived(datagram);
  } else {
    ++(label_known ? counters.unknown_peer : counters.unknown_label);
  }
}

Pseudowire* UdpTrunk::State::find(std::uint32_t label, const net::SocketAddress& host,
                                  bool& label_known) const {
  const auto found = links.find(label);
  label_known = found != links.end();
  if (!label_known) return nullptr;
  for (Pseudowire* link : found->second) {
    if (link->peer().same_host(host)) return link;
  }
  return nullptr;
}

Result<UdpTrunk> UdpTrunk::open(const UdpTrunkOptions& options) {
  if (options.cells_per_datagram < 1 || options.cells_per_datagram > kCellsPerDatagramMax) {
    return fail(ErrorCode::kBadInput, "{} cells in a datagram, may be 1 to {}",
                options.cells_per_datagram, kCellsPerDatagramMax);
  }
  if (options.waiting_cells_max == 0)
    return fail(ErrorCode::kBadInput, "0 cells may wait in a UDP trunk, must be 1 or more");
  sa_family_t family = 0;
  auto socket = open_socket(options.local, options.socket_buffer_octets, family);
  if (!socket) return tl::make_unexpected(socket.error());
  auto readiness = Readiness::open(**socket);
  if (!readiness) return tl::make_unexpected(readiness.error());
  return UdpTrunk(
      std::make_shared<State>(options, std::move(*socket), family, std::move(*readiness)));
}

Result<std::unique_ptr<UdpEnd>> UdpTrunk::add(const net::UdpAddress& peer, std::uint32_t label) {
  if (label < kMplsLabelMin || label > kMplsLabelMax) {
    return fail(ErrorCode::kBadInput, "MPLS label {}, may be {} to {}", label, kMplsLabelMin,
                kMplsLabelMax);
  }
  const auto address = resolve_peer(peer, state_->options.local, state_->family);
  if (!address) return tl::make_unexpected(address.error());
  bool label_known = false;
  if (state_->find(label, *address, label_known) != nullptr)
    return fail(ErrorCode::kBadInput, "MPLS label {} of {} has a line already", label, peer.host);
  if (state_->link_count >= state_->options.links_max) {
    return fail(ErrorCode::kExhausted, "{} lines on one UDP trunk, no room for label {}",
                state_->link_count, label);
  }
  return std::make_unique<Pseudowire>(state_, *address, label);
}

std::uint16_t UdpTrunk::local_port() const { return net::local_port(*state_->socket); }
std::size_t UdpTrunk::links() const { return state_->link_count; }
const UdpTrunkCounters& UdpTrunk::counters() const { return state_->counters; }
std::shared_ptr<const net::Descriptor> UdpTrunk::pollable() const {
  return state_->readiness.pollable();
}

}  // namespace xbind::dataplane
