// Who watches whether daemons answer (orb/daemon_watch.hpp), and what is known of names while the
// name service is away (orb/known_names.hpp).
#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

#include "orb/daemon_watch.hpp"
#include "orb/known_names.hpp"
#include "orb/oneway.hpp"

namespace xbind::orb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

const WatchedNames kNames{{"xbind/routeobject", "xbind/cmgr", "xbind/switchserver"},
                          "xbind/keeper"};
const std::vector<std::string> kBound{
    "xbind/cmgr/default",        "xbind/keeper/keeper",       "xbind/other/x",
    "xbind/routeobject/default", "xbind/switchserver/node-1", "xbind/switchserver/node-2"};

// Plays the daemons: which do not answer, and who is asked.
class DaemonWatchTest : public testing::Test {
 protected:
  // The conditions as one process sees them; "nobody's" when another daemon watches.
  std::vector<std::string> seen_by(const std::set<std::string>& own) {
    asked.clear();
    rounds = 0;
    const auto conditions = conditions_of_silence(
        kNames, in_watching_order(kNames, bound), own,
        [this](const std::vector<std::string>& paths) {
          std::vector<Result<void>> answers;
          ++rounds;
          for (const std::string& path : paths) {
            asked.push_back(path);
            answers.push_back(silent.contains(path) ? fail(ErrorCode::kTimeout, "no answer")
                                                    : Result<void>{});
          }
          return answers;
        });
    if (!conditions) return {"another watches"};
    std::vector<std::string> seen;
    for (const AlarmCondition& one : *conditions) {
      EXPECT_EQ(one.cause, "no answer");
      seen.push_back((one.kind == AlarmKind::kKeeperSilent ? "keeper-silent " : "daemon-silent ") +
                     one.object);
    }
    return seen;
  }

  std::vector<std::string> bound = kBound;
  std::set<std::string> silent;
  std::vector<std::string> asked;
  std::size_t rounds = 0;  // of questions
};

TEST_F(DaemonWatchTest, NamesAreOrderedByWhoWatches) {
  EXPECT_THAT(
      in_watching_order(kNames, kBound),
      ElementsAre("xbind/routeobject/default", "xbind/cmgr/default", "xbind/switchserver/node-1",
                  "xbind/switchserver/node-2", "xbind/keeper/keeper"));
  EXPECT_THAT(in_watching_order(kNames, {"xbind/cmgr", "xbind/cmgrs/x", "xbind/cmgr/a/b", "x"}),
              IsEmpty());
}

TEST_F(DaemonWatchTest, TheFirstDaemonAsksAllOthersAndTheOthersAskTheFirst) {
  EXPECT_THAT(seen_by({"xbind/routeobject/default"}), IsEmpty());
  EXPECT_THAT(asked, ElementsAre("xbind/cmgr/default", "xbind/switchserver/node-1",
                                 "xbind/switchserver/node-2", "xbind/keeper/keeper"));
  EXPECT_THAT(seen_by({"xbind/cmgr/default"}), ElementsAre("another watches"));
  EXPECT_THAT(asked, ElementsAre("xbind/routeobject/default"));
  EXPECT_THAT(seen_by({"xbind/switchserver/node-1", "xbind/switchserver/node-2"}),
              ElementsAre("another watches"));
  EXPECT_THAT(asked, ElementsAre("xbind/routeobject/default"));
}

TEST_F(DaemonWatchTest, ADeadDaemonAndADeadKeeperAreAlarmsOfTheirOwn) {
  silent = {"xbind/switchserver/node-2", "xbind/keeper/keeper"};
  EXPECT_THAT(seen_by({"xbind/routeobject/default"}),
              ElementsAre("daemon-silent switchserver/node-2", "keeper-silent keeper/keeper"));
  EXPECT_THAT(seen_by({"xbind/cmgr/default"}), ElementsAre("another watches"));
}

