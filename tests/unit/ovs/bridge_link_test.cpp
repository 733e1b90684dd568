// The socket of a bridge's connection, against a listener in this process.
#include "ovs/bridge_link.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/steady_now.hpp"
#include "ovs/timers.hpp"

namespace xbind::ovs {
namespace {

namespace asio = boost::asio;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Unix = asio::local::stream_protocol;

constexpr Duration kMin = kOvsTimers["bridge-retry-min"];
constexpr Duration kMax = kOvsTimers["bridge-retry-max"];

class BridgeLinkTest : public ::testing::Test {
 protected:
  struct Closed {
    std::string reason;
    bool was_connected = false;
  };

  BridgeLinkTest() {
    std::filesystem::remove(path_);
    link_.emplace(loop_, BridgeAddress{path_, {}, 0}, callbacks());
  }
  // The loop's end closes the connection, which otherwise keeps its link alive.
  ~BridgeLinkTest() override {
    loop_.stop();
    loop_.run();
    std::filesystem::remove(path_);
  }

  BridgeLinkCallbacks callbacks() {
    return {[this] { ++connected_; },
            [this](std::span<const std::byte> octets) {
              for (const std::byte octet : octets) heard_ += static_cast<char>(octet);
            },
            [this](const std::string& reason, bool was_connected) {
              closed_.push_back({reason, was_connected});
            }};
  }
  // Runs the loop until that is so; false: it has not come to pass.
  template <class Condition>
  bool until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + seconds{20};
    while (!condition()) {
      if (loop_.io().run_one_until(end) == 0) return false;
    }
    return true;
  }
  void listen() { acceptor_.emplace(bridge_, Unix::endpoint(path_)); }
  // The bridge's end of a connection that has been made; nullopt: there is none.
  std::optional<Unix::socket> accepted() {
    acceptor_->non_blocking(true);
    boost::system::error_code error;
    Unix::socket socket(bridge_);
    acceptor_->accept(socket, error);
    if (error) return std::nullopt;
    return socket;
  }
  // Makes the attempt that is due next, at its time.
  void attempt() {
    const TimePoint due = link_->next_attempt();
    ASSERT_NE(due, kNever);
    if (due > TimePoint{}) {
      link_->tick(due - Duration{1});
      ASSERT_EQ(link_->next_attempt(), due) << "too early: nothing begins";
    }
    link_->tick(due);
    EXPECT_EQ(link_->next_attempt(), kNever) << "the attempt is under way";
  }
  void comes_up() {
    const int before = connected_;
    attempt();
    ASSERT_TRUE(until([&] { return connected_ > before; }));
  }
  // Runs `ends`, which ends the connection or the attempt, and the loop until it has ended. The
  // next attempt is due after `wait`.
  template <class Ends>
  void expect_wait(Duration wait, bool was_connected, Ends ends) {
    const std::size_t before = closed_.size();
    const TimePoint earliest = steady_now();
    ends();
    ASSERT_TRUE(until([&] { return closed_.size() > before; }));
    EXPECT_THAT(closed_, SizeIs(before + 1));
    EXPECT_EQ(closed_.back().was_connected, was_connected) << closed_.back().reason;
    EXPECT_GE(link_->next_attempt(), earliest + wait);
    EXPECT_LE(link_->next_attempt(), steady_now() + wait);
  }
  void expect_failure(Duration wait) {
    expect_wait(wait, false, [&] { attempt(); });
  }
  // The bridge says that, and the link's owner hears it.
  void hear(Unix::socket& bridge, const std::string& text) {
    asio::write(bridge, asio::buffer(text));
    EXPECT_TRUE(until([&] { return heard_.size() >= text.size(); }));
    EXPECT_EQ(std::exchange(heard_, {}), text);
  }
  // What has come at the bridge's end.
  std::string read(Unix::socket& bridge, std::size_t octets) {
    std::string got(octets, ' ');
    if (!until([&] { return bridge.available() >= octets; })) return "nothing";
    asio::read(bridge, asio::buffer(got));
    return got;
  }
  static std::span<const std::byte> octets(const std::string& text) {
    return std::as_bytes(std::span(text));
  }

