// A GsmpDriver over a Transport. GsmpDriver is the protocol: octets and time in, octets and events
// out, pure. This class owns the driver and the transport and connects them.
//
//   Transport upcall (its thread) ──▶ inbox ──wake──▶ on_wake() ──▶ GsmpDriver
//   GsmpDriver::take_output() ──transmit()──▶ Transport::send(), one write
//
// The inbox stores arrivals in order, one entry for each upcall and for each wake. Its octets are
// bounded by kInboxOctetsMax: a switch that sends faster than the owner reads loses its connection.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/wire/writer.hpp"
#include "net/transport.hpp"
#include "switchserver/drivers/gsmp_driver.hpp"
#include "switchserver/drivers/running_driver.hpp"

namespace xbind {

class RunningGsmpDriver : public RunningDriver {
 public:
  // The whole table of a large switch arrives as fast as the network carries it: 64 MiB hold the
  // reports of more than two million cross-connects.
  static constexpr std::size_t kInboxOctetsMax = std::size_t{64} << 20;

  // `transport` must not be started yet. `random` returns 32 bits at each call, for instance
  // numbers.
  RunningGsmpDriver(const gsmp::SessionOptions& options, std::function<std::uint32_t()> random,
                    std::unique_ptr<net::Transport> transport);
  ~RunningGsmpDriver() override;
  RunningGsmpDriver(const RunningGsmpDriver&) = delete;
  RunningGsmpDriver& operator=(const RunningGsmpDriver&) = delete;

  void start(Wake wake) override;
  void stop() override;

  void set_rates(const std::vector<PortRate>& rates) override { driver_.set_rates(rates); }
  SwitchDriver& requests() override { return driver_; }

  std::size_t on_wake(TimePoint now) override;
  void tick(TimePoint now) override;
  TimePoint next_deadline() const override { return driver_.next_deadline(); }
  void take_events(std::vector<driver::Event>& into) override { driver_.take_events(into); }
  std::size_t unsent_requests() override;
  void transmit() override;

  std::string peer() const override { return transport_->peer(); }
  std::string why_away() const override { return why_away_; }
  void append_metrics(Metrics& metrics) const override;

 private:
  struct Arrival {
    enum class Kind { kConnected, kOctets, kClosed, kFailed };
    Kind kind = Kind::kOctets;
    wire::Buffer octets;
    std::string reason;
  };

  void arrived(Arrival::Kind kind, const std::string& reason);
  void arrived(std::span<const std::byte> octets);
  std::uint64_t answers() const;

  GsmpDriver driver_;
  const std::unique_ptr<net::Transport> transport_;
  Wake wake_;
  std::string why_away_;
  std::uint64_t requests_counted_ = 0;  // by unsent_requests()
  wire::Buffer output_;                 // reused, for its memory
  Arrival taken_;                       // reused, for its memory

  std::mutex mutex_;  // guards the members below; the transport's threads fill the inbox
  std::deque<Arrival> inbox_;
  std::size_t inbox_octets_ = 0;
  // Octets of this connection were refused: later ones cannot be parsed, and it is being closed.
  bool cut_short_ = false;
  std::vector<wire::Buffer> spare_;  // buffers of handled octets, for reuse
};

// Lists the metrics that append_metrics() of this driver exports.
MetricTable gsmp_metrics();

}  // namespace xbind
