#include "smds/daemon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "dataplane/host/open_host_lines.hpp"
#include "net/loop.hpp"
#include "smds/atm_layer.hpp"
#include "smds/timers.hpp"

namespace xbind::smds {
namespace {

constexpr Duration kExpireEvery = kSmdsTimers["expire-every"];
constexpr Duration kLineRest = kSmdsTimers["line-rest"];
constexpr int kPollsOfATurn = 16;  // of a layer in a turn

std::size_t frame_octets(const PduLimits& limits) {
  return kEnvelopeOctets + kHeaderOctets + limits.information_max + 3 + kCrcOctets + kTrailerOctets;
}

}  // namespace

class Daemon::Work : private Lines {
 public:
  static Result<std::unique_ptr<Work>> open(const Network& network, std::uint32_t server,
                                            const DaemonOptions& options,
                                            const std::vector<Port>& ports);

  void run() { loop_.run(); }
  void stop() { loop_.stop(); }
  bool post(std::function<void()> job) { return loop_.post(std::move(job)); }
  void take_labels(const std::vector<LineLabels>& labels);
  Snapshot snapshot() const;

 private:
  Work(const Network& network, std::uint32_t server, const DaemonOptions& options)
      : limits_(options.server.limits), server_(network, server, options.server, *this) {}

  Result<void> open_endpoint(const std::string& endpoint, const DaemonOptions& options);
  Result<void> open_udp(PortIndex port, const std::string& name, const DaemonOptions& options);
  Result<void> watch();
  TimePoint turn();
  std::size_t poll(LowerLayer& layer, TimePoint now);

  bool room(PortIndex port) const override { return layer_of_[port]->room(); }
  void send(PortIndex port, std::span<const std::byte> head,
            std::span<const std::byte> pdu) override {
    layer_of_[port]->send(port, head, pdu);
  }

