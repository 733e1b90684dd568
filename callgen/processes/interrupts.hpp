// Ctrl-C as something that is noted, for commands that have something to clean up or to tell first.
#pragma once

namespace xbind::callgen {

// As long as one is there, SIGINT, SIGTERM and SIGHUP are noted instead of ending the process. One at a
// time; the earlier handlers come back with its end.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // The first signal noted; 0: none. From any thread.
  static int seen();
  // Forgets it while one must be cleaned up after, which takes children too; seen() says it again later.
  class Pause {
   public:
    Pause();
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    int noted_;
  };
};

}  // namespace xbind::callgen
