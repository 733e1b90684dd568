#include "smds/remote_host.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/name.hpp"
#include "core/output.hpp"
#include "core/steady_now.hpp"
#include "dataplane/host/open_host_lines.hpp"
#include "net/loop.hpp"
#include "orb/runtime.hpp"
#include "smds/atm_layer.hpp"
#include "smds/daemon.hpp"
#include "smds/envelope.hpp"
#include "smds/l3_pdu.hpp"
#include "smds/remote_calls.hpp"
#include "smds/timers.hpp"

namespace xbind::smds {
namespace {

constexpr std::size_t kTextShownOctets = 60;  // octets of information that are printed

// Whoever reads the output sees each line at once; end_output() reports what was not written.
void say(const std::string& line) {
  print_output(line + '\n');
  output_fault();
}

// The line of a subscriber, from its side.
struct HostLayer {
  std::unique_ptr<LowerLayer> layer;
  std::vector<int> descriptors{};
  std::optional<dataplane::HostLines> lines{};  // of an AtmLayer
};

Result<LineLabels> find_labels(int argc, char** argv, const HostOptions& options,
                               const Network& network, const SubscriberSpec& subscriber,
                               TimePoint until) {
  orb::Runtime runtime(argc, argv, options.common.runtime());
  orb::NameClient names(runtime.orb(), options.common.name_service);
  const ServerSpec& server = network.servers[subscriber.server];
  for (;;) {
    const auto list = read_calls(names, options.manager, {server.name});
    if (list) {
      const LineLabels labels =
          subscriber_labels(server.name, server.endpoint, subscriber.endpoint, list->seen);
      if (labels.complete()) return labels;
    }
    if (steady_now() >= until) {
      if (!list) return tl::make_unexpected(list.error());
      return fail(ErrorCode::kTimeout, "server {} has no call to {} yet", server.name,
                  subscriber.endpoint);
    }
    if (reader_left_within(kHostTimers["host-look"])) {
      return fail(ErrorCode::kSystem, "the output has no reader");
    }
  }
}

Result<HostLayer> open_call(const HostOptions& options, const SubscriberSpec& subscriber,
                            const LineLabels& labels, std::size_t frame_octets) {
  const auto named =
      dataplane::parse_named_links(fmt::format("{}", fmt::join(options.host_line_words, ",")));
  if (!named) return tl::make_unexpected(named.error());
  const auto line = std::ranges::find(*named, subscriber.endpoint, &dataplane::NamedLink::name);
  if (line == named->end()) {
    return fail(ErrorCode::kNotFound, "--host-lines has no line of {}", subscriber.endpoint);
  }
  auto opened = dataplane::open_host_lines(std::span(&*line, 1));
  if (!opened) return tl::make_unexpected(opened.error());
  HostLayer host{.layer = {}, .descriptors = opened->links.descriptors(), .lines = {}};
  auto atm = std::make_unique<AtmLayer>(*opened->lines.begin()->second, frame_octets);
  host.lines = std::move(*opened);
  atm->open(0, subscriber.adaptation, labels.send, labels.receive, subscriber.mcdus);
  host.layer = std::move(atm);
  return host;
}

Result<HostLayer> open_datagrams(const HostOptions& options, const SubscriberSpec& subscriber,
                                 std::size_t frame_octets) {
  for (const std::string& word : options.udp_line_words) {
    auto named = parse_udp_line(word);
    if (!named) return tl::make_unexpected(named.error());
    if (named->name != subscriber.name) continue;
    std::swap(named->line.local, named->line.peer);  // they are given as the server has them
    auto opened = UdpLayer::open(0, named->line, frame_octets);
    if (!opened) return tl::make_unexpected(opened.error());
    HostLayer host;
    host.descriptors = {(*opened)->descriptor()};
    host.layer = std::move(*opened);
    return host;
  }
  return fail(ErrorCode::kNotFound, "--udp-lines has no line of subscriber {}", subscriber.name);
}

// Sends what it has to and receives until there is enough.
class Host {
 public:
  Host(const HostOptions& options, const PduLimits& limits, LowerLayer& layer, Address from,
       Address to)
      : options_(options), limits_(limits), layer_(layer), from_(from), to_(to) {
    if (to.valid()) left_ = options.count;
  }