  const PduLimits limits_;
  Server server_;
  std::optional<dataplane::HostLines> host_;  // nullopt: all lines are UDP
  std::unique_ptr<AtmLayer> atm_;
  std::map<PortIndex, std::unique_ptr<UdpLayer>> udp_;
  std::vector<LowerLayer*> layer_of_;  // by index of a port
  std::vector<LineLabels> labels_;     // in use, by index of a port
  TimePoint expire_at_{};
  net::Loop loop_;
};

Result<std::unique_ptr<Daemon::Work>> Daemon::Work::open(const Network& network,
                                                         std::uint32_t server,
                                                         const DaemonOptions& options,
                                                         const std::vector<Port>& ports) {
  std::unique_ptr<Work> work(new Work(network, server, options));
  const std::string& endpoint = network.servers[server].endpoint;
  if (std::ranges::any_of(ports, [](const Port& port) { return !port.endpoint.empty(); })) {
    if (auto opened = work->open_endpoint(endpoint, options); !opened) {
      return tl::make_unexpected(opened.error());
    }
  }
  work->labels_.resize(ports.size());
  for (PortIndex index = 0; index < ports.size(); ++index) {
    work->layer_of_.push_back(work->atm_.get());
    if (!ports[index].endpoint.empty()) {
      work->atm_->open(index, ports[index].adaptation, {}, {}, ports[index].mcdus);
      continue;
    }
    if (auto opened = work->open_udp(index, ports[index].name, options); !opened) {
      return tl::make_unexpected(opened.error());
    }
  }
  if (auto watched = work->watch(); !watched) return tl::make_unexpected(watched.error());
  return work;
}

Result<void> Daemon::Work::open_endpoint(const std::string& endpoint,
                                         const DaemonOptions& options) {
  const auto line = std::ranges::find(options.host_lines, endpoint, &dataplane::NamedLink::name);
  if (line == options.host_lines.end()) {
    return fail(ErrorCode::kNotFound, "--host-lines has no line of {}, the endpoint of the server",
                endpoint);
  }
  if (line->link.kind == dataplane::LinkKind::kLsp) {
    return fail(ErrorCode::kBadInput, "the line of {}, {}, has MPLS labels, and AAL cells of ATM",
                endpoint, dataplane::to_string(line->link));
  }
  const std::size_t octets = frame_octets(limits_);
  dataplane::HostLineOptions line_options;
  line_options.waiting_cells_max =
      2 * dataplane::aal34_cells(octets) * server_.forwarder().ports().size();
  auto opened = dataplane::open_host_lines(std::span(&*line, 1), line_options);
  if (!opened) return tl::make_unexpected(opened.error());
  host_ = std::move(*opened);
  atm_ = std::make_unique<AtmLayer>(*host_->lines.begin()->second, octets);
  return {};
}

Result<void> Daemon::Work::open_udp(PortIndex port, const std::string& name,
                                    const DaemonOptions& options) {
  const auto line = std::ranges::find(options.udp_lines, name, &NamedUdpLine::name);
  if (line == options.udp_lines.end()) {
    return fail(ErrorCode::kNotFound, "--udp-lines has no line of subscriber {}", name);
  }
  auto opened = UdpLayer::open(port, line->line, frame_octets(limits_));
  if (!opened) return tl::make_unexpected(opened.error());
  log::info("line to {}: UDP port {}, with {}", name, (*opened)->local_port(),
            net::to_string(line->line.peer));
  layer_of_[port] = opened->get();
  udp_.emplace(port, std::move(*opened));
  server_.forwarder().set_connected(port, true);
  return {};
}

Result<void> Daemon::Work::watch() {
  // The turn reads what there is.
  const std::vector<int> descriptors = host_ ? host_->links.descriptors() : std::vector<int>{};
  for (const int descriptor : descriptors) {
    if (auto watched = loop_.watch(descriptor, [] {}); !watched) return watched;
  }
  for (const auto& [port, layer] : udp_) {
    if (auto watched = loop_.watch(layer->descriptor(), [] {}); !watched) return watched;
  }
  loop_.set_turn([this] { return turn(); });
  server_.forwarder().set_observer([this](PortIndex in, const Decision& decision) {
    if (!log::enabled(log::Level::kDebug)) return;
    log::debug("{}", server_.forwarder().line_of(in, decision));
  });
  return {};
}

TimePoint Daemon::Work::turn() {
  const TimePoint now = steady_now();
  std::size_t moved = 0;
  if (atm_ != nullptr) moved += poll(*atm_, now);
  for (const auto& [port, layer] : udp_) moved += poll(*layer, now);
  server_.serve(now);
  for (const auto& [port, layer] : udp_) layer->flush();
  if (atm_ != nullptr && now >= expire_at_) {
    atm_->expire(now);
    expire_at_ = now + kExpireEvery;
  }
  if (moved > 0) return TimePoint{};
  TimePoint next = atm_ != nullptr ? expire_at_ : kNever;
  // A line without room, or one that the socket keeps waiting, is tried again soon.
  const TimePoint due = server_.next_due();
  if (due != kNever) next = std::min(next, due > now ? due : now + kLineRest);
  if (host_ && host_->lines.begin()->second->waiting() > 0) next = std::min(next, now + kLineRest);
  return next;
}

std::size_t Daemon::Work::poll(LowerLayer& layer, TimePoint now) {
  const LowerLayer::Deliver deliver = [this](PortIndex in, std::span<const std::byte> frame,
                                             TimePoint at) { server_.received(in, frame, at); };
  std::size_t moved = 0;
  for (int round = 0; round < kPollsOfATurn; ++round) {
    const std::size_t more = layer.poll(now, deliver);
    moved += more;
    if (more == 0) break;
    for (const auto& [port, udp] : udp_) udp->flush();
  }
  return moved;
}

void Daemon::Work::take_labels(const std::vector<LineLabels>& labels) {
  const std::vector<Port>& ports = server_.forwarder().ports();
  for (PortIndex index = 0; index < ports.size(); ++index) {
    if (ports[index].endpoint.empty() || labels[index] == labels_[index]) continue;
    labels_[index] = labels[index];
    atm_->open(index, ports[index].adaptation, labels[index].send, labels[index].receive,
               ports[index].mcdus);
    server_.forwarder().set_connected(index, labels[index].send.present());
    log::info("line to {}: sends with label {}, receives with label {}", ports[index].name,
              to_string(labels[index].send), to_string(labels[index].receive));
  }
}

Snapshot Daemon::Work::snapshot() const {
  Snapshot taken;
  const Forwarder& forwarder = server_.forwarder();
  for (PortIndex index = 0; index < forwarder.ports().size(); ++index) {
    taken.ports.push_back({forwarder.counters()[index], server_.waiting(index),
                           atm_ == nullptr ? 0 : atm_->too_many(index)});
  }
  if (atm_ != nullptr) {
    const AtmLayerCounters& counters = atm_->counters();
    taken.atm = {.frames_in = counters.frames_in,
                 .frames_out = counters.frames_out,
                 .bad_frames = counters.bad_frames,
                 .unknown_label_cells = counters.unknown_label_cells,
                 .lost = counters.frames_refused};
  }
  for (const auto& [port, layer] : udp_) {
    const UdpLayerCounters& counters = layer->counters();
    taken.udp.frames_in += counters.frames_in;
    taken.udp.frames_out += counters.frames_out;
    taken.udp.bad_frames += counters.too_long;
    taken.udp.foreign += counters.foreign;
    taken.udp.lost += counters.lost;
  }
  return taken;
}

Result<std::unique_ptr<Daemon>> Daemon::open(const Network& network, std::uint32_t server,
                                             const DaemonOptions& options) {
  std::vector<Port> ports = ports_of(network, server);
  auto work = Work::open(network, server, options, ports);
  if (!work) return tl::make_unexpected(work.error());
  return std::unique_ptr<Daemon>(new Daemon(std::move(ports), std::move(*work)));
}

Daemon::Daemon(std::vector<Port> ports, std::unique_ptr<Work> work)
    : ports_(std::move(ports)), work_(std::move(work)), thread_([this] { work_->run(); }) {}

Daemon::~Daemon() {
  work_->stop();
  thread_.join();
}

void Daemon::set_labels(std::vector<LineLabels> labels) {
  if (!work_->post(
          [work = work_.get(), labels = std::move(labels)] { work->take_labels(labels); })) {
    log::warn("the labels of the lines could not be passed on; the next look tries again");
  }
}

void Daemon::ask(std::function<void(const Snapshot&)> done) {
  // Refused: `done` is destroyed without a call, which its owner takes for no answer.
  (void)work_->post([work = work_.get(), done = std::move(done)] { done(work->snapshot()); });
}

}  // namespace xbind::smds
