#include "orb/caller.hpp"

#include <omniORB4/CORBA.h>
#include <omniORB4/omniInterceptors.h>
#include <poll.h>

#include <charconv>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "orb/descriptors.hpp"

namespace xbind::orb {
namespace {

// "giop:tcp:127.0.0.1:46744": text of the connection; valid during the upcall.
thread_local const char* upcall_from = nullptr;

CORBA::Boolean on_request(omni::omniInterceptors::serverReceiveRequest_T::info_T& info) {
  upcall_from = info.peeraddress();
  return true;
}

std::optional<TcpEnd> parse_address(std::string_view text) {
  constexpr std::string_view kTcp = "giop:tcp:";
  if (!text.starts_with(kTcp)) return std::nullopt;
  text.remove_prefix(kTcp.size());
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  TcpEnd end;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  end.host = host;
  const char* const last = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, last, end.port);
  if (error != std::errc{} || rest != last) return std::nullopt;
  return end;
}

}  // namespace

void record_callers() {
  static std::once_flag once;
  std::call_once(once, [] { omniORB::getInterceptors()->serverReceiveRequest.add(on_request); });
}

std::string_view caller_address() {
  std::string_view text = upcall_from == nullptr ? "" : upcall_from;
  for (const std::string_view part : {"giop:", "tcp:"}) {
    if (text.starts_with(part)) text.remove_prefix(part.size());
  }
  return text;
}

bool caller_disconnected() {
  const auto caller = upcall_from == nullptr ? std::nullopt : parse_address(upcall_from);
  if (!caller) return false;
  for (const int descriptor : Descriptors{}.now()) {
    if (peer_end(descriptor) != caller) continue;
    pollfd look{descriptor, POLLRDHUP, 0};
    return poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
  }
  return true;  // reset: the socket has no peer any more
}

}  // namespace xbind::orb
