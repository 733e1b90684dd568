// An independent reader of captures: tshark, applied to a file that the test writes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

namespace xbind::dataplane {

inline bool have_tshark() { return std::system("command -v tshark >/dev/null 2>&1") == 0; }

// Skips the test, with a message, where tshark is not installed.
#define XB_NEEDS_TSHARK()                                                \
  if (!have_tshark())                                                    \
  GTEST_SKIP() << "NOT TESTED: tshark is not installed: no independent " \
                  "reader has checked this capture"

// The output of `tshark -r FILE arguments` for a file with these octets.
inline std::string tshark(std::span<const std::byte> octets, const std::string& suffix,
                          const std::string& arguments) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  // Tests of two suites may share a name, and ctest runs them side by side.
  std::string name = std::string("dataplane-") + test->test_suite_name() + "-" + test->name() +
                     "-" + std::to_string(::getpid()) + suffix;
  std::replace(name.begin(), name.end(), '/', '-');  // names of parameterised tests contain '/'
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / name;
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(octets.data()),
             static_cast<std::streamsize>(octets.size()));
  const std::string command = "tshark -n -r '" + file.string() + "' " + arguments + " 2>/dev/null";
  std::string printed;
  if (std::FILE* pipe = popen(command.c_str(), "r")) {
    char part[4096];
    while (const std::size_t count = std::fread(part, 1, sizeof part, pipe))
      printed.append(part, count);
    pclose(pipe);
  }
  std::filesystem::remove(file);
  return printed;
}

}  // namespace xbind::dataplane
