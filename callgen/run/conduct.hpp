// A run in the hands of its operator while it goes on.
#pragma once

#include <functional>
#include <string>

#include "callgen/run/offer.hpp"
#include "callgen/run/run_command.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

class Conduct {
 public:
  virtual ~Conduct() = default;
  virtual OfferView offer() = 0;
  // As Runner::perform(), at this moment.
  virtual Result<std::string> perform(const RunCommand& command) = 0;
};

// How a run is steered. Both are called ten times a second on the thread that waits for the run,
// and may wait no longer than that.
struct Steering {
  // True ends the run in order, as Runner::stop() does.
  std::function<bool()> stop{};
  std::function<void(Conduct&)> operate{};

  explicit operator bool() const { return stop || operate; }
};

}  // namespace xbind::callgen
