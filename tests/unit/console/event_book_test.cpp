#include "console/event_book.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace xbind::console {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

BookedEvent event(std::uint64_t at_ms, const std::string& daemon = "cmgr/default",
                  const std::string& subject = "calls", const std::string& connection = "7") {
  return {at_ms, daemon, subject, connection, "{\"at_ms\":" + std::to_string(at_ms) + "}"};
}

std::vector<BookedEvent> events(std::size_t count, std::uint64_t first_ms) {
  std::vector<BookedEvent> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(event(first_ms + i));
  return all;
}

std::vector<std::string> ids(const EventBook& book, const EventFilter& filter = {}) {
  std::vector<std::string> found;
  for (const auto& row : nlohmann::json::parse(book.array_of(filter))) found.push_back(row["id"]);
  return found;
}

TEST(EventBook, NumbersEventsAsTheyCome) {
  EventBook book;
  const EventBook::Change first = book.add("cmgr/default calls", {event(10), event(20)});
  EXPECT_THAT(first.set, SizeIs(2));
  EXPECT_EQ(first.set.begin()->second, R"({"id":"1","event":{"at_ms":10}})");
  EXPECT_THAT(first.gone, IsEmpty());
  const EventBook::Change second = book.add("switchserver/a network", {event(15)});
  EXPECT_GT(second.set.begin()->first, first.set.rbegin()->first);
  EXPECT_EQ(book.last_id(), 3U);
}

TEST(EventBook, OrdersEventsByTheirTime) {
  EventBook book;
  book.add("cmgr/default calls", {event(10), event(20)});
  book.add("switchserver/a network", {event(15)});
  EXPECT_THAT(ids(book), ElementsAre("1", "3", "2"));
}

TEST(EventBook, ChoosesTheNewestThatMatch) {
  EventBook book;
  book.add("cmgr/default calls", {event(10), event(20, "cmgr/default", "calls", "8")});
  book.add("switchserver/a network", {event(15, "switchserver/a", "links", "")});
  EXPECT_THAT(ids(book, {.subject = "links"}), ElementsAre("3"));
  EXPECT_THAT(ids(book, {.daemon = "cmgr/default"}), ElementsAre("1", "2"));
  EXPECT_THAT(ids(book, {.connection = "8"}), ElementsAre("2"));
  EXPECT_THAT(ids(book, {.after = 1}), ElementsAre("3", "2"));
  EXPECT_THAT(ids(book, {.limit = 1}), ElementsAre("2"));
  EXPECT_THAT(ids(book, {.daemon = "cmgr/other"}), IsEmpty());
}

TEST(EventBook, HasABoundAndTellsWhichEventsAreGone) {
  EventBook book;
  book.add("cmgr/default calls", events(kEventsKept, 0));
  const EventBook::Change change = book.add("cmgr/default calls", events(2, 5'000));
  EXPECT_THAT(change.set, SizeIs(2));
  EXPECT_THAT(change.gone, ElementsAre("000000000001", "000000000002"));
  EXPECT_EQ(book.size(), kEventsKept);
}

TEST(EventBook, ABusySourceDisplacesItsOwnEvents) {
  EventBook book;
  book.add("routeobject/default network", {event(1, "routeobject/default", "links", "")});
  book.add("cmgr/default calls", events(3 * kEventsKept, 2));
  EXPECT_EQ(book.size(), kEventsKept);
  EXPECT_THAT(ids(book, {.subject = "links"}), ElementsAre("1"));
}

TEST(EventBook, EventsThatDoNotStayAreNotPublished) {
  EventBook book;
  const EventBook::Change change = book.add("cmgr/default calls", events(kEventsKept + 3, 0));
  EXPECT_THAT(change.set, SizeIs(kEventsKept));
  EXPECT_THAT(change.gone, IsEmpty());
}

}  // namespace
}  // namespace xbind::console
