// The driver of MplsSwitch and the smallest RunningDriver. Requests have numbers, and answers carry
// them. Arriving messages wait in an inbox until on_wake().
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "switchserver/drivers/running_driver.hpp"
#include "tests/conformance/driver/mpls_switch.hpp"

namespace xbind::driver_kit {

class MplsDriver : public RunningDriver, private SwitchDriver {
 public:
  static constexpr Duration kTimeout = std::chrono::seconds{3};

  explicit MplsDriver(std::shared_ptr<MplsWire> wire) : wire_(std::move(wire)) {}
  ~MplsDriver() override { MplsDriver::stop(); }
  MplsDriver(const MplsDriver&) = delete;
  MplsDriver& operator=(const MplsDriver&) = delete;

  void start(Wake wake) override;
  void stop() override;
  SwitchDriver& requests() override { return *this; }
  std::size_t on_wake(TimePoint now) override;
  void tick(TimePoint now) override;
  TimePoint next_deadline() const override;
  void take_events(std::vector<driver::Event>& into) override;
  std::size_t unsent_requests() override { return outbox_.size(); }
  void transmit() override;
  std::string peer() const override { return "mpls switch in memory"; }
  std::string why_away() const override { return why_away_; }
  void append_metrics(Metrics& metrics) const override;

 private:
  struct Open {
    driver::Cookie cookie = 0;
    MplsRequest::Kind kind = MplsRequest::Kind::kAdd;
    TimePoint deadline = kNever;  // kNever: not flushed yet
  };

  void add(const CrossConnect& at, const TrafficContract& contract, driver::Cookie cookie) override;
  void remove(const CrossConnect& at, driver::Cookie cookie) override;
  void move(const CrossConnect& at, PortId port, Label label, const TrafficContract& contract,
            driver::Cookie cookie) override;
  void read_table(driver::Cookie cookie) override;
  void read_statistics(PortId port, Label label, driver::Cookie cookie) override;
  void flush() override;

  void ask(MplsRequest request, driver::Cookie cookie);
  void on(const MplsHello& hello);
  void on(const MplsAnswer& answer);
  void on(const MplsPorts& ports);
  void on(const MplsClosed& closed);
  void end(const Open& open, Cause cause, const MplsAnswer& answer);

  const std::shared_ptr<MplsWire> wire_;
  Wake wake_;
  std::deque<MplsArrival> inbox_;
  TimePoint now_{};
  bool up_ = false;
  std::uint32_t boot_ = 0;  // boot number of the switch that was up last
  std::string why_away_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Open> open_;  // by request number
  std::vector<MplsRequest> queue_;      // not yet flushed
  std::vector<MplsRequest> outbox_;     // flushed, sent by transmit()
  std::vector<driver::Event> events_;
  std::uint64_t sent_ = 0;
};

}  // namespace xbind::driver_kit
