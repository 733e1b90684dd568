// The rates that the operator has set, requested from the emulated switch's own agent.
#include "tests/unit/switchserver/drivers/driver_link.hpp"

namespace xbind {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class SetRatesTest : public testing::Test {
 protected:
  // The rates of the ports as the driver has reported them last.
  std::vector<std::uint64_t> rates() {
    for (const driver::Event& event : link_.driver_.take_events()) {
      if (const auto* up = std::get_if<driver::Up>(&event)) keep(up->ports);
      if (const auto* news = std::get_if<driver::Ports>(&event)) {
        keep(news->ports);
        ++news_;
      }
    }
    return rates_;
  }
  void keep(const std::vector<SwitchPort>& ports) {
    rates_.clear();
    for (const SwitchPort& port : ports) rates_.push_back(port.cells_per_s);
  }
  void set(const std::vector<PortRate>& wanted) {
    link_.driver_.set_rates(wanted);
    link_.exchange();
  }
  std::uint64_t requests() const { return link_.driver_.counters().requests_sent; }

  Link link_;
  std::vector<std::uint64_t> rates_;
  int news_ = 0;
};

TEST_F(SetRatesTest, AreRequestedAndReportedAsTheSwitchHasThem) {
  link_.connect();
  const std::uint64_t own = rates().at(0);
  // --> Port Management Set Transmit Data Rate;  --> Port Configuration
  set({{kOut, 700}});
  EXPECT_THAT(rates(), ElementsAre(own, 700U));
  EXPECT_EQ(news_, 1);
  const std::uint64_t before = requests();
  set({{kOut, 700}});
  EXPECT_EQ(requests(), before) << "the port has the rate already";
}

TEST_F(SetRatesTest, AreSetBeforeTheSwitchIsMetAndAgainAfterItsRestart) {
  link_.driver_.set_rates({{kIn, 900}});
  link_.connect();
  EXPECT_EQ(rates().at(0), 900U);
  link_.cut();
  link_.restart_switch();
  link_.connect();
  EXPECT_EQ(rates().at(0), 900U);
}

TEST_F(SetRatesTest, ARefusedRateIsNotRequestedAgainUntilItIsAnotherOne) {
  link_.connect();
  const std::uint64_t own = rates().at(0);
  set({{kIn, own + 1}});
  EXPECT_EQ(rates().at(0), own);
  const std::uint64_t before = requests();
  set({{kIn, own + 1}});
  link_.pass(std::chrono::seconds{1});
  EXPECT_EQ(requests(), before);
  set({{kIn, own - 1}});
  EXPECT_EQ(rates().at(0), own - 1);
}

TEST_F(SetRatesTest, APortThatTheSwitchDoesNotHaveIsLeftAlone) {
  link_.connect();
  const std::uint64_t before = requests();
  set({{PortId{9}, 5}});
  EXPECT_EQ(requests(), before);
}

TEST_F(SetRatesTest, AVersionWithoutTheRequestRefusesIt) {
  Link old(2, {1});
  old.connect();
  old.events<driver::Up>();
  old.driver_.set_rates({{kIn, 5}});
  old.exchange();
  EXPECT_THAT(old.events<driver::Ports>(), IsEmpty());
}

}  // namespace
}  // namespace xbind