TEST_F(DaemonWatchTest, TheNextLivingDaemonTakesOver) {
  silent = {"xbind/routeobject/default"};
  EXPECT_THAT(seen_by({"xbind/cmgr/default"}), ElementsAre("daemon-silent routeobject/default"));
  EXPECT_THAT(seen_by({"xbind/switchserver/node-1"}), ElementsAre("another watches"));
  silent.insert("xbind/cmgr/default");
  EXPECT_THAT(seen_by({"xbind/switchserver/node-1"}),
              ElementsAre("daemon-silent routeobject/default", "daemon-silent cmgr/default"));
  EXPECT_THAT(seen_by({"xbind/switchserver/node-2"}), ElementsAre("another watches"));
}

TEST_F(DaemonWatchTest, ManySilentDaemonsBeforeOneCostItFewWaits) {
  bound.clear();
  for (int node = 100; node < 400; ++node) {
    bound.push_back("xbind/switchserver/node-" + std::to_string(node));
  }
  silent = {bound.begin(), bound.end() - 1};
  EXPECT_EQ(seen_by({bound.back()}).size(), 299U);
  EXPECT_LE(rounds, 10U);
  silent.erase("xbind/switchserver/node-298");
  EXPECT_THAT(seen_by({bound.back()}), ElementsAre("another watches"));
}

TEST_F(DaemonWatchTest, ADaemonWhoseNameIsNotBoundYetWatchesOnlyIfAllOthersAreSilent) {
  bound = {"xbind/cmgr/default", "xbind/keeper/keeper"};
  EXPECT_THAT(seen_by({"xbind/switchserver/new"}), ElementsAre("another watches"));
  silent = {"xbind/cmgr/default"};
  EXPECT_THAT(seen_by({"xbind/switchserver/new"}), ElementsAre("daemon-silent cmgr/default"));
  bound.clear();
  EXPECT_THAT(seen_by({"xbind/switchserver/new"}), IsEmpty());
}

TEST(ProcessAnswers, ASilentProcessIsSilentForAllItsDaemons) {
  ProcessAnswers processes;
  processes.note_silence("127.0.0.1:9", Error{ErrorCode::kTimeout, "no answer"});
  processes.note_answer("127.0.0.1:10");
  ASSERT_NE(processes.silence_of("127.0.0.1:9"), nullptr);
  EXPECT_EQ(processes.silence_of("127.0.0.1:9")->text, "no answer");
  EXPECT_FALSE(processes.has_answered("127.0.0.1:9"));
  EXPECT_TRUE(processes.has_answered("127.0.0.1:10"));
  EXPECT_EQ(processes.silence_of("127.0.0.1:10"), nullptr);
}

TEST(ProcessAnswers, DaemonsWithoutAKnownAddressAreNotOneProcess) {
  ProcessAnswers processes;
  processes.note_silence("", Error{ErrorCode::kTimeout, "no answer"});
  EXPECT_EQ(processes.silence_of(""), nullptr);
  processes.note_answer("");
  EXPECT_FALSE(processes.has_answered(""));
}

TEST(Oneways, AnOpeningTowardsAnUnknownAddressMakesNobodyElseWait) {
  const std::uint64_t before = oneways_without_room();
  const oneway_detail::Opening opening(CORBA::Object::_nil());
  const oneway_detail::Unblocked other(CORBA::Object::_nil());
  EXPECT_EQ(oneways_without_room(), before);
}

TEST(KnownNames, WhatTheNameServiceSaysReplacesWhatIsKnown) {
  KnownNames known;
  known.read("xbind/cmgr/a\tIOR:00\nxbind/cmgr/b\tIOR:01\nxbind/cmgrs/c\tIOR:02\n");
  EXPECT_FALSE(known.changed());
  EXPECT_EQ(known.reference("xbind/cmgr/a"), "IOR:00");
  known.found("xbind/cmgr/a", "IOR:10");
  known.listed("xbind/cmgr", {"xbind/cmgr/a"});
  EXPECT_EQ(known.reference("xbind/cmgr/a"), "IOR:10");
  EXPECT_EQ(known.reference("xbind/cmgr/b"), std::nullopt);
  EXPECT_THAT(known.below("xbind/cmgr"), ElementsAre("xbind/cmgr/a"));
  EXPECT_THAT(known.below("xbind"), ElementsAre("xbind/cmgr/a", "xbind/cmgrs/c"));
  known.gone("xbind/cmgr/a");
  EXPECT_EQ(known.text(), "xbind/cmgrs/c\tIOR:02\n");
  EXPECT_TRUE(known.changed());
}

