// The frames of one network interface: a non-blocking AF_PACKET socket (packet(7)), read and
// written in batches. Needs CAP_NET_RAW.
//
// It sees what the interface receives, also frames to other addresses (promiscuous mode), and not
// what this host sends there. The kernel takes the outer VLAN tag out of a received frame and
// reports it apart (PACKET_AUXDATA). Frames are sent as given.
//
// The interface may be deleted and made again, or be taken down: a second socket (rtnetlink(7))
// reports changes of interfaces, and the packet socket is bound again to the interface of that
// name. Nothing polls while nothing happens.
//
// One thread. The only file that knows AF_PACKET.
#pragma once

#include <linux/if_packet.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "dataplane/links/frame_line.hpp"
#include "net/descriptor.hpp"

namespace xbind::dataplane {

class PacketSocket {
 public:
  static constexpr std::size_t kBatch = 32;

  // kSystem: no permission, or no interface of this name.
  static Result<std::unique_ptr<PacketSocket>> open(const std::string& interface,
                                                    std::size_t socket_buffer_octets);
  PacketSocket(const PacketSocket&) = delete;
  PacketSocket& operator=(const PacketSocket&) = delete;

  // Readable: receive() has frames, look_again() has something to look at.
  const net::Descriptor& frames() const { return *frames_; }
  const net::Descriptor& changes() const { return *changes_; }

  // Whether interfaces have changed since the last call; then mtu() is current, and the socket is
  // bound to the interface if it is there.
  bool look_again();
  // Of the interface, in octets; 0: it is away.
  std::size_t mtu() const { return mtu_; }

  // Receives up to kBatch frames that have arrived; returns their number, 0 also after an error.
  std::size_t receive();
  // A frame of the last receive(); valid until the next one.
  ReceivedFrame received(std::size_t index);

  // Room for one more frame to be sent; at most kBatch wait.
  bool room() const { return waiting_ < kBatch; }
  std::size_t waiting() const { return waiting_; }
  // Copies a frame, of at most frame_octets_max(mtu()) octets. There must be room.
  void put(std::span<const std::byte> frame);
  enum class Sent : std::uint8_t { kFrame, kLater, kTooLong, kRefused };
  // Sends the waiting frames, in order; calls `done` for each that is no longer waiting. Stops at
  // the first that must be sent later.
  template <class Done>  // (Sent, frame)
  void flush(const Done& done) {
    std::size_t begin = 0;
    while (begin < waiting_) {
      const Attempt attempt = send_from(begin);
      for (std::size_t index = 0; index < attempt.sent; ++index)
        done(Sent::kFrame, out_at(begin + index));
      begin += attempt.sent;
      if (attempt.failed == Sent::kLater) break;
      if (attempt.failed != Sent::kFrame) done(attempt.failed, out_at(begin++));
    }
    keep_from(begin);
  }

 private:
  struct Attempt {
    std::size_t sent = 0;
    Sent failed = Sent::kFrame;  // of the frame after these; kFrame: none
  };
  // Room for one control message, that of PACKET_AUXDATA.
  struct Control {
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(tpacket_auxdata))> octets;
  };

  PacketSocket(std::string interface, std::unique_ptr<const net::Descriptor> frames,
               std::unique_ptr<const net::Descriptor> changes)
      : interface_(std::move(interface)),
        frames_(std::move(frames)),
        changes_(std::move(changes)) {}
  // Finds the interface by its name and binds to it. False: it cannot be bound; errno says why.
  bool bind_again();
  bool bind_to(int number);
  void set_mtu(std::size_t mtu);
  Attempt send_from(std::size_t begin);
  void keep_from(std::size_t begin);
  std::span<const std::byte> out_at(std::size_t index) const;

  std::string interface_;
  std::unique_ptr<const net::Descriptor> frames_;
  std::unique_ptr<const net::Descriptor> changes_;
  int bound_ = 0;  // the interface's number; 0: it is away
  std::size_t mtu_ = 0;
  std::size_t octets_each_ = 0;  // of a buffer
  std::vector<std::byte> in_;    // kBatch buffers
  std::array<iovec, kBatch> in_vectors_{};
  std::array<Control, kBatch> controls_{};
  std::array<mmsghdr, kBatch> in_messages_{};
  std::array<std::vector<std::byte>, kBatch> out_{};
  std::size_t waiting_ = 0;  // of out_, the first ones
};

}  // namespace xbind::dataplane
