#include "switchserver/drivers/running_gsmp_driver.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/log.hpp"

namespace xbind {
namespace {

constexpr CounterRow<gsmp::SessionCounters> kSessionMetrics[] = {
    {"gsmp_requests", MetricKind::kCounter, "", "GSMP requests sent to the switch.",
     &gsmp::SessionCounters::requests_sent},
    {"gsmp_failures", MetricKind::kCounter, "", "GSMP requests that the switch refused.",
     &gsmp::SessionCounters::failures},
    {"gsmp_timeouts", MetricKind::kCounter, "", "GSMP requests without an answer in time.",
     &gsmp::SessionCounters::timeouts},
};
constexpr CounterRow<net::TransportCounters> kTransportMetrics[] = {
    {"gsmp_connections", MetricKind::kCounter, "", "TCP connections opened to the switch.",
     &net::TransportCounters::connections},
    {"gsmp_failed_attempts", MetricKind::kCounter, "", "TCP connections that could not be opened.",
     &net::TransportCounters::failed_attempts},
    {"gsmp_octets_in", MetricKind::kCounter, "octets", "Octets received from the switch.",
     &net::TransportCounters::octets_in},
    {"gsmp_octets_out", MetricKind::kCounter, "octets",
     "Octets sent to the switch, those of connections that broke included.",
     &net::TransportCounters::octets_out},
};

constexpr std::size_t kAnswerOctets = 36;  // of an answer to Add Branch, framed
// A process may serve a thousand switches: it keeps at most 64 KiB of spare buffers for each.
constexpr std::size_t kSpareMax = 4;
constexpr std::size_t kSpareOctetsMax = std::size_t{16} << 10;

}  // namespace

RunningGsmpDriver::RunningGsmpDriver(const gsmp::SessionOptions& options,
                                     std::function<std::uint32_t()> random,
                                     std::unique_ptr<net::Transport> transport)
    : driver_(options, std::move(random)), transport_(std::move(transport)) {}

RunningGsmpDriver::~RunningGsmpDriver() { RunningGsmpDriver::stop(); }

void RunningGsmpDriver::start(Wake wake) {
  wake_ = std::move(wake);
  transport_->start(
      {.on_connected = [this] { arrived(Arrival::Kind::kConnected, {}); },
       .on_octets = [this](std::span<const std::byte> octets) { arrived(octets); },
       .on_closed = [this](const std::string& reason) { arrived(Arrival::Kind::kClosed, reason); },
       .on_failed =
           [this](const std::string& reason) { arrived(Arrival::Kind::kFailed, reason); }});
}

void RunningGsmpDriver::stop() { transport_->stop(); }

// ----- on the transport's thread ---------------------------------------------------------------

void RunningGsmpDriver::arrived(Arrival::Kind kind, const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (kind == Arrival::Kind::kConnected) cut_short_ = false;
    inbox_.push_back({kind, {}, reason});
  }
  wake_(1);
}

void RunningGsmpDriver::arrived(std::span<const std::byte> octets) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (cut_short_) return;
    cut_short_ = inbox_octets_ + octets.size() > kInboxOctetsMax;
    if (!cut_short_) {
      wire::Buffer copy;
      if (!spare_.empty()) {
        copy = std::move(spare_.back());
        spare_.pop_back();
      }
      copy.assign(octets.begin(), octets.end());
      inbox_octets_ += octets.size();
      inbox_.push_back({Arrival::Kind::kOctets, std::move(copy), {}});
      wake = true;
    }
  }
  if (wake) {
    wake_(octets.size() / kAnswerOctets);
  } else {
    transport_->drop(
        fmt::format("more than {} octets of the switch wait to be read", kInboxOctetsMax));
  }
}

// ----- on the owner's serial -------------------------------------------------------------------

std::uint64_t RunningGsmpDriver::answers() const {
  return driver_.counters().successes + driver_.counters().failures;
}

std::size_t RunningGsmpDriver::on_wake(TimePoint now) {
  {
    const std::lock_guard lock(mutex_);
    if (inbox_.empty()) return 0;
    std::swap(taken_, inbox_.front());
    inbox_.pop_front();
    inbox_octets_ -= taken_.octets.size();
  }
  const std::uint64_t before = answers();
  switch (taken_.kind) {
    case Arrival::Kind::kConnected:
      why_away_.clear();  // connected: only an answer is missing now
      driver_.connected(now);
      break;
    case Arrival::Kind::kOctets: driver_.receive(taken_.octets, now); break;
    case Arrival::Kind::kClosed:
      log::gsmp.warn("connection to the switch: {}", taken_.reason);
      why_away_ = taken_.reason;
      driver_.closed(now);
      break;
    case Arrival::Kind::kFailed:
      log::gsmp.debug("connecting to the switch: {}", taken_.reason);
      why_away_ = taken_.reason;
      break;
  }
  if (taken_.octets.capacity() != 0) {
    const std::lock_guard lock(mutex_);
    if (spare_.size() < kSpareMax && taken_.octets.capacity() <= kSpareOctetsMax) {
      spare_.push_back(std::move(taken_.octets));
    }
  }
  taken_ = {};
  return answers() - before;
}

void RunningGsmpDriver::tick(TimePoint now) { driver_.tick(now); }

std::size_t RunningGsmpDriver::unsent_requests() {
  const std::uint64_t requests = driver_.counters().requests_sent;
  return requests - std::exchange(requests_counted_, requests);
}

void RunningGsmpDriver::transmit() {
  driver_.take_output(output_);
  if (!output_.empty()) {
    if (const auto sent = transport_->send(output_); !sent) {
      // The connection is closing; on_closed follows and ends the open requests.
      log::gsmp.debug("{}", sent.error().text);
    }
  }
  if (std::string reason = driver_.take_drop_reason(); !reason.empty()) {
    transport_->drop(std::move(reason));
  }
}

void RunningGsmpDriver::append_metrics(Metrics& metrics) const {
  append(kSessionMetrics, driver_.counters(), metrics);
  append(kDriverMetrics, driver_.driver_counters(), metrics);
  append(kTransportMetrics, transport_->counters(), metrics);
}

MetricTable gsmp_metrics() {
  return metric_table("gsmp", kSessionMetrics, kDriverMetrics, kTransportMetrics);
}

}  // namespace xbind
