#include "net/tun_device.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/route.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

namespace xbind::net {
namespace {

sockaddr_in inet(std::uint32_t address) {
  sockaddr_in inet{};
  inet.sin_family = AF_INET;
  inet.sin_addr.s_addr = htonl(address);
  return inet;
}

// Octet-wise: the kernel's structs have fields of the general type.
void put(sockaddr& to, std::uint32_t address) {
  const sockaddr_in from = inet(address);
  static_assert(sizeof from == sizeof to);
  std::memcpy(&to, &from, sizeof from);
}

ifreq request_of(const std::string& interface) {
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  return request;
}

// Makes the device. Runs on a thread of its own, which enters the namespace and then ends.
class Maker {
 public:
  explicit Maker(const TunOptions& options) : options_(options) {}

  Result<int> make() {
    const Descriptor space(
        ::open(("/run/netns/" + options_.network_namespace).c_str(), O_RDONLY | O_CLOEXEC));
    if (space.number() < 0) {
      return fail(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kSystem,
                  "network namespace {}: {}", options_.network_namespace, std::strerror(errno));
    }
    if (::setns(space.number(), CLONE_NEWNET) != 0) return failed("cannot be entered");
    const int device = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (device < 0) return failed("/dev/net/tun cannot be opened");
    if (auto good = configure(device); !good) {
      ::close(device);
      return tl::make_unexpected(good.error());
    }
    return device;
  }

 private:
  Result<void> configure(int device) {
    ifreq request = request_of(options_.interface);
    request.ifr_flags = static_cast<short>(IFF_TUN | IFF_NO_PI | IFF_TUN_EXCL);
    if (::ioctl(device, TUNSETIFF, &request) != 0) return failed("the device cannot be made");
    const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (socket.number() < 0) return failed("no socket");
    request.ifr_mtu = static_cast<int>(options_.mtu);
    if (::ioctl(socket.number(), SIOCSIFMTU, &request) != 0) return failed("MTU");
    request.ifr_qlen = kTunQueuePackets;
    if (::ioctl(socket.number(), SIOCSIFTXQLEN, &request) != 0)
      return failed("length of its queue");
    if (auto good = add_addresses(socket.number()); !good) return good;
    request = request_of(options_.interface);
    request.ifr_flags = static_cast<short>(IFF_UP | IFF_RUNNING);
    if (::ioctl(socket.number(), SIOCSIFFLAGS, &request) != 0) return failed("cannot be taken up");
    return add_routes(socket.number());
  }

  // A process may bind an address that the namespace has.
  static bool has(std::uint32_t address) {
    const Descriptor trial(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const sockaddr_in inet_address = inet(address);
    return trial.number() >= 0 &&
           ::bind(trial.number(), reinterpret_cast<const sockaddr*>(&inet_address),
                  sizeof inet_address) == 0;
  }

  // Each address beyond the first is that of an alias, "wan0:1".
  Result<void> add_addresses(int socket) {
    std::size_t added = 0;
    for (const std::uint32_t address : options_.addresses) {
      if (has(address)) continue;
      const std::string suffix = added == 0 ? "" : ":" + std::to_string(added);
      if (options_.interface.size() + suffix.size() >= IFNAMSIZ) {
        return fail(ErrorCode::kBadInput, "interface {}: too long a name for {} addresses",
                    options_.interface, options_.addresses.size());
      }
      ifreq request = request_of(options_.interface + suffix);
      put(request.ifr_addr, address);
      if (::ioctl(socket, SIOCSIFADDR, &request) != 0) return failed("address");
      put(request.ifr_netmask, 0xffffffff);
      if (::ioctl(socket, SIOCSIFNETMASK, &request) != 0) return failed("netmask");
      ++added;
    }
    return {};
  }

  Result<void> add_routes(int socket) {
    std::string name = options_.interface;
    for (const std::uint32_t address : options_.routes) {
      rtentry route{};
      put(route.rt_dst, address);
      put(route.rt_genmask, 0xffffffff);
      route.rt_flags = RTF_UP | RTF_HOST;
      route.rt_dev = name.data();
      if (::ioctl(socket, SIOCADDRT, &route) != 0) return failed("route");
    }
    return {};
  }

  tl::unexpected<Error> failed(const char* step) const {
    return fail(ErrorCode::kSystem, "device {} in network namespace {}: {}: {}", options_.interface,
                options_.network_namespace, step, std::strerror(errno));
  }

  const TunOptions& options_;
};

}  // namespace

Result<std::unique_ptr<TunDevice>> TunDevice::open(const TunOptions& options) {
  Result<int> made = -1;
  // A thread that has entered a namespace stays there: its sockets would be elsewhere.
  std::thread([&] { made = Maker(options).make(); }).join();
  if (!made) return tl::make_unexpected(made.error());
  return std::unique_ptr<TunDevice>(new TunDevice(*made));
}

Result<std::size_t> TunDevice::read(std::span<std::byte> buffer) {
  const ssize_t octets = ::read(descriptor(), buffer.data(), buffer.size());
  if (octets >= 0) return static_cast<std::size_t>(octets);
  if (errno == EAGAIN || errno == EINTR) return 0;
  return fail(ErrorCode::kSystem, "{}", std::strerror(errno));
}

bool TunDevice::write(std::span<const std::byte> packet) {
  return ::write(descriptor(), packet.data(), packet.size()) == static_cast<ssize_t>(packet.size());
}

}  // namespace xbind::net
