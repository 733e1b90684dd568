// The file in which a daemon keeps the options that operators have set.
#include "core/config/kept_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/state_file.hpp"

namespace xbind::config {
namespace {

using ::testing::HasSubstr;

const KeptSettings kTwo{{"hop-timer-ms", "2000", "3000"},
                        {"regions", "50:1,100:\"4\"\n# end: ", "é\t\\"}};

std::string refusal(std::string_view text) {
  const auto read = settings_from_text(text, "here");
  return read ? "accepted" : read.error().text;
}

TEST(KeptSettings, AreReadAsTheyWereWritten) {
  for (const KeptSettings& settings : {kTwo, KeptSettings{}}) {
    const auto read = settings_from_text(settings_as_text(settings), "here");
    ASSERT_TRUE(read.has_value()) << read.error().text;
    EXPECT_EQ(*read, settings);
  }
}

TEST(KeptSettings, ATextThatWasCutOrChangedIsRefused) {
  const std::string text = settings_as_text(kTwo);
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_NE(refusal(text.substr(0, length)), "accepted") << length;
  }
  std::string changed = text;
  changed.replace(changed.find("2000"), 4, "2001");
  EXPECT_THAT(refusal(changed), HasSubstr("here is not whole: "));
  EXPECT_THAT(refusal(text + "\n"), HasSubstr("here is not whole: "));
  EXPECT_THAT(refusal("# xbind settings 2\n"), HasSubstr("here line 1: it is not"));
  EXPECT_THAT(refusal(with_end_mark("# xbind settings 1\n[[setting]]\nname = 'x'\nvalue = 'y'\n")),
              HasSubstr("a setting needs 'before'"));
}

TEST(KeptSettings, OfSeveralNamesHaveOneFileInWhateverOrderTheNamesAre) {
  namespace fs = std::filesystem;
  const fs::path directory =
      fs::temp_directory_path() / ("kept_settings_test." + std::to_string(::getpid()));
  fs::create_directories(directory);
  const auto file = [&](std::vector<std::string> names) {
    return fs::path(settings_file_of_one(directory.string(), "x", std::move(names))).filename();
  };
  EXPECT_EQ(file({"n2", "n1", "n3"}), "x-n1.settings");
  EXPECT_EQ(file({"n3", "n2", "n1"}), "x-n1.settings");
  // An earlier version has named it after its first argument; n0 is added later.
  ASSERT_TRUE(write_settings((directory / "x-n2.settings").string(), kTwo));
  EXPECT_EQ(file({"n2", "n1", "n3"}), "x-n2.settings");
  EXPECT_EQ(file({"n3", "n1", "n0", "n2"}), "x-n2.settings");
  EXPECT_EQ(file({"n1", "n3"}), "x-n1.settings");
  EXPECT_EQ(settings_file_of_one("", "x", {"n1"}), "");
  fs::remove_all(directory);
}

TEST(KeptSettings, HaveNoFileWithoutADirectory) {
  EXPECT_EQ(settings_file_path("", "cmgr", "default"), "");
  EXPECT_EQ(settings_file_path("/d", "cmgr", "m1"), "/d/cmgr-m1.settings");
  EXPECT_TRUE(write_settings("", kTwo).has_value());
  EXPECT_EQ(*read_settings(""), KeptSettings{});
}

}  // namespace
}  // namespace xbind::config
