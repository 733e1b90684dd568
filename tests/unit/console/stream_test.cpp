#include <gmock/gmock.h>

#include "console/stream_queue.hpp"

namespace xbind::console {
namespace {

StreamQueue::Text text(std::size_t octets) {
  return std::make_shared<const std::string>(octets, 'x');
}

TEST(StreamQueue, HasTheTextsInTheirOrder) {
  StreamQueue queue(10);
  EXPECT_TRUE(queue.push(text(3)));
  EXPECT_TRUE(queue.push(text(4)));
  EXPECT_EQ(queue.octets(), 7U);
  EXPECT_EQ(queue.front().size(), 3U);
  queue.pop();
  EXPECT_EQ(queue.front().size(), 4U);
  queue.pop();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.octets(), 0U);
}

TEST(StreamQueue, GivesUpAReaderThatFallsBehind) {
  StreamQueue queue(10);
  EXPECT_TRUE(queue.push(text(6)));
  EXPECT_TRUE(queue.push(text(4)));
  EXPECT_FALSE(queue.push(text(1)));
}

TEST(StreamQueue, TakesOneTextOfAnySize) {
  StreamQueue queue(10);
  EXPECT_TRUE(queue.push(text(1'000)));
  EXPECT_FALSE(queue.push(text(1)));
}

}  // namespace
}  // namespace xbind::console
