#include "tests/conformance/driver/faulty_driver.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace xbind::driver_kit {
namespace {

class FaultyDriver : public RunningDriver, private SwitchDriver {
 public:
  FaultyDriver(Mistake mistake, std::unique_ptr<RunningDriver> good)
      : mistake_(mistake), good_(std::move(good)) {}
  ~FaultyDriver() override {
    good_.reset();
    if (has(Mistake::kWakesAfterItsEnd)) wake_(1);
  }
  FaultyDriver(const FaultyDriver&) = delete;
  FaultyDriver& operator=(const FaultyDriver&) = delete;

  void start(Wake wake) override {
    wake_ = wake;
    good_->start(std::move(wake));
  }
  void stop() override { good_->stop(); }
  void set_rates(const std::vector<PortRate>& rates) override { good_->set_rates(rates); }
  SwitchDriver& requests() override { return *this; }
  std::size_t on_wake(TimePoint now) override { return good_->on_wake(now); }
  void tick(TimePoint now) override {
    good_->tick(now);
    if (!has(Mistake::kTimesOutEarly)) return;
    for (const driver::Cookie cookie : std::exchange(open_, {})) {
      early_.insert(cookie);
      invented_.push_back(driver::Done{cookie, Cause::kTimeout});
    }
  }
  TimePoint next_deadline() const override {
    if (has(Mistake::kTimesOutEarly) && !open_.empty()) return TimePoint{};
    return good_->next_deadline();
  }
  void take_events(std::vector<driver::Event>& into) override;
  std::size_t unsent_requests() override { return good_->unsent_requests(); }
  void transmit() override { good_->transmit(); }
  std::string peer() const override { return good_->peer(); }
  std::string why_away() const override {
    return has(Mistake::kNoReason) ? std::string{} : good_->why_away();
  }
  void append_metrics(Metrics& metrics) const override { good_->append_metrics(metrics); }

 private:
  bool has(Mistake mistake) const { return mistake_ == mistake; }
  SwitchDriver& good() { return good_->requests(); }

  void add(const CrossConnect& at, const TrafficContract& contract, driver::Cookie cookie) override;
  void remove(const CrossConnect& at, driver::Cookie cookie) override;
  void move(const CrossConnect& at, PortId port, Label label, const TrafficContract& contract,
            driver::Cookie cookie) override;
  void read_table(driver::Cookie cookie) override {
    if (ignored()) return;
    good().read_table(cookie);
  }
  void read_statistics(PortId port, Label label, driver::Cookie cookie) override {
    if (ignored()) return;
    good().read_statistics(port, has(Mistake::kCountsThePort) ? Label{} : label, cookie);
  }
  void flush() override;

  // Cookie of a request that the kit did not make; its answer is not reported.
  driver::Cookie own_cookie() {
    own_.insert(++last_own_);
    return last_own_;
  }
  bool ignored() { return has(Mistake::kSilentWhileDown) && !up_; }
  void ask(std::function<void()> request);
  bool edit(driver::Event& event);
  bool edit(driver::Done& done);
  void edit(driver::Table& table);
  void note_up();

