// Readers of the file of connections take turns (keeper/file_turns.hpp).
#include "keeper/file_turns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace xbind::keeper {
namespace {

// The file changes before each read, as if by an operator who saves it again and again.
TEST(FileTurns, ATextThatWasReadEarlierNeverReplacesALaterOne) {
  std::atomic<std::size_t> text = 0;
  std::vector<std::size_t> taken;
  std::mutex taking;
  FileTurns turns(
      [&]() -> Result<std::vector<Wanted>> {
        const std::size_t read = ++text;
        std::this_thread::yield();
        return std::vector<Wanted>(read);
      },
      [&](const std::vector<Wanted>& tables) -> Result<FileChange> {
        const std::lock_guard lock(taking);
        taken.push_back(tables.size());
        return FileChange{};
      });
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 4; ++reader) {
    readers.emplace_back([&] {
      for (int round = 0; round < 500; ++round) EXPECT_TRUE(turns.read_again().has_value());
    });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(taken.size(), 2000U);
  EXPECT_TRUE(std::ranges::is_sorted(taken));
}

TEST(FileTurns, ARefusedFileIsNotTakenAndTheNextOneIs) {
  bool wrong = true;
  int taken = 0;
  FileTurns turns(
      [&]() -> Result<std::vector<Wanted>> {
        if (wrong) return fail(ErrorCode::kBadInput, "line 3");
        return std::vector<Wanted>(1);
      },
      [&](const std::vector<Wanted>&) -> Result<FileChange> {
        ++taken;
        return FileChange{};
      });
  EXPECT_EQ(turns.read_again().error().text, "line 3");
  EXPECT_EQ(taken, 0);
  wrong = false;
  EXPECT_TRUE(turns.read_again().has_value());
  EXPECT_EQ(taken, 1);
}

}  // namespace
}  // namespace xbind::keeper
