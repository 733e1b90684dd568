#include "core/shortage.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <typeinfo>

#if defined(__has_feature)
#define XBIND_HAS_FEATURE(x) __has_feature(x)
#else
#define XBIND_HAS_FEATURE(x) 0
#endif
// A sanitizer's own start comes first, and its allocator has no refusals.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    XBIND_HAS_FEATURE(address_sanitizer) || XBIND_HAS_FEATURE(thread_sanitizer)
#define XBIND_SANITIZED 1
#else
#define XBIND_SANITIZED 0
#endif

namespace xbind {
namespace {

const char* program = "this program";

// A line without an allocation: there may be no memory for one.
class Line {
 public:
  void add(std::string_view words) {
    const std::size_t count = words.size() < room() ? words.size() : room();
    std::memcpy(text_.data() + size_, words.data(), count);
    size_ += count;
  }
  void add(rlim_t number) {
    std::array<char, 24> digits{};
    std::size_t at = digits.size();
    do {
      digits[--at] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    add(std::string_view(digits.data() + at, digits.size() - at));
  }
  void add_limit(std::string_view words, __rlimit_resource which, rlim_t unit,
                 std::string_view unit_words) {
    rlimit limit{};
    if (::getrlimit(which, &limit) != 0) return;
    add(words);
    if (limit.rlim_cur == RLIM_INFINITY) return add("unlimited");
    add(limit.rlim_cur / unit);
    add(unit_words);
  }
  void write() {
    text_[size_++] = '\n';
    // Nothing can be done if standard error takes no line.
    if (::write(STDERR_FILENO, text_.data(), size_) < 0) return;
  }

 private:
  std::size_t room() const { return text_.size() - 1 - size_; }

  std::array<char, 512> text_{};
  std::size_t size_ = 0;
};

Line begun(std::string_view words) {
  Line line;
  line.add(program);
  line.add(": ");
  line.add(words);
  return line;
}

[[noreturn]] void end(Line& line) {
  line.add("; it ends with exit code ");
  line.add(rlim_t{kExitShortage});
  line.write();
  ::_exit(kExitShortage);
}

[[noreturn]] void end_without_memory() {
  Line line = begun("no memory: the host has refused an allocation (");
  line.add_limit("ulimit -v: ", RLIMIT_AS, 1024, " KiB");
  line.add(")");
  end(line);
}

[[noreturn]] void end_without_thread() {
  Line line = begun("no thread: the host has refused to start one (");
  line.add_limit("ulimit -v: ", RLIMIT_AS, 1024, " KiB");
  line.add_limit(", -u: ", RLIMIT_NPROC, 1, "");
  line.add(")");
  end(line);
}

[[noreturn]] void end_without_descriptor() {
  Line line = begun("no descriptor: the host has refused one (");
  line.add_limit("ulimit -n: ", RLIMIT_NOFILE, 1, "");
  line.add(")");
  end(line);
}

void end_by_code(int code) {
  if (code == EAGAIN) end_without_thread();
  if (code == ENOMEM) end_without_memory();
  if (code == EMFILE || code == ENFILE) end_without_descriptor();
}

// What nobody has handled.
[[noreturn]] void end_by_exception() {
  Line line = begun("an error that nobody handles: ");
  if (const std::type_info* const type = abi::__cxa_current_exception_type()) {
    // omniORB's, which is no std::exception: it could not start a thread.
    if (std::string_view(type->name()).find("omni_thread_fatal") != std::string_view::npos) {
      end_without_thread();
    }
    line.add(type->name());
    try {
      std::rethrow_exception(std::current_exception());
    } catch (const std::bad_alloc&) {
      end_without_memory();
    } catch (const std::system_error& error) {
      end_by_code(error.code().value());
      line.add(", ");
      line.add(error.what());
    } catch (const boost::system::system_error& error) {
      end_by_code(error.code().value());
      line.add(", ");
      line.add(error.what());
    } catch (const std::exception& error) {
      line.add(", ");
      line.add(error.what());
    } catch (...) {
      line.add(", which says no more");
    }
  } else {
    line.add("none, std::terminate() was called");
  }
  line.write();
  std::abort();
}

void install() {
  std::set_new_handler(end_without_memory);
  std::set_terminate(end_by_exception);
}

#if !XBIND_SANITIZED
// jemalloc 5.3 crashes in the first allocations of a process or thread if it gets only some of the
// memory with which it begins, about 7 MiB. No program of ours could go on with less than this.
constexpr std::size_t kToBegin = std::size_t{16} << 20;

bool short_of_memory() {
  void* const room = ::mmap(nullptr, kToBegin, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return true;
  ::munmap(room, kToBegin);
  return false;
}

void on_crash(int signal_number) {
  if (short_of_memory()) end_without_memory();
  ::signal(signal_number, SIG_DFL);
  ::raise(signal_number);
}

// Before the constructors of the libraries, which allocate.
void before_constructors(int argc, char** argv, char** /*environment*/) {
  if (argc > 0) {
    const char* const slash = std::strrchr(argv[0], '/');
    program = slash == nullptr ? argv[0] : slash + 1;
  }
  install();
  if (short_of_memory()) end_without_memory();
  ::signal(SIGSEGV, on_crash);
}
__attribute__((section(".preinit_array"),
               used)) void (*const first_of_all)(int, char**, char**) = before_constructors;
#endif

}  // namespace

void name_shortages() {
#if XBIND_SANITIZED
  program = ::program_invocation_short_name;
  install();
#endif
}

void end_if_short_of_descriptors(int needed) {
  std::array<int, 32> opened{};
  const auto wanted = std::min(static_cast<std::size_t>(std::max(needed, 0)), opened.size());
  std::size_t count = 0;
  int refused = 0;
  for (; count < wanted && refused == 0; ++count) {
    opened[count] = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (opened[count] < 0) refused = errno;
  }
  for (std::size_t at = 0; at < count; ++at) {
    if (opened[at] >= 0) ::close(opened[at]);
  }
  if (refused == EMFILE || refused == ENFILE) end_without_descriptor();
}

}  // namespace xbind
