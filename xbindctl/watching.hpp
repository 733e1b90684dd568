// Repeats a command that only shows something: --watch, and top.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace xbind::ctl {

struct Watch {
  std::string title{};       // first line of a frame on a terminal
  bool terminal = false;     // clear the screen before each frame
  bool separated = true;     // without a terminal: an empty line between two frames
  std::uint32_t frames = 0;  // 0: until the process ends
};

// Runs `frame` again and again, with `pause` between two runs. A frame that fails is followed by
// the next one: a daemon that is started again is shown again. Ends also when what a frame has
// printed cannot be written, or when `pause` returns true: nobody reads any more. Returns the last
// exit code.
int watch(const Watch& plan, const std::function<int()>& frame, const std::function<bool()>& pause);

// From now on Ctrl-C ends the process with exit code 0, also while a peer is waited for. Only for
// commands that change nothing.
void end_on_interrupt();

}  // namespace xbind::ctl
