#include "dataplane/links/packet_socket.hpp"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "net/udp_socket.hpp"

namespace xbind::dataplane {
namespace {

bool set_option(const net::Descriptor& socket, int level, int name, int value) {
  return setsockopt(socket.number(), level, name, &value, sizeof value) == 0;
}

ifreq request(const std::string& interface) {
  ifreq asked{};
  interface.copy(asked.ifr_name, IFNAMSIZ - 1);
  return asked;
}

tl::unexpected<Error> no_socket(const std::string& interface) {
  return fail(ErrorCode::kSystem, "interface {}: {}", interface, std::strerror(errno));
}

}  // namespace

Result<std::unique_ptr<PacketSocket>> PacketSocket::open(const std::string& interface,
                                                         std::size_t socket_buffer_octets) {
  // Protocol 0: nothing is received before bind(), so no frame of another interface.
  auto frames = std::make_unique<const net::Descriptor>(
      socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (frames->number() < 0) return no_socket(interface);
  if (!set_option(*frames, SOL_PACKET, PACKET_AUXDATA, 1) ||
      !set_option(*frames, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)) {
    return no_socket(interface);
  }
  // A smaller granted buffer is no error: bursts are lost earlier.
  const auto buffer = static_cast<int>(std::min<std::size_t>(socket_buffer_octets, 1U << 30));
  set_option(*frames, SOL_SOCKET, SO_RCVBUF, buffer);
  set_option(*frames, SOL_SOCKET, SO_SNDBUF, buffer);
  // Before the interface is looked for, so that no later change is missed.
  auto changes = std::make_unique<const net::Descriptor>(
      socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE));
  sockaddr_nl group{};
  group.nl_family = AF_NETLINK;
  group.nl_groups = RTMGRP_LINK;
  if (changes->number() < 0 ||
      bind(changes->number(), reinterpret_cast<const sockaddr*>(&group), sizeof group) != 0) {
    return no_socket(interface);
  }
  std::unique_ptr<PacketSocket> made(
      new PacketSocket(interface, std::move(frames), std::move(changes)));
  if (!made->bind_again()) return no_socket(interface);
  return made;
}

bool PacketSocket::bind_again() {
  ifreq asked = request(interface_);
  if (ioctl(frames_->number(), SIOCGIFINDEX, &asked) == 0 && bind_to(asked.ifr_ifindex) &&
      ioctl(frames_->number(), SIOCGIFMTU, &asked) == 0) {
    set_mtu(static_cast<std::size_t>(std::max(asked.ifr_mtu, 0)));
    return true;
  }
  bound_ = 0;
  mtu_ = 0;
  return false;
}

bool PacketSocket::bind_to(int number) {
  if (number == bound_) return true;
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = number;
  packet_mreq promiscuous{};
  promiscuous.mr_ifindex = number;
  promiscuous.mr_type = PACKET_MR_PROMISC;
  if (bind(frames_->number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      setsockopt(frames_->number(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous,
                 sizeof promiscuous) != 0) {
    return false;
  }
  bound_ = number;
  return true;
}

bool PacketSocket::look_again() {
  std::array<std::byte, 4096> message;
  bool changed = false;
  for (;;) {
    const ssize_t got = recv(changes_->number(), message.data(), message.size(), 0);
    // ENOBUFS: messages were lost, so look. What they say does not matter: the interface is looked
    // for by its name.
    if (got < 0 && errno != ENOBUFS && errno != EINTR) break;
    changed = true;
  }
  if (changed) (void)bind_again();
  return changed;
}

void PacketSocket::set_mtu(std::size_t mtu) {
  mtu_ = mtu;
  const std::size_t each = frame_octets_max(std::clamp(mtu, kFrameMtuMin, kFrameMtuMax));
  if (each <= octets_each_) return;
  octets_each_ = each;
  in_.resize(kBatch * octets_each_);
}

std::size_t PacketSocket::receive() {
  for (std::size_t index = 0; index < kBatch; ++index) {
    in_vectors_[index] = {.iov_base = in_.data() + index * octets_each_, .iov_len = octets_each_};
    msghdr& header = in_messages_[index].msg_hdr;
    header = {};
    header.msg_iov = &in_vectors_[index];
    header.msg_iovlen = 1;
    header.msg_control = controls_[index].octets.data();
    header.msg_controllen = controls_[index].octets.size();
  }
  const int got = recvmmsg(frames_->number(), in_messages_.data(), kBatch, 0, nullptr);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

ReceivedFrame PacketSocket::received(std::size_t index) {
  msghdr& header = in_messages_[index].msg_hdr;
  ReceivedFrame frame{
      .octets = std::span(in_).subspan(index * octets_each_, in_messages_[index].msg_len),
      .cut = (header.msg_flags & MSG_TRUNC) != 0};
  for (cmsghdr* one = CMSG_FIRSTHDR(&header); one != nullptr; one = CMSG_NXTHDR(&header, one)) {
    if (one->cmsg_level != SOL_PACKET || one->cmsg_type != PACKET_AUXDATA) continue;
    tpacket_auxdata seen{};
    std::memcpy(&seen, CMSG_DATA(one), sizeof seen);
    frame.checksum_unfinished = (seen.tp_status & TP_STATUS_CSUMNOTREADY) != 0;
    if ((seen.tp_status & TP_STATUS_VLAN_VALID) == 0) continue;
    const std::uint32_t tpid =
        (seen.tp_status & TP_STATUS_VLAN_TPID_VALID) != 0 ? seen.tp_vlan_tpid : ETH_P_8021Q;
    frame.tag = tpid << 16 | seen.tp_vlan_tci;
  }
  return frame;
}

void PacketSocket::put(std::span<const std::byte> frame) {
  out_[waiting_++].assign(frame.begin(), frame.end());
}

std::span<const std::byte> PacketSocket::out_at(std::size_t index) const { return out_[index]; }

PacketSocket::Attempt PacketSocket::send_from(std::size_t begin) {
  std::array<iovec, kBatch> vectors{};
  std::array<mmsghdr, kBatch> messages{};
  const std::size_t count = waiting_ - begin;
  for (std::size_t index = 0; index < count; ++index) {
    std::vector<std::byte>& frame = out_[begin + index];
    vectors[index] = {.iov_base = frame.data(), .iov_len = frame.size()};
    messages[index].msg_hdr.msg_iov = &vectors[index];
    messages[index].msg_hdr.msg_iovlen = 1;
  }
  const int sent =
      sendmmsg(frames_->number(), messages.data(), static_cast<unsigned>(count), MSG_DONTWAIT);
  if (sent >= 0) return {.sent = static_cast<std::size_t>(sent)};
  if (net::no_room(errno)) return {.failed = Sent::kLater};
  return {.failed = errno == EMSGSIZE ? Sent::kTooLong : Sent::kRefused};
}

void PacketSocket::keep_from(std::size_t begin) {
  std::rotate(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(begin), out_.end());
  waiting_ -= begin;
}

}  // namespace xbind::dataplane
