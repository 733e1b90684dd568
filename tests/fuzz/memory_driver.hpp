// A switch in memory behind a SwitchServer's daemon. It answers every request in the step that sent
// it, on the thread of that step.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "switchserver/drivers/running_driver.hpp"

namespace xbind::fuzz {

class MemoryDriver : public RunningDriver, private SwitchDriver {
 public:
  explicit MemoryDriver(std::vector<SwitchPort> ports) : ports_(std::move(ports)) {}

  void start(Wake wake) override {
    wake_ = std::move(wake);
    events_.push_back(driver::Up{ports_, false});
    wake_(0);
  }
  void stop() override { wake_ = nullptr; }
  SwitchDriver& requests() override { return *this; }
  std::size_t on_wake(TimePoint) override { return events_.size(); }
  void tick(TimePoint) override {}
  TimePoint next_deadline() const override { return kNever; }
  void take_events(std::vector<driver::Event>& into) override {
    into.clear();
    into.swap(events_);
  }
  std::size_t unsent_requests() override { return 0; }
  // The answers are taken in a step of their own.
  void transmit() override {
    if (!events_.empty() && wake_) wake_(events_.size());
  }
  std::string peer() const override { return "memory"; }
  std::string why_away() const override { return {}; }
  void append_metrics(Metrics&) const override {}

 private:
  using Input = std::pair<PortId, Label>;

  void add(const CrossConnect& at, const TrafficContract&, driver::Cookie cookie) override {
    table_.emplace(Input{at.input_port, at.input_label}, at);
    done(cookie);
  }
  void remove(const CrossConnect& at, driver::Cookie cookie) override {
    std::erase_if(table_, [&](const auto& entry) { return entry.second == at; });
    done(cookie);
  }
  void move(const CrossConnect& at, PortId port, Label label, const TrafficContract&,
            driver::Cookie cookie) override {
    for (auto& [input, entry] : table_) {
      if (entry != at) continue;
      entry.output_port = port;
      entry.output_label = label;
      return done(cookie);
    }
    events_.push_back(
        driver::Done{.cookie = cookie, .cause = Cause::kSwitchRefused, .absent = true});
  }
  void read_table(driver::Cookie cookie) override {
    driver::Table table{cookie, Cause::kNone, {}};
    for (const auto& [input, entry] : table_) table.cross_connects.push_back(entry);
    events_.push_back(std::move(table));
  }
  void read_statistics(PortId, Label, driver::Cookie cookie) override {
    events_.push_back(driver::Statistics{cookie, Cause::kNone, 0, false, {}});
  }
  void flush() override {}
  void done(driver::Cookie cookie) { events_.push_back(driver::Done{.cookie = cookie}); }

  std::vector<SwitchPort> ports_;
  std::multimap<Input, CrossConnect> table_;  // several entries of one input: branches
  std::vector<driver::Event> events_;
  Wake wake_;
};

}  // namespace xbind::fuzz