  Result<bool> run(const std::vector<int>& descriptors, TimePoint until) {
    until_ = until;
    for (const int descriptor : descriptors) {
      if (auto watched = loop_.watch(descriptor, [] {}); !watched) {
        return tl::make_unexpected(watched.error());
      }
    }
    loop_.set_turn([this] { return turn(); });
    loop_.stop_on_signals();
    loop_.run();
    return received_ >= options_.receive && left_ == 0;
  }

 private:
  TimePoint turn() {
    const TimePoint now = steady_now();
    std::size_t moved = layer_.poll(
        now, [this](PortIndex, std::span<const std::byte> frame, TimePoint) { take(frame); });
    while (left_ > 0 && layer_.room()) {
      send_one();
      ++moved;
    }
    layer_.flush();
    const bool done = left_ == 0 && received_ >= options_.receive && moved == 0;
    if (done || now >= until_) loop_.stop();
    return moved > 0 ? TimePoint{} : until_;
  }

  void send_one() {
    wire::Buffer information(std::max<std::size_t>(options_.octets, options_.text.size()));
    std::ranges::transform(options_.text, information.begin(),
                           [](char symbol) { return static_cast<std::byte>(symbol); });
    const PduFields fields{.destination = to_, .source = from_, .be_tag = ++tag_};
    wire::Buffer pdu;
    --left_;
    if (write_pdu(fields, information, limits_, pdu)) layer_.send(0, {}, pdu);
  }

  void take(std::span<const std::byte> frame) {
    Pdu pdu;
    const PduFault fault = read_pdu(frame, limits_, pdu);
    if (fault != PduFault::kNone || !crc_good(pdu)) {
      say(fmt::format("bad PDU: {}", fault == PduFault::kNone ? "CRC" : to_string(fault)));
      return;
    }
    ++received_;
    const auto shown = pdu.information.first(std::min(kTextShownOctets, pdu.information.size()));
    std::string text;
    for (const std::byte octet : shown) {
      if (octet == std::byte{0}) break;
      text += static_cast<char>(octet);
    }
    say(fmt::format("{} -> {} {} octets: {}", to_string(pdu.source), to_string(pdu.destination),
                    pdu.information.size(), printable(text)));
  }

  const HostOptions& options_;
  const PduLimits limits_;
  LowerLayer& layer_;
  const Address from_;
  const Address to_;
  std::uint32_t left_ = 0;  // to send
  std::uint32_t received_ = 0;
  std::uint8_t tag_ = 0;
  TimePoint until_{};
  net::Loop loop_;
};

Result<Address> address_or(const std::string& text, Address otherwise) {
  return text.empty() ? Result<Address>(otherwise) : Address::parse(text);
}

}  // namespace

Result<int> run_host(int argc, char** argv, const HostOptions& options, const Network& network) {
  const auto subscriber =
      std::ranges::find(network.subscribers, options.subscriber, &SubscriberSpec::name);
  if (subscriber == network.subscribers.end()) {
    return fail(ErrorCode::kNotFound, "the network has no subscriber '{}'", options.subscriber);
  }
  const auto from = address_or(options.from, subscriber->addresses.front());
  if (!from) return tl::make_unexpected(from.error());
  const auto to = address_or(options.to, Address{});
  if (!to) return tl::make_unexpected(to.error());
  const PduLimits limits{.information_max = options.jumbo ? kJumboInformationMax : kInformationMax};
  const std::size_t frame_octets =
      kEnvelopeOctets + kHeaderOctets + limits.information_max + 3 + kCrcOctets + kTrailerOctets;
  const TimePoint until = steady_now() + std::chrono::milliseconds(options.timeout_ms);

  auto opened = [&]() -> Result<HostLayer> {
    if (subscriber->endpoint.empty()) return open_datagrams(options, *subscriber, frame_octets);
    const auto labels = find_labels(argc, argv, options, network, *subscriber, until);
    if (!labels) return tl::make_unexpected(labels.error());
    return open_call(options, *subscriber, *labels, frame_octets);
  }();
  if (!opened) return tl::make_unexpected(opened.error());
  say(fmt::format("{} is connected", subscriber->name));
  Host host(options, limits, *opened->layer, *from, *to);
  const auto enough = host.run(opened->descriptors, until);
  if (!enough) return tl::make_unexpected(enough.error());
  return *enough ? 0 : 1;
}

}  // namespace xbind::smds
