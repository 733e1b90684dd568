/* Preloaded by epochs_test.py: the wall clock of our programs, of libstdc++ and of spdlog is set back by
 * TEST_CLOCK_BACK_S seconds. Deadlines of libc and omniORB keep the real clock, as they would
 * if the host's clock had been set back before the program started. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int is_ours(const void* code) {
  Dl_info caller;
  if (dladdr(code, &caller) == 0 || caller.dli_fname == NULL) return 0;
  return strstr(caller.dli_fname, "libstdc++") != NULL ||
         strstr(caller.dli_fname, "libspdlog") != NULL || strstr(caller.dli_fname, "/xbind") != NULL;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  static int (*real)(clockid_t, struct timespec*);
  static long back;
  if (real == NULL) {
    const char* seconds = getenv("TEST_CLOCK_BACK_S");
    back = seconds == NULL ? 0 : atol(seconds);
    *(void**)&real = dlsym(RTLD_NEXT, "clock_gettime");
  }
  const int result = real(clock, now);
  const int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (result == 0 && is_wall && is_ours(__builtin_return_address(0))) now->tv_sec -= back;
  return result;
}