  const Mistake mistake_;
  std::unique_ptr<RunningDriver> good_;
  Wake wake_;
  bool up_ = false;
  int dones_ = 0;
  driver::Cookie last_own_ = driver::Cookie{1} << 60;
  std::set<driver::Cookie> own_;
  std::set<driver::Cookie> open_;  // cookies of add, remove and move
  std::set<driver::Cookie> early_;
  std::set<driver::Cookie> moves_;
  std::map<driver::Cookie, CrossConnect> adds_;
  std::map<driver::Cookie, CrossConnect> removes_;
  std::set<CrossConnect> added_;
  std::set<driver::Cookie> unflushed_;
  std::vector<std::function<void()>> removals_;  // delayed for kAddsBeforeRemoves
  std::vector<std::function<void()>> later_;     // kKeepsRequestsForLater
  std::vector<driver::Event> invented_;
};

void FaultyDriver::ask(std::function<void()> request) {
  request();
  if (has(Mistake::kWritesEachRequest)) {
    good().flush();
    good_->transmit();
  }
}

void FaultyDriver::add(const CrossConnect& at, const TrafficContract& contract,
                       driver::Cookie cookie) {
  if (ignored()) return;
  if (has(Mistake::kKeepsRequestsForLater) && !up_) {
    later_.push_back([=, this] { good().add(at, contract, own_cookie()); });
  }
  if (has(Mistake::kRefusesRepeatedAdd) && added_.contains(at)) {
    invented_.push_back(driver::Done{cookie, Cause::kSwitchRefused, 7});
    return;
  }
  if (has(Mistake::kOneInputAnOutput)) {
    for (const CrossConnect& there : added_) {
      if (there.output_port == at.output_port && there.output_label == at.output_label &&
          there != at) {
        good().remove(there, own_cookie());
      }
    }
  }
  open_.insert(cookie);
  unflushed_.insert(cookie);
  adds_.emplace(cookie, at);
  added_.insert(at);
  ask([&] {
    good().add(at, has(Mistake::kDropsContracts) ? TrafficContract{} : contract, cookie);
  });
}

void FaultyDriver::remove(const CrossConnect& at, driver::Cookie cookie) {
  if (ignored()) return;
  if (has(Mistake::kRefusesAbsentRemove) && up_ && !added_.contains(at)) {
    invented_.push_back(driver::Done{cookie, Cause::kSwitchRefused, 7});
    return;
  }
  if (has(Mistake::kRemovesWholeInputs)) {
    for (const CrossConnect& there : added_) {
      if (there.input_port == at.input_port && there.input_label == at.input_label) {
        good().remove(there, own_cookie());
      }
    }
  }
  open_.insert(cookie);
  unflushed_.insert(cookie);
  removes_.emplace(cookie, at);
  const auto request = [=, this] { good().remove(at, cookie); };
  if (has(Mistake::kAddsBeforeRemoves)) {
    removals_.push_back(request);
  } else {
    ask(request);
  }
}

void FaultyDriver::move(const CrossConnect& at, PortId port, Label label,
                        const TrafficContract& contract, driver::Cookie cookie) {
  if (ignored()) return;
  open_.insert(cookie);
  unflushed_.insert(cookie);
  moves_.insert(cookie);
  if (!has(Mistake::kMovesByAdding)) {
    ask([&] { good().move(at, port, label, contract, cookie); });
    return;
  }
  CrossConnect to = at;
  to.output_port = port;
  to.output_label = label;
  good().add(to, contract, cookie);
}

void FaultyDriver::flush() {
  for (const auto& removal : std::exchange(removals_, {})) removal();
  unflushed_.clear();
  good().flush();
}

// ----- events ---------------------------------------------------------------------------------

bool FaultyDriver::edit(driver::Done& done) {
  open_.erase(done.cookie);
  const bool refused = done.cause == Cause::kSwitchRefused;
  const bool add = adds_.contains(done.cookie);
  if (const auto removed = removes_.find(done.cookie); removed != removes_.end()) {
    if (done.cause == Cause::kNone) added_.erase(removed->second);
  }
  switch (mistake_) {
    case Mistake::kForgetsAnAnswer: return ++dones_ % 2 != 0;
    case Mistake::kWrongCookie: ++done.cookie; break;
    case Mistake::kHidesAbsence: done.absent = false; break;
    case Mistake::kSaysAbsentAlways: done.absent = moves_.contains(done.cookie) && refused; break;
    case Mistake::kHidesRefusals: done.cause = Cause::kNone; break;
    case Mistake::kAnyLabelWillDo:
      if (add && refused) done = {done.cookie, Cause::kNone};
      break;
    case Mistake::kLosesCodes: done.failure_code = 0; break;
    case Mistake::kLosesWhatWasQueued: return !unflushed_.contains(done.cookie) || !up_;
    case Mistake::kNeverTimesOut: return done.cause != Cause::kTimeout;
    case Mistake::kTimesOutEarly: return !early_.contains(done.cookie);
    default: break;
  }
  return true;
}

void FaultyDriver::edit(driver::Table& table) {
  std::vector<CrossConnect>& rows = table.cross_connects;
  switch (mistake_) {
    case Mistake::kShortTable:
      if (!rows.empty()) rows.pop_back();
      break;
    case Mistake::kOwnTable:
      std::erase_if(rows, [&](const CrossConnect& at) { return !added_.contains(at); });
      break;
    case Mistake::kTableOfOldPlaces:
      for (const auto& [cookie, at] : adds_) {
        for (CrossConnect& row : rows) {
          if (row.input_port != at.input_port || row.input_label != at.input_label) continue;
          row.output_port = at.output_port;
          row.output_label = at.output_label;
        }
      }
      break;
    case Mistake::kInventsEntries: rows.push_back({PortId{1}, {}, PortId{2}, {}}); break;
    default: break;
  }
}

// Returns false when the event must not be reported.
bool FaultyDriver::edit(driver::Event& event) {
  if (auto* done = std::get_if<driver::Done>(&event)) {
    if (own_.erase(done->cookie) != 0) return false;
    return edit(*done);
  }
  if (auto* table = std::get_if<driver::Table>(&event)) {
    edit(*table);
  } else if (auto* counted = std::get_if<driver::Statistics>(&event)) {
    if (has(Mistake::kHidesAbsence)) counted->absent = false;
    if (has(Mistake::kNeverTimesOut) && counted->cause == Cause::kTimeout) return false;
  } else if (auto* up = std::get_if<driver::Up>(&event)) {
    if (has(Mistake::kHidesAPort)) up->ports.pop_back();
    if (has(Mistake::kNeverKept)) up->kept = false;
    if (has(Mistake::kAlwaysKept)) up->kept = true;
    note_up();
  } else if (auto* ports = std::get_if<driver::Ports>(&event)) {
    if (has(Mistake::kNothingRenewed)) ports->renewed.clear();
    for (SwitchPort& port : ports->ports) port.up = port.up || has(Mistake::kLinesStayUp);
  } else {
    up_ = false;
  }
  return true;
}

void FaultyDriver::note_up() {
  up_ = true;
  for (const auto& request : std::exchange(later_, {})) request();
  if (has(Mistake::kKeepsRequestsForLater)) good().flush();
}

void FaultyDriver::take_events(std::vector<driver::Event>& into) {
  std::vector<driver::Event> events;
  good_->take_events(events);
  into = std::exchange(invented_, {});
  for (driver::Event& event : events) {
    if (!edit(event)) continue;
    const auto* done = std::get_if<driver::Done>(&event);
    if (done != nullptr && has(Mistake::kAnswersTwice)) into.push_back(event);
    if (done != nullptr && has(Mistake::kAnswersAfterTimeout) && done->cause == Cause::kTimeout) {
      invented_.push_back(event);
    }
    into.push_back(std::move(event));
  }
  if (has(Mistake::kDownFirst)) {
    std::stable_partition(into.begin(), into.end(), [](const driver::Event& event) {
      return std::holds_alternative<driver::Down>(event);
    });
  }
}

}  // namespace

