#include "exporter/collector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace xbind::exporter {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr MetricNames kTrips{{{"trips", MetricKind::kCounter, "", "Trips begun."}}};

// A part whose logic answers at once, keeps the question, or holds the thread that asks.
class Logic {
 public:
  Part part(const std::string& name) {
    return {name, {}, [this](const auto& done) { asked(done); }, {}};
  }
  void keep_questions() { keeps_ = true; }
  // Answers the questions that were kept.
  void answer() {
    std::vector<std::function<void(Reading)>> kept;
    {
      const std::lock_guard lock(mutex_);
      kept.swap(kept_);
    }
    for (const auto& done : kept) done(reading);
  }
  int questions() const { return questions_; }

  Reading reading{{{"trips", 7}}, {}, {}};

 private:
  void asked(const std::function<void(Reading)>& done) {
    ++questions_;
    if (!keeps_) return done(reading);
    const std::lock_guard lock(mutex_);
    kept_.push_back(done);
  }

  std::atomic<int> questions_ = 0;
  std::atomic<bool> keeps_ = false;
  std::mutex mutex_;
  std::vector<std::function<void(Reading)>> kept_;
};

class CollectorTest : public ::testing::Test {
 protected:
  // The clock advances by a second with each look, so no reading is fresh, unless `still`.
  Collector& collector(std::vector<Part> parts, bool still = false) {
    collector_ = std::make_unique<Collector>(
        CollectorOptions{
            .program = "trial",
            .answer = milliseconds{20},
            .fresh = milliseconds{100},
            .now = [this,
                    still] { return TimePoint{std::chrono::seconds{still ? 1 : ++seconds_}}; }},
        std::move(parts), std::vector<MetricTable>{metric_table("trial", kTrips)});
    collector_->serving();
    return *collector_;
  }

  Logic one_;
  Logic other_;

 private:
  int seconds_ = 0;
  std::unique_ptr<Collector> collector_;
};

TEST_F(CollectorTest, EveryPartIsAskedOnceForARequest) {
  Collector& collected = collector({one_.part("one"), other_.part("other")});
  EXPECT_THAT(collected.not_healthy(), IsEmpty());
  EXPECT_THAT(collected.not_ready(), IsEmpty());
  EXPECT_EQ(one_.questions(), 2);
  EXPECT_EQ(other_.questions(), 2);
}

TEST_F(CollectorTest, RequestsWithinAMomentShareAReading) {
  Collector& collected = collector({one_.part("one")}, true);
  for (int i = 0; i < 100; ++i) EXPECT_THAT(collected.not_healthy(), IsEmpty());
  EXPECT_EQ(one_.questions(), 1);
}

TEST_F(CollectorTest, ASilentPartIsNamedAndTheOthersAreExposed) {
  Collector& collected = collector({one_.part("one"), other_.part("other")});
  one_.keep_questions();
  EXPECT_THAT(collected.not_healthy(), ElementsAre("one: its logic has not answered within 20 ms"));
  EXPECT_THAT(collected.not_ready(), SizeIs(1));
  const auto readings = collected.read();
  EXPECT_FALSE((*readings)[0]);
  ASSERT_TRUE((*readings)[1]);
  EXPECT_EQ((*readings)[1]->metrics, (Metrics{{"trips", 7}}));
}

TEST_F(CollectorTest, ASilentPartIsNotAskedAgainUntilItAnswers) {
  Collector& collected = collector({one_.part("one")});
  one_.keep_questions();
  for (int i = 0; i < 5; ++i) EXPECT_THAT(collected.not_healthy(), SizeIs(1));
  EXPECT_EQ(one_.questions(), 1);
  one_.answer();  // too late for those
  EXPECT_THAT(collected.not_healthy(), SizeIs(1)) << "an old answer says nothing of now";
  EXPECT_EQ(one_.questions(), 2);
}

TEST_F(CollectorTest, APartThatDropsTheQuestionIsSilentAndIsAskedAgain) {
  std::atomic<int> asked = 0;
  Part part{"one", {}, {}, {}};
  part.ask = [&](const auto& done) {
    if (++asked == 1) return;  // destroys the question
    done(one_.reading);
  };
  Collector& collected = collector({part});
  EXPECT_THAT(collected.not_healthy(), SizeIs(1));
  EXPECT_THAT(collected.not_healthy(), IsEmpty());
  EXPECT_EQ(asked, 2);
}

TEST_F(CollectorTest, AQuestionThatIsDroppedAfterTheEndHarmsNothing) {
  std::function<void(Reading)> kept;
  {
    Part part{"one", {}, [&](const auto& done) { kept = done; }, {}};
    const Collector ended(
        {.program = "trial", .answer = milliseconds{1}, .now = [] { return TimePoint{}; }}, {part},
        {metric_table("trial", kTrips)});
    EXPECT_THAT(ended.not_healthy(), SizeIs(1));
  }
  kept = {};
}

TEST_F(CollectorTest, AnAnswerAfterTheEndIsDropped) {
  one_.keep_questions();
  {
    const Collector ended(
        {.program = "trial", .answer = milliseconds{1}, .now = [] { return TimePoint{}; }},
        {one_.part("one")}, {metric_table("trial", kTrips)});
    EXPECT_THAT(ended.not_healthy(), SizeIs(1));
  }
  one_.answer();
}

TEST_F(CollectorTest, IsReadyOnceItServesAndNoPartSaysOtherwise) {
  Collector waiting({.program = "trial", .now = [] { return TimePoint{}; }}, {one_.part("one")},
                    {});
  EXPECT_THAT(waiting.not_ready(), ElementsAre(HasSubstr("name service")));
  waiting.serving();
  EXPECT_THAT(waiting.not_ready(), IsEmpty());
  one_.reading.not_ready = {"its switch is away"};
  Collector& collected = collector({one_.part("one")});
  EXPECT_THAT(collected.not_ready(), ElementsAre("one: its switch is away"));
  EXPECT_THAT(collected.not_healthy(), IsEmpty());
}

TEST_F(CollectorTest, ListsABoundedNumberOfReasons) {
  Reasons reasons;
  for (int i = 0; i < 100; ++i) reasons.add("reason");
  const auto lines = reasons.take();
  EXPECT_THAT(lines, SizeIs(kReasonsMax));
  EXPECT_EQ(lines.back(), "and 81 more");
}

TEST_F(CollectorTest, ExposesItsOwnCountsWithTheParts) {
  Collector& collected = collector({one_.part("one")});
  collected.count_request(false);
  collected.count_request(true);
  std::vector<std::string> names;
  for (const auto& family : collected.Collect()) names.push_back(family.name);
  EXPECT_THAT(names, ElementsAre("xbind_exporter_build_info", "xbind_exporter_not_ready_reasons",
                                 "xbind_exporter_parts", "xbind_exporter_parts_silent",
                                 "xbind_exporter_requests_refused_total",
                                 "xbind_exporter_requests_total", "xbind_trial_trips_total"));
}

}  // namespace
}  // namespace xbind::exporter
