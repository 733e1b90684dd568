// A server between its lower layers: takes frames from lines, decides, and sends each PDU when the
// contracts of the lines by which it leaves have room for it. Until then it waits in the buffer of
// the port on which it came, 10 PDUs long; what finds that buffer full is dropped whole.
//
//   received() ──▶ buffer of the port ──▶ Forwarder ──▶ pace of each output ──▶ Lines::send()
//        └─ nothing waits: without the buffer, and without a copy ─┘
//
// Pure; one thread at a time; the caller passes the time, which does not go back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/wire/writer.hpp"
#include "smds/forwarder.hpp"

namespace xbind::smds {

// Where PDUs leave: the lower layers of all ports.
class Lines {
 public:
  virtual ~Lines() = default;
  // Whether the line of the port takes a PDU of any length now.
  virtual bool room(PortIndex port) const = 0;
  // Sends `head`, if any, and `pdu` as one frame. Only after room().
  virtual void send(PortIndex port, std::span<const std::byte> head,
                    std::span<const std::byte> pdu) = 0;
};

inline constexpr std::size_t kBufferPdusMax = 1024;

struct ServerOptions {
  PduLimits limits{};
  std::size_t buffer_pdus = 10;  // of each port, 1..kBufferPdusMax
  // Octets of PDUs that the server takes in; 0: as fast as it can. A server on a computer whose
  // interface limits it.
  std::uint64_t interface_octets_per_s = 0;
};

// The time at which a line with a rate has sent what it was given.
class Pace {
 public:
  // 0: without a limit.
  explicit Pace(std::uint64_t octets_per_s) : octets_per_s_(octets_per_s) {}

  TimePoint free_at() const { return free_at_; }
  bool free(TimePoint now) const { return free_at_ <= now; }
  void spend(std::size_t octets, TimePoint now);

 private:
  std::uint64_t octets_per_s_;
  TimePoint free_at_{};
};

class Server {
 public:
  // `lines` must outlive the server.
  Server(const Network& network, std::uint32_t server, const ServerOptions& options, Lines& lines);

  Forwarder& forwarder() { return forwarder_; }
  const Forwarder& forwarder() const { return forwarder_; }

  // A frame has come in on a port; valid during the call.
  void received(PortIndex in, std::span<const std::byte> frame, TimePoint now);
  // Sends what has waited, in turns between the ports. Call it when lines may have room again, and
  // at next_due().
  void serve(TimePoint now);
  // When something that waits may be sent as far as the rates are concerned; kNever: nothing waits.
  TimePoint next_due() const;

  std::size_t waiting(PortIndex port) const { return buffers_[port].size(); }

 private:
  struct Waiting {
    wire::Buffer octets;
    bool decided = false;
    Decision decision;
  };

  bool can_send(const Decision& decision, TimePoint now) const;
  void send(std::span<const std::byte> frame, const Decision& decision, TimePoint now);
  void keep(PortIndex in, std::span<const std::byte> frame, bool decided);
  // Sends the first PDU of the port's buffer if it can; false: it waits.
  bool serve_one(PortIndex in, TimePoint now);

  const ServerOptions options_;
  Lines& lines_;
  Forwarder forwarder_;
  Pace interface_;
  std::vector<Pace> paces_;                   // of the outputs
  std::vector<std::deque<Waiting>> buffers_;  // of the inputs
  std::size_t waiting_ = 0;                   // of all ports
  PortIndex turn_ = 0;
  Decision decision_;
  std::vector<Waiting> spare_;  // whose memory is used again
};

}  // namespace xbind::smds
