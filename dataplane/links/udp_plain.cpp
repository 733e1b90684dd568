#include "dataplane/links/udp_link.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "dataplane/links/plain.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::size_t kBatch = 32;  // datagrams in one system call
constexpr std::size_t kCellsPerDatagramMax = 170;
// One more than the largest that is ours, so that a larger one is seen to be.
constexpr std::size_t kDatagramMax = mpls_octets(kCellsPerDatagramMax) + 1;

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
  sockaddr_in& v4() { return reinterpret_cast<sockaddr_in&>(storage); }
  const sockaddr_in& v4() const { return reinterpret_cast<const sockaddr_in&>(storage); }
  sockaddr_in6& v6() { return reinterpret_cast<sockaddr_in6&>(storage); }
  const sockaddr_in6& v6() const { return reinterpret_cast<const sockaddr_in6&>(storage); }

  std::uint16_t port() const {
    return ntohs(storage.ss_family == AF_INET ? v4().sin_port : v6().sin6_port);
  }
  void set_port(std::uint16_t port) {
    (storage.ss_family == AF_INET ? v4().sin_port : v6().sin6_port) = htons(port);
  }
  bool same_host(const Address& other) const {
    if (storage.ss_family != other.storage.ss_family) return false;
    if (storage.ss_family == AF_INET) return v4().sin_addr.s_addr == other.v4().sin_addr.s_addr;
    return std::memcmp(&v6().sin6_addr, &other.v6().sin6_addr, sizeof(in6_addr)) == 0;
  }
};

Result<Address> resolve(const UdpAddress& address) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) {
    return fail(ErrorCode::kBadInput, "'{}' is no IP address: {}", address.host,
                gai_strerror(error));
  }
  Address result;
  std::memcpy(&result.storage, found->ai_addr, found->ai_addrlen);
  result.size = found->ai_addrlen;
  freeaddrinfo(found);
  return result;
}

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// Buffers of kBatch datagrams and what the system calls want to know of them.
struct Batch {
  explicit Batch(std::size_t datagram_octets)
      : octets_each(datagram_octets), octets(kBatch * datagram_octets) {
    for (std::size_t index = 0; index < kBatch; ++index) {
      vectors[index] = {at(index).data(), octets_each};
      messages[index].msg_hdr.msg_iov = &vectors[index];
      messages[index].msg_hdr.msg_iovlen = 1;
    }
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  std::span<std::byte> at(std::size_t index) {
    return std::span(octets).subspan(index * octets_each, octets_each);
  }

  std::size_t octets_each;
  std::vector<std::byte> octets;
  std::array<iovec, kBatch> vectors{};
  std::array<mmsghdr, kBatch> messages{};
};

Result<void> check(const UdpLinkOptions& options) {
  if (options.cells_per_datagram < 1 || options.cells_per_datagram > kCellsPerDatagramMax) {
    return fail(ErrorCode::kBadInput, "{} cells in a datagram, may be 1 to {}",
                options.cells_per_datagram, kCellsPerDatagramMax);
  }
  if (options.form == UdpForm::kMpls &&
      (options.label < kMplsLabelMin || options.label > kMplsLabelMax)) {
    return fail(ErrorCode::kBadInput, "MPLS label {}, may be {} to {}", options.label,
                kMplsLabelMin, kMplsLabelMax);
  }
  return {};
}

}  // namespace

struct UdpLink::State {
  State(const UdpLinkOptions& opts, Socket&& descriptor, const Address& to)
      : options(opts), socket(std::move(descriptor)), peer(to), mpls(opts.label) {
    for (std::size_t index = 0; index < kBatch; ++index) {
      in.messages[index].msg_hdr.msg_name = &sources[index].storage;
      out.messages[index].msg_hdr.msg_name = &peer.storage;
      out.messages[index].msg_hdr.msg_namelen = peer.size;
    }
  }

