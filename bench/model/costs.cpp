#include "bench/model/costs.hpp"

namespace xbind::model {
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

}  // namespace xbind::model
