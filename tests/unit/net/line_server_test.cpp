// Lines, and a control socket that is asked over a Unix socket of this process.
#include "net/line_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "net/ask.hpp"
#include "net/loop.hpp"

namespace xbind::net {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LineSplitterTest, WhateverTheChunks) {
  const std::string text = "one\r\ntwo\n\nthree\n";
  for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
    LineSplitter lines(5);
    std::vector<std::string> seen;
    for (std::size_t at = 0; at < text.size(); at += chunk) {
      EXPECT_TRUE(lines.feed(std::string_view(text).substr(at, chunk),
                             [&](std::string_view line) { seen.emplace_back(line); }));
    }
    EXPECT_THAT(seen, ElementsAre("one", "two", "", "three")) << chunk;
  }
}

TEST(LineSplitterTest, ALineThatNeverEndsIsGivenUp) {
  LineSplitter lines(1'024);
  const auto nothing = [](std::string_view) { FAIL(); };
  EXPECT_TRUE(lines.feed(std::string(1'024, 'x'), nothing));
  EXPECT_FALSE(lines.feed("x", nothing));
}

class LineServerTest : public ::testing::Test {
 protected:
  ~LineServerTest() override { std::filesystem::remove_all(folder_); }

  Result<std::unique_ptr<LineServer>> listen() {
    LineServerOptions options;
    options.server.path = path;
    options.server.connections_max = 2;
    options.line_octets_max = 20;
    options.too_long = "too long";
    LineServerUpcalls upcalls;
    upcalls.on_line = [](std::string_view line) {
      return LineAnswer{"heard " + std::string(line), line == "go" ? "it was to go" : ""};
    };
    upcalls.on_trouble = [this](const std::string& what) { troubles.push_back(what); };
    return LineServer::listen(loop, options, std::move(upcalls));
  }

  // Asks while this thread serves, by polls as a program with a loop of its own does.
  Result<std::string> ask(std::string_view line) {
    std::atomic<bool> over = false;
    Result<std::string> answer = "";
    std::jthread asking([&] {
      answer = ask_at(path, line, std::chrono::seconds{30});
      over = true;
    });
    while (!over) loop.poll();
    return answer;
  }

  static std::string new_folder() {
    std::string name = std::filesystem::temp_directory_path() / "lines-XXXXXX";
    return mkdtemp(name.data());
  }

  const std::filesystem::path folder_{new_folder()};
  const std::string path = folder_ / "socket";
  Loop loop;
  std::vector<std::string> troubles;
};

TEST_F(LineServerTest, AnswersEachLineAndItsFileIsTheOwners) {
  const auto server = listen();
  ASSERT_TRUE(server) << server.error().text;
  struct stat file {};
  ASSERT_EQ(stat(path.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777U, 0600U);
  EXPECT_EQ(*ask("one"), "heard one");
  EXPECT_EQ(*ask("go"), "heard go");
  EXPECT_EQ(*ask(std::string(21, 'x')), "too long");
  EXPECT_EQ(*ask("two"), "heard two");
  EXPECT_THAT(troubles, ElementsAre("connection 2: it was to go",
                                    "connection 3: a line of more than 20 octets"));
}

TEST_F(LineServerTest, OnlyOneListensAtAPlace) {
  {
    const auto server = listen();
    ASSERT_TRUE(server);
    EXPECT_THAT(listen().error().text, HasSubstr("another process listens there"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_THAT(ask_at(path, "one", std::chrono::seconds{30}).error().text,
              HasSubstr(path + ": connect: "));
}

}  // namespace
}  // namespace xbind::net
