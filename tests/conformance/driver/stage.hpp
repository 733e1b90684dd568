// Runs a story: a rig, its driver, and an owner that acts like a SwitchServer's daemon. In every
// story the stage checks the rules that always hold:
//
//   - every request is answered exactly once, with its cookie, by the event of its kind;
//   - Up and Down alternate; Ports come only between them; no request is open at Down;
//   - next_deadline() changes once it has been served.
//
// A broken rule is a GoogleTest failure.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/conformance/driver/rig.hpp"

namespace xbind::driver_kit {

// Wraps the rig's driver: faulty_driver.hpp.
using Wrap = std::function<std::unique_ptr<RunningDriver>(std::unique_ptr<RunningDriver>)>;

class Stage {
 public:
  explicit Stage(Rig& rig, const Wrap& wrap = {});

  Rig& rig() { return rig_; }
  RunningDriver& driver() { return *driver_; }
  TimePoint now() const { return now_; }

  // ----- requests; each returns its cookie -----
  driver::Cookie add(const CrossConnect& at, const TrafficContract& contract = {});
  driver::Cookie remove(const CrossConnect& at);
  driver::Cookie move(const CrossConnect& at, PortId port, Label label,
                      const TrafficContract& contract = {});
  driver::Cookie read_table();
  driver::Cookie read_port(PortId port);
  driver::Cookie read_inputs(const std::vector<driver::Input>& inputs);
  driver::Cookie read_statistics(PortId port, Label label = {});
  void flush() { driver_->requests().flush(); }

  // ----- between driver and switch -----
  // One step of the owner: handles wakes and events, then transmits.
  void step();
  // Makes steps until nothing is in flight.
  void settle();
  // flush() and settle().
  void play();
  // Time passes and the driver is ticked at its deadlines. Nothing arrives meanwhile.
  void pass(Duration time);
  // The same, and everything sent arrives.
  void pass_and_settle(Duration time);
  // Connects and settles; returns the Up event.
  std::optional<driver::Up> come_up();
  void cut();
  // Stops and destroys the driver. Afterwards it must not report anything.
  void end_driver();
  int wakes() const { return wakes_; }

  // ----- results -----
  // The answer to a request. If there is none, an expectation fails and the result has
  // Cause::kTimeout.
  driver::Done done(driver::Cookie cookie);
  driver::Table table(driver::Cookie cookie);
  driver::Statistics statistics(driver::Cookie cookie);
  bool answered(driver::Cookie cookie) const { return !open_.contains(cookie); }
  // Up, Ports and Down events since the last call, in order.
  std::vector<driver::Event> take_session_events() { return std::exchange(news_, {}); }
  // The only News among the events. None or several: the stage reports a failure.
  template <class News>
  std::optional<News> take_one() {
    std::optional<News> found;
    for (const driver::Event& event : take_session_events()) {
      const News* one = std::get_if<News>(&event);
      if (one == nullptr) continue;
      if (found) complain("the event was reported twice");
      found = *one;
    }
    if (!found) complain("the event was not reported");
    return found;
  }

  // Shorthands for stories that need one existing cross-connect.
  PortId port(std::size_t number) const { return ports_.at(number).port; }
  // From port 0 of the rig to port 1, by label numbers.
  CrossConnect cross(std::uint32_t in, std::uint32_t out) const;
  // Adds the cross-connect and expects success.
  CrossConnect there_is(const CrossConnect& at, const TrafficContract& contract = {});
  // End of a story: all requests must have been answered.
  void expect_all_answered();

 private:
  enum class Answer { kDone, kTable, kStatistics };

  driver::Cookie open(Answer answer);
  void take_events();
  void close(driver::Cookie cookie, Answer answer);
  void on_news(const driver::Event& event);
  void complain(const std::string& what) const;

  Rig& rig_;
  std::vector<SwitchPort> ports_;
  TimePoint now_{std::chrono::seconds{1}};
  int wakes_ = 0;
  bool up_ = false;
  driver::Cookie last_ = 7'000;  // not 0, so that a driver without a cookie is caught
  std::map<driver::Cookie, Answer> open_;
  std::map<driver::Cookie, driver::Done> done_;
  std::map<driver::Cookie, driver::Table> tables_;
  std::map<driver::Cookie, driver::Statistics> statistics_;
  std::vector<driver::Event> news_;
  std::unique_ptr<RunningDriver> driver_;
};

}  // namespace xbind::driver_kit