  const std::string path_ = ::testing::TempDir() + "/bridge-link-" + std::to_string(getpid());
  net::Loop loop_;
  asio::io_context bridge_;
  std::optional<Unix::acceptor> acceptor_;
  std::optional<BridgeLink> link_;
  int connected_ = 0;
  std::string heard_;
  std::vector<Closed> closed_;
};

TEST_F(BridgeLinkTest, ConnectsAtOnceAndOnceOnly) {
  listen();
  EXPECT_LE(link_->next_attempt(), steady_now());
  link_->tick(steady_now());
  EXPECT_EQ(link_->next_attempt(), kNever);
  link_->tick(steady_now() + std::chrono::hours{1});
  ASSERT_TRUE(until([&] { return connected_ == 1; }));
  EXPECT_EQ(link_->next_attempt(), kNever);
  link_->tick(steady_now() + std::chrono::hours{2});
  EXPECT_TRUE(accepted());
  EXPECT_FALSE(accepted()) << "a second connection";
  EXPECT_THAT(closed_, IsEmpty());
}

TEST_F(BridgeLinkTest, CarriesOctetsInBothDirections) {
  listen();
  comes_up();
  auto bridge = accepted();
  ASSERT_TRUE(bridge);
  hear(*bridge, "hello");
  hear(*bridge, "again");
  link_->send(octets("to the bridge"));
  EXPECT_EQ(read(*bridge, 13), "to the bridge");
}

TEST_F(BridgeLinkTest, TheWaitDoublesWithEachFailureUpToItsBound) {
  for (Duration wait = kMin; wait < kMax; wait *= 2) expect_failure(wait);
  expect_failure(kMax);
  expect_failure(kMax);
  EXPECT_EQ(closed_.back().reason, "No such file or directory");
  EXPECT_EQ(connected_, 0);
}

TEST_F(BridgeLinkTest, AConnectionThatServesMakesTheNextWaitTheShortest) {
  for (int i = 0; i < 3; ++i) expect_failure(kMin * (1 << i));
  listen();
  comes_up();
  link_->well();
  {
    auto bridge = accepted();
    ASSERT_TRUE(bridge);
    expect_wait(kMin, true, [&] { bridge->close(); });
  }
  comes_up();
  link_->well();
  expect_wait(kMin, true, [&] { link_->close("because the test says so"); });
  EXPECT_EQ(closed_.back().reason, "because the test says so");
}

// A bridge that accepts and closes at once is no reason to hurry.
TEST_F(BridgeLinkTest, AConnectionThatNeverServesDoesNotShortenTheWait) {
  listen();
  for (Duration wait = kMin; wait < kMax; wait *= 2) {
    comes_up();
    expect_wait(wait, true, [&] { accepted()->close(); });
  }
  comes_up();
  expect_wait(kMax, true, [&] { accepted()->close(); });
}

TEST_F(BridgeLinkTest, ConnectsAgainAndWhatCameBeforeIsGone) {
  listen();
  comes_up();
  auto first = accepted();
  ASSERT_TRUE(first);
  expect_wait(kMin, true, [&] { first->close(); });
  link_->send(octets("into the void"));
  link_->close("nothing is there to close");
  comes_up();
  auto second = accepted();
  ASSERT_TRUE(second);
  hear(*second, "hello");
  link_->send(octets("new"));
  EXPECT_EQ(read(*second, 3), "new");
  EXPECT_THAT(closed_, SizeIs(1));
}

TEST_F(BridgeLinkTest, AfterTheEndOfTheLoopNothingIsTriedAgain) {
  listen();
  comes_up();
  loop_.stop();
  loop_.run();
  EXPECT_EQ(link_->next_attempt(), kNever);
  link_->tick(steady_now() + std::chrono::hours{1});
  EXPECT_EQ(link_->next_attempt(), kNever);
  EXPECT_THAT(closed_, IsEmpty()) << "the owner ends too";
}

TEST_F(BridgeLinkTest, AfterTheEndOfTheLoopNoAttemptIsDue) {
  expect_failure(kMin);
  ASSERT_NE(link_->next_attempt(), kNever);
  loop_.stop();
  loop_.run();
  EXPECT_EQ(link_->next_attempt(), kNever) << "the owner would wake for an attempt that never is";
}

TEST_F(BridgeLinkTest, ALinkThatIsGoneMakesNoCallback) {
  listen();
  attempt();  // and its answer comes later
  link_.reset();
  acceptor_.reset();
  loop_.stop();
  loop_.run();
  EXPECT_EQ(connected_, 0);
  EXPECT_THAT(closed_, IsEmpty());
}

TEST_F(BridgeLinkTest, ConnectsOverTcp) {
  asio::ip::tcp::acceptor acceptor(bridge_, {asio::ip::address_v4::loopback(), 0});
  link_.emplace(loop_, BridgeAddress{{}, "127.0.0.1", acceptor.local_endpoint().port()},
                callbacks());
  comes_up();
  ASSERT_NE(connected_, 0U);
  asio::ip::tcp::socket bridge = acceptor.accept();
  asio::write(bridge, asio::buffer(std::string("over TCP")));
  EXPECT_TRUE(until([&] { return heard_.size() == 8; }));
  EXPECT_EQ(heard_, "over TCP");
  acceptor.close();
  expect_wait(kMin, true, [&] { bridge.close(); });
  expect_failure(kMin * 2);
  EXPECT_EQ(closed_.back().reason, "Connection refused");
}

}  // namespace
}  // namespace xbind::ovs
