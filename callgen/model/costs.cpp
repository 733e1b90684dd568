#include "callgen/model/costs.hpp"

namespace xbind::model {
namespace {

constexpr Duration us(double count) { return Duration{static_cast<Duration::rep>(count * 1'000)}; }

}  // namespace

Costs native_costs() {
  Costs costs;
  costs.host = {
      .wake_latency = us(30), .idle_wake = us(20), .switch_in = us(10), .slice = us(1'000)};
  costs.client = {.receive = us(2), .send = us(2), .item_in = us(0.4), .item_out = us(0.4)};
  costs.manager = {
      .receive = us(2), .reply = us(2), .send = us(2), .item_in = us(0.2), .item_out = us(0.2)};
  costs.switch_server = {
      .receive = us(2), .send = us(2), .item_in = us(0.25), .item_out = us(0.25)};
  costs.label_switch = {
      .receive = us(1.2), .send = us(1.2), .item_in = us(0.05), .item_out = us(0.05)};
  costs.mapper = {.receive = us(2), .send = us(2), .item_in = us(2), .item_out = us(0.25)};
  costs.hand_over = us(10);
  return costs;
}

Costs costs_of_1998() {
  Costs costs;
  costs.host = {
      .wake_latency = us(50), .idle_wake = us(50), .switch_in = us(50), .slice = us(10'000)};
  // Many callers on many hosts: none of them is in the way of the next.
  costs.client = {.receive = us(100), .send = us(100), .item_in = us(10), .item_out = us(10)};
  costs.manager = {.receive = us(1'300),
                   .reply = us(400),
                   .send = us(400),
                   .item_in = us(40),
                   .item_out = us(40)};
  costs.switch_server = costs.manager;
  costs.label_switch = {
      .receive = us(200), .send = us(200), .item_in = us(150), .item_out = us(50)};
  costs.mapper = costs.manager;
  costs.hand_over = us(50);
  costs.network = us(200);
  return costs;
}

}  // namespace xbind::model
