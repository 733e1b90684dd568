// A fixture that reads what a manager claims at a SwitchServer that has lost its ledger.
#pragma once

#include <string>
#include <vector>

#include "exchange.hpp"

namespace xbind::cmgr {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// `Base`: ExchangeTest, or a fixture that adds to it.
template <class Base>
class WithClaims : public Base {
 protected:
  // The hops that are claimed at the switch; there is one page.
  std::vector<LedgerHop> claimed(const std::string& name) {
    page_ = {};
    const std::vector<HopClaims> pages = this->manager().claims_at(name, this->now);
    EXPECT_THAT(pages, SizeIs(1));
    EXPECT_TRUE(pages.back().last);
    page_ = pages.back();
    return page_.hops;
  }
  // Which of them count for the ingress, as "leg/hop".
  std::vector<std::string> entering(const std::string& name) {
    std::vector<std::string> found;
    for (const LedgerHop& hop : claimed(name)) {
      if (!hop.enters) continue;
      found.push_back(std::to_string(hop.key.leg) + "/" + std::to_string(hop.key.hop));
    }
    return found;
  }

  HopClaims page_;  // the last one that was claimed
};

using ClaimsTest = WithClaims<ExchangeTest>;

}  // namespace xbind::cmgr
