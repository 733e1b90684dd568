// Records Ctrl-C instead of ending the process, for commands that must clean up or report first.
#pragma once

namespace xbind::callgen {

// While an object exists, SIGINT, SIGTERM and SIGHUP are recorded instead of ending the process.
// One object at a time; its destructor restores the earlier handlers.
class Interrupts {
 public:
  // The effect of a second signal, half a second or more after the first: none, for commands that
  // have processes to end; or it ends the process at once, as without Interrupts.
  enum class Second : bool { kIsIgnored, kEndsTheProcess };
  explicit Interrupts(Second second = Second::kIsIgnored);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Called in the signal's handler before a second signal ends the process: async-signal-safe.
  // nullptr: nothing is called.
  static void before_the_end(void (*restore)());

  // The first signal recorded; 0: none. Any thread.
  static int seen();
  // Hides the signal during a clean-up, which starts children too; seen() returns it again
  // afterwards.
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
