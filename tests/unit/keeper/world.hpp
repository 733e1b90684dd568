// A Keeper with a manager that the test plays: requests wait until the test answers them, and a
// look reads the list as it is when the test ends it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "keeper/keeper.hpp"

namespace xbind::keeper {

inline Wanted wanted(const std::string& name, std::uint64_t cells_per_s = 100,
                     std::uint32_t count = 1) {
  Wanted one{.name = name, .request = {}, .count = count};
  one.request.from = "host-a";
  one.request.to = "host-b";
  one.request.service.cells_per_s = cells_per_s;
  return one;
}

class World : public ::testing::Test {
 protected:
  static constexpr Duration kSecond = std::chrono::seconds{1};

  Limits limits;
  TimePoint now{std::chrono::hours{1}};
  std::unique_ptr<Keeper> keeper;
  std::vector<client::Request> asked;  // without an answer, the oldest first
  bool looking = false;
  std::vector<ListedCall> calls;  // of the manager
  std::uint64_t unread = 0;
  std::uint64_t next_id = 1;

  // Starts a keeper; its attempts begin at `first`.
  void start(std::vector<Wanted> tables, std::uint32_t first = 0) {
    asked.clear();
    looking = false;
    keeper = std::make_unique<Keeper>(limits, first);
    keeper->want(std::move(tables), now);
    step();
  }
  void attach() {
    keeper->attached(now);
    step();
  }
  // A step that did nothing must leave a deadline in the future: the daemon would spin.
  void step() {
    Keeper::Work work = keeper->step(now);
    if (!work.look && work.requests.empty()) {
      EXPECT_GT(keeper->next_deadline(), now) << "the keeper spins";
    }
    looking |= work.look;
    for (client::Request& request : work.requests) asked.push_back(std::move(request));
  }
  void pass(Duration time) {
    now += time;
    step();
  }
  // The look under way reads the list.
  void look() {
    ASSERT_TRUE(looking);
    looking = false;
    keeper->looked(calls, unread, now);
    step();
  }
  // The look under way ends with a list that was read before the manager's last changes.
  void look_with(const std::vector<ListedCall>& older) {
    const std::vector<ListedCall> newer = std::exchange(calls, older);
    look();
    calls = newer;
  }
  // A look whenever one is due, and "connected" or "released" to every request, until all is calm.
  void settle() {
    for (int i = 0; i < 1000 && (looking || !asked.empty()); ++i) {
      if (looking) look();
      if (!asked.empty()) answer();
    }
  }
  void next_look() {
    pass(limits.check);
    look();
  }

  std::size_t setups() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        asked, [](const auto& it) { return std::holds_alternative<ConnectRequest>(it); }));
  }
  // Of the setups without an answer, in cells/s.
  std::vector<std::uint64_t> rates() const {
    std::vector<std::uint64_t> rates;
    for (const client::Request& request : asked) {
      const auto* const connect = std::get_if<ConnectRequest>(&request);
      if (connect != nullptr) rates.push_back(connect->service.cells_per_s);
    }
    return rates;
  }
  // The calls of the releases without an answer.
  std::vector<ConnectionId> released() const {
    std::vector<ConnectionId> calls_released;
    for (const client::Request& request : asked) {
      const auto* const release = std::get_if<ReleaseRequest>(&request);
      if (release != nullptr) calls_released.push_back(release->connection);
    }
    return calls_released;
  }
  RequestId number_of(const client::Request& request) const {
    return std::visit([](const auto& each) { return each.request; }, request);
  }

  // The manager carries the oldest request out; its answer is `send()` of the result.
  Outcome carry_out() {
    const client::Request request = asked.front();
    asked.erase(asked.begin());
    Outcome outcome;
    outcome.request = number_of(request);
    if (const auto* connect = std::get_if<ConnectRequest>(&request)) {
      outcome.connection = ConnectionId{next_id++};
      calls.push_back({.connection = outcome.connection,
                       .request = connect->request,
                       .from = connect->from,
                       .to = connect->to});
    } else {
      outcome.kind = OutcomeKind::kReleased;
      outcome.connection = std::get<ReleaseRequest>(request).connection;
      std::erase_if(calls, [&](const auto& it) { return it.connection == outcome.connection; });
    }
    return outcome;
  }
  void send(const Outcome& outcome) {
    keeper->answered(outcome.request, outcome, now);
    step();
  }
  void answer() { send(carry_out()); }
  // The manager refuses the oldest request.
  void refuse(OutcomeKind kind = OutcomeKind::kRefused, std::uint32_t retry_after_ms = 0) {
    Outcome outcome;
    outcome.request = number_of(asked.front());
    outcome.kind = kind;
    outcome.cause = kind == OutcomeKind::kBusy ? Cause::kBusy : Cause::kNoBandwidth;
    outcome.element = "switch-1 port 2";
    outcome.retry_after_ms = retry_after_ms;
    asked.erase(asked.begin());
    send(outcome);
  }
  std::size_t up() const { return keeper->wanted().count(CallState::kUp); }
  const Entry& entry(std::size_t index) const { return keeper->wanted().entries()[index]; }
};

}  // namespace xbind::keeper
