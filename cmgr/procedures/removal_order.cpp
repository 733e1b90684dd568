#include "cmgr/procedures/removal_order.hpp"

#include <algorithm>
#include <memory>

namespace xbind::cmgr {
namespace {

// Whether the hop has taken over from a hop of the connection: its removal leads the cells back.
bool leads_back(const Connection& connection, const FoundHop& found) {
  const LedgerHop& gone = found.hop;
  return !gone.superseded && std::ranges::any_of(connection.hops(), [&](const Hop& hop) {
    return hop.at == found.at && hop.leg == gone.key.leg &&
           hop.generation < gone.key.generation.value() &&
           hop.input_port == gone.cross_connect.input_port &&
           static_cast<Label>(hop.input_label) == gone.cross_connect.input_label;
  });
}

}  // namespace

void arrange_removals(Connection& connection, const std::vector<const FoundHop*>& going,
                      std::vector<Debt>& debts) {
  std::vector<bool> leads(going.size());
  for (std::size_t i = 0; i < going.size(); ++i) leads[i] = leads_back(connection, *going[i]);
  std::shared_ptr<const void> first = connection.observed().led_back.lock();
  if (!first && std::ranges::find(leads, true) != leads.end()) {
    first = std::make_shared<const int>();
    connection.note().led_back = first;
  }
  for (std::size_t i = 0; i < going.size(); ++i) {
    if (leads[i]) {
      debts[i].before = first;
    } else {
      debts[i].after = first;
    }
  }
}

}  // namespace xbind::cmgr
