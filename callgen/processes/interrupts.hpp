// Ctrl-C as something that is noted, for commands that have something to clean up or to tell first.
#pragma once

namespace xbind::callgen {

// As long as one is there, SIGINT, SIGTERM and SIGHUP are noted instead of ending the process. One at a
// time; the earlier handlers come back with its end.
class Interrupts {
 public:
  // What a second signal does, half a second or more after the first: nothing, for those who have
  // processes to end; or it ends the process at once, as if there were no Interrupts.
  enum class Second : bool { kIsIgnored, kEndsTheProcess };
  explicit Interrupts(Second second = Second::kIsIgnored);
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
