#include "core/log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace xbind {
namespace {

std::string written(const std::string& about, const std::string& line) {
  testing::internal::CaptureStderr();
  log::start("test", log::Level::kInfo);
  {
    const log::About named(about);
    log::write(log::Level::kInfo, line);
  }
  const std::string text = testing::internal::GetCapturedStderr();
  return text.substr(text.find("test: ") + 6);
}

TEST(Log, AnOrdinaryLineIsWrittenAsItIs) {
  EXPECT_EQ(written("", "client callgen-1 attached"), "client callgen-1 attached\n");
  EXPECT_EQ(written("host-a", "ready, {} {0"), "host-a: ready, {} {0\n");
}

TEST(Log, APeerCannotForgeALineOrSteerTheTerminal) {
  const std::string forged = "client x\n2026-01-01 00:00:00.000 error xbind-cmgr: \x1b[2Jdown";
  const std::string clean = R"(client x\n2026-01-01 00:00:00.000 error xbind-cmgr: \x1b[2Jdown)";
  EXPECT_EQ(written("", forged), clean + "\n");
  EXPECT_EQ(written("a\nb", forged), R"(a\nb: )" + clean + "\n");
}

TEST(Log, ALineHasABound) {
  const std::string text = written("", "begin " + std::string(100'000, 'x'));
  EXPECT_LT(text.size(), 8'300U);
  EXPECT_TRUE(text.ends_with("x... (100006 octets)\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST(Log, APeerThatCausesTheSameLineAgainAndAgainDoesNotFillIt) {
  testing::internal::CaptureStderr();
  log::start("test", log::Level::kInfo);
  for (int i = 0; i < 100'000; ++i) log::info("client {} attached", i);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 1'100);
  EXPECT_NE(text.find("client 999 attached"), std::string::npos);
}

}  // namespace
}  // namespace xbind