TEST(KnownNames, ADamagedTextIsReadAsFarAsItIsRight) {
  KnownNames known;
  known.read("no tab\n\tIOR:1\na\t\nb\tnot one\nc\tIOR:2\td\nxbind/cmgr/a\tIOR:00\nlast\tIOR:3");
  EXPECT_EQ(known.text(), "last\tIOR:3\nxbind/cmgr/a\tIOR:00\n");
  known.found("line\nend", "IOR:4");
  known.found("long", std::string(KnownNames::kReferenceOctetsMax + 1, 'x'));
  EXPECT_EQ(known.below("").size(), 2U);
}

TEST(KnownNames, TheyAreBounded) {
  KnownNames known;
  for (std::size_t i = 0; i < KnownNames::kNamesMax + 10; ++i) {
    known.found("xbind/cmgr/" + std::to_string(i), "IOR:00");
  }
  EXPECT_EQ(known.below("xbind").size(), KnownNames::kNamesMax);
}

TEST(KnownNames, TheirTextIsBoundedAndWhatHasNoRoomIsCounted) {
  const auto reference = [](char of) {
    return "IOR:" + std::string(KnownNames::kReferenceOctetsMax - 4, of);
  };
  KnownNames known;
  std::size_t names = 0;
  for (; known.without_room() == 0 && names < KnownNames::kNamesMax; ++names) {
    known.found("xbind/cmgr/" + std::to_string(10'000 + names), reference('0'));
  }
  EXPECT_LT(names, KnownNames::kNamesMax);
  const std::string text = known.text();
  EXPECT_LE(text.size(), KnownNames::kTextOctetsMax);
  EXPECT_GT(text.size(), KnownNames::kTextOctetsMax - 2 * KnownNames::kReferenceOctetsMax);

  KnownNames other;
  other.read(text);
  EXPECT_EQ(other.below("").size(), names - 1);
  // Room that is given back is used.
  known.gone("xbind/cmgr/10000");
  known.found("xbind/cmgr/9", reference('0'));
  EXPECT_TRUE(known.reference("xbind/cmgr/9"));
  known.listed("xbind/cmgr", {"xbind/cmgr/10001"});
  EXPECT_EQ(known.text(), "xbind/cmgr/10001\t" + reference('0') + '\n');
}

TEST(KnownNames, WithoutRoomForANewReferenceTheOldOneGoes) {
  KnownNames known;
  known.found("a", "IOR:00");
  const std::string wide = "IOR:" + std::string(KnownNames::kReferenceOctetsMax - 4, '0');
  while (known.without_room() == 0) known.found("b" + std::to_string(known.below("").size()), wide);
  known.found("a", wide);
  EXPECT_EQ(known.reference("a"), std::nullopt);
  EXPECT_EQ(known.without_room(), 2U);
}

TEST(KnownNames, ANameServiceThatIsAwayIsAskedAgainLater) {
  KnownNames known;
  const TimePoint now{1h};
  EXPECT_FALSE(known.answers());
  known.away({ErrorCode::kTimeout, "no answer"}, now + 10s);
  ASSERT_TRUE(known.why_away(now + 9s));
  EXPECT_FALSE(known.why_away(now + 10s));
  EXPECT_FALSE(known.why_used()) << "nothing known has stood for its answer";
  known.use();
  EXPECT_EQ(known.why_used()->text, "no answer");
  known.answered();
  EXPECT_TRUE(known.answers());
  EXPECT_FALSE(known.why_used());
  EXPECT_FALSE(known.why_away(now));
}

}  // namespace
}  // namespace xbind::orb