  bool fill();  // takes one batch of datagrams into `waiting`; returns whether there may be more
  void take(std::span<const std::byte> datagram, const Address& source);
  std::size_t send_batch(std::span<const Cell> cells, bool& full);

  const UdpLinkOptions options;
  Socket socket;
  Address peer;
  LinkCounters counters;

  Batch in{kDatagramMax};
  std::array<Address, kBatch> sources{};
  std::vector<Cell> waiting;  // of at most one batch of datagrams
  std::size_t waiting_begin = 0;
  HecReceiver hec;
  MplsReceiver mpls;

  Batch out{kDatagramMax};
  std::uint16_t sequence = 1;  // of the next datagram
};

Result<std::unique_ptr<UdpLink>> UdpLink::open(const UdpLinkOptions& options) {
  if (auto good = check(options); !good) return tl::make_unexpected(good.error());
  auto local = resolve(options.local);
  if (!local) return tl::make_unexpected(local.error());
  auto peer = resolve(options.peer);
  if (!peer) return tl::make_unexpected(peer.error());
  if (peer->storage.ss_family != local->storage.ss_family) {
    return fail(ErrorCode::kBadInput, "'{}' and '{}' are addresses of two kinds",
                options.local.host, options.peer.host);
  }
  Socket socket(::socket(local->storage.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) {
    return fail(ErrorCode::kSystem, "no UDP socket: {}", std::strerror(errno));
  }
  const int octets =
      static_cast<int>(std::min<std::size_t>(options.socket_buffer_octets, 1U << 30));
  // The system grants what it will; less only means that bursts are lost earlier.
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &octets, sizeof octets);
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &octets, sizeof octets);
  if (bind(socket.get(), local->raw(), local->size) != 0) {
    return fail(ErrorCode::kSystem, "UDP address {} port {}: {}", options.local.host,
                options.local.port, std::strerror(errno));
  }
  return std::unique_ptr<UdpLink>(
      new UdpLink(std::make_unique<State>(options, std::move(socket), *peer)));
}

UdpLink::UdpLink(std::unique_ptr<State> state) : state_(std::move(state)) {}
UdpLink::~UdpLink() = default;

const LinkCounters& UdpLink::counters() const { return state_->counters; }
int UdpLink::descriptor() const { return state_->socket.get(); }
void UdpLink::set_peer_port(std::uint16_t port) { state_->peer.set_port(port); }

std::uint16_t UdpLink::local_port() const {
  Address address;
  address.size = sizeof address.storage;
  if (getsockname(state_->socket.get(), address.raw(), &address.size) != 0) return 0;
  return address.port();
}

std::size_t UdpLink::receive(std::span<Cell> cells) {
  State& state = *state_;
  std::size_t count = 0;
  // A flood of datagrams that are not ours must not keep the caller's thread.
  constexpr unsigned kFillsMax = 8;
  bool more = true;
  for (unsigned fills = 0; count < cells.size() && fills <= kFillsMax; ++fills) {
    const std::size_t part =
        std::min(cells.size() - count, state.waiting.size() - state.waiting_begin);
    std::copy_n(state.waiting.begin() + static_cast<std::ptrdiff_t>(state.waiting_begin), part,
                cells.begin() + static_cast<std::ptrdiff_t>(count));
    count += part;
    state.waiting_begin += part;
    if (state.waiting_begin < state.waiting.size() || !more) break;
    more = state.fill();
  }
  state.counters.cells_in += count;
  return count;
}

bool UdpLink::State::fill() {
  waiting.clear();
  waiting_begin = 0;
  for (std::size_t index = 0; index < kBatch; ++index)
    in.messages[index].msg_hdr.msg_namelen = sizeof(sockaddr_storage);
  const int got = recvmmsg(socket.get(), in.messages.data(), kBatch, MSG_DONTWAIT, nullptr);
  if (got <= 0) return false;
  for (std::size_t index = 0; index < static_cast<std::size_t>(got); ++index)
    take(in.at(index).first(in.messages[index].msg_len), sources[index]);
  return static_cast<std::size_t>(got) == kBatch;
}

