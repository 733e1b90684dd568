#include "wan/daemon.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <string>
#include <utility>

#include "core/log.hpp"
#include "core/name.hpp"
#include "core/resident_memory.hpp"
#include "core/steady_now.hpp"
#include "net/line_server.hpp"
#include "net/tun_device.hpp"
#include "wan/control.hpp"
#include "wan/wan.hpp"
#include "wan/wan_metrics.hpp"

namespace xbind::wan {
namespace {

constexpr std::size_t kReadAtOnce = 64;  // packets of a site in one turn
constexpr std::size_t kDeliveredAtOnce = 256;
constexpr std::size_t kControlConnectionsMax = 8;

WanOptions engine_options(const Options& options, std::uint64_t seed) {
  return {.seed = seed, .mtu = options.mtu, .held_octets_max = options.held_octets_max};
}

// The device of a site, and the routes of the site's namespace to all other sites.
net::TunOptions tun_options(const Network& network, const Site& site, std::size_t mtu) {
  net::TunOptions options{.network_namespace = site.network_namespace,
                          .interface = site.interface,
                          .mtu = mtu,
                          .addresses = {},
                          .routes = {}};
  for (const Address address : site.addresses) options.addresses.push_back(address.value);
  for (const Site& other : network.sites) {
    if (&other == &site) continue;
    for (const Address address : other.addresses) options.routes.push_back(address.value);
  }
  return options;
}

}  // namespace

struct Daemon::Impl {
  struct Joined {
    std::unique_ptr<net::TunDevice> device;
    bool readable = true;
  };

  Impl(const Options& options, std::uint64_t seed)
      : wan(options.network, engine_options(options, seed)) {}

  Result<void> open(const Options& options) {
    const Network& network = wan.network();
    for (const Site& site : network.sites) {
      auto device = net::TunDevice::open(tun_options(network, site, options.mtu));
      if (!device) return fail(device.error().code, "site {}: {}", site.name, device.error().text);
      joined.push_back({std::move(*device), true});
    }
    for (std::size_t at = 0; at < joined.size(); ++at) {
      const int descriptor = joined[at].device->descriptor();
      if (auto good = loop.watch(descriptor, [this, at] { joined[at].readable = true; }); !good) {
        return good;
      }
    }
    if (!options.control.empty()) {
      if (auto good = open_control(options.control); !good) return good;
    }
    loop.stop_on_signals();
    loop.set_turn([this] { return turn(); });
    return {};
  }

  Result<void> open_control(const std::string& path) {
    net::LineServerOptions options;
    options.server.path = path;
    options.server.connections_max = kControlConnectionsMax;
    options.server.queue_octets_max = 1U << 20;
    options.server.read_pause_octets = 64U << 10;
    options.line_octets_max = kOrderOctetsMax;
    options.too_long =
        error_answer(OrderFault::kLineTooLong, fmt::format("more than {} octets", kOrderOctetsMax));
    net::LineServerUpcalls upcalls;
    upcalls.on_line = [this](std::string_view line) { return on_order(line); };
    upcalls.on_trouble = [](const std::string& what) { log::warn("control: {}", what); };
    auto opened = net::LineServer::listen(loop, options, std::move(upcalls));
    if (!opened) return fail(opened.error().code, "control socket: {}", opened.error().text);
    control = std::move(*opened);
    return {};
  }

  net::LineAnswer on_order(std::string_view line) {
    log::info("control: {}", printable(line));
    net::LineAnswer answered{answer_order(line, wan, tune, steady_now()), {}};
    if (!is_order(line)) answered.close_because = "a line that is no order";
    return answered;
  }

  // ----- packets -----

  TimePoint turn() {
    bool more = false;
    for (std::size_t site = 0; site < joined.size(); ++site) more |= read(site);
    const std::size_t delivered =
        wan.deliver(steady_now(), kDeliveredAtOnce,
                    [this](std::size_t site, std::span<const std::byte> packet) {
                      return joined[site].device->write(packet);
                    });
    if (more || delivered == kDeliveredAtOnce) return TimePoint{};
    return wan.next_deadline();
  }

  // Returns whether the site may have more.
  bool read(std::size_t site) {
    Joined& one = joined[site];
    for (std::size_t count = 0; one.readable && count < kReadAtOnce; ++count) {
      const auto octets = one.device->read(buffer);
      if (!octets) {
        outcome = fail(octets.error().code, "the device of site {} is gone: {}",
                       wan.network().sites[site].name, octets.error().text);
        one.readable = false;
        loop.stop();
      } else if (*octets == 0) {
        one.readable = false;
      } else {
        // Each packet has a time of its own: those of one turn have not come together.
        wan.accept(site, std::span(buffer).first(*octets), steady_now());
      }
    }
    return one.readable;
  }

  Wan wan;
  net::Loop loop;
  std::vector<Joined> joined;  // in the order of the sites
  std::unique_ptr<net::LineServer> control;
  TuneOrder tune;
  std::array<std::byte, kPacketOctetsMax> buffer{};
  Result<void> outcome;
};

Daemon::Daemon(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Daemon::~Daemon() = default;

Result<std::unique_ptr<Daemon>> Daemon::open(const Options& options, std::uint64_t seed) {
  if (options.seed != 0) seed = options.seed;
  auto impl = std::make_unique<Impl>(options, seed);
  log::info("seed {}", seed);
  if (auto good = impl->open(options); !good) return tl::make_unexpected(good.error());
  return std::unique_ptr<Daemon>(new Daemon(std::move(impl)));
}

void Daemon::set_options(config::Reloadable& options) {
  impl_->loop.set_on_hang_up([&options] { (void)config::reload_and_log(options, "SIGHUP"); });
  impl_->tune = [&options](const std::string& name, const std::optional<std::string>& value) {
    return config::tune_and_log(options, {{name, value}});
  };
}

void Daemon::change(const Network& before, const Network& wanted) {
  for (const auto& [pair, rule] : wanted.rules) {
    if (before.rules.at(pair) != rule) (void)impl_->wan.change(pair, rule, steady_now());
  }
}

std::vector<exporter::Part> Daemon::exposed_parts() {
  std::vector<exporter::Part> parts;
  const std::vector<Site>& sites = impl_->wan.network().sites;
  for (std::size_t site = 0; site < sites.size(); ++site) {
    exporter::Part part{.name = sites[site].name, .labels = {}, .ask = {}, .append = {}};
    part.labels = {{"site", sites[site].name}};
    part.ask = [this, site](const std::function<void(exporter::Reading)>& done) {
      // Refused when the process ends: the question is then dropped, as Part says.
      (void)impl_->loop.post([this, site, done] {
        exporter::Reading reading{metrics_of(impl_->wan.counters(site)), {}, {}};
        append_process_metrics(
            {impl_->wan.held_packets(), impl_->wan.held_octets(), own_resident_kib()},
            reading.metrics);
        done(std::move(reading));
      });
    };
    parts.push_back(std::move(part));
  }
  return parts;
}

Result<void> Daemon::run() {
  impl_->loop.run();
  return impl_->outcome;
}

}  // namespace xbind::wan
