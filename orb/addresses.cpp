#include "orb/addresses.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/config/host_port.hpp"

namespace xbind::orb {
namespace {

std::string numeric(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* octets = nullptr;
  if (address->sa_family == AF_INET) {
    octets = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
  } else if (address->sa_family == AF_INET6) {
    octets = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  }
  if (octets == nullptr ||
      inet_ntop(address->sa_family, octets, text.data(), text.size()) == nullptr) {
    return {};
  }
  return text.data();
}

std::vector<std::string> addresses_of(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  std::vector<std::string> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    addresses.push_back(numeric(one->ai_addr));
  }
  return addresses;
}

}  // namespace

std::optional<std::string> loopback_warning(const std::string& listen_address,
                                            const std::string& name_service,
                                            const std::vector<std::string>& own) {
  if (!is_loopback(listen_address)) return std::nullopt;
  const auto service = parse_host_port(name_service);
  if (!service) return std::nullopt;  // of omniORB's configuration, with its words
  const std::vector<std::string> far = addresses_of(service->host);
  const bool here = std::ranges::any_of(far, [&](const std::string& address) {
    return is_loopback(address) || std::ranges::find(own, address) != own.end();
  });
  if (far.empty() || here) return std::nullopt;
  return fmt::format(
      "--listen-address {} is a loopback address and the name service {} is on another machine: "
      "other machines cannot reach this process; set --listen-address to an address that they can "
      "reach",
      listen_address, name_service);
}

std::vector<std::string> own_addresses() {
  ifaddrs* found = nullptr;
  if (getifaddrs(&found) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(found, &freeifaddrs);
  std::vector<std::string> addresses;
  for (const ifaddrs* one = found; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    if (std::string address = numeric(one->ifa_addr); !address.empty()) {
      addresses.push_back(std::move(address));
    }
  }
  return addresses;
}

}  // namespace xbind::orb