void UdpLink::State::take(std::span<const std::byte> datagram, const Address& source) {
  ++counters.datagrams_in;
  const bool any_port = options.form == UdpForm::kMpls;
  if (peer.port() == 0 || !source.same_host(peer) || (!any_port && source.port() != peer.port())) {
    ++counters.foreign;
    return;
  }
  if (options.form == UdpForm::kPlain) {
    Cell cell;
    switch (decode_plain(datagram, options.plain_header, hec, cell)) {
      case PlainVerdict::kCorrected: ++counters.hec_corrected; [[fallthrough]];
      case PlainVerdict::kGood: waiting.push_back(cell); return;
      case PlainVerdict::kHecError: ++counters.hec_errors; return;
      case PlainVerdict::kMalformed: ++counters.malformed; return;
    }
    return;
  }
  switch (datagram.size() == kDatagramMax ? MplsVerdict::kMalformed
                                          : mpls.decode(datagram, waiting)) {
    case MplsVerdict::kCells: return;
    case MplsVerdict::kMalformed: ++counters.malformed; return;
    case MplsVerdict::kForeign: ++counters.foreign; return;
    case MplsVerdict::kOutOfOrder: ++counters.out_of_order; return;
  }
}

std::size_t UdpLink::send(std::span<const Cell> cells) {
  State& state = *state_;
  if (state.peer.port() == 0) return 0;
  std::size_t sent = 0;
  bool full = false;
  while (sent < cells.size() && !full) sent += state.send_batch(cells.subspan(sent), full);
  if (full) ++state.counters.full;
  return sent;
}

// Sends the first kBatch datagrams of `cells`. Returns the cells that are done with, sent or lost.
std::size_t UdpLink::State::send_batch(std::span<const Cell> cells, bool& full) {
  const std::size_t each = options.form == UdpForm::kPlain ? 1 : options.cells_per_datagram;
  std::array<std::size_t, kBatch> counts;  // cells of each datagram
  std::array<std::uint16_t, kBatch> sequences;
  std::size_t used = 0;
  for (std::uint16_t number = sequence; used < kBatch && !cells.empty();
       ++used, number = next_sequence(number)) {
    const std::size_t count = std::min(each, cells.size());
    const std::span<std::byte> octets = out.at(used);
    if (options.form == UdpForm::kMpls) {
      encode_mpls(cells.first(count), options.label, number, octets);
      out.vectors[used].iov_len = mpls_octets(count);
    } else {
      if (options.plain_header == HeaderForm::kUni && cells.front().vpi() > kUniVpiMax) break;
      encode_plain(cells.front(), options.plain_header, octets.first<kCellOctets>());
      out.vectors[used].iov_len = kCellOctets;
    }
    counts[used] = count;
    sequences[used] = number;
    cells = cells.subspan(count);
  }
  if (used == 0) {  // the very first is too wide for a UNI
    ++counters.cells_lost;
    return 1;
  }

  const int got =
      sendmmsg(socket.get(), out.messages.data(), static_cast<unsigned>(used), MSG_DONTWAIT);
  if (got < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == EINTR) {
      full = true;
      return 0;
    }
    // The first datagram is refused for good (no route, too large): it is lost, the others are not.
    counters.cells_lost += counts[0];
    sequence = next_sequence(sequences[0]);
    return counts[0];
  }
  std::size_t done = 0;
  for (std::size_t index = 0; index < static_cast<std::size_t>(got); ++index) {
    done += counts[index];
    sequence = next_sequence(sequences[index]);
  }
  counters.cells_out += done;
  counters.datagrams_out += static_cast<std::uint64_t>(got);
  return done;
}

}  // namespace xbind::dataplane
