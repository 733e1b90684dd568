// The operator's keys and words, and the answers.
#include "callgen/run/run_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using What = RunCommand::What;

RunCommand parsed(std::string_view line) {
  const auto command = parse_command(line, 5);
  EXPECT_TRUE(command) << line << ": " << (command ? "" : command.error().text);
  return command.value_or(RunCommand{});
}

std::string refused(std::string_view line) {
  const auto command = parse_command(line, 5);
  EXPECT_FALSE(command) << line;
  return command ? "" : command.error().text;
}

TEST(Keys, AreThoseOfSipp) {
  EXPECT_EQ(command_of_key('+', 5), (RunCommand{What::kFaster, 5}));
  EXPECT_EQ(command_of_key('-', 5), (RunCommand{What::kFaster, -5}));
  EXPECT_EQ(command_of_key('*', 5), (RunCommand{What::kFaster, 50}));
  EXPECT_EQ(command_of_key('/', 5), (RunCommand{What::kFaster, -50}));
  EXPECT_EQ(command_of_key('p', 5), (RunCommand{What::kPauseOrResume}));
  EXPECT_EQ(command_of_key('q', 5), (RunCommand{What::kQuit}));
  EXPECT_EQ(command_of_key('x', 5), std::nullopt);
}

TEST(Words, AreCommands) {
  EXPECT_EQ(parsed("rate 250.5"), (RunCommand{What::kRate, 250.5}));
  EXPECT_EQ(parsed(" faster\t20 \r"), (RunCommand{What::kFaster, 20}));
  EXPECT_EQ(parsed("faster"), (RunCommand{What::kFaster, 5}));
  EXPECT_EQ(parsed("slower 20"), (RunCommand{What::kFaster, -20}));
  EXPECT_EQ(parsed("slower"), (RunCommand{What::kFaster, -5}));
  EXPECT_EQ(parsed("pause"), (RunCommand{What::kPause}));
  EXPECT_EQ(parsed("resume"), (RunCommand{What::kResume}));
  EXPECT_EQ(parsed("quit"), (RunCommand{What::kQuit}));
  EXPECT_EQ(parsed("status"), (RunCommand{What::kStatus}));
  EXPECT_EQ(parsed("*"), (RunCommand{What::kFaster, 50}));
}

TEST(Words, ThatAreNoneAreNamed) {
  EXPECT_THAT(refused(""), HasSubstr("no command"));
  EXPECT_THAT(refused("stop"), HasSubstr("'stop' is no command; there are: rate N"));
  EXPECT_THAT(refused("rate"), HasSubstr("rate needs a number"));
  EXPECT_THAT(refused("rate fast"), HasSubstr("'fast' is no number"));
  EXPECT_THAT(refused("rate -3"), HasSubstr("'-3' is no number"));
  EXPECT_THAT(refused("rate nan"), HasSubstr("'nan' is no number"));
  EXPECT_THAT(refused("pause 3"), HasSubstr("pause: '3' is too much"));
  EXPECT_THAT(refused("rate 3 4"), HasSubstr("rate: '4' is too much"));
  EXPECT_THAT(refused(std::string(201, 'x')), HasSubstr("201 octets, at most 200"));
}

TEST(Answers, TellTheOfferFromNowOn) {
  EXPECT_EQ(sentence_of({.elapsed = 12'300ms, .rate = 250}), "250 calls/s at 12.3 s");
  EXPECT_EQ(sentence_of({.elapsed = 12'300ms, .rate = 250, .paused = true}),
            "paused at 12.3 s, 250 calls/s when resumed");
  EXPECT_EQ(sentence_of({.elapsed = 12'300ms}), "calls as planned at 12.3 s");
  EXPECT_EQ(sentence_of({.elapsed = 9s, .over = true, .offered = 40}),
            "all calls are offered, 40 of them, at 9.0 s");
}

}  // namespace
}  // namespace xbind::callgen
