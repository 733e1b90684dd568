// The frame of every state file, what is refused, and what becomes of a file that could not be
// written.
#include "core/state_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "core/durable_file.hpp"
#include "core/unwritten_files.hpp"

namespace xbind {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr StateFormat kFormat{.what = "xbind-x things",
                              .version = 3,
                              .octets_max = 100,
                              .without = "there are none",
                              .earlier = "things 2"};

std::string refusal(std::string_view text) {
  const auto read = state_from_text(kFormat, text, "here");
  return read ? "accepted" : read.error().text;
}

TEST(StateText, HasItsKindItsVersionAndAnEnd) {
  const std::string text = state_as_text(kFormat, "one\ntwo\n");
  EXPECT_THAT(text, HasSubstr("# xbind-x things 3\none\ntwo\n# end: 27 octets, CRC-32 "));
  const auto read = state_from_text(kFormat, text, "here").value();
  EXPECT_EQ(read.content(), "one\ntwo\n");
  EXPECT_EQ(read.text, "# xbind-x things 3\none\ntwo\n");
  EXPECT_FALSE(read.earlier);
  EXPECT_EQ(state_from_text(kFormat, state_as_text(kFormat, ""), "here")->content(), "");
}

TEST(StateText, TornAtAnyOctetOrChangedAtAnyIsRefused) {
  // The content has what an end mark begins with.
  const std::string text = state_as_text(kFormat, "one\n# end: 9 octets\n");
  ASSERT_EQ(refusal(text), "accepted");
  for (std::size_t at = 0; at < text.size(); ++at) {
    EXPECT_NE(refusal(text.substr(0, at)), "accepted") << at;
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_NE(refusal(changed), "accepted") << at;
  }
  EXPECT_EQ(refusal(""), "here is empty");
  EXPECT_THAT(refusal(text.substr(0, 5)), HasSubstr("here is not whole: its 5 octets"));
  EXPECT_THAT(refusal(text + "x"), HasSubstr("here is not whole"));
  EXPECT_EQ(refusal("# xbind-x things 4\n"), "here line 1: it is not '# xbind-x things 3'");
}

TEST(StateText, TheVersionBeforeHasNoEnd) {
  const auto read = state_from_text(kFormat, "things 2\none\n", "here").value();
  EXPECT_EQ(read.content(), "one\n");
  EXPECT_TRUE(read.earlier);
  EXPECT_THAT(refusal("things 2"), HasSubstr("line 1"));
  EXPECT_THAT(refusal("things 22\n"), HasSubstr("line 1"));
}

class StateFileTest : public ::testing::Test {
 protected:
  StateFileTest() { fs::create_directories(directory_); }
  ~StateFileTest() override { fs::remove_all(directory_); }

  static void wait_for_success(const UnwrittenFiles& files) {
    while (!files.failures().empty()) std::this_thread::yield();
  }
  std::string text() const { return read_file_if_there(path_, 1'000).value().value_or("none"); }
  // A directory in the draft's place: it cannot be written, for no user.
  void block() const { fs::create_directories(path_ + ".new"); }
  void unblock() const { fs::remove(path_ + ".new"); }

  const fs::path directory_ =
      fs::temp_directory_path() / ("state_file_test." + std::to_string(::getpid()));
  const std::string path_ = (directory_ / "things").string();
};

TEST_F(StateFileTest, WhatIsRefusedHasAPathAndAWayOut) {
  EXPECT_FALSE(read_state(kFormat, path_).value().has_value());
  EXPECT_FALSE(read_state(kFormat, "").value().has_value());
  ASSERT_TRUE(replace_file(path_, "").has_value());
  EXPECT_EQ(read_state(kFormat, path_).error().text,
            path_ + " is empty; remove the file and start again: without it there are none");
  ASSERT_TRUE(replace_file(path_, std::string(101, 'x')).has_value());
  EXPECT_THAT(read_state(kFormat, path_).error().text,
              HasSubstr(path_ + " is longer than 100 octets; remove the file"));
  const auto read =
      read_state_as<int>(kFormat, path_, [](const StateText&) -> Result<int> { return 1; });
  EXPECT_FALSE(read.has_value());
  ASSERT_TRUE(write_state(kFormat, path_, "one\n", Unwritten::kWanted).has_value());
  const auto parsed = read_state_as<int>(kFormat, path_, [](const StateText&) -> Result<int> {
    return fail(ErrorCode::kBadInput, "no number");
  });
  EXPECT_EQ(parsed.error().text,
            "no number; remove the file and start again: without it there are none");
  fs::remove(path_);
  fs::create_directory(path_);
  EXPECT_THAT(read_state(kFormat, path_).error().text, HasSubstr(path_));
}

TEST_F(StateFileTest, NothingIsWrittenThatIsTooLongToBeRead) {
  ASSERT_TRUE(write_state(kFormat, path_, "one\n", Unwritten::kWanted).has_value());
  const std::string before = text();
  EXPECT_THAT(
      write_state(kFormat, path_, std::string(99, 'x') + "\n", Unwritten::kWanted).error().text,
      HasSubstr("octets, at most 100"));
  EXPECT_EQ(text(), before);
  EXPECT_TRUE(write_state(kFormat, "", "one\n", Unwritten::kWanted).has_value());
}

TEST_F(StateFileTest, WhatIsWantedIsWrittenAsSoonAsItCanBe) {
  UnwrittenFiles files({std::chrono::milliseconds{1}, std::chrono::milliseconds{1}});
  ASSERT_TRUE(files.write(path_, "old", Unwritten::kWanted).has_value());
  block();
  EXPECT_FALSE(files.write(path_, "new", Unwritten::kWanted).has_value());
  // What is taken back does not displace it.
  EXPECT_FALSE(files.write(path_, "refused", Unwritten::kUndone).has_value());
  ASSERT_EQ(files.failures().size(), 1U);
  EXPECT_EQ(files.failures()[0].path, path_);
  EXPECT_THAT(files.failures()[0].why, HasSubstr(path_ + " cannot be written: "));
  EXPECT_EQ(text(), "old");
  unblock();
  wait_for_success(files);
  EXPECT_EQ(text(), "new");
}

TEST_F(StateFileTest, WhatWasTakenBackIsNotWrittenButTheFileIsTried) {
  UnwrittenFiles files({std::chrono::milliseconds{1}, std::chrono::milliseconds{1}});
  ASSERT_TRUE(files.write(path_, "old", Unwritten::kUndone).has_value());
  block();
  EXPECT_FALSE(files.write(path_, "new", Unwritten::kUndone).has_value());
  EXPECT_EQ(files.failures().size(), 1U);
  unblock();
  wait_for_success(files);
  EXPECT_EQ(text(), "old");
  EXPECT_FALSE(fs::exists(path_ + ".new"));
}

TEST_F(StateFileTest, ALaterChangeThatIsWrittenEndsTheFailure) {
  UnwrittenFiles files({std::chrono::hours{1}, std::chrono::hours{1}});
  block();
  EXPECT_FALSE(files.write(path_, "one", Unwritten::kWanted).has_value());
  unblock();
  EXPECT_TRUE(files.write(path_, "two", Unwritten::kUndone).has_value());
  EXPECT_THAT(files.failures(), IsEmpty());
  EXPECT_EQ(text(), "two");
}

}  // namespace
}  // namespace xbind
