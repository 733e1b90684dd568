#include "gsmp/gsmpdump/capture.hpp"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <array>
#include <csignal>
#include <memory>
#include <optional>

#include "gsmp/gsmpdump/timers.hpp"

namespace xbind::gsmpdump {
namespace {

struct Closer {
  void operator()(pcap_t* handle) const { pcap_close(handle); }
};
using Handle = std::unique_ptr<pcap_t, Closer>;

constexpr int kSnapOctets = 262144;
constexpr int kWakeMs =
    kDumpTimers.ms("stop-look").count();  // the longest time from a stop signal to its effect

volatile std::sig_atomic_t stopped = 0;
pcap_t* listening = nullptr;  // set before the signals have their handler
// On an interface without packets libpcap waits on after its timeout: only this wakes it.
void stop(int) {
  stopped = 1;
  pcap_breakloop(listening);
}

std::optional<LinkLayer> link_layer(int datalink) {
  switch (datalink) {
    case DLT_EN10MB: return LinkLayer::kEthernet;
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6: return LinkLayer::kIp;
    case DLT_NULL:
    case DLT_LOOP: return LinkLayer::kLoopback;
    case DLT_LINUX_SLL: return LinkLayer::kLinuxAny;
    case DLT_LINUX_SLL2: return LinkLayer::kLinuxAny2;
    default: return std::nullopt;
  }
}

Result<void> read_packets(pcap_t* handle, const std::string& name, Conversations& conversations) {
  const auto link = link_layer(pcap_datalink(handle));
  if (!link) {
    return fail(ErrorCode::kBadInput, "{}: link layer {} is not known", name,
                pcap_datalink(handle));
  }
  while (stopped == 0) {
    pcap_pkthdr* header = nullptr;
    const u_char* octets = nullptr;
    const int got = pcap_next_ex(handle, &header, &octets);
    if (got == PCAP_ERROR_BREAK) break;  // the end of the file, or stop()
    if (got < 0) return fail(ErrorCode::kBadInput, "{}: {}", name, pcap_geterr(handle));
    if (got == 0) continue;  // timeout without a packet
    const Micros time = Micros{header->ts.tv_sec} * 1'000'000 + header->ts.tv_usec;
    conversations.packet(time, *link, std::as_bytes(std::span(octets, header->caplen)));
  }
  conversations.finish();
  return {};
}

}  // namespace

bool is_capture(std::string_view beginning) {
  if (beginning.size() < 4) return false;
  const std::string_view magic = beginning.substr(0, 4);
  // pcap with microseconds and nanoseconds, in both byte orders; pcapng.
  for (const std::string_view known : {"\xa1\xb2\xc3\xd4", "\xd4\xc3\xb2\xa1", "\xa1\xb2\x3c\x4d",
                                       "\x4d\x3c\xb2\xa1", "\x0a\x0d\x0d\x0a"}) {
    if (magic == known) return true;
  }
  return false;
}

Result<void> read_capture(const std::string& path, Conversations& conversations) {
  std::array<char, PCAP_ERRBUF_SIZE> error{};
  const Handle handle(pcap_open_offline(path.c_str(), error.data()));
  if (!handle) return fail(ErrorCode::kSystem, "{}: {}", path, error.data());
  return read_packets(handle.get(), path, conversations);
}

Result<void> listen_to(const std::string& interface, std::uint16_t port,
                       Conversations& conversations) {
  std::array<char, PCAP_ERRBUF_SIZE> error{};
  const Handle handle(pcap_create(interface.c_str(), error.data()));
  if (!handle) return fail(ErrorCode::kSystem, "{}: {}", interface, error.data());
  pcap_set_snaplen(handle.get(), kSnapOctets);
  pcap_set_timeout(handle.get(), kWakeMs);
  pcap_set_immediate_mode(handle.get(), 1);
  if (const int opened = pcap_activate(handle.get()); opened < 0) {
    return fail(ErrorCode::kSystem, "{}: {}: {}", interface, pcap_statustostr(opened),
                pcap_geterr(handle.get()));
  }
  bpf_program filter{};
  const std::string words = fmt::format("tcp port {}", port);
  if (pcap_compile(handle.get(), &filter, words.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0 ||
      pcap_setfilter(handle.get(), &filter) != 0) {
    return fail(ErrorCode::kSystem, "{}: filter '{}': {}", interface, words,
                pcap_geterr(handle.get()));
  }
  pcap_freecode(&filter);
  listening = handle.get();
  std::signal(SIGINT, stop);
  std::signal(SIGTERM, stop);
  auto result = read_packets(handle.get(), interface, conversations);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  return result;
}

}  // namespace xbind::gsmpdump
