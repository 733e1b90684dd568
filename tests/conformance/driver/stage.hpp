// Where a story plays: a rig, its driver, and an owner that does what a SwitchServer's daemon does. The
// stage keeps the rules that hold at any time, whatever the story is about:
//
//   - every request is answered exactly once, with its cookie, by the event of its kind;
//   - Up and Down take turns; Ports come between them; no request is open at Down;
//   - next_deadline() moves when it has been served.
//
// A rule that is broken is a failure of GoogleTest.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/conformance/driver/rig.hpp"

namespace xbind::driver_kit {

// Puts something between the kit and the rig's driver: faulty_driver.hpp.
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
  driver::Cookie read_statistics(PortId port, Label label = {});
  void flush() { driver_->requests().flush(); }

  // ----- what goes on between driver and switch -----
  // The owner's step: what woke it, then the write.
  void step();
  // Until nothing is on its way.
  void settle();
  // flush() and settle().
  void play();
  // Time passes; the driver is ticked whenever it wants to be. Nothing arrives meanwhile.
  void pass(Duration time);
  // The same, and all that is sent arrives.
  void pass_and_settle(Duration time);
  // connect, and all that follows; the answers of Up.
  std::optional<driver::Up> come_up();
  void cut();
  // stop() and the end of the driver. From now on nothing may come of it.
  void end_driver();
  int wakes() const { return wakes_; }

  // ----- what came of it -----
  // The answer to a request. Without one: a failure, and an answer with Cause::kTimeout.
  driver::Done done(driver::Cookie cookie);
  driver::Table table(driver::Cookie cookie);
  driver::Statistics statistics(driver::Cookie cookie);
  bool answered(driver::Cookie cookie) const { return !open_.contains(cookie); }
  // Ups, Ports and Downs since the last call, in order.
  std::vector<driver::Event> take_news() { return std::exchange(news_, {}); }
  // The one of its kind in the news; more or none: a failure and nothing.
  template <class News>
  std::optional<News> take_one() {
    std::optional<News> found;
    for (const driver::Event& event : take_news()) {
      const News* one = std::get_if<News>(&event);
      if (one == nullptr) continue;
      if (found) complain("told twice");
      found = *one;
    }
    if (!found) complain("not told");
    return found;
  }

  // Shorthands for the many stories that need one cross-connect that is there.
  PortId port(std::size_t number) const { return ports_.at(number).port; }
  // From port 0 of the rig to port 1, by label numbers.
  CrossConnect cross(std::uint32_t in, std::uint32_t out) const;
  // Adds, and expects it to be done.
  CrossConnect there_is(const CrossConnect& at, const TrafficContract& contract = {});
  // The story's end: all requests are answered.
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
  driver::Cookie last_ = 7'000;  // not 0: a driver that says 0 for want of a cookie is seen
  std::map<driver::Cookie, Answer> open_;
  std::map<driver::Cookie, driver::Done> done_;
  std::map<driver::Cookie, driver::Table> tables_;
  std::map<driver::Cookie, driver::Statistics> statistics_;
  std::vector<driver::Event> news_;
  std::unique_ptr<RunningDriver> driver_;
};

}  // namespace xbind::driver_kit
