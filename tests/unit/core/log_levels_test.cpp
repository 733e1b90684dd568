#include "core/log_levels.hpp"

#include <gtest/gtest.h>

namespace xbind::log {
namespace {

TEST(LogLevels, ALevelWithoutASubsystemIsOfAllOthers) {
  const Levels started = Level::kInfo;
  const auto levels = started.changed("calls=debug,warn", started);
  ASSERT_TRUE(levels) << levels.error().text;
  EXPECT_EQ(levels->of(Subsystem::kCalls), Level::kDebug);
  EXPECT_EQ(levels->of(Subsystem::kGsmp), Level::kWarn);
  EXPECT_EQ(levels->of(Subsystem::kNone), Level::kWarn);
  EXPECT_EQ(levels->text(), "calls=debug,warn");
}

TEST(LogLevels, OneSubsystemChangesAloneAndGoesBack) {
  const Levels started = Level::kInfo;
  const Levels one = started.changed("gsmp=off", started).value();
  EXPECT_EQ(one.all(), Level::kInfo);
  EXPECT_EQ(one.of(Subsystem::kGsmp), Level::kOff);
  const Levels both = one.changed("orb=error", started).value();
  EXPECT_EQ(both.text(), "gsmp=off,orb=error,info");
  EXPECT_EQ(both.changed("gsmp=default", started).value().text(), "orb=error,info");
}

TEST(LogLevels, DefaultIsAsTheProcessWasStarted) {
  const Levels started = Levels{Level::kInfo}.changed("labels=debug", Level::kInfo).value();
  const Levels now = started.changed("off", started).value();
  EXPECT_EQ(now.all(), Level::kOff);
  EXPECT_EQ(now.changed("default", started).value(), started);
}

TEST(LogLevels, AWrongPartIsNamed) {
  const Levels started = Level::kInfo;
  const auto error = [&](const char* text) {
    const auto levels = started.changed(text, started);
    return levels ? "accepted" : levels.error().text;
  };
  EXPECT_EQ(error("loud"), "the level 'loud' is none of debug, info, warn, error, off");
  EXPECT_EQ(error("info,calls=loud"), "the level 'loud' is none of debug, info, warn, error, off");
  EXPECT_EQ(error("cells=info"),
            "the subsystem 'cells' is none of calls, routes, labels, sessions, gsmp, orb, audit");
  EXPECT_EQ(error("=info"),
            "the subsystem '' is none of calls, routes, labels, sessions, gsmp, orb, audit");
  EXPECT_EQ(error(""), "the level '' is none of debug, info, warn, error, off");
}

TEST(LogLevels, HaveNames) {
  EXPECT_EQ(level_of("debug"), Level::kDebug);
  EXPECT_EQ(level_of("off"), Level::kOff);
  EXPECT_EQ(level_of("Debug"), std::nullopt);
  EXPECT_EQ(level_of(""), std::nullopt);
  EXPECT_EQ(subsystem_of("audit"), Subsystem::kAudit);
  EXPECT_EQ(subsystem_of(""), std::nullopt);
}

}  // namespace
}  // namespace xbind::log
