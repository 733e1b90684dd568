// The rates that the operator has set for ports, and which of them the switch has been asked for.
//
// A rate is requested once in a port's session: a switch that has refused it is asked again only
// when the port begins a new session, the switch is met anew, or the operator sets another rate.
// Pure; bounded by the ports that the owner passes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "core/path.hpp"

namespace xbind {

class SetRates {
 public:
  // Replaces the rates.
  void set(const std::vector<PortRate>& rates) {
    wanted_.clear();
    for (const PortRate& rate : rates) wanted_[rate.port] = rate.cells_per_s;
    std::erase_if(asked_, [this](const auto& entry) {
      const auto wanted = wanted_.find(entry.first);
      return wanted == wanted_.end() || wanted->second != entry.second.cells_per_s;
    });
  }
  // The switch is met anew.
  void forget_asked() { asked_.clear(); }

  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (const auto& [port, cells_per_s] : wanted_) visit(port, cells_per_s);
  }
  bool empty() const { return wanted_.empty(); }
  // Whether the rate of the port is to be requested in this session of the port.
  bool due(PortId port, std::uint32_t session) const {
    const auto asked = asked_.find(port);
    return asked == asked_.end() || asked->second.session != session;
  }
  void asked(PortId port, std::uint32_t session, std::uint64_t cells_per_s) {
    asked_[port] = {session, cells_per_s};
  }

 private:
  struct Asked {
    std::uint32_t session = 0;
    std::uint64_t cells_per_s = 0;
  };

  std::map<PortId, std::uint64_t> wanted_;
  std::map<PortId, Asked> asked_;  // of ports in wanted_
};

}  // namespace xbind
