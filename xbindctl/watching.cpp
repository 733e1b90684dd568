#include "xbindctl/watching.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "core/name.hpp"
#include "core/output.hpp"

namespace xbind::ctl {

int watch(const Watch& plan, const std::function<int()>& frame,
          const std::function<bool()>& pause) {
  constexpr const char* kClear = "\x1b[H\x1b[2J";  // ECMA-48: CUP, ED
  for (std::uint32_t shown = 1;; ++shown) {
    if (plan.terminal) std::printf("%s%s\n\n", kClear, printable(plan.title).c_str());
    if (!plan.terminal && plan.separated && shown > 1) std::printf("\n");
    const int exit_code = frame();
    if (output_fault() || shown == plan.frames) return exit_code;
    if (plan.frames == 0) shown = 1;  // never reaches a bound
    if (pause()) return exit_code;
  }
}

void end_on_interrupt() {
  struct sigaction action {};
  action.sa_handler = [](int) { ::_exit(0); };
  ::sigaction(SIGINT, &action, nullptr);
}

}  // namespace xbind::ctl
