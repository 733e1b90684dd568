// A fixture for a manager of a new epoch and SwitchServers that lost their ledgers before it could
// read them.
#pragma once

#include <utility>

#include "recovery_fixture.hpp"

namespace xbind::cmgr {

inline CrossConnect entry(std::uint32_t input_port, std::uint32_t input_vci,
                          std::uint32_t output_port, std::uint32_t output_vci) {
  return {PortId{input_port}, input_vci == 0 ? Label{} : vci(input_vci), PortId{output_port},
          output_vci == 0 ? Label{} : vci(output_vci)};
}

class LostLedgerTest : public RecoveryTest {
 protected:
  // Those switches are read last, and have lost what they held.
  void restart_with_lost(const std::vector<std::string>& lost) {
    restart(lost);
    for (const std::string& name : lost) {
      kept_[name] = std::exchange(held_[name], {});
      manager().switch_holds(name, {}, now, Recovery::ReadAs::kLost);
    }
    finish();
  }
  // What the manager claims there.
  std::vector<CrossConnect> claimed_at(const std::string& name) {
    std::vector<CrossConnect> claims;
    for (const HopClaims& page : manager().claims_at(name, now)) {
      all_ = page.all;
      for (const LedgerHop& hop : page.hops) {
        EXPECT_TRUE(hop.rebuilt);
        claims.push_back(hop.cross_connect);
        keys_.push_back(hop.key);
      }
    }
    return claims;
  }
  std::vector<CrossConnect> rebuilt_at(const std::string& name) {
    std::vector<CrossConnect> rebuilt;
    for (const HopClaims& page : manager().claims_at(name, now)) {
      for (const LedgerHop& hop : page.hops) {
        if (hop.rebuilt) rebuilt.push_back(hop.cross_connect);
      }
    }
    return rebuilt;
  }
  // The SwitchServer takes the claim with that key as an entry of its switch.
  LedgerHop& takes(const std::string& name, const CrossConnect& there) {
    for (const HopClaims& page : manager().claims_at(name, now)) {
      for (const LedgerHop& hop : page.hops) {
        const CrossConnect& asked = hop.cross_connect;
        const auto fits = [](const auto& known, const auto& real, const auto& none) {
          return known == none || known == real;
        };
        if (fits(asked.input_label, there.input_label, Label{}) &&
            fits(asked.output_label, there.output_label, Label{}) &&
            fits(asked.input_port, there.input_port, PortId{}) &&
            fits(asked.output_port, there.output_port, PortId{})) {
          LedgerHop taken = hop;
          taken.cross_connect = there;
          taken.settled = true;
          taken.owner = 0;
          held_[name].push_back(taken);
          return held_[name].back();
        }
      }
    }
    ADD_FAILURE() << "nothing like it is claimed at " << name;
    return held_[name].emplace_back();
  }
  // It answers; the ledger is read again.
  void answers(const std::string& name, const ClaimsAnswer& answer = {}) {
    manager().switch_claimed(name, answer);
    come_back(name);
  }
  static HopResult refused(const HopKey& key, Cause cause, std::uint64_t asked = 0) {
    HopResult result;
    result.key = key;
    result.cause = cause;
    result.asked = asked;
    return result;
  }
  std::vector<std::string> to_claim() { return std::exchange(asked_lost, {}); }
  std::vector<std::string> done_with() { return std::exchange(claims_done, {}); }
  Notice notice() {
    wait(milliseconds{1});
    const auto notices = noticed();
    EXPECT_THAT(notices, SizeIs(1));
    return notices.empty() ? Notice{} : notices.front();
  }
  std::vector<ConnectionId> standing() { return manager().list(ConnectionId{}, 10); }

  std::map<std::string, std::vector<LedgerHop>> kept_;
  std::vector<HopKey> keys_;
  bool all_ = true;
};

}  // namespace xbind::cmgr