const std::vector<NamedMistake>& mistakes() {
  static const std::vector<NamedMistake> kMistakes{
      {Mistake::kAnswersTwice, "answers_twice"},
      {Mistake::kForgetsAnAnswer, "forgets_an_answer"},
      {Mistake::kWrongCookie, "wrong_cookie"},
      {Mistake::kAddsBeforeRemoves, "adds_before_removes"},
      {Mistake::kWritesEachRequest, "writes_each_request"},
      {Mistake::kRefusesRepeatedAdd, "refuses_repeated_add"},
      {Mistake::kRefusesAbsentRemove, "refuses_absent_remove"},
      {Mistake::kMovesByAdding, "moves_by_adding"},
      {Mistake::kHidesAbsence, "hides_absence"},
      {Mistake::kSaysAbsentAlways, "says_absent_always"},
      {Mistake::kHidesRefusals, "hides_refusals"},
      {Mistake::kLosesCodes, "loses_codes"},
      {Mistake::kRemovesWholeInputs, "removes_whole_inputs"},
      {Mistake::kOneInputAnOutput, "one_input_an_output"},
      {Mistake::kAnyLabelWillDo, "any_label_will_do"},
      {Mistake::kDropsContracts, "drops_contracts"},
      {Mistake::kHidesAPort, "hides_a_port"},
      {Mistake::kDownFirst, "down_first"},
      {Mistake::kLosesWhatWasQueued, "loses_what_was_queued"},
      {Mistake::kSilentWhileDown, "silent_while_down"},
      {Mistake::kKeepsRequestsForLater, "keeps_requests_for_later"},
      {Mistake::kNeverKept, "never_kept"},
      {Mistake::kAlwaysKept, "always_kept"},
      {Mistake::kNeverTimesOut, "never_times_out"},
      {Mistake::kTimesOutEarly, "times_out_early"},
      {Mistake::kAnswersAfterTimeout, "answers_after_timeout"},
      {Mistake::kNoReason, "no_reason"},
      {Mistake::kShortTable, "short_table"},
      {Mistake::kOwnTable, "own_table"},
      {Mistake::kTableOfOldPlaces, "table_of_old_places"},
      {Mistake::kInventsEntries, "invents_entries"},
      {Mistake::kCountsThePort, "counts_the_port"},
      {Mistake::kNothingRenewed, "nothing_renewed"},
      {Mistake::kLinesStayUp, "lines_stay_up"},
      {Mistake::kWakesAfterItsEnd, "wakes_after_its_end"},
  };
  return kMistakes;
}

std::unique_ptr<RunningDriver> with_mistake(Mistake mistake, std::unique_ptr<RunningDriver> good) {
  return std::make_unique<FaultyDriver>(mistake, std::move(good));
}

}  // namespace xbind::driver_kit
